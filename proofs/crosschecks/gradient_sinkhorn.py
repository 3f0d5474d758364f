"""The derivative of the entropic cost of self-transport, another way."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.particles import derivative_along, entropic_cost, score
from proofs.claims.gradient_sinkhorn import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import (
    FACTOR,
    MASSES,
    OF_SCORES,
    POINTS,
    VELOCITIES,
    A,
    rate_of,
)


def independent(digits: int) -> Any:
    def half(points: list[Any]) -> Any:
        return entropic_cost(score(A), MASSES, points) / 2

    rate = derivative_along(half, POINTS, VELOCITIES, digits=digits)
    return mp.fmul(FACTOR, rate, exact=True)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the derivative of half the entropic cost, three particles in the plane",
            rate_of(CLAIM),
            OF_SCORES,
            independent,
        ),
    ),
)
