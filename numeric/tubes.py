"""Tubes around solutions of the softmax covariance equation: polynomials, with rational bounds.

For heads (V_h, A_h) the equation is X' = sum V_h X A_h X + X A_h^T X V_h^T. A step is a polynomial
Y with a bound c of |Y' - F(Y)|, a bound y of |Y|, and the radius e of a tube that the solution
cannot leave before the end of the step: with l = 2 (2 y + e) sum |V_h| |A_h|, a solution that
starts within r of Y ends within r + (l e + c) s. Norms are those of Frobenius, bounds exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from flint import fmpq, fmpq_mat, fmpz

from numeric.exact import Matrix

#: part of the radius of the tube that must remain after the growth in one step
ROOM = fmpq(1, 6)
#: by how much a step that is too long is shortened, and how often
SHORTER, ATTEMPTS = fmpq(7, 8), 60


@dataclass(frozen=True)
class Step:
    """One step of length s.

    Attributes:
        length: s.
        coefficients: symmetric matrices C_k with Y(t) = sum of t^k C_k.
        size: y.
        defect: c.
        start: r, a bound of the distance at the start.
        tube: e.
        centre: M, which rounds Y(s).
        rounding: m, a bound of |Y(s) - M|.
        end: r + (l e + c) s + m, a bound of the distance of the solution from M.
    """

    length: Fraction
    coefficients: tuple[Matrix, ...]
    size: Fraction
    defect: Fraction
    start: Fraction
    tube: Fraction
    centre: Matrix
    rounding: Fraction
    end: Fraction


class Stepper:
    """Steps for some heads.

    Args:
        heads: pairs (V_h, A_h) of exact d x d matrices.
        product: an upper bound of the sum of |V_h| |A_h|, spectral norms.
        order: degree of the polynomials.
        bits: of the coefficients, relative to the largest one.
    """

    def __init__(
        self,
        heads: Sequence[tuple[Matrix, Matrix]],
        product: Fraction,
        order: int,
        bits: int,
    ) -> None:
        self.heads = [(_to_flint(V), _to_flint(A)) for V, A in heads]
        self.product = fmpq(product.numerator, product.denominator)
        self.order, self.bits = order, bits

    def step(self, centre: Matrix, start: Fraction) -> Step | None:
        """A step from a symmetric matrix, None when the tube has no room."""
        M, r = _to_flint(centre), fmpq(start.numerator, start.denominator)
        series = self._series(M)
        s = 1 / (4 * self.product * _norm_above(M))
        for _ in range(ATTEMPTS):
            found = self._within(series, _truncated(s), r)
            if found is not None:
                return found
            s *= SHORTER
        return None

    def _series(self, start: fmpq_mat) -> list[fmpq_mat]:
        """Rounded Taylor coefficients, the first one exact."""
        series = [start]
        for n in range(self.order):
            total = start * 0
            for V, A in self.heads:
                inner = start * 0
                for i in range(n + 1):
                    inner = inner + series[i] * (A * series[n - i])
                total = total + V * inner
            series.append(_rounded((total + total.transpose()) / fmpq(n + 1), self.bits))
        return series

    def _within(self, series: list[fmpq_mat], s: fmpq, r: fmpq) -> Step | None:
        powers = [s**k for k in range(2 * len(series))]
        norms = [_norm_above(C) for C in series]
        y = _short(sum((n * p for n, p in zip(norms, powers, strict=False)), fmpq(0)))
        c = _short(self._defect(series, powers))
        l = 2 * self.product  # noqa: E741
        # (r + c s) / (1 - l (2 y + e) s) < e, with a margin for the square of e
        room = 1 - 2 * l * y * s
        if room <= ROOM:
            return None
        e = _short((r + c * s) / room * fmpq(65, 64))
        for _ in range(4):
            reached = r + (l * (2 * y + e) * e + c) * s
            if reached < e:
                break
            e = _short(e * fmpq(9, 8))
        else:
            return None
        end = sum((C * p for C, p in zip(series, powers, strict=False)), series[0] * 0)
        centre = _rounded(end, self.bits)
        m = _short(
            _norm_above(end - centre) + fmpq(1, 2**self.bits) * r + fmpq(1, 2 ** (4 * self.bits))
        )
        return Step(
            _fraction(s),
            tuple(map(_rows, series)),
            _fraction(y),
            _fraction(c),
            _fraction(r),
            _fraction(e),
            _rows(centre),
            _fraction(m),
            _fraction(reached + m),
        )

    def _defect(self, series: list[fmpq_mat], powers: list[fmpq]) -> fmpq:
        """A bound of |Y' - F(Y)| on [0, s], from the coefficients of that polynomial."""
        n = len(series)
        bound = fmpq(0)
        for k in range(2 * n - 1):
            term = series[0] * 0
            for V, A in self.heads:
                inner = series[0] * 0
                for i in range(max(0, k - n + 1), min(k, n - 1) + 1):
                    inner = inner + series[i] * (A * series[k - i])
                term = term + V * inner
            term = term + term.transpose()
            if k + 1 < n:
                term = term - series[k + 1] * (k + 1)
            bound += _norm_above(term) * powers[k]
        return bound


def _norm_above(matrix: fmpq_mat) -> fmpq:
    """A short rational above the Frobenius norm."""
    square = sum((x * x for x in matrix.entries()), fmpq(0))
    return _root_above(square)


def _root_above(square: fmpq) -> fmpq:
    if square == 0:
        return fmpq(0)
    shift = 2 * max(0, 40 - (int(square.p).bit_length() - int(square.q).bit_length()) // 2)
    root = isqrt((int(square.p) << shift) // int(square.q)) + 1
    return fmpq(root, 1 << (shift // 2))


def _short(number: fmpq, digits: int = 30) -> fmpq:
    """A dyadic number above a nonnegative one, with so many bits."""
    if number == 0:
        return number
    exponent = int(number.p).bit_length() - int(number.q).bit_length() - digits
    unit = fmpq(1 << exponent) if exponent > 0 else fmpq(1, 1 << -exponent)
    return (number / unit).ceil() * unit


def _truncated(number: fmpq) -> fmpq:
    """The first bits of a number > 0."""
    unit = _power_of_two(number) / 32
    return (number / unit).floor() * unit


def _power_of_two(number: fmpq) -> fmpq:
    """The largest power of 2 that is at most a number > 0."""
    exponent = int(number.p).bit_length() - int(number.q).bit_length()
    power = fmpq(2) ** exponent
    while power > number:
        power /= 2
    return power


def _rounded(matrix: fmpq_mat, bits: int) -> fmpq_mat:
    """Entries rounded to ``bits`` bits of the largest one."""
    largest = max(abs(x) for x in matrix.entries())
    if largest == 0:
        return matrix
    unit = _power_of_two(largest) / fmpq(2) ** bits
    scaled = [(x / unit + fmpq(1, 2)).floor() for x in matrix.entries()]
    return fmpq_mat(matrix.nrows(), matrix.ncols(), [fmpz(x) * unit for x in scaled])


def _to_flint(matrix: Matrix) -> fmpq_mat:
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in matrix])


def _rows(matrix: fmpq_mat) -> Matrix:
    return tuple(tuple(map(_fraction, row)) for row in matrix.tolist())


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))
