"""Limit, its rank and the rate 1/t in the commuting case, against Taylor series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.flow import covariance_at
from numeric.precise.poles import limit_at_infinity
from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_commuting_limit import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, score, start
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import real

START = start([[2, 1], [1, 3]], Fraction(1, 2))
SCORE = score([[-1, Fraction(1, 2)], [Fraction(1, 2), Fraction(-1, 4)]], -3)
TIME = Fraction(1, 2)
VALUES = {"d": 4, "V": VALUE, "A": SCORE, "Sigma0": START, "t": TIME}

_, CONVERGES, RANK, RATE = CLAIM.statement.conclusion.args
LIMIT = expect(CONVERGES, "limit").args[1]
REMAINDER = right_side(consequence(instantiated(RATE, real("t"))).args[0])


def limit(digits: int) -> Any:
    found = limit_at_infinity(VALUE, SCORE, START)
    if found is None:
        raise ArithmeticError("the covariance is unbounded")
    with mp.workdps(digits + 5):
        return mp.matrix(rows(found))


def remainder(digits: int) -> Any:
    """t (Sigma(t) - limit)."""
    with mp.workdps(digits + 10):
        return TIME * (covariance_at(VALUE, SCORE, START, TIME, digits + 5) - limit(digits + 5))


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison("limit of Sigma(t), d = 4", LIMIT, VALUES, limit, (), RANK_TOLERANCE),
        Comparison(
            "rank of the limit, counted on singular values",
            right_side(RANK),
            VALUES,
            lambda digits: counted_rank(limit(digits + 10), digits),
            (),
            RANK_TOLERANCE,
        ),
        Comparison(
            f"t (Sigma(t) - limit) at t = {TIME}", REMAINDER, VALUES, remainder, (), RANK_TOLERANCE
        ),
    ),
)
