"""The equation d/dt mu + div(mu Gamma_mu) = 0 itself, solved by moving the nodes of a quadrature.

The law mu_0 = N(alpha, Sigma) is replaced by a lattice of nodes with weights. Every node moves with
the velocity Gamma that all moved nodes together make, a weighted sum in place of every integral, so
that nothing is assumed about the shape of the law later on. The lattice sums are exact to rounding
as long as the moved law is an affine image of mu_0 of moderate size, which the outcome has to show.

Velocities as in arXiv:2501.18322 (Castin, Ablin, Carrillo, Peyré). Double precision: n nodes take
n^2 operations per evaluation; mean and covariance come out to 12 digits or more. Points and nodes
are rows, m x d and n x d, weights of length n with sum 1.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from numeric.heads import Array

Field = Callable[[Array, Array, Array], Array]
"""Velocity (m x d) at points (m x d), made by nodes (n x d) and their weights (n)."""

TOLERANCE = 1e-13
"""Relative tolerance of the integration in time (Dormand-Prince of order 8)."""

SETTLED = 1e-15
"""Relative change of the values at which alternating normalisation stops."""

SWEEP_LIMIT = 20000
"""Sweeps after which alternating normalisation is given up."""


def gaussian_nodes(
    alpha: Array, factor: Array, *, step: float = 0.5, radius: float = 11.0
) -> tuple[Array, Array]:
    """Nodes (n x d) and weights (n) of N(alpha, G G^T), G = ``factor`` (d x r).

    A lattice of this ``step`` in the ball of that ``radius`` in standard normal coordinates: for
    exp(-s |z|^2 / 2) it is exact up to exp(-2 pi^2 / (s step^2)).
    """
    reach = int(radius / step)
    axis = step * np.arange(-reach, reach + 1)
    grid = np.stack(np.meshgrid(*[axis] * factor.shape[1], indexing="ij"), axis=-1)
    z = grid.reshape(-1, factor.shape[1])
    squares = (z**2).sum(axis=1)
    z, squares = z[squares <= radius**2], squares[squares <= radius**2]
    weights = np.exp(-squares / 2)
    return alpha + z @ factor.T, weights / weights.sum()


def moments(nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Mean (d) and covariance (d x d) of weighted nodes."""
    mean = weights @ nodes
    centred = nodes - mean
    return mean, (weights[:, None] * centred).T @ centred


def transport(
    field: Field, nodes: Array, weights: Array, time: float, characteristics: Array
) -> tuple[Array, Array]:
    """Move nodes (n x d), and ``characteristics`` (m x d) that weigh nothing, for ``time`` >= 0.

    Raises :class:`ArithmeticError` when the integration fails.
    """
    n, d = nodes.shape

    def derivative(_: float, state: Array) -> Array:
        points = state.reshape(-1, d)
        return field(points, points[:n], weights).ravel()

    start = np.concatenate([nodes, characteristics]).ravel()
    solution = solve_ivp(
        derivative, (0.0, time), start, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE
    )
    if not solution.success:
        raise ArithmeticError(solution.message)
    end = solution.y[:, -1].reshape(-1, d)
    return end[:n], end[n:]


def softmax_field(V: Array, A: Array) -> Field:
    """Softmax attention: weights proportional to exp(<A x, y>)."""

    def field(points: Array, nodes: Array, weights: Array) -> Array:
        return _averaged(points @ A.T @ nodes.T, nodes, weights) @ V.T

    return field


def l2_field(V: Array, Q: Array, K: Array) -> Field:
    """L2 attention: weights proportional to exp(-|Q x - K y|^2)."""

    def field(points: Array, nodes: Array, weights: Array) -> Array:
        differences = (points @ Q.T)[:, None, :] - (nodes @ K.T)[None, :, :]
        return _averaged(-(differences**2).sum(axis=-1), nodes, weights) @ V.T

    return field


def linear_field(V: Array, A: Array) -> Field:
    """Linear attention: the sum of <A x, y> V y."""

    def field(points: Array, nodes: Array, weights: Array) -> Array:
        return (points @ A.T @ nodes.T) @ (weights[:, None] * nodes) @ V.T

    return field


def sinkhorn_field(V: Array, A: Array) -> Field:
    """Sinkhorn attention: exp(<A x, y>) normalised alternately over rows and columns of nodes.

    From the column potential of the evaluation before, until a sweep changes the weighted mean
    square of the values at the nodes by :data:`SETTLED`. A field belongs to one set of nodes.
    """
    column: Array | None = None

    def field(points: Array, nodes: Array, weights: Array) -> Array:
        nonlocal column
        mean = weights @ nodes
        centred = nodes - mean  # factors of x alone and of y alone do not survive
        kernel = np.exp((points - mean) @ A.T @ centred.T)
        square = kernel[: len(nodes)]
        mass = weights if column is None else weights * column
        values = np.zeros_like(nodes)
        for _ in range(SWEEP_LIMIT):
            total = square @ mass
            column = 1.0 / (square.T @ (weights / total))
            mass = weights * column
            previous, values = values, (square @ (mass[:, None] * nodes)) / (square @ mass)[:, None]
            change = (weights @ (values - previous) ** 2).sum()
            if change <= SETTLED**2 * (weights @ values**2).sum():
                averages = (kernel @ (mass[:, None] * nodes)) / (kernel @ mass)[:, None]
                return averages @ V.T
        raise ArithmeticError(f"not settled after {SWEEP_LIMIT} sweeps")

    return field


def several_heads(*fields: Field) -> Field:
    """The sum of the velocities of heads."""

    def field(points: Array, nodes: Array, weights: Array) -> Array:
        total = np.zeros_like(points)
        for head in fields:
            total += head(points, nodes, weights)
        return total

    return field


def _averaged(scores: Array, nodes: Array, weights: Array) -> Array:
    """Means of the nodes under weights times exp(scores), scores m x n."""
    kernel = weights * np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Array = (kernel @ nodes) / kernel.sum(axis=1, keepdims=True)
    return result
