"""P V = -A^T: how fast tr(P Sigma) falls, where it stays, and the rank at the end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.flow import covariance_at
from numeric.precise.moments import linear_rate
from numeric.precise.ranks import counted_rank
from numeric.precise.velocity import softmax_velocity
from proofs.claims.covariance_opposite_value import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block
from proofs.crosschecks.opposite_heads import (
    FLAT,
    HOLLOW,
    METRIC,
    ORIGIN,
    SCORES,
    opposite,
    weighted,
)
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import at, dim, mat, mul, real, tr

SCORE, STILL = SCORES[0], HOLLOW[0]
VALUE, STILL_VALUE = opposite(SCORE), opposite(STILL)
#: u u^T for u = (1, -2, 0): u^T STILL u = 0
LINE: Block = [[1, -2, 0], [-2, 4, 0], [0, 0, 0]]
TIME = Fraction(1, 3)

#: A + A^T = 0 in the plane: the smaller eigenvalue of P Sigma falls faster than exp(-16 t)
PLANE_METRIC: Block = [[2, 1], [1, 1]]
SKEW: Block = [[0, 1], [-1, 0]]
TURN = opposite(SKEW, [[1, -1], [-1, 2]])
START: Block = [[4, 0], [0, 1]]
LATE = 10

STATEMENT = CLAIM.statement
METRIC_TERM = expect(STATEMENT.hypotheses[0], "pd").args[0]
BEGINS = expect(STATEMENT.hypotheses[2], "psd").args[0]
FIELD = expect(STATEMENT.hypotheses[3], "maximal").args[2]
_, BOUND, LIMITS, _, _ = expect(STATEMENT.conclusion, "and").args
TRACE = greater_side(consequence(instantiated(BOUND, real("t"))))
Z = mat("Z", dim("d"), dim("d"))
TWICE_RANK = greater_side(expect(consequence(instantiated(LIMITS, Z)), "and").args[2])


def decay(digits: int) -> Any:
    """The derivative of tr(P Sigma(t)) for the law N(0, FLAT), from integrals."""

    def velocity(x: Any) -> Any:
        return softmax_velocity(VALUE, SCORE, ORIGIN, FLAT, x, digits=digits)

    with mp.workdps(digits + 5):
        return weighted(linear_rate(velocity, FLAT))


def kept(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return weighted(covariance_at(STILL_VALUE, STILL, LINE, TIME, digits + 5))


def twice_the_rank(digits: int) -> Any:
    covariance = covariance_at(TURN, SKEW, START, LATE, digits + 10)
    with mp.workdps(digits + 5):
        return 2 * counted_rank(covariance, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "derivative of tr(P Sigma(t)) at 0 for Sigma0 of rank 2",
            tr(mul(METRIC_TERM, at(FIELD, BEGINS))),
            {"d": 3, "P": METRIC, "V": VALUE, "A": SCORE, "Sigma0": FLAT},
            decay,
        ),
        Comparison(
            f"tr(P Sigma(t)) at t = {TIME} for Sigma0 A Sigma0 = 0",
            TRACE,
            {"d": 3, "P": METRIC, "V": STILL_VALUE, "A": STILL, "Sigma0": LINE},
            kept,
        ),
        Comparison(
            f"twice the rank at t = {LATE} where the bound is attained in the limit",
            TWICE_RANK,
            {"d": 2, "P": PLANE_METRIC, "V": TURN, "A": SKEW, "Sigma0": START},
            twice_the_rank,
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
