"""The second derivative of the energy along a geodesic that is shot."""

from __future__ import annotations

from typing import Any

from numeric.precise.geodesic import second_difference
from proofs.claims.variation_softmax import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import MASSES, OF_SCORES, POINTS, VELOCITIES, A, B
from proofs.language import at, real


def independent(digits: int) -> Any:
    return second_difference(A, B, POINTS, MASSES, VELOCITIES, 2 * digits).second


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the second derivative along a geodesic, three particles in the plane",
            at(CLAIM.statement.conclusion.args[1].args[2], real("t")),
            OF_SCORES,
            independent,
        ),
    ),
)
