"""Tubes around solutions of the softmax covariance equation: polynomials, with error bounds.

For heads (V_h, A_h) the equation is X' = F(X) = sum V_h X A_h X + X A_h^T X V_h^T, for symmetric
d x d matrices. A step of length s is a polynomial Y with a bound c of |Y' - F(Y)|, a bound y of
|Y|, and the radius e of a tube that the solution cannot leave before the end of the step: with
l = 2 (2 y + e) sum |V_h| |A_h|, a solution that starts within r of Y(0) ends within r + (l e + c) s
of Y(s), when this is less than e. Norms of V_h and A_h are spectral, the others those of Frobenius.
All numbers are rational, and bounds hold exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from flint import fmpq, fmpq_mat

from numeric.exact import Matrix

#: part of the radius of the tube that must remain after the growth in one step
ROOM = fmpq(1, 6)
#: by how much a step that is too long is shortened, and how often
SHORTER, ATTEMPTS = fmpq(7, 8), 60
#: the tube is wider than the linear estimate by the first factor, then by the second, so often
WIDER, MUCH_WIDER, WIDENINGS = fmpq(65, 64), fmpq(9, 8), 4
#: bits of lengths of steps, of bounds, of norms
LENGTH_BITS, BOUND_BITS, NORM_BITS = 6, 30, 40


@dataclass(frozen=True)
class Step:
    """One step. All numbers are positive, but r may be 0.

    Attributes:
        length: s.
        coefficients: symmetric d x d matrices C_k with Y(t) = sum of t^k C_k.
        size: y.
        defect: c.
        start: r, a bound of the distance at the start.
        tube: e.
        centre: M, d x d, which rounds Y(s).
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
        """A step of what starts near a symmetric matrix.

        Args:
            centre: Y(0), d x d.
            start: r >= 0.

        Returns:
            A step, or None when the tube has no room.
        """
        M, r = _to_flint(centre), fmpq(start.numerator, start.denominator)
        series = self._series(M)
        size = _norm_above(M) + r or fmpq(1)
        s = 1 / (4 * self.product * size) if self.product else fmpq(1)
        for _ in range(ATTEMPTS):
            found = self._within(series, _truncated(s), r, size)
            if found is not None:
                return found
            s *= SHORTER
        return None

    def _series(self, start: fmpq_mat) -> list[fmpq_mat]:
        """Taylor coefficients of the solution, d x d, rounded but for the first one."""
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

    def _within(self, series: list[fmpq_mat], s: fmpq, r: fmpq, size: fmpq) -> Step | None:
        """The step of length s, None when the tube has no room."""
        powers = [s**k for k in range(2 * len(series))]
        norms = [_norm_above(C) for C in series]
        # bounds are positive, even of what is 0
        least = size / fmpq(2) ** (2 * self.bits)
        y = _short(sum((n * p for n, p in zip(norms, powers, strict=False)), least))
        # r + (l e + c) s < e without the square of e: (r + c s) / room < e
        room = 1 - 4 * self.product * y * s
        if room <= ROOM:
            return None
        c = _short(self._defect(series, powers) + least / s)
        e = _short((r + c * s) / room * WIDER)
        for _ in range(WIDENINGS):
            slope = 2 * self.product * (2 * y + e)
            reached = r + (slope * e + c) * s
            if reached < e:
                break
            e = _short(e * MUCH_WIDER)
        else:
            return None
        end = sum((C * p for C, p in zip(series, powers, strict=False)), series[0] * 0)
        centre = _rounded(end, self.bits)
        m = _short(_norm_above(end - centre) + least)
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
    """A short rational above the Frobenius norm, 0 for zero."""
    return _root_above(sum((x * x for x in matrix.entries()), fmpq(0)))


def _root_above(square: fmpq) -> fmpq:
    """A dyadic number above the square root of a number > 0, 0 for 0."""
    if square == 0:
        return square
    shift = max(0, NORM_BITS - _magnitude(square) // 2)
    root = isqrt((int(square.p) << 2 * shift) // int(square.q)) + 1
    return fmpq(root, 1 << shift)


def _short(number: fmpq) -> fmpq:
    """A dyadic number that is at least a number > 0, with few bits."""
    unit = fmpq(2) ** (_magnitude(number) - BOUND_BITS)
    return (number / unit).ceil() * unit


def _truncated(number: fmpq) -> fmpq:
    """The first bits of a number > 0."""
    unit = fmpq(2) ** (_magnitude(number) - LENGTH_BITS)
    return (number / unit).floor() * unit


def _magnitude(number: fmpq) -> int:
    """n with 2^(n - 1) < number < 2^(n + 1), for a number > 0."""
    return int(number.p).bit_length() - int(number.q).bit_length()


def _rounded(matrix: fmpq_mat, bits: int) -> fmpq_mat:
    """Entries rounded to about ``bits`` bits of the largest one; symmetric when the matrix is."""
    largest = max(abs(x) for x in matrix.entries())
    if largest == 0:
        return matrix
    unit = fmpq(2) ** (_magnitude(largest) - bits)
    rounded = [(x / unit + fmpq(1, 2)).floor() * unit for x in matrix.entries()]
    return fmpq_mat(matrix.nrows(), matrix.ncols(), rounded)


def _to_flint(matrix: Matrix) -> fmpq_mat:
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in matrix])


def _rows(matrix: fmpq_mat) -> Matrix:
    return tuple(tuple(map(_fraction, row)) for row in matrix.tolist())


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))
