"""Sinkhorn attention: velocity and rates by alternating normalisation, two ways."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity, sinkhorn_velocity
from proofs.claims.gaussian_sinkhorn import CLAIM
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
#: singular values near 1, so that no part of the formula is close to its linearisation
A: Block = [[F(3, 10), 1], [F(1, 2), F(1, 4)]]


def case(
    where: str,
    matrices: tuple[Block, Block],
    law: tuple[Sequence[Rational], Block],
    point: Sequence[Rational],
    compute: Any = sinkhorn_velocity,
) -> Case:
    value, score = matrices

    def velocity(mean: Sequence[Rational], covariance: Block, x: Any, digits: int) -> Any:
        return compute(value, score, mean, covariance, x, digits=digits)

    return Case(where, *law, point, {"V": constantly(value), "A": constantly(score)}, velocity)


LINE = case("d = 1", ([[F(3, 2)]], [[F(-2, 3)]]), ([F(2, 7)], [[F(5, 4)]]), [F(3, 5)])
PLANE = case(
    "d = 2, normalising Gaussians", (V, A), (MEAN, REGULAR), POINT, sinkhorn_gaussian_velocity
)
THIN = case("d = 2 with singular Sigma", (V, A), (MEAN, SINGULAR), POINT)
SPACE = case(
    "d = 3 with singular A, normalising Gaussians",
    (
        [[1, 0, 2], [0, -1, 1], [F(1, 2), 1, 0]],
        [[F(1, 2), F(1, 4), F(1, 3)], [1, F(1, 2), F(2, 3)], [0, 0, 0]],
    ),
    ([1, 0, F(-1, 2)], [[2, F(1, 2), 0], [F(1, 2), 1, F(1, 3)], [0, F(1, 3), F(3, 2)]]),
    [F(1, 3), 1, -1],
    sinkhorn_gaussian_velocity,
)

FLAT = case(
    "d = 2 with singular Sigma, normalising Gaussians",
    (V, A),
    (MEAN, SINGULAR),
    POINT,
    sinkhorn_gaussian_velocity,
)

CROSS_CHECK = CrossCheck(
    CLAIM.id, (*velocities(CLAIM, (LINE, PLANE, THIN, SPACE)), *rates(CLAIM, FLAT))
)
