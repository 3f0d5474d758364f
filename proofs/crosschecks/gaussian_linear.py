"""Linear attention: velocity and rates against the defining integrals."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.velocity import linear_velocity
from proofs.claims.gaussian_linear import CLAIM
from proofs.crosschecks.base import CrossCheck
from proofs.crosschecks.preservation import (
    FLAT,
    IN_PLANE,
    ON_LINE,
    A,
    Matrices,
    V,
    case,
    rates,
    velocities,
)

LINE: Matrices = {"V": [[Fraction(3, 2)]], "A": [[Fraction(-2, 3)]]}
PLANE: Matrices = {"V": V, "A": A}
THIN = case("d = 2 with singular Sigma", PLANE, *FLAT, linear_velocity)

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        *velocities(
            CLAIM,
            (
                case("d = 1", LINE, *ON_LINE, linear_velocity),
                case("d = 2", PLANE, *IN_PLANE, linear_velocity),
                THIN,
            ),
        ),
        *rates(CLAIM, THIN),
    ),
)
