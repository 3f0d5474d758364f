"""Tied L2 heads: the limit and its rank by extrapolation on a line, and the rate at the start.

With queries that are all multiples of one row the covariance moves on a line, Sigma0 - s b b^T:
the limit is where the line leaves the cone, as the determinant vanishes, which is linear in s.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.flow_l2 import l2_covariance_at
from numeric.precise.moments import linear_rate
from numeric.precise.ranks import counted_rank
from numeric.precise.velocity_l2 import l2_velocity
from proofs.claims.covariance_l2_tied import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, scaled
from proofs.crosschecks.structure import expect, right_side
from proofs.language import at

F = Fraction
ROW: Block = [[1, F(-1, 2), F(2, 3)]]
#: parallel rows, and rows that are not
PARALLEL = [scaled(1, ROW), scaled(F(-3, 4), ROW)]
QUERIES: list[Block] = [ROW, [[F(1, 2), 1, -1]]]
UNIT: Block = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
START: Block = [[2, F(1, 2), 0], [F(1, 2), 1, F(1, 3)], [0, F(1, 3), F(3, 2)]]
#: rank 1
LINE: Block = [[1, -2, 1], [-2, 4, -2], [1, -2, 1]]
TIME = F(1, 10)
ORIGIN = [0, 0, 0]

_, BEGINS, SOLUTION = CLAIM.statement.hypotheses
_, _, _, CONVERGES, RANK, _ = expect(CLAIM.statement.conclusion, "and").args
LIMIT = expect(CONVERGES, "limit").args[1]
FIELD = expect(SOLUTION, "maximal").args[2]


@cache
def end_of_line(digits: int) -> Any:
    """The singular matrix on the line through Sigma0 and Sigma(TIME)."""
    heads = [(Q, scaled(-1, Q), UNIT) for Q in PARALLEL]
    with mp.workdps(digits + 10):
        start = mp.matrix(rows(START))
        step = l2_covariance_at(heads, START, TIME, digits + 5) - start
        first, second = mp.det(start), mp.det(start + step)
        return start + first / (first - second) * step


def rate(digits: int) -> Any:
    """Sigma'(0) for Sigma0 of rank 1, from integrals at the unit vectors."""

    def velocity(x: Any) -> Any:
        moves = (
            l2_velocity(UNIT, Q, scaled(-1, Q), ORIGIN, LINE, x, digits=digits) for Q in QUERIES
        )
        return sum(moves, mp.zeros(3, 1))

    with mp.workdps(digits + 5):
        return linear_rate(velocity, LINE)


def values(queries: list[Any], start: Block) -> dict[str, Any]:
    keys = [scaled(-1, Q) for Q in queries]
    letters = {"V": [UNIT, UNIT], "Q": queries, "K": keys, "Sigma0": start}
    return {"d": 3, "k": 1, "H": 2, **letters}


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"limit of Sigma(t), extrapolated from t = 0 and {TIME}, two heads, d = 3",
            LIMIT,
            values(PARALLEL, START),
            end_of_line,
            tolerance=RANK_TOLERANCE,
        ),
        Comparison(
            "its rank, counted on singular values",
            right_side(RANK),
            values(PARALLEL, START),
            lambda digits: counted_rank(end_of_line(digits + 10), digits),
            tolerance=RANK_TOLERANCE,
        ),
        Comparison(
            "Sigma'(0) for Sigma0 of rank 1",
            at(FIELD, expect(BEGINS, "psd").args[0]),
            values(QUERIES, LINE),
            rate,
        ),
    ),
)
