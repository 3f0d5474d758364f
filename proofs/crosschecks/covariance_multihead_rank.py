"""The rank of the covariance under several heads, counted on its singular values."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_multihead_rank import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, instantiated, right_side
from proofs.language import real

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
HEADS = Heads(
    V=[[[1, -1, 2], [0, 1, 1], [HALF, 0, -1]], [[0, 1, 0], [-1, HALF, 1], [1, 0, 1]]],
    A=[[[HALF, 1, 0], [-1, THIRD, 1], [0, 1, -2]], [[1, 0, -1], [HALF, -1, 0], [0, THIRD, 1]]],
)
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
            {"d": 3, "H": 2, "V": HEADS.V, "A": HEADS.A, "Sigma0": START},
            lambda digits: counted_rank(HEADS.covariance_at(START, TIME, digits + 10), digits),
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
