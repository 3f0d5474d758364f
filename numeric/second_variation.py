"""Second variation of the energies of attention, as matrices for finitely many tokens.

For tokens x_i in R^d of masses w_i and velocities v_i, v^T H v is the second derivative of the
energy along the geodesic that starts with these velocities, and v^T M v is the squared speed
(Castin, Ablin, Carrillo, Peyré, arXiv:2501.18322, and Villani, Optimal Transport, Old and New,
Chapter 15, for the formal calculus).  The functions are generated from the derivation in
`symbolic.second_variation`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from numeric.heads import Array


def second_variation(
    variant: str, positions: Array, weights: Array, A: Array | None, B: Array
) -> tuple[Array, Array]:
    """H and M, both (..., n d, n d), symmetric; rows are ordered by token, then by coordinate.

    Args:
        variant: "softmax", "exponential", "linear", "sigmoid", or "l2", which is centred L2
            attention with Q = K and V = I.
        positions: the tokens (..., n, d).
        weights: their masses (..., n), positive.
        A: the score matrix (..., d, d), symmetric; None for l2.
        B: the metric (..., d, d), symmetric positive definite; 2 Q^T Q for l2.

    Leading dimensions broadcast.  Numbers are of the size of the kernel, so that exponentials of
    large scores overflow to infinity.

    Raises:
        ValueError: a variant without a second variation, shapes that do not fit, numbers that are
            not finite, a weight that is not positive, or a matrix that is not symmetric (B:
            positive definite).

    >>> H, M = second_variation("softmax", [[3.0]], [1.0], [[-1.0]], [[1.0]])
    >>> bool(np.isclose(H / M, 3.0**2 - 1))
    True
    """
    x, w, metric = (np.asarray(a, dtype=float) for a in (positions, weights, B))
    if x.ndim < 2 or w.ndim < 1 or w.shape[-1] != x.shape[-2]:
        raise ValueError(f"positions {x.shape} and weights {w.shape}: (..., n, d) and (..., n)")
    for name, values in (("positions", x), ("weights", w), ("B", metric)):
        _finite(name, values)
    if np.any(w <= 0):
        raise ValueError("the weights must be positive")
    made = _function(variant)
    if (variant == "l2") != (A is None):
        raise ValueError("l2 attention takes B = 2 Q^T Q and no A; the others take both")
    score = None if A is None else _symmetric("A", np.asarray(A, dtype=float), x.shape[-1])
    if np.any(np.linalg.eigvalsh(_symmetric("B", metric, x.shape[-1]))[..., 0] <= 0):
        raise ValueError("B is not positive definite")
    H, M = made(x, w, score, metric)
    return H, M


def _finite(name: str, values: Array) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite numbers")


@cache
def _function(variant: str) -> Callable[..., Any]:
    from symbolic.pair_code import function  # SymPy only when it is needed

    return function(variant)


def _symmetric(name: str, matrix: Array, d: int) -> Array:
    _finite(name, matrix)
    if matrix.shape[-2:] != (d, d):
        raise ValueError(f"{name} has shape {matrix.shape}, not (..., {d}, {d})")
    size = np.max(np.abs(matrix), initial=0.0)
    if np.max(np.abs(matrix - np.swapaxes(matrix, -1, -2)), initial=0.0) > 1e-12 * size:
        raise ValueError(f"{name} is not symmetric")
    return matrix
