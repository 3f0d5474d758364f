"""Linear attention: velocity and rates against the defining integrals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numeric.precise.velocity import linear_velocity
from proofs.claims.gaussian_linear import CLAIM
from proofs.crosschecks.base import CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.preservation import (
    MEAN,
    POINT,
    REGULAR,
    SINGULAR,
    A,
    Case,
    V,
    constantly,
    rates,
    velocities,
)

F = Fraction


def case(
    where: str,
    matrices: tuple[Block, Block],
    law: tuple[Sequence[Rational], Block],
    point: Sequence[Rational],
) -> Case:
    value, score = matrices

    def velocity(mean: Sequence[Rational], covariance: Block, x: Any, digits: int) -> Any:
        return linear_velocity(value, score, mean, covariance, x, digits=digits)

    return Case(where, *law, point, {"V": constantly(value), "A": constantly(score)}, velocity)


LINE = case("d = 1", ([[F(3, 2)]], [[F(-2, 3)]]), ([F(2, 7)], [[F(5, 4)]]), [F(3, 5)])
PLANE = case("d = 2", (V, A), (MEAN, REGULAR), POINT)
THIN = case("d = 2 with singular Sigma", (V, A), (MEAN, SINGULAR), POINT)

CROSS_CHECK = CrossCheck(CLAIM.id, (*velocities(CLAIM, (LINE, PLANE, THIN)), *rates(CLAIM, THIN)))
