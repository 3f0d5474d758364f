"""The Gaussian flow of softmax attention, integrated by Taylor series to many digits.

Covariance Sigma' = V Sigma A Sigma + Sigma A^T Sigma V^T, mean alpha' = V (I + Sigma A) alpha, and
propagator Phi' = V Sigma A Phi, Phi(0) = I (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré).
The right-hand sides are polynomials, so that Taylor coefficients follow from a recurrence; steps
are chosen from the size of the last coefficients (Jorba and Zou, Exp. Math. 14, 2005). Every
result is computed at two precisions, with different orders and steps, until both agree to the
digits asked for.

Times and matrices are dimensionless. Numbers that are inexact (floats, mpf) count as exact.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp

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

GUARD_DIGITS = 12
"""Digits carried beyond the ones asked for, in the first attempt."""

CHECK_DIGITS = 10
"""Digits that the second computation carries beyond the first."""

ATTEMPTS = 4
"""Number of pairs of precisions tried before giving up."""

STEP_LIMIT = 4000
"""Number of Taylor steps after which an integration is given up."""

Dot = Callable[[Sequence[Any], Sequence[Any]], Any]


class BlowUpError(ArithmeticError):
    """The solution seems to leave every bound before the time asked for."""


class PrecisionError(ArithmeticError):
    """The digits asked for were not reached."""


def covariance_at(
    V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, t: Number, digits: int = 40
) -> Any:
    """Return Sigma(t), a d x d mpmath matrix, to ``digits`` digits of its largest entry.

    ``V``, ``A``, ``Sigma0`` are d x d, ``Sigma0`` symmetric. Raises :class:`BlowUpError` when the
    solution does not reach ``t`` and :class:`PrecisionError` when the digits are out of reach.
    """
    return _agreed(lambda: _integrate(V, A, Sigma0, None, False, t), digits)[0]


def mean_and_covariance_at(
    V: MatrixLike,
    A: MatrixLike,
    Sigma0: MatrixLike,
    alpha0: VectorLike,
    t: Number,
    digits: int = 40,
) -> tuple[Any, Any]:
    """Return alpha(t), d x 1, and Sigma(t), d x d; errors as in :func:`covariance_at`."""
    covariance, mean = _agreed(lambda: _integrate(V, A, Sigma0, alpha0, True, t), digits)
    return mean, covariance


def propagator_at(
    V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, t: Number, digits: int = 40
) -> tuple[Any, Any]:
    """Return Phi(t) and Sigma(t), both d x d; errors as in :func:`covariance_at`."""
    covariance, phi = _agreed(lambda: _integrate(V, A, Sigma0, None, True, t), digits)
    return phi, covariance


def series(V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, order: int) -> list[Rows]:
    """Return the Taylor coefficients of Sigma at t = 0 of orders 0 to ``order``, as rows.

    They are fractions when all parameters are integers or fractions, else mpf at the working
    precision.

    >>> series([[1]], [[1]], [[3]], 3)  # Sigma' = 2 Sigma^2
    [[[Fraction(3, 1)]], [[Fraction(18, 1)]], [[Fraction(108, 1)]], [[Fraction(648, 1)]]]
    """
    plain = [plain_rows(matrix) for matrix in (V, A, Sigma0)]
    if all(isinstance(x, (int, Fraction)) for matrix in plain for row in matrix for x in row):
        exact = [[[Fraction(x) for x in row] for row in matrix] for matrix in plain]
        return _coefficients(*exact, None, False, order, _exact_dot)[0]
    return _coefficients(*(rows(matrix) for matrix in plain), None, False, order, mp.fdot)[0]


def _exact_dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _coefficients(
    V: Rows, A: Rows, Sigma: Rows, Y: Rows | None, with_value: bool, order: int, dot: Dot
) -> tuple[list[Rows], list[Rows]]:
    """Return the Taylor coefficients of Sigma and of a companion Y, d x m.

    Y' = V Sigma A Y, plus V Y when ``with_value``; Y None stands for none.
    """
    covariance = [Sigma]
    companion = [] if Y is None else [Y]
    # Cauchy products are single dot products: rows of V Sigma_0, V Sigma_1, ... side by side,
    # against columns of A Sigma_n, A Sigma_{n-1}, ... in opposite order.
    left: Rows = [[] for _ in V]
    right: Rows = [[] for _ in V]
    right_companion: Rows = [] if Y is None else [[] for _ in Y[0]]
    for n in range(order):
        _extend(left, _product(V, covariance[n], dot), at_end=True)
        _extend(right, transpose(_product(A, covariance[n], dot)), at_end=False)
        half = [[dot(row, col) for col in right] for row in left]
        covariance.append(
            [
                [(half[i][j] + half[j][i]) / (n + 1) for j in range(len(half))]
                for i in range(len(half))
            ]
        )
        if Y is None:
            continue
        _extend(right_companion, transpose(_product(A, companion[n], dot)), at_end=False)
        change = [[dot(row, col) for col in right_companion] for row in left]
        if with_value:
            change = _add(change, _product(V, companion[n], dot))
        companion.append([[entry / (n + 1) for entry in row] for row in change])
    return covariance, companion


def _integrate(
    V: MatrixLike,
    A: MatrixLike,
    Sigma0: MatrixLike,
    alpha0: VectorLike | None,
    with_companion: bool,
    t: Number,
) -> list[Any]:
    """Integrate to time t at the working precision; return Sigma, and alpha or Phi if wanted."""
    value, attention, sigma, remaining = rows(V), rows(A), rows(Sigma0), number(t)
    companion: Rows | None = None
    if with_companion:
        companion = rows(mp.eye(len(value))) if alpha0 is None else column(entries(alpha0))
    order = int(1.16 * mp.dps) + 2
    elapsed = mp.zero
    for _ in range(STEP_LIMIT):
        coefficients = _coefficients(
            value, attention, sigma, companion, alpha0 is not None, order, mp.fdot
        )
        radius = min(_radius(part) for part in coefficients)
        if radius < abs(elapsed) * mp.mpf(10) ** -15:
            raise BlowUpError(f"the solution seems to blow up at t = {mp.nstr(elapsed, 12)}")
        step = radius / mp.e**2
        last = step >= abs(remaining)
        step = remaining if last else mp.sign(remaining) * step
        powers = [step**n for n in range(order + 1)]
        sigma = _evaluate(coefficients[0], powers)
        if companion is not None:
            companion = _evaluate(coefficients[1], powers)
        if last:
            return [mp.matrix(part) for part in (sigma, companion) if part is not None]
        elapsed += step
        remaining -= step
    raise PrecisionError(f"more than {STEP_LIMIT} steps, at t = {mp.nstr(elapsed, 12)}")


def _radius(coefficients: Sequence[Rows]) -> Any:
    """Estimate the radius of convergence relative to the size of the first coefficient."""
    if not coefficients:
        return mp.inf
    sizes = [largest(x for row in coefficients[n] for x in row) for n in (0, -2, -1)]
    orders = (len(coefficients) - 2, len(coefficients) - 1)
    # The first coefficient may vanish (zero mean): then nothing moves, and sizes are all zero.
    return min(
        (mp.root(sizes[0] / size, n) for size, n in zip(sizes[1:], orders, strict=True) if size),
        default=mp.inf,
    )


def _agreed(compute: Callable[[], list[Any]], digits: int) -> list[Any]:
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


def _product(left: Rows, right: Rows, dot: Dot) -> Rows:
    columns = transpose(right)
    return [[dot(row, col) for col in columns] for row in left]


def _add(left: Rows, right: Rows) -> Rows:
    return [
        [a + b for a, b in zip(row, other, strict=True)]
        for row, other in zip(left, right, strict=True)
    ]


def _extend(lines: Rows, additions: Rows, *, at_end: bool) -> None:
    for line, addition in zip(lines, additions, strict=True):
        position = len(line) if at_end else 0
        line[position:position] = addition


def _evaluate(coefficients: Sequence[Rows], powers: Sequence[Any]) -> Rows:
    height, width = len(coefficients[0]), len(coefficients[0][0])
    return [
        [mp.fdot(powers, [c[i][j] for c in coefficients]) for j in range(width)]
        for i in range(height)
    ]
