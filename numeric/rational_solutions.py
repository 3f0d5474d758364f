"""Solutions of the covariance equation that are rational functions of time, from power series.

Sigma' = sum_h V_h Sigma A_h Sigma + Sigma A_h^T Sigma V_h^T (arXiv:2501.18322, Castin, Ablin,
Carrillo, Peyré).  The coefficients of the power series at 0 are exact; that they obey a linear
recurrence is what a common denominator of the entries says (Hermite-Padé approximation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from flint import acb, fmpq, fmpq_mat, fmpq_poly

from numeric.exact import Matrix

MAX_DEGREE = 4
"""Largest degree of the denominators that are looked for."""

MAX_DIMENSION = 6


@dataclass(frozen=True)
class RationalCurve:
    """X(t) = N(t) / D(t), a d x d matrix of rational functions.

    Attributes:
        numerator: the matrices N_0, N_1, ... of N(t) = sum N_j t^j.
        denominator: the coefficients of D(t), D(0) = 1.
        end: the first positive root of D, None when there is none.
        order: the multiplicity of that root, 0 when there is none.
    """

    numerator: tuple[Matrix, ...]
    denominator: tuple[Fraction, ...]
    end: Fraction | None
    order: int


def rational_solution(
    heads: Sequence[tuple[Matrix, Matrix]], start: Matrix
) -> RationalCurve | None:
    """Guess a rational solution whose first positive pole, if any, is a rational number.

    ``heads`` are pairs (V_h, A_h).  The guess agrees with more coefficients than it has, which is
    no proof.
    """
    d = len(start)
    if d > MAX_DIMENSION:
        return None
    exact = [(_to_flint(V), _to_flint(A)) for V, A in heads]
    series = [_to_flint(start)]
    for degree in range(MAX_DEGREE + 1):
        _extend(series, exact, 2 * degree + 3)
        denominator = _recurrence(series, degree)
        if denominator is None:
            continue
        found = _first_pole(denominator)
        if found is None:
            return None
        numerator = [
            sum((denominator[j] * series[i - j] for j in range(1, i + 1)), series[i])
            for i in range(degree + 1)
        ]
        end, order = found
        return RationalCurve(
            tuple(_rows(N) for N in numerator), tuple(map(_fraction, denominator)), end, order
        )
    return None


def _extend(
    series: list[fmpq_mat], heads: Sequence[tuple[fmpq_mat, fmpq_mat]], length: int
) -> None:
    """Append coefficients of the power series up to t^(length - 1)."""
    while len(series) < length:
        n = len(series) - 1
        total = series[0] * 0
        for V, A in heads:
            inner = series[0] * 0
            for i in range(n + 1):
                inner = inner + series[i] * (A * series[n - i])
            total = total + V * inner
        series.append((total + total.transpose()) / fmpq(n + 1))


def _recurrence(series: Sequence[fmpq_mat], degree: int) -> list[fmpq] | None:
    """1, d_1, ..., d_m with X_n + sum d_j X_(n-j) = 0 for all n > m that are known."""
    equations = []
    for n in range(degree + 1, len(series)):
        entries = [series[n - j].entries() for j in range(degree + 1)]
        equations += [
            [*(e[i] for e in entries[1:]), -entries[0][i]] for i in range(len(entries[0]))
        ]
    echelon, rank = fmpq_mat(equations).rref()
    if rank != degree or any(echelon[i, i] != 1 for i in range(degree)):
        return None
    return [fmpq(1), *(echelon[i, degree] for i in range(degree))]


def _first_pole(denominator: Sequence[fmpq]) -> tuple[Fraction | None, int] | None:
    """The first positive root and its multiplicity, (None, 0) without one, None if irrational."""
    polynomial = fmpq_poly(list(denominator))
    candidates: list[tuple[fmpq, int]] = []
    others: list[float] = []
    for factor, multiplicity in polynomial.numer().factor()[1]:
        if factor.degree() == 1:
            candidates.append((fmpq(-factor[0], factor[1]), multiplicity))
            continue
        roots = cast(list[tuple[acb, int]], factor.complex_roots())
        others += [float(x.real.mid()) for x, _ in roots if x.imag == 0 and x.real > 0]
    positive = sorted(pair for pair in candidates if pair[0] > 0)
    if others and (not positive or min(others) < float(_fraction(positive[0][0]))):
        return None
    if not positive:
        return None, 0
    return _fraction(positive[0][0]), positive[0][1]


def _to_flint(matrix: Matrix) -> fmpq_mat:
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in matrix])


def _rows(matrix: fmpq_mat) -> Matrix:
    return tuple(tuple(map(_fraction, row)) for row in matrix.tolist())


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))
