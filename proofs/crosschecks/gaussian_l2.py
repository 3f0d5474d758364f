"""L2 attention: velocity and rates against the defining integrals."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.velocity_l2 import l2_velocity
from proofs.claims.gaussian_l2 import CLAIM
from proofs.crosschecks.base import CrossCheck
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
LINE: Matrices = {"V": [[F(1, 2)]], "Q": [[F(3, 2)]], "K": [[F(-2, 3)]]}
ROW: Matrices = {"V": V, "Q": [[F(1, 2), -1]], "K": [[F(1, 3), F(1, 6)]]}
SQUARE: Matrices = {
    "V": V,
    "Q": [[F(1, 2), -1], [0, F(1, 3)]],
    "K": [[F(1, 3), F(1, 6)], [F(-1, 2), F(1, 4)]],
}
THIN = case("d = k = 2 with singular Sigma", SQUARE, *FLAT, l2_velocity)

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        *velocities(
            CLAIM,
            (
                case("d = 1", LINE, *ON_LINE, l2_velocity),
                case("d = 2, k = 1", ROW, *IN_PLANE, l2_velocity),
                THIN,
            ),
        ),
        *rates(CLAIM, THIN),
    ),
)
