"""Sinkhorn heads with P V_h = -A_h^T: how fast tr(P Sigma) falls, where it stays, and the rank."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.flow_sinkhorn import sinkhorn_covariance_at
from numeric.precise.moments import linear_rate
from numeric.precise.ranks import counted_rank
from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity
from proofs.claims.covariance_sinkhorn_clustering import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.opposite_heads import (
    FLAT,
    HOLLOW,
    METRIC,
    ORIGIN,
    PLANAR,
    SCORES,
    opposite,
    weighted,
)
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import at, dim, head, mat, mul, real, tr

VALUES = [opposite(score) for score in SCORES]
STILL_VALUES = [opposite(score) for score in HOLLOW]
#: u u^T for u = (1, -2, 0): u^T A_h u = 0
LINE = [[1, -2, 0], [-2, 4, 0], [0, 0, 0]]
TIME = Fraction(1, 500)

STATEMENT = CLAIM.statement
METRIC_TERM = expect(STATEMENT.hypotheses[0], "pd").args[0]
BEGINS = expect(STATEMENT.hypotheses[2], "psd").args[0]
FIELD = expect(STATEMENT.hypotheses[3], "maximal").args[2]
_, BOUND, LIMITS, _, _ = expect(STATEMENT.conclusion, "and").args
TRACE = greater_side(consequence(instantiated(BOUND, real("t"))))
Z = mat("Z", dim("d"), dim("d"))
_, EACH = expect(consequence(instantiated(LIMITS, Z)), "and").args
TWICE_RANK = greater_side(expect(instantiated(EACH, head("h", dim("H"))), "and").args[1])


def decay(digits: int) -> Any:
    """The derivative of tr(P Sigma(t)) for the law N(0, FLAT), by alternating normalisation."""

    def velocity(x: Any) -> Any:
        parts = (
            sinkhorn_gaussian_velocity(V, A, ORIGIN, FLAT, x, digits=digits)
            for V, A in zip(VALUES, SCORES, strict=True)
        )
        return sum(parts, mp.zeros(3, 1))

    with mp.workdps(digits + 5):
        return weighted(linear_rate(velocity, FLAT))


def still(start: Any, digits: int) -> Any:
    """Sigma(TIME) for the heads without a form on the start."""
    heads = list(zip(STILL_VALUES, HOLLOW, strict=True))
    return sinkhorn_covariance_at(heads, start, TIME, digits)


def kept(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return weighted(still(LINE, digits + 5))


def twice_the_rank(digits: int) -> Any:
    covariance = still(PLANAR, digits + 10)
    with mp.workdps(digits + 5):
        return 2 * counted_rank(covariance, digits)


SHARED = {"d": 3, "H": 2, "P": METRIC}

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "derivative of tr(P Sigma(t)) at 0 for Sigma0 of rank 2, two heads",
            tr(mul(METRIC_TERM, at(FIELD, BEGINS))),
            {**SHARED, "V": VALUES, "A": SCORES, "Sigma0": FLAT},
            decay,
        ),
        Comparison(
            f"tr(P Sigma(t)) at t = {TIME} for Sigma0 A_h Sigma0 = 0",
            TRACE,
            {**SHARED, "V": STILL_VALUES, "A": HOLLOW, "Sigma0": LINE},
            kept,
        ),
        Comparison(
            f"twice the rank at t = {TIME} where the bound is attained",
            TWICE_RANK,
            {**SHARED, "V": STILL_VALUES, "A": HOLLOW, "Sigma0": PLANAR, "h": 1},
            twice_the_rank,
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
