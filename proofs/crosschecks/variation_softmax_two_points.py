"""The second derivative of the energy for a very light token that moves along a geodesic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.geodesic import second_difference
from proofs.claims.variation_softmax_two_points import CLAIM, R
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import POINTS, VELOCITIES, A, B
from proofs.crosschecks.structure import expect, right_side
from proofs.terms import application

POINT, PLACE = POINTS[0], POINTS[1]
SPEED = VELOCITIES[1]


def independent(digits: int) -> Any:
    """The ratio for a mass so small that it differs from the limit in later digits only."""
    light = Fraction(1, 10 ** (digits + 10))
    shot = second_difference(A, B, [POINT, PLACE], [1, light], [[0, 0], SPEED], 4 * digits)
    with mp.workdps(digits + 10):
        return shot.second / shot.speed


STATED = application(expect(CLAIM.statement.conclusion, "exists").args[0], R)
LIMIT = right_side(expect(STATED, "and").args[1])

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the second derivative along a geodesic over the squared speed, for a tiny mass",
            LIMIT,
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
