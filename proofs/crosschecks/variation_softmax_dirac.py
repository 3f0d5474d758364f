"""The second derivative of the energy of one token along a geodesic that is shot."""

from __future__ import annotations

from typing import Any

from numeric.precise.geodesic import second_difference
from proofs.claims.variation_softmax_dirac import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import POINTS, VELOCITIES, A, B, line
from proofs.language import at, real

VALUES: dict[str, Any] = {
    "d": 2,
    "A": A,
    "B": B,
    "x": line(POINTS[0], VELOCITIES[0]),
    "u": line(VELOCITIES[0], [0, 0]),
    "T": 1,
    "t": 0,
}


def independent(digits: int) -> Any:
    return second_difference(A, B, POINTS[:1], [1], VELOCITIES[:1], 2 * digits).second


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the second derivative along a geodesic, one token in the plane",
            at(CLAIM.statement.conclusion.args[1].args[2], real("t")),
            VALUES,
            independent,
        ),
    ),
)
