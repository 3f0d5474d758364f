"""The linear part of the Sinkhorn velocity without roots of the covariance, by normalisation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity, sinkhorn_velocity
from proofs.claims.covariance_sinkhorn_equation import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block
from proofs.crosschecks.structure import expect, left_side, right_side

F = Fraction
VALUE: Block = [[1, 2], [F(-1, 2), 3]]
SCORE: Block = [[F(3, 10), 1], [F(1, 2), F(1, 4)]]
LINE: Block = [[1, F(2, 3)], [F(2, 3), F(4, 9)]]
#: d = 3, with A of rank 2 and Z of rank 2
VALUE_3: Block = [[1, 0, 2], [0, -1, 1], [F(1, 2), 1, 0]]
SCORE_3: Block = [[F(1, 2), F(1, 4), F(1, 3)], [1, F(-1, 2), F(2, 3)], [F(3, 2), F(-1, 4), 1]]
FLAT: Block = [[1, 1, 0], [1, 2, -1], [0, -1, 1]]

EQUATION = expect(CLAIM.statement.conclusion, "and").args[0]


def linear_part(
    velocity: Callable[..., Any], V: Block, A: Block, covariance: Block
) -> Callable[[int], Any]:
    """The velocity of N(0, covariance) at the unit vectors, as columns."""
    d = len(V)

    def compute(digits: int) -> Any:
        units = ([int(i == j) for i in range(d)] for j in range(d))
        moves = (velocity(V, A, [0] * d, covariance, x, digits=digits) for x in units)
        return mp.matrix([list(move) for move in moves]).T

    return compute


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "B(Z) for Z of rank 1, d = 2, at nodes",
            left_side(EQUATION),
            {"d": 2, "V": VALUE, "A": SCORE, "Z": LINE},
            linear_part(sinkhorn_velocity, VALUE, SCORE, LINE),
        ),
        Comparison(
            "B(Z) for Z of rank 2, d = 3, of Gaussians",
            left_side(EQUATION),
            {"d": 3, "V": VALUE_3, "A": SCORE_3, "Z": FLAT},
            linear_part(sinkhorn_gaussian_velocity, VALUE_3, SCORE_3, FLAT),
        ),
        Comparison(
            "the same with the root of Z",
            right_side(EQUATION),
            {"d": 3, "V": VALUE_3, "A": SCORE_3, "Z": FLAT},
            linear_part(sinkhorn_gaussian_velocity, VALUE_3, SCORE_3, FLAT),
        ),
    ),
)
