"""The velocity of Sinkhorn attention on a Gaussian, by alternating normalisation.

The kernel exp(<A x, y>) is made doubly stochastic against mu = N(alpha, Sigma), Sigma = G G^T
(arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré). With xi = x - alpha and zeta = y - alpha it may
be taken to be exp(<A xi, zeta>): factors of x alone and of y alone do not survive. Two ways, which
share nothing but their stopping rule:

- :func:`sinkhorn_velocity` normalises a matrix of kernel values at quadrature nodes;
- :func:`sinkhorn_gaussian_velocity` normalises Gaussian integrals, given by their precisions.

Both converge linearly, by a factor of the squared correlation of x and y, and stop when a sweep
changes the mean of y given x by less than 10^-(digits + :data:`SPARE_DIGITS`) of its scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from flint import arb, arb_mat, ctx
from mpmath import mp

from numeric.precise.balls import SPARE_BITS, ball, midpoint
from numeric.precise.convert import MatrixLike, VectorLike, entries, largest, rows
from numeric.precise.velocity import GUARD_DIGITS, gaussian_factor

Frozen = tuple[tuple[Any, ...], ...]
"""The entries of a matrix by rows."""

SPARE_DIGITS = 5
"""Digits by which the last change is below those asked for: enough for factors up to 1 - 1e-4."""

SWEEP_LIMIT = 4000
"""Sweeps after which the iteration is given up."""


def sinkhorn_velocity(
    V: MatrixLike,
    A: MatrixLike,
    alpha: VectorLike,
    Sigma: MatrixLike,
    x: VectorLike,
    *,
    digits: int = 40,
) -> Any:
    """Return the Sinkhorn velocity at ``x``, a d x 1 mpmath matrix, to ``digits`` digits.

    The nodes are lattices in standard normal coordinates, in axes along which the kernel is a
    product (singular vectors of G^T A G), so that a matrix of kernel values times a column is two
    products of small matrices, in ball arithmetic. ``V``, ``A``, ``Sigma`` are d x d, ``alpha``
    and ``x`` of length d. The digits are relative to the largest of |V alpha| and |V| times
    the width of the Gaussian.

    Raises :class:`ValueError` for a covariance of rank above 2 or not positive semidefinite and
    :class:`ArithmeticError` when :data:`SWEEP_LIMIT` is reached.

    >>> print(sinkhorn_velocity([[1]], [[1]], [0], [[1]], [1], digits=20))  # 2 / (1 + sqrt 5)
    [0.618033988749895]
    """
    with mp.workdps(digits + GUARD_DIGITS):
        center, factor = mp.matrix(entries(alpha)), gaussian_factor(Sigma)
        rank = len(factor[0])
        if rank > 2:
            raise ValueError(f"covariance of rank {rank}, quadrature is for rank 1 and 2")
        value, attention = mp.matrix(rows(V)), mp.matrix(rows(A))
        if rank == 0:
            return value * center
        G = mp.matrix(factor)
        left, singular, _ = mp.svd_r(G.T * attention * G)
        tokens = G * left  # y = center + tokens z
        tilt = tokens.T * attention * (mp.matrix(entries(x)) - center)
        lattice = _Lattice(list(singular), list(tilt), digits)
        previous = mp.zeros(rank, 1)
        for _ in range(SWEEP_LIMIT):
            mean = lattice.sweep()
            if _settled(previous, mean, digits, least=1):
                return value * (center + tokens * mean)
            previous = mean
    raise ArithmeticError(f"{digits} digits not reached after {SWEEP_LIMIT} sweeps")


class _Lattice:
    """Column potentials on a lattice of one or two axes; :meth:`sweep` normalises rows, columns.

    Values at the nodes are a matrix with a row for each node of the first axis; without a second
    axis it has one column.
    """

    def __init__(self, singular: Sequence[Any], tilt: Sequence[Any], digits: int) -> None:
        nats = (digits + SPARE_DIGITS) * mp.log(10)
        radius = mp.sqrt(2 * nats) + 1 + largest(tilt)
        self.precision = mp.prec + SPARE_BITS
        with ctx.workprec(self.precision):
            self.axes = [
                _Axis(s, shift, radius, nats) for s, shift in zip(singular, tilt, strict=True)
            ]
            first, second = [axis.density for axis in self.axes] + [[arb(1)]] * (2 - len(tilt))
            self.mass = [[u * v for v in second] for u in first]
            self.column = arb_mat(self.mass)  # potential times mass

    def sweep(self) -> Any:
        """Normalise the rows, then the columns; return the mean of z given x, a column of mpf."""
        with ctx.workprec(self.precision):
            row = self._normalised(self.column)
            self.column = self._normalised(row)
            total = self._weighted(None)
            return mp.matrix([midpoint(self._weighted(axis) / total) for axis in self.axes])

    def _normalised(self, other: arb_mat) -> arb_mat:
        """Mass over the integral of the kernel against ``other``: rows and columns alike.

        Each axis has the same nodes for both, and a symmetric kernel.
        """
        integral = self.axes[0].kernel * other
        if len(self.axes) == 2:
            integral = integral * self.axes[1].kernel
        pairs = zip(self.mass, integral.tolist(), strict=True)
        return arb_mat([[m / v for m, v in zip(*pair, strict=True)] for pair in pairs])

    def _weighted(self, moment: _Axis | None) -> arb:
        """The integral of the kernel in the row of x, times z along the axis when one is given."""
        result = self.column
        for index, axis in enumerate(self.axes):
            weights = axis.first_moment if axis is moment else axis.row
            result = arb_mat([weights]) * result if index == 0 else result * _as_column(weights)
        return result[0, 0]


class _Axis:
    """Nodes z along an axis, where the kernel is exp(s z w) and its row at x is exp(tilt z)."""

    def __init__(self, singular: Any, tilt: Any, radius: Any, nats: Any) -> None:
        # Given x, y has a variance of 1 - c^2, the inverse of the following.
        sharpness = (1 + mp.sqrt(1 + 4 * singular**2)) / 2
        step = mp.pi * mp.sqrt(2 / (nats * sharpness))
        reach = int(radius / step) + 1
        nodes = [ball(step * i) for i in range(-reach, reach + 1)]
        s, shift = ball(singular), ball(tilt)
        self.density = [(-z * z / 2).exp() for z in nodes]
        self.kernel = arb_mat([[(s * z * w).exp() for w in nodes] for z in nodes])
        self.row = [(shift * z).exp() for z in nodes]
        self.first_moment = [z * u for z, u in zip(nodes, self.row, strict=True)]


def sinkhorn_gaussian_velocity(
    V: MatrixLike,
    A: MatrixLike,
    alpha: VectorLike,
    Sigma: MatrixLike,
    x: VectorLike,
    *,
    digits: int = 40,
) -> Any:
    """Return the Sinkhorn velocity at ``x`` from alternating normalisation of Gaussians, d x 1.

    The integral of exp(<A xi, zeta> - <zeta, R zeta>/2) over zeta is exp(<xi, P xi>/2) up to a
    constant, P = A^T (I + Sigma R)^{-1} Sigma A; likewise R = A (I + Sigma P)^{-1} Sigma A^T. The
    two are iterated from R = 0. Arguments, of any dimension d, as in :func:`sinkhorn_velocity`.

    Raises :class:`ArithmeticError` when :data:`SWEEP_LIMIT` is reached.
    """
    with mp.workdps(digits + GUARD_DIGITS):
        center = mp.matrix(entries(alpha))
        tilt = mp.matrix(rows(A)) * (mp.matrix(entries(x)) - center)
        conditional = _conditional(_frozen(A), _frozen(Sigma), digits)
        return mp.matrix(rows(V)) * (center + conditional * tilt)


@lru_cache(maxsize=8)
def _conditional(A: Frozen, Sigma: Frozen, digits: int) -> Any:
    """(I + Sigma R)^{-1} Sigma, the covariance of y given x, at the working precision."""
    attention, covariance = mp.matrix(A), mp.matrix(Sigma)
    identity = mp.eye(len(Sigma))

    def damped(precision: Any) -> Any:
        return mp.inverse(identity + covariance * precision) * covariance

    R = mp.zeros(len(Sigma))
    previous = damped(R)
    for _ in range(SWEEP_LIMIT):
        P = attention.T * previous * attention
        R = attention * damped(P) * attention.T
        conditional = damped(R)
        if _settled(previous, conditional, digits):
            return conditional
        previous = conditional
    raise ArithmeticError(f"{digits} digits not reached after {SWEEP_LIMIT} sweeps")


def _frozen(matrix: MatrixLike) -> Frozen:
    return tuple(tuple(row) for row in rows(matrix))


def _settled(previous: Any, current: Any, digits: int, least: int = 0) -> bool:
    """Whether the change is negligible relative to the largest entry, and to ``least``."""
    change = largest(current - previous)
    size = max(largest(current), least)
    return bool(change <= mp.mpf(10) ** (-digits - SPARE_DIGITS) * size)


def _as_column(values: list[arb]) -> arb_mat:
    return arb_mat([[value] for value in values])
