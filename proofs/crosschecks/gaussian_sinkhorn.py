"""Sinkhorn attention: velocity and rates by alternating normalisation, two ways."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity, sinkhorn_velocity
from proofs.claims.gaussian_sinkhorn import CLAIM
from proofs.crosschecks.base import CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.preservation import (
    FLAT,
    IN_PLANE,
    ON_LINE,
    Matrices,
    V,
    case,
    rates,
    velocities,
)

F = Fraction
#: singular values near 1, so that no part of the formula is close to its linearisation
A: Block = [[F(3, 10), 1], [F(1, 2), F(1, 4)]]
LINE: Matrices = {"V": [[F(3, 2)]], "A": [[F(-2, 3)]]}
PLANE: Matrices = {"V": V, "A": A}
#: A of rank one
SPACE: Matrices = {
    "V": [[1, 0, 2], [0, -1, 1], [F(1, 2), 1, 0]],
    "A": [[F(1, 2), F(1, 4), F(1, 3)], [1, F(1, 2), F(2, 3)], [0, 0, 0]],
}
IN_SPACE: tuple[Any, list[Rational]] = (
    ([1, 0, F(-1, 2)], [[2, F(1, 2), 0], [F(1, 2), 1, F(1, 3)], [0, F(1, 3), F(3, 2)]]),
    [F(1, 3), 1, -1],
)
#: at quadrature nodes, or of Gaussians given by their precisions
AT_NODES, OF_GAUSSIANS = sinkhorn_velocity, sinkhorn_gaussian_velocity

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        *velocities(
            CLAIM,
            (
                case("d = 1, at nodes", LINE, *ON_LINE, AT_NODES),
                case("d = 2 with singular Sigma, at nodes", PLANE, *FLAT, AT_NODES),
                case("d = 2, of Gaussians", PLANE, *IN_PLANE, OF_GAUSSIANS),
                case("d = 3 with singular A, of Gaussians", SPACE, *IN_SPACE, OF_GAUSSIANS),
            ),
        ),
        *rates(CLAIM, case("d = 2 with singular Sigma", PLANE, *FLAT, OF_GAUSSIANS)),
    ),
)
