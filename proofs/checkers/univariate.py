"""Polynomials in one real variable that are nonnegative on an interval."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpz

#: halvings of the interval after which a polynomial is not decided
MAX_HALVINGS = 12


def is_nonnegative(coefficients: Sequence[fmpq], end: Fraction) -> bool:
    """Whether a polynomial is seen to be >= 0 on [0, end], end > 0.

    Its constant may outweigh all other coefficients. If not, Bernstein coefficients on an interval
    bound the polynomial there; where one is negative the interval is halved. False decides nothing.
    """
    if end <= 0 or not coefficients:
        return False
    length = fmpq(end.numerator, end.denominator)
    if _outweighs(coefficients, length):
        return True
    bernstein = _bernstein(coefficients, length)
    waiting = [(bernstein, 0)]
    while waiting:
        current, halvings = waiting.pop()
        if min(current) >= 0:
            continue
        if halvings == MAX_HALVINGS or current[0] < 0 or current[-1] < 0:
            return False
        waiting += [(half, halvings + 1) for half in _halved(current)]
    return True


def _outweighs(coefficients: Sequence[fmpq], end: fmpq) -> bool:
    """Whether the constant is at least the sum of |a_k| end^k over the others."""
    total = fmpq(0)
    for coefficient in reversed(coefficients[1:]):
        total = (total + abs(coefficient)) * end
    return bool(coefficients[0] >= total)


def _bernstein(coefficients: Sequence[fmpq], end: fmpq) -> list[fmpq]:
    """b with p(t) = sum of b_i C(n, i) x^i (1 - x)^(n - i), x = t/end."""
    degree = len(coefficients) - 1
    scaled, power = [], fmpq(1)
    for j, coefficient in enumerate(coefficients):
        scaled.append(coefficient * power / _choose(degree, j))
        power *= end
    return [
        sum((fmpq(_choose(i, j)) * scaled[j] for j in range(i + 1)), fmpq(0))
        for i in range(degree + 1)
    ]


def _choose(n: int, k: int) -> fmpz:
    return fmpz.bin_uiui(n, k)


def _halved(bernstein: Sequence[fmpq]) -> tuple[list[fmpq], list[fmpq]]:
    """The coefficients on both halves, by de Casteljau's scheme."""
    row, first, last = list(bernstein), [bernstein[0]], [bernstein[-1]]
    while len(row) > 1:
        row = [(a + b) / 2 for a, b in itertools.pairwise(row)]
        first.append(row[0])
        last.append(row[-1])
    return first, last[::-1]
