"""Taylor steps for the covariance equation in fixed-point integers.

Sigma' = sum over heads of V_h Sigma A_h Sigma + (the same)^T, with a companion
Y' = sum V_h Sigma A_h Y, plus sum V_h Y when asked: the mean and the propagator of softmax
attention are such companions. The heads are stacked: with [V_1 Sigma, V_2 Sigma, ...] beside each
other and A_1 Sigma, A_2 Sigma, ... below each other, the sum is one product. Cauchy products are
sums of products of Python integers, some twenty times faster than the same sums of mpf. Before
each step, matrices are divided by powers of two (to at most one in size) and so is time (by about
the radius of convergence), so that all coefficients are of moderate size and one unit in the last
place is an error relative to the largest entry.

Order and step follow Jorba and Zou, Exp. Math. 14 (2005): order about half the digits in nats,
step the radius of convergence over e^2.
"""

from collections.abc import Sequence
from operator import mul
from typing import Any

from mpmath import mp

from numeric.precise.convert import Rows, largest, transpose

STEP_LIMIT = 4000
"""Number of steps after which an integration is given up."""

Integers = list[list[int]]


class BlowUpError(ArithmeticError):
    """The solution seems to leave every bound before the time asked for."""


class PrecisionError(ArithmeticError):
    """The digits or the time asked for were not reached."""


def integrate(
    V: Sequence[Rows],
    A: Sequence[Rows],
    Sigma: Rows,
    Y: Rows | None,
    t: Any,
    *,
    value_term: bool = False,
) -> tuple[Rows, Rows | None]:
    """Return Sigma(t), d x d, and Y(t), d x m or None, at the working precision of mpmath.

    ``V`` and ``A`` have one matrix for each head; they and ``Sigma`` are d x d, ``Y`` d x m or
    None, all rows of mpf, and ``t`` an mpf of either sign. The companion has the term V Y when
    ``value_term``. Raises :class:`BlowUpError` near a singularity and :class:`PrecisionError`
    after :data:`STEP_LIMIT` steps.
    """
    order = int(1.16 * mp.dps) + 2
    bits = mp.prec + 2 * order.bit_length() + 10
    value_exponent, attention_exponent = max(map(_exponent, V)), max(map(_exponent, A))
    value = [_fixed(matrix, bits - value_exponent) for matrix in V]
    attention = [_fixed(matrix, bits - attention_exponent) for matrix in A]
    unit: int | None = None
    elapsed, remaining = mp.zero, t
    for _ in range(STEP_LIMIT):
        sigma_exponent = _exponent(Sigma)
        product_exponent = value_exponent + attention_exponent + sigma_exponent
        if unit is None:
            unit = -product_exponent - 1
        y_exponent = 0 if Y is None else _exponent(Y)
        covariance, companion = _coefficients(
            value,
            attention,
            _fixed(Sigma, bits - sigma_exponent),
            None if Y is None else _fixed(Y, bits - y_exponent),
            order,
            bits,
            time_shift=unit + product_exponent,
            value_shift=unit + value_exponent if value_term else None,
        )
        radius = min(_radius(covariance), _radius(companion))
        if mp.ldexp(radius, unit) < abs(elapsed) * mp.mpf(10) ** -15:
            raise BlowUpError(f"the solution seems to blow up at t = {mp.nstr(elapsed, 12)}")
        constant = not any(_size(c) for c in (*covariance[1:], *companion[1:]))
        step = mp.ldexp(min(radius / mp.e**2, mp.one), unit)
        last = constant or step >= abs(remaining)
        # The length of a step is arbitrary: a short one keeps the elapsed time exact.
        step = remaining if last else mp.sign(remaining) * _truncate(step)
        fixed_step = int(mp.nint(mp.ldexp(step, bits - unit)))
        Sigma = _evaluate(covariance, fixed_step, bits, sigma_exponent)
        if Y is not None:
            Y = _evaluate(companion, fixed_step, bits, y_exponent)
        if last:
            return Sigma, Y
        elapsed += step
        remaining -= step
        # Beyond about 2^3 units the last coefficients drown in rounding: grow by that at most.
        unit += int(mp.floor(mp.log(min(radius, 8), 2)))
    raise PrecisionError(f"more than {STEP_LIMIT} steps, at t = {mp.nstr(elapsed, 12)}")


def _coefficients(
    value: Sequence[Integers],
    attention: Sequence[Integers],
    sigma: Integers,
    companion: Integers | None,
    order: int,
    bits: int,
    *,
    time_shift: int,
    value_shift: int | None,
) -> tuple[list[Integers], list[Integers]]:
    """Return the coefficients of Sigma and of the companion, numbers times 2^bits.

    Derivatives are multiplied by 2^time_shift, the term V Y by 2^value_shift.
    """
    sigmas, companions = [sigma], [] if companion is None else [companion]
    # Cauchy products are single dot products: rows of V Sigma_0, V Sigma_1, ... side by side,
    # against columns of A Sigma_n, A Sigma_{n-1}, ... in opposite order.
    stacked = [row for matrix in attention for row in matrix]
    left: Integers = [[] for _ in sigma]
    right: Integers = [[] for _ in sigma]
    right_companion: Integers = [] if companion is None else [[] for _ in companion[0]]
    for n in range(order):
        for matrix in value:
            for line, addition in zip(left, _product(matrix, sigmas[n], bits), strict=True):
                line += addition
        _prepend(right, _product(stacked, sigmas[n], bits))
        half = [[_dot(row, column) for column in right] for row in left]
        sigmas.append(
            [
                [_shift(a + b, time_shift - bits) // (n + 1) for a, b in zip(*lines, strict=True)]
                for lines in zip(half, transpose(half), strict=True)
            ]
        )
        if companion is None:
            continue
        _prepend(right_companion, _product(stacked, companions[n], bits))
        change = [
            [_shift(_dot(row, column), time_shift - bits) for column in right_companion]
            for row in left
        ]
        if value_shift is not None:
            for matrix in value:
                own = _product(matrix, companions[n], bits)
                change = [
                    [a + _shift(b, value_shift) for a, b in zip(*lines, strict=True)]
                    for lines in zip(change, own, strict=True)
                ]
        companions.append([[entry // (n + 1) for entry in row] for row in change])
    return sigmas, companions


def _evaluate(
    coefficients: Sequence[Integers], step: int, bits: int, exponent: int
) -> list[list[Any]]:
    """Return the sum of the series at ``step`` (times 2^-bits), by Horner's rule, as mpf."""
    height, width = len(coefficients[0]), len(coefficients[0][0])
    result = []
    for i in range(height):
        row = []
        for j in range(width):
            total = 0
            for coefficient in reversed(coefficients):
                total = (total * step >> bits) + coefficient[i][j]
            row.append(mp.ldexp(mp.mpf(total), exponent - bits))
        result.append(row)
    return result


def _radius(coefficients: Sequence[Integers]) -> Any:
    """Estimate the radius of convergence from the last two coefficients, in units of time."""
    sizes = [_size(coefficient) for coefficient in coefficients]
    estimates = [
        mp.root(mp.mpf(sizes[0]) / sizes[n], n)
        for n in (len(sizes) - 2, len(sizes) - 1)
        if n > 0 and sizes[0] and sizes[n]
    ]
    return min(estimates, default=mp.mpf(8))


def _size(matrix: Integers) -> int:
    return max(abs(entry) for row in matrix for entry in row)


def _exponent(matrix: Rows) -> int:
    """Return the least e with all entries at most 2^e in absolute value, 0 for zero."""
    size = largest(entry for row in matrix for entry in row)
    return int(mp.mag(size)) if size else 0


def _fixed(matrix: Rows, shift: int) -> Integers:
    return [[int(mp.nint(mp.ldexp(entry, shift))) for entry in row] for row in matrix]


def _truncate(step: Any) -> Any:
    """Return ``step`` rounded down to about ten digits."""
    exponent = 32 - int(mp.mag(step))
    return mp.ldexp(mp.floor(mp.ldexp(step, exponent)), -exponent)


def _product(left: Integers, right: Integers, bits: int) -> Integers:
    columns = transpose(right)
    return [[_dot(row, column) >> bits for column in columns] for row in left]


def _prepend(lines: Integers, product: Integers) -> None:
    for line, addition in zip(lines, transpose(product), strict=True):
        line[:0] = addition


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(map(mul, left, right))


def _shift(value: int, by: int) -> int:
    return value << by if by >= 0 else value >> -by
