"""The second derivative of the energy of one token along a geodesic, another way."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.geodesics import denominators, second_derivative
from numeric.precise.particles import score
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
    pair = score(A)
    return second_derivative(
        lambda x, y: mp.exp(pair(x, y)),
        denominators(pair, [1]),
        [1],
        B,
        POINTS[:1],
        VELOCITIES[:1],
        digits=digits,
    )


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
