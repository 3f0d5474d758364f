"""Rational brackets of the first singular time of a pencil E - t N, with exact tests."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.linalg

from numeric.exact import negative_direction
from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.problem import to_rows

#: relative half-widths that are tried around the floating-point value
WIDTHS = tuple(Fraction(1, 10**k) for k in range(14, 9, -1))
#: relative width at which exact bisection stops
GOAL = Fraction(1, 10**12)


def first_singular_time(metric: Literal, form: Literal) -> tuple[Fraction, Fraction, Literal]:
    """Bounds low < t* <= high of the first t > 0 at which E - t N is singular, and a witness.

    E > 0 and N (not <= 0) are symmetric r x r matrices.  E - low N is positive semidefinite and
    the witness w has w^T (E - high N) w < 0; both are decided exactly, whatever floating point
    suggested.
    """
    guess = _guess(metric, form)
    for width in WIDTHS if guess else ():
        low, high = _round(guess * (1 - width)), _round(guess * (1 + width))
        witness = _beyond(metric, form, high)
        if witness is not None and _beyond(metric, form, low) is None:
            return low, high, witness
    return _bisect(metric, form)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational with the smallest denominator in [low, high], 0 < low <= high."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = whole - 1
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))


def _pencil(metric: Literal, form: Literal, time: Fraction) -> Literal:
    return rational.total(metric, rational.scaled(form, -time))


def _beyond(metric: Literal, form: Literal, time: Fraction) -> Literal | None:
    """w with w^T (E - t N) w < 0, None when E - t N >= 0."""
    direction = negative_direction(to_rows(_pencil(metric, form, time)))
    if direction is None:
        return None
    return Literal(len(direction), 1, tuple(Fraction(x) for x in direction))


def _guess(metric: Literal, form: Literal) -> Fraction:
    """1 / lambda_max in floating point, 0 when that fails."""
    n = metric.rows
    try:
        left, right = (
            np.array([float(x) for x in matrix.entries]).reshape(n, n) for matrix in (form, metric)
        )
        largest = scipy.linalg.eigh(left, right, eigvals_only=True)[-1]
        value = Fraction(1 / float(largest))
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return Fraction(0)
    return max(value, Fraction(0))


def _round(value: Fraction) -> Fraction:
    """Sixteen significant decimal digits."""
    return Fraction(f"{float(value):.15e}")


def _bisect(metric: Literal, form: Literal) -> tuple[Fraction, Fraction, Literal]:
    low, high = Fraction(1), Fraction(1)
    while _beyond(metric, form, low) is not None:
        low /= 16
    while (witness := _beyond(metric, form, high)) is None:
        high *= 16
    while high - low > GOAL * low:
        middle = (low + high) / 2
        found = _beyond(metric, form, middle)
        if found is None:
            low = middle
        else:
            high, witness = middle, found
    return low, high, witness
