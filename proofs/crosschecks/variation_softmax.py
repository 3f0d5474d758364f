"""The second derivative of the energy along a geodesic, another way."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.geodesics import denominators, second_derivative
from numeric.precise.particles import score
from proofs.claims.variation_softmax import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import MASSES, OF_SCORES, POINTS, VELOCITIES, A, B
from proofs.language import at, real


def independent(digits: int) -> Any:
    pair = score(A)
    return second_derivative(
        lambda x, y: mp.exp(pair(x, y)),
        denominators(pair, MASSES),
        MASSES,
        B,
        POINTS,
        VELOCITIES,
        digits=digits,
    )


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
