"""The velocity of sigmoid attention in the statement, another quadrature of the definition."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.precise.velocity_line import sigmoid_velocity
from proofs.claims.gaussian_not_sigmoid import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import expect
from proofs.language import at, real

# a x is small: the poles of the logistic function are far from the line
V, A, MEAN, VARIANCE, X = (Fraction(*q) for q in ((3, 2), (-1, 2), (1, 8), (2, 1), (2, 5)))
VALUES = {
    "v": V,
    "a": A,
    "alpha": lambda t: MEAN,
    "Sigma": lambda t: VARIANCE,
    "T": 1,
    "t": 0,
    "x": X,
}
EQUATION = expect(expect(CLAIM.statement.conclusion, "not").args[0], "continuity")


def velocity(digits: int) -> Any:
    return sigmoid_velocity(V, A, MEAN, VARIANCE, X, digits=digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the velocity in the statement, at x, d = 1",
            at(EQUATION.args[2], real("t"), real("x")),
            VALUES,
            velocity,
        ),
    ),
)
