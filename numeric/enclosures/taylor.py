"""Steps around solutions of a quadratic system: Taylor polynomials with rigorous error bounds.

A step of length s is a polynomial y with a bound c of |y' - f(y)|, a bound l of the one-sided
Lipschitz constant of f along y, and a polynomial r with r' >= (l + b q) r + c, where b > r(s) and
q = sum of q_k bounds the forms: |x^T Q_k x| <= q_k |x|^2. What starts within r(0) of y(0) is within
r(s) of y(s). Coefficients are integers over a power of 2 in the time t/s, so that the arithmetic is
that of a ball: a midpoint, and a bound for its error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly, fmpz, fmpz_mat

from numeric.enclosures.system import QuadraticSystem, float_of, floats_of, fraction

#: part of the radius of convergence that a step takes, at most
REACH = 0.4
#: coefficients that show the radius of convergence
SAMPLED = 24
#: of a curve: the kernel takes polynomials up to four times that degree
MAX_COEFFICIENTS = 100
#: bits of precision at the end, beyond those by which errors grow
FINAL_BITS = 40
#: how much larger than at first the radius of convergence may look
FASTEST = 16
#: slack of bounds found in floating point, and of the growth of the radius
SLACK, GROWTH_SLACK = 1e-3, fmpq(1, 32)
#: rounding of slopes, beside the numbers that they are made of
ROUNDING = 2.0**-44
#: coefficients in a row that vanish where a series ends; single ones may, as for even functions
VANISHING = 4
#: what a radius is beside the least possible one
LARGER = fmpq(5, 4)
#: how often the wider tube is made wider
WIDENINGS = 8
#: bits of bounds, and of the coefficients of the radius
BOUND_BITS = 40


@dataclass(frozen=True)
class Step:
    """One step of a quadratic system on R^n.

    Attributes:
        length: s > 0.
        curve: the n coefficients of each power of t in y.
        radius: the coefficients of r.
        tube: b.
        slope: l.
        defect: c.
        end: M, which rounds y(s), n entries.
        rounding: m > 0, a bound of |y(s) - M|.
        reached: r(s) + m, a bound of the distance of the solution from M.
    """

    length: Fraction
    curve: tuple[tuple[Fraction, ...], ...]
    radius: tuple[Fraction, ...]
    tube: Fraction
    slope: Fraction
    defect: Fraction
    end: tuple[Fraction, ...]
    rounding: Fraction
    reached: Fraction


@dataclass(frozen=True)
class Rehearsal:
    """One step in floating point: its length, the growth of errors (nats), and the end."""

    length: Fraction
    growth: float
    end: np.ndarray


def form_norms(system: QuadraticSystem) -> tuple[Fraction, ...]:
    """q_k with -q_k I <= Q_k <= q_k I, short rationals."""
    norms = np.abs(np.linalg.eigvalsh(system.tensor)).max(axis=1)
    return tuple(_short_above(float(norm) * (1 + SLACK)) for norm in norms)


def rehearse(system: QuadraticSystem, state: np.ndarray, reach: float = REACH) -> Rehearsal | None:
    """The next step in floating point; None at an equilibrium, or out of range.

    Args:
        reach: part of the radius of convergence that the step takes, at most.
    """
    size = float(np.linalg.norm(state)) * float(np.abs(system.tensor).max())
    if not (0 < size < math.inf):
        return None
    unit = 1 / size
    coefficients = _float_series(system, state, unit)
    convergence = _convergence(coefficients) * unit
    if not (0 < convergence < math.inf):
        return None
    exponent = math.floor(math.log2(reach * convergence))
    length = Fraction(2) ** exponent
    if length * Fraction(3, 2) <= reach * convergence:
        length *= Fraction(3, 2)
    s = float(length)
    scaled = _float_series(system, state, s)
    slope = max(0.0, _slope(system, scaled))
    return Rehearsal(length, slope * s, scaled.sum(axis=0))


class Stepper:
    """Steps of one system.

    Args:
        bits: absolute precision of the polynomials, relative to the size of the state.
    """

    def __init__(self, system: QuadraticSystem, bits: int) -> None:
        self._system, self.bits = system, bits
        forms = fmpq_mat([row for Q in system.forms for row in Q.tolist()])
        self._forms, self._denominator = forms.numer_denom()
        self.norms = form_norms(system)
        self._cubic = fmpq(0)
        for norm in self.norms:
            self._cubic += fmpq(norm.numerator, norm.denominator)

    def step(
        self, centre: tuple[Fraction, ...], start: Fraction, rehearsal: Rehearsal
    ) -> Step | None:
        """A step of what starts within ``start`` of ``centre``; None where bounds fail."""
        n, length = self._system.size, rehearsal.length
        s = fmpq(length.numerator, length.denominator)
        x = [fmpq(a.numerator, a.denominator) for a in centre]
        largest = max(abs(a) for a in x)
        if largest == 0:
            return None
        # entries are integers times the unit
        unit = fmpq(2) ** (_magnitude(largest) - self.bits - 2)
        first = fmpz_mat(n, 1, [(a / unit + fmpq(1, 2)).floor() for a in x])
        shift = norm_above(
            [a - unit * fmpz(int(b)) for a, b in zip(x, first.entries(), strict=True)]
        )
        series = self._series(first, s * unit)
        if series is None:
            return None
        defect = self._defect(series, s, unit)
        c = _short(defect, unit)
        floats = [[float_of(x * unit) for x in column.entries()] for column in series]
        slope = max(0.0, _slope(self._system, np.array(floats)))
        l_bound = fmpq(*_ratio(slope * (1 + SLACK)))
        r0 = _short(fmpq(start.numerator, start.denominator) + shift, unit)
        tubed = self._radius(l_bound, s, r0, c)
        if tubed is None:
            return None
        radius, tube = tubed
        end = sum(series[1:], series[0])
        curve = self._curve(series, s, unit)
        return self._finish(s, curve, radius, tube, l_bound, c, end, unit)

    def _series(self, first: fmpz_mat, step: fmpq) -> list[fmpz_mat] | None:
        """Coefficients of (t/s)^k until they vanish, by c_{k+1} = s f-convolution / (k + 1)."""
        n = self._system.size
        series, images, count = [first], [], 1
        for k in range(MAX_COEFFICIENTS):
            last = self._forms * series[k]
            images.append(fmpz_mat(n, n, last.entries()))
            total = images[0] * series[k]
            for i in range(1, k + 1):
                total = total + images[i] * series[k - i]
            factor = step / (fmpz(self._denominator) * (k + 1))
            rounded = [(x * factor + fmpq(1, 2)).floor() for x in total.entries()]
            series.append(fmpz_mat(n, 1, rounded))
            if any(rounded):
                count = k + 2
            elif len(series) == count + VANISHING:
                return series[:count]
        return None

    def _defect(self, series: list[fmpz_mat], s: fmpq, unit: fmpq) -> fmpq:
        """A bound of |y' - f(y)| on [0, s]: the longest Bernstein coefficient."""
        n, count = self._system.size, len(series)
        images = [fmpz_mat(n, n, (self._forms * c).entries()) for c in series]
        square = unit * unit / fmpz(self._denominator)
        residuals = []
        for k in range(2 * count - 1):
            total = fmpz_mat(n, 1)
            for i in range(max(0, k - count + 1), min(k, count - 1) + 1):
                total = total + images[i] * series[k - i]
            entries = [-x * square for x in total.entries()]
            if k + 1 < count:
                moved = [x * ((k + 1) * unit / s) for x in series[k + 1].entries()]
                entries = [a + b for a, b in zip(moved, entries, strict=True)]
            residuals.append(entries)
        control = [bernstein(column) for column in zip(*residuals, strict=True)]
        return max(norm_above(list(point)) for point in zip(*control, strict=True))

    def _radius(
        self, slope: fmpq, s: fmpq, start: fmpq, defect: fmpq
    ) -> tuple[list[fmpq], fmpq] | None:
        """Coefficients of r in t, and the wider tube."""
        tube = start * 4
        for _ in range(WIDENINGS):
            full = slope + tube * self._cubic
            rate = full * (1 + GROWTH_SLACK) + GROWTH_SLACK / s
            # r' - full r is at least (rate - full) r(0) but for an eighth
            floor = _short(max(start, defect * LARGER / (rate - full)), start)
            reach = rate * s
            terms, k = [floor], 0
            while k < 400:
                k += 1
                following = terms[-1] * rate / k
                terms.append(_short(following, following))
                if k > 4 and terms[-1] * s**k * full * 8 < floor * (rate - full):
                    break
            else:
                return None
            end = sum((a * s**j for j, a in enumerate(terms)), fmpq(0))
            if end < tube:
                return terms, min(tube, _short(end * LARGER, end))
            tube = _short(end * (1 + reach), end)
        return None

    def _curve(self, series: list[fmpz_mat], s: fmpq, unit: fmpq) -> list[tuple[fmpq, ...]]:
        curve, power = [], unit
        for column in series:
            curve.append(tuple(x * power for x in column.entries()))
            power = power / s
        return curve

    def _finish(
        self,
        s: fmpq,
        curve: list[tuple[fmpq, ...]],
        radius: list[fmpq],
        tube: fmpq,
        slope: fmpq,
        defect: fmpq,
        end: fmpz_mat,
        unit: fmpq,
    ) -> Step:
        arrived = [x * unit for x in end.entries()]
        largest = max(abs(x) for x in arrived) or unit
        grid = fmpq(2) ** (_magnitude(largest) - self.bits)
        rounded = [(x / grid + fmpq(1, 2)).floor() * grid for x in arrived]
        apart = norm_above([a - b for a, b in zip(arrived, rounded, strict=True)])
        m = _short(apart, grid)
        last = sum((a * s**j for j, a in enumerate(radius)), fmpq(0))
        return Step(
            fraction(s),
            tuple(tuple(map(fraction, column)) for column in curve),
            tuple(map(fraction, radius)),
            fraction(tube),
            fraction(slope),
            fraction(defect),
            tuple(map(fraction, rounded)),
            fraction(m),
            fraction(last + m),
        )


def _float_series(system: QuadraticSystem, state: np.ndarray, unit: float) -> np.ndarray:
    """The first coefficients of the power series in t/unit, SAMPLED x n."""
    series, images = [state], []
    for k in range(SAMPLED - 1):
        images.append(system.tensor @ series[k])
        total = sum(images[i] @ series[k - i] for i in range(k + 1))
        series.append(total * (unit / (k + 1)))
    return np.array(series)


def _convergence(series: np.ndarray) -> float:
    """The radius of convergence as the last coefficients show it, infinite for equilibria.

    It is finite for other polynomials, too, for which the last coefficients are rounding errors.
    """
    norms = np.linalg.norm(series, axis=1)
    if not np.isfinite(norms).all():
        return 0.0
    roots = [(norms[k] / norms[0]) ** (1 / k) for k in range(1, SAMPLED)]
    largest = max(*roots[-6:], max(roots) / FASTEST)
    return float(1 / largest) if largest > 0 else math.inf


def _slope(system: QuadraticSystem, scaled: np.ndarray) -> float:
    """A bound of the symmetric part of the Jacobian, from control points of a curve.

    Args:
        scaled: coefficients of the powers of t/s.
    """
    points = _control_points(scaled)
    jacobians = 2 * np.einsum("klm,pm->pkl", system.tensor, points)
    symmetric = (jacobians + jacobians.transpose(0, 2, 1)) / 2
    size = len(symmetric[0]) * np.abs(system.tensor).max() * np.abs(points).max()
    return float(np.linalg.eigvalsh(symmetric)[:, -1].max() + ROUNDING * size)


def _control_points(scaled: np.ndarray) -> np.ndarray:
    """Bernstein coefficients on the four quarters of [0, 1]."""
    degree = len(scaled) - 1
    bernstein = np.array(
        [
            sum(math.comb(i, j) / math.comb(degree, j) * scaled[j] for j in range(i + 1))
            for i in range(degree + 1)
        ]
    )
    halves = _halved(bernstein)
    return np.concatenate([part for half in halves for part in _halved(half)])


def _halved(bernstein: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    row, first, last = bernstein, [bernstein[0]], [bernstein[-1]]
    while len(row) > 1:
        row = (row[:-1] + row[1:]) / 2
        first.append(row[0])
        last.append(row[-1])
    return np.array(first), np.array(last[::-1])


def bernstein(coefficients: Sequence[fmpq]) -> list[fmpq]:
    """b with the sum of a_k x^k equal to that of b_i C(n, i) x^i (1 - x)^(n - i)."""
    n = len(coefficients) - 1
    shifted = fmpq_poly(list(reversed(coefficients)))(fmpq_poly([1, 1]))
    return [shifted[n - i] / fmpz.bin_uiui(n, i) for i in range(n + 1)]


def norm_above(entries: list[fmpq]) -> fmpq:
    """A short rational above the Euclidean norm, 0 for zero."""
    square = sum((x * x for x in entries), fmpq(0))
    if square == 0:
        return square
    shift = max(0, BOUND_BITS - _magnitude(square) // 2)
    root = math.isqrt((int(square.p) << 2 * shift) // int(square.q)) + 1
    return fmpq(root, 1 << shift)


def _short(number: fmpq, least: fmpq) -> fmpq:
    """A dyadic number > 0 with few bits that is at least the number, and about ``least`` for 0."""
    if number == 0:
        number = least
    unit = fmpq(2) ** (_magnitude(number) - BOUND_BITS)
    return (number / unit).ceil() * unit


def _short_above(value: float) -> Fraction:
    return fraction(_short(fmpq(*_ratio(value)), fmpq(1))) if value else Fraction(0)


def _ratio(value: float) -> tuple[int, int]:
    return value.as_integer_ratio()


def _magnitude(number: fmpq) -> int:
    """n with 2^(n - 1) < number < 2^(n + 1), for a number > 0."""
    return int(number.p).bit_length() - int(number.q).bit_length()


def spectral_norm(matrix: fmpq_mat) -> Fraction:
    """A short rational above the spectral norm, as found in floating point."""
    return _short_above(float(np.linalg.norm(floats_of(matrix), 2)) * (1 + SLACK))
