"""The second derivative of the energy for a very light token that moves, another way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import number, rows
from numeric.precise.geodesics import denominators, second_derivative
from numeric.precise.particles import score
from proofs.claims.variation_softmax_two_points import CLAIM, VALUE
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import POINTS, VELOCITIES, A, B

POINT, PLACE = POINTS[0], POINTS[1]
SPEED = VELOCITIES[1]


def independent(digits: int) -> Any:
    """The ratio for a mass so small that it differs from the limit in later digits only."""
    light = Fraction(1, 10 ** (digits + 10))
    pair, masses = score(A), [1, light]
    with mp.workdps(3 * digits):
        weights = denominators(pair, masses)
        places = [mp.matrix(list(map(number, p))) for p in (POINT, PLACE)]
        u = mp.matrix(list(map(number, SPEED)))
        metric = number(light) * weights(places)[1] * (u.T * mp.matrix(rows(B)) * u)[0]
        second = second_derivative(
            lambda x, y: mp.exp(pair(x, y)),
            weights,
            masses,
            B,
            [POINT, PLACE],
            [[0, 0], SPEED],
            digits=2 * digits + 10,
        )
        return second / metric


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the second derivative along a geodesic over the squared speed, for a tiny mass",
            VALUE,
            {
                "d": 2,
                "A": A,
                "B": B,
                "a": [[z] for z in POINT],
                "x": [[z] for z in PLACE],
                "v": [[z] for z in SPEED],
            },
            independent,
        ),
    ),
)
