"""The rank of the covariance under two Sinkhorn heads, counted on its singular values."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.flow_sinkhorn import sinkhorn_covariance_at
from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_sinkhorn_rank import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, instantiated, right_side
from proofs.language import real

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
VALUES = [[[1, -1, 2], [0, 1, 1], [HALF, 0, -1]], [[0, 1, 0], [-1, HALF, 1], [1, 0, 1]]]
SCORES = [[[HALF, 1, 0], [-1, THIRD, 1], [0, 1, -2]], [[1, 0, -1], [HALF, -1, 0], [0, THIRD, 1]]]
#: rank 2: the sum of the outer products of (1, 1, 0) and (0, 1, -2)
START = [[1, 1, 0], [1, 2, -2], [0, -2, 4]]
TIME = Fraction(1, 300)

RANKS = consequence(instantiated(CLAIM.statement.conclusion, real("t"))).args[1]

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"rank of Sigma(t) at t = {TIME} for two heads, counted on its singular values, d = 3",
            right_side(RANKS),
            {"d": 3, "H": 2, "V": VALUES, "A": SCORES, "Sigma0": START},
            lambda digits: counted_rank(
                sinkhorn_covariance_at(
                    list(zip(VALUES, SCORES, strict=True)), START, TIME, digits + 10
                ),
                digits,
            ),
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
