"""The Gaussian flow of softmax attention, integrated by Taylor series to many digits.

Covariance Sigma' = V Sigma A Sigma + Sigma A^T Sigma V^T, mean alpha' = V (I + Sigma A) alpha, and
propagator Phi' = V Sigma A Phi, Phi(0) = I (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré).
The right-hand sides are polynomials, so that Taylor coefficients follow from a recurrence. Every
result is computed at two precisions, with different orders and steps, until both agree to the
digits asked for.

Times and matrices are dimensionless. Numbers that are inexact (floats, mpf) count as exact.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from mpmath import mp

from numeric.exact import multiply
from numeric.precise.agreement import digits_of_agreement
from numeric.precise.convert import (
    MatrixLike,
    Number,
    Rows,
    VectorLike,
    column,
    entries,
    largest,
    number,
    plain_rows,
    rows,
    transpose,
)
from numeric.precise.taylor import BlowUpError, PrecisionError, integrate

__all__ = [
    "BlowUpError",
    "PrecisionError",
    "covariance_at",
    "covariance_of_heads_at",
    "mean_and_covariance_at",
    "propagator_at",
    "series",
    "series_of_heads",
]

GUARD_DIGITS = 6
"""Digits carried beyond the ones asked for, in the first attempt."""

CHECK_DIGITS = 6
"""Digits that the second computation carries beyond the first."""

STEP_LIMIT = 400
"""Number of steps after which :func:`by_steps` gives up."""

NEAR_END = 1e-8
"""Radius of convergence, relative to the time asked for, that is taken for a blow-up."""

ATTEMPTS = 4
"""Number of pairs of precisions tried before giving up."""


def covariance_at(
    V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, t: Number, digits: int = 40
) -> Any:
    """Return Sigma(t), a d x d mpmath matrix, to ``digits`` digits of its largest entry.

    ``V``, ``A``, ``Sigma0`` are d x d, ``Sigma0`` symmetric. Raises :class:`BlowUpError` when the
    solution does not reach ``t`` and :class:`PrecisionError` when the digits are out of reach.

    >>> print(covariance_at([[1]], [[-1]], [[1]], 1, digits=12))  # 1 / (1 + 2 t)
    [0.333333333333333]
    """
    return covariance_of_heads_at([V], [A], Sigma0, t, digits)


def covariance_of_heads_at(
    V: Sequence[MatrixLike],
    A: Sequence[MatrixLike],
    Sigma0: MatrixLike,
    t: Number,
    digits: int = 40,
) -> Any:
    """Return Sigma(t) for Sigma' = sum over h of V_h Sigma A_h Sigma + (the same)^T.

    ``V`` and ``A`` have one matrix for each head; the rest as in :func:`covariance_at`.
    """
    return agreed(lambda: _integrate(V, A, Sigma0, None, t, mean=False), digits)[0]


def mean_and_covariance_at(
    V: MatrixLike,
    A: MatrixLike,
    Sigma0: MatrixLike,
    alpha0: VectorLike,
    t: Number,
    digits: int = 40,
) -> tuple[Any, Any]:
    """Return alpha(t), d x 1, and Sigma(t), d x d; errors as in :func:`covariance_at`."""
    covariance, mean = agreed(
        lambda: _integrate([V], [A], Sigma0, column(entries(alpha0)), t, mean=True), digits
    )
    return mean, covariance


def propagator_at(
    V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, t: Number, digits: int = 40
) -> tuple[Any, Any]:
    """Return Phi(t) and Sigma(t), both d x d; errors as in :func:`covariance_at`."""
    indices = range(len(plain_rows(V)))
    identity = [[int(i == j) for j in indices] for i in indices]
    covariance, phi = agreed(lambda: _integrate([V], [A], Sigma0, identity, t, mean=False), digits)
    return phi, covariance


def series(V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, order: int) -> list[Rows]:
    """Return the Taylor coefficients of Sigma at t = 0 of orders 0 to ``order``, as rows.

    They are fractions when all parameters are integers or fractions, else mpf at the working
    precision.

    >>> [str(c[0][0]) for c in series([[1]], [[1]], [[3]], 3)]  # Sigma' = 2 Sigma^2
    ['3', '18', '108', '648']
    """
    return series_of_heads([V], [A], Sigma0, order)


def series_of_heads(
    V: Sequence[MatrixLike], A: Sequence[MatrixLike], Sigma0: MatrixLike, order: int
) -> list[Rows]:
    """Return the Taylor coefficients for several heads, one matrix in ``V`` and ``A`` for each."""
    plain = [plain_rows(matrix) for matrix in (*V, *A, Sigma0)]
    exact = all(isinstance(x, (int, Fraction)) for matrix in plain for row in matrix for x in row)
    kind = Fraction if exact else number
    product: Callable[[Any, Any], Any] = multiply if exact else _product
    *heads, start = ([[kind(x) for x in row] for row in matrix] for matrix in plain)
    values, attention = heads[: len(V)], [row for matrix in heads[len(V) :] for row in matrix]
    # Cauchy products are single products: V_h Sigma_0, V_h Sigma_1, ... side by side, times
    # A_h Sigma_n, A_h Sigma_{n-1}, ... below each other.
    coefficients: list[Rows] = [start]
    left: Rows = [[] for _ in start]
    right: Rows = []
    for n in range(order):
        for value in values:
            for line, addition in zip(left, product(value, coefficients[n]), strict=True):
                line += addition
        right = [*product(attention, coefficients[n]), *right]
        half = product(left, right)
        coefficients.append(
            [
                [(a + b) / (n + 1) for a, b in zip(*lines, strict=True)]
                for lines in zip(half, transpose(half), strict=True)
            ]
        )
    return coefficients


def _integrate(
    V: Sequence[MatrixLike],
    A: Sequence[MatrixLike],
    Sigma0: MatrixLike,
    Y0: MatrixLike | None,
    t: Number,
    *,
    mean: bool,
) -> list[Any]:
    """Return Sigma(t), and the companion when there is one, at the working precision."""
    start = None if Y0 is None else rows(Y0)
    heads = [rows(matrix) for matrix in V], [rows(matrix) for matrix in A]
    parts = integrate(*heads, rows(Sigma0), start, number(t), value_term=mean)
    return [mp.matrix(part) for part in parts if part is not None]


def agreed(compute: Callable[[], list[Any]], digits: int) -> list[Any]:
    """Run ``compute`` at growing precision until two runs agree to ``digits``."""
    working = digits + GUARD_DIGITS
    for _ in range(ATTEMPTS):
        with mp.workdps(working):
            rough = compute()
        with mp.workdps(working + CHECK_DIGITS):
            fine = compute()
        agreement = min(
            digits_of_agreement(a, b, cap=working) for a, b in zip(rough, fine, strict=True)
        )
        if agreement >= digits:
            return fine
        working += digits - agreement + CHECK_DIGITS
    raise PrecisionError(f"only {agreement} of {digits} digits reached")


def by_steps(series: Callable[[Any, int], Sequence[Any]], start: Any, t: Number) -> Any:
    """Return the solution at t of an autonomous equation, at the working precision.

    ``series`` gives the Taylor coefficients, mpmath matrices of the shape of the start, up to an
    order; order and step are those of :mod:`numeric.precise.taylor`.

    Raises :class:`BlowUpError` near a singularity, and :class:`PrecisionError` after
    :data:`STEP_LIMIT` steps.
    """
    order = int(1.16 * mp.dps) + 2
    state, elapsed, end = start, mp.zero, number(t)
    for _ in range(STEP_LIMIT):
        terms = series(state, order)
        sizes = [largest(term) for term in terms]
        radius = min(
            (mp.root(sizes[0] / sizes[n], n) for n in (order - 1, order) if sizes[n]),
            default=mp.inf,
        )
        if radius < abs(end) * NEAR_END:
            raise BlowUpError(f"the solution seems to blow up at t = {mp.nstr(elapsed, 12)}")
        step = min(radius / mp.e**2, end - elapsed)
        state = mp.zeros(state.rows, state.cols)
        for term in reversed(terms):
            state = step * state + term
        elapsed += step
        if elapsed >= end:
            return state
    raise PrecisionError(f"more than {STEP_LIMIT} steps, at t = {mp.nstr(elapsed, 12)}")


def _product(left: Rows, right: Rows) -> Rows:
    columns = transpose(right)
    return [[sum(map(mul, row, column)) for column in columns] for row in left]
