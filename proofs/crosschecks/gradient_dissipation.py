"""The rate at which attention dissipates the energy, another way."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.particles import energy_rate, score, softmax_velocities
from proofs.claims.gradient_dissipation import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import FACTOR, MASSES, OF_SCORES, POINTS, A, V, rate_of

scores = score(A)


def independent(digits: int) -> Any:
    velocities = softmax_velocities(A, V, MASSES, POINTS, digits=digits + 10)
    rate = energy_rate(lambda x, y: mp.exp(scores(x, y)), MASSES, POINTS, velocities, digits=digits)
    return mp.fmul(FACTOR, rate, exact=True)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the derivative of the energy along softmax attention, three particles in the plane",
            rate_of(CLAIM),
            OF_SCORES,
            independent,
        ),
    ),
)
