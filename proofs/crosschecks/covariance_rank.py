"""The rank of an integrated covariance, counted on its singular values."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.flow import covariance_at
from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_rank import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, instantiated, right_side
from proofs.language import real

VALUE = [[1, -1, 2], [0, 1, 1], [Fraction(1, 2), 0, -1]]
SCORE = [[Fraction(1, 2), 1, 0], [-1, Fraction(1, 3), 1], [0, 1, -2]]
#: rank 2: the sum of the outer products of (1, 1, 0) and (0, 1, -2)
START = [[1, 1, 0], [1, 2, -2], [0, -2, 4]]
TIME = Fraction(1, 50)

RANKS = consequence(instantiated(CLAIM.statement.conclusion, real("t"))).args[1]

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"rank of Sigma(t) at t = {TIME}, counted on its singular values, d = 3",
            right_side(RANKS),
            {"d": 3, "V": VALUE, "A": SCORE, "Sigma0": START},
            lambda digits: counted_rank(
                covariance_at(VALUE, SCORE, START, TIME, digits + 10), digits
            ),
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
