"""The covariance that rotates for ever: its rate, what is conserved, and its period."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.flow import covariance_at
from numeric.precise.moments import linear_rate
from numeric.precise.velocity import softmax_velocity
from proofs.claims.covariance_no_convergence import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import expect, left_side
from proofs.language import at

#: I + c c^T and a b^T - b a^T for the unit vectors a, b, c
VALUE = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]
SCORE = [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]
#: of rank 2 and 3
FLAT = [
    [1, 0, Fraction(3, 5)],
    [0, 1, Fraction(-4, 5)],
    [Fraction(3, 5), Fraction(-4, 5), 1],
]
START = [
    [1, 0, Fraction(1, 2)],
    [0, 1, Fraction(-1, 3)],
    [Fraction(1, 2), Fraction(-1, 3), 1],
]
TIME = Fraction(7, 10)
ORIGIN = [0, 0, 0]

NONNEGATIVE, _, MOVES, SOLUTION = CLAIM.statement.hypotheses[2:]
BEGINS = expect(NONNEGATIVE, "psd").args[0]
RADIUS = left_side(expect(MOVES, "not").args[0])
FIELD = expect(SOLUTION, "maximal").args[2]


def rate(digits: int) -> Any:
    """Sigma'(0), from the integrals of the velocity at unit vectors."""

    def velocity(x: Any) -> Any:
        return softmax_velocity(VALUE, SCORE, ORIGIN, FLAT, x, digits=digits)

    with mp.workdps(digits + 5):
        return linear_rate(velocity, FLAT)


def radius(digits: int) -> Any:
    """The squared length of (Sigma_13, Sigma_23) at TIME."""
    with mp.workdps(digits + 5):
        covariance = covariance_at(VALUE, SCORE, START, TIME, digits + 5)
        return covariance[0, 2] ** 2 + covariance[1, 2] ** 2


def turned(digits: int) -> Any:
    """Sigma(2 pi)."""
    with mp.workdps(digits + 20):
        return covariance_at(VALUE, SCORE, START, 2 * mp.pi, digits)


def values(start: Any) -> dict[str, Any]:
    return {"d": 3, "a": [1, 0, 0], "b": [0, 1, 0], "c": [0, 0, 1], "Sigma0": start}


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison("rate of the covariance at 0", at(FIELD, BEGINS), values(FLAT), rate),
        Comparison(f"squared radius of the circle at t = {TIME}", RADIUS, values(START), radius),
        Comparison("Sigma(t) at t = 2 pi, after one turn", BEGINS, values(START), turned),
    ),
)
