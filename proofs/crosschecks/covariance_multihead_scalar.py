"""Several heads with scalar value matrices: both fields against the integrals of the heads."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from numeric.precise.moments import moment_rates
from proofs.claims.covariance_multihead_scalar import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import left_side, right_side
from proofs.language import at, dim, mat

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
FACTORS: list[Rational] = [2, -THIRD]
HEADS = Heads(
    V=[[[v, 0], [0, v]] for v in FACTORS],
    A=[[[THIRD, -1], [HALF, HALF]], [[1, HALF], [-1, THIRD]]],
)
ORIGIN = [0, 0]
COVARIANCE: Block = [[1, -THIRD], [-THIRD, Fraction(1, 9)]]
VALUES = {"d": 2, "H": 2, "V": HEADS.V, "A": HEADS.A, "v": FACTORS, "Z": COVARIANCE}

Z = mat("Z", dim("d"), dim("d"))
SEVERAL = at(left_side(CLAIM.statement.conclusion), Z)
ONE_HEAD = at(right_side(CLAIM.statement.conclusion), Z)


@cache
def rate(digits: int) -> Any:
    """The derivative of the covariance of the law N(0, Z), from the integrals of the heads."""
    return moment_rates(
        lambda x: HEADS.velocity(ORIGIN, COVARIANCE, x, digits), ORIGIN, COVARIANCE, digits=digits
    )[1]


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "rate of the covariance with A = sum v_h A_h, d = 2, two heads",
            ONE_HEAD,
            VALUES,
            rate,
        ),
        Comparison(
            "rate of the covariance as a sum over the heads, d = 2, two heads",
            SEVERAL,
            VALUES,
            rate,
        ),
    ),
)
