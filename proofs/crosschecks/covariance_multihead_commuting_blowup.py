"""Closed form, blow-up time and limit for commuting heads, against the heads' Taylor series."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_multihead_commuting_blowup import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, start
from proofs.crosschecks.commuting_heads import heads
from proofs.crosschecks.structure import consequence, end_of, expect, right_side
from proofs.language import at, real

HALF = Fraction(1, 2)
START = start([[2, 1], [1, 3]], HALF)
SINGULAR = start([[1, 2], [2, 4]], Fraction(2, 3))
GROWING = heads([[1, -1], [-1, Fraction(-1, 4)]], Fraction(1, 5))
DECAYING = heads([[-1, 1], [1, -2]], Fraction(-1, 3))
#: S has the block [[-1, 1/2], [1/2, -1/4]], of rank 1
STOPPING = heads([[-1, HALF], [HALF, Fraction(-1, 4)]], -3)
TIME = Fraction(1, 40)

DECAYS, GROWS = CLAIM.statement.conclusion.args
GLOBAL, CONVERGES, RANK = consequence(DECAYS).args
END = end_of(consequence(GROWS).args[0])
FORMULA = at(expect(GLOBAL, "maximal").args[1], real("t"))
LIMIT = expect(CONVERGES, "limit").args[1]


def values(parameters: Any, initial: Block) -> dict[str, Any]:
    return {"d": 4, "H": 2, "V": parameters.V, "A": parameters.A, "Sigma0": initial, "t": TIME}


def integrated(initial: Block) -> Callable[[int], Any]:
    return lambda digits: DECAYING.covariance_at(initial, TIME, digits)


@cache
def limit(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return mp.matrix(rows(STOPPING.limit_at_infinity(START)))


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        *(
            Comparison(
                f"Sigma(t) at t = {TIME}, d = 4, two heads, Sigma0 of rank {rank}",
                FORMULA,
                values(DECAYING, initial),
                integrated(initial),
                assumes=(DECAYS.args[0],),
            )
            for initial, rank in ((START, 4), (SINGULAR, 3))
        ),
        Comparison(
            "blow-up time, d = 4, two heads",
            END,
            values(GROWING, START),
            lambda digits: GROWING.blow_up_time(START, digits),
            assumes=(GROWS.args[0],),
        ),
        Comparison(
            "limit of Sigma(t), d = 4, two heads",
            LIMIT,
            values(STOPPING, START),
            limit,
            (DECAYS.args[0],),
            RANK_TOLERANCE,
        ),
        Comparison(
            "rank of the limit, counted on singular values, two heads",
            right_side(RANK),
            values(STOPPING, START),
            lambda digits: counted_rank(limit(digits + 10), digits),
            (DECAYS.args[0],),
            RANK_TOLERANCE,
        ),
    ),
)
