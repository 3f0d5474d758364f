"""How fast the forms of the cone and of the bound change along a solution that decays.

In coordinates (y, z), w^T x = y, x^T M x = y^2 - z^2 and x^T N x = 13 y^2 - z^2, which is more than
|x|^2 = y^2 + 2 y z + 5 z^2 where z^2 <= 3 y^2 / 2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs.claims.covariance_bounded_cone import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.quadratic_systems import HEIGHT, form, plane, vector
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import dim, vec

# y' = -y^2 and z' = -2 y z: (y^2 - z^2)' = -2 y (y^2 - z^2) + 2 y z^2.
DECAYING = plane(-1, 0, -2)
CONE, BOUND = form((1, -1)), form((13, -1))
START = vector(Fraction(5, 7), Fraction(1, 2))
VALUES: dict[str, Any] = {
    "n": 2,
    "f": DECAYING.field,
    "w": HEIGHT,
    "M": CONE,
    "N": BOUND,
    "x0": START,
    "k": Fraction(1, 2),
    "m": -2,
    "b": 1,
    "z": START,
}

SETTLES = instantiated(CLAIM.statement.hypotheses[-1], vec("z", dim("n")))
TURNS, _, SHRINKS, _ = consequence(SETTLES).args
FALL = expect(expect(SHRINKS, "psd").args[0], "scale").args[1]

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "derivative of x^T M x along a solution",
            greater_side(TURNS),
            VALUES,
            lambda digits: DECAYING.rate(CONE, START, digits),
            assumes=(SETTLES,),
        ),
        Comparison(
            "derivative of x^T N x along a solution",
            FALL,
            VALUES,
            lambda digits: DECAYING.rate(BOUND, START, digits),
            assumes=(SETTLES,),
        ),
    ),
)
