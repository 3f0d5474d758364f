"""The rank that S alone gives to the limit, counted on the limit of the Taylor series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.poles import limit_at_infinity
from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_commuting_every_start import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, score, start
from proofs.crosschecks.structure import consequence, instantiated, right_side
from proofs.language import dim, mat

START = start([[3, 1], [1, 1]], Fraction(2, 3))
#: S of rank 1 in d = 4
SCORE = score([[-1, 2], [2, -4]], 0)

d = dim("d")
CONVERGES = consequence(CLAIM.statement.conclusion.args[0]).args[1]
RANK = right_side(instantiated(CONVERGES, mat("Y", d, d)).args[1])


def independent(digits: int) -> Any:
    limit = limit_at_infinity(VALUE, SCORE, START)
    if limit is None:
        raise ArithmeticError("the covariance is unbounded")
    with mp.workdps(digits + 20):
        return counted_rank(mp.matrix(rows(limit)), digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "rank of the limit, counted on its singular values, d = 4",
            RANK,
            {"d": 4, "V": VALUE, "A": SCORE, "Sigma0": START},
            independent,
            assumes=(CLAIM.statement.conclusion.args[0].args[0],),
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
