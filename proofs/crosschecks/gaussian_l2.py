"""L2 attention: velocity and rates against the defining integrals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numeric.precise.velocity_l2 import l2_velocity
from proofs.claims.gaussian_l2 import CLAIM
from proofs.crosschecks.base import CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.preservation import (
    MEAN,
    POINT,
    REGULAR,
    SINGULAR,
    Case,
    V,
    constantly,
    rates,
    velocities,
)

F = Fraction


def case(
    where: str,
    matrices: tuple[Block, Block, Block],
    law: tuple[Sequence[Rational], Block],
    point: Sequence[Rational],
) -> Case:
    Q, K, value = matrices

    def velocity(mean: Sequence[Rational], covariance: Block, x: Any, digits: int) -> Any:
        return l2_velocity(value, Q, K, mean, covariance, x, digits=digits)

    curves = {"Q": constantly(Q), "K": constantly(K), "V": constantly(value)}
    return Case(where, *law, point, {"k": len(Q), **curves}, velocity)


LINE = case("d = 1", ([[F(3, 2)]], [[F(-2, 3)]], [[F(1, 2)]]), ([F(2, 7)], [[F(5, 4)]]), [F(3, 5)])
ROW: tuple[Block, Block, Block] = ([[F(1, 2), -1]], [[F(1, 3), F(1, 6)]], V)
SQUARE: tuple[Block, Block, Block] = (
    [[F(1, 2), -1], [0, F(1, 3)]],
    [[F(1, 3), F(1, 6)], [F(-1, 2), F(1, 4)]],
    V,
)
PLANE = case("d = 2, k = 1", ROW, (MEAN, REGULAR), POINT)
THIN = case("d = k = 2 with singular Sigma", SQUARE, (MEAN, SINGULAR), POINT)

CROSS_CHECK = CrossCheck(CLAIM.id, (*velocities(CLAIM, (LINE, PLANE, THIN)), *rates(CLAIM, THIN)))
