"""The velocity of exponential attention against its defining integral."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.precise.velocity_line import exponential_velocity
from proofs.claims.gaussian_not_exponential import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, instantiated, right_side
from proofs.language import real

V, A, MEAN, VARIANCE, X = (Fraction(*q) for q in ((3, 2), (-2, 3), (-1, 2), (5, 4), (3, 4)))
VALUES = {
    "v": V,
    "a": A,
    "alpha": lambda t: MEAN,
    "Sigma": lambda t: VARIANCE,
    "T": 1,
    "t": 0,
    "x": X,
}
EQUATION = consequence(instantiated(CLAIM.statement.conclusion.args[0], real("t")))


def velocity(digits: int) -> Any:
    return exponential_velocity(V, A, MEAN, VARIANCE, X, digits=digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "velocity at x, d = 1",
            right_side(instantiated(EQUATION, real("x"))),
            VALUES,
            velocity,
        ),
    ),
)
