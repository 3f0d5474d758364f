"""Blow-up times where the bounds are attained, and how fast the form of the cone grows.

In coordinates (y, z), w^T x = y and x^T M x = y^2 - z^2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs.claims.covariance_blowup_cone import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.quadratic_systems import HEIGHT, Quadratic, form, plane, vector
from proofs.crosschecks.structure import (
    consequence,
    end_of,
    expect,
    greater_side,
    instantiated,
    smaller_side,
)
from proofs.language import dim, inv, mul, vec

# y' = y^2 and z' = -y z: in a cone of any width, (y^2 - z^2)' >= 2 y (y^2 - z^2).
ALONG = plane(1, 0, -1)
# y' = y^2 - z^2 / 2: this is between y^2 / 4 and y^2 where z^2 <= 3 y^2 / 2, and y^2 on the axis.
SLOWED = plane(1, Fraction(-1, 2), -1)
CONE = form((1, -1))
POINT = vector(2, 1)


def values(system: Quadratic, start: list[Fraction], slowest: Fraction) -> dict[str, Any]:
    return {
        "n": 2,
        "f": system.field,
        "w": HEIGHT,
        "M": CONE,
        "x0": start,
        "k": Fraction(1, 2),
        "m": 2,
        "c": slowest,
        "b": 1,
        "s": 11,
        "r": 1,
        "R": 10,
        "z": POINT,
    }


OFF_AXIS, ON_AXIS = vector(Fraction(5, 7), Fraction(1, 2)), vector(Fraction(3, 7), 0)
FAST = values(ALONG, OFF_AXIS, Fraction(1))
SLOW = values(SLOWED, ON_AXIS, Fraction(1, 4))

*_, EVERYWHERE, BEGIN, END = CLAIM.statement.hypotheses
LASTS, ENDS = (expect(part, "at_most").args for part in CLAIM.statement.conclusion.args)
#: the largest r with b w^T x0 r <= 1, and the smallest R with c w^T x0 R >= 1
FIRST = mul(end_of(LASTS[0]), inv(smaller_side(BEGIN)))
LAST = mul(end_of(ENDS[1]), inv(greater_side(END)))
GROWS = instantiated(EVERYWHERE, vec("z", dim("n")))
FORM_RATE = greater_side(consequence(GROWS).args[0])

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time where the last one is attained, off the axis of the cone",
            LAST,
            FAST,
            lambda digits: ALONG.blow_up_time(OFF_AXIS, digits),
        ),
        Comparison(
            "blow-up time where the first one is attained",
            FIRST,
            SLOW,
            lambda digits: SLOWED.blow_up_time(ON_AXIS, digits),
        ),
        Comparison(
            "derivative of x^T M x along a solution",
            FORM_RATE,
            SLOW,
            lambda digits: SLOWED.rate(CONE, POINT, digits),
            assumes=(GROWS,),
        ),
    ),
)
