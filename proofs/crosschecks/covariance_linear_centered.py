"""Softmax and linear attention of a centred Gaussian, each against the other's integrals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.precise.moments import moment_rates
from numeric.precise.velocity import linear_velocity, softmax_velocity
from proofs.claims.covariance_linear_centered import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, expect, instantiated, left_side, right_side
from proofs.language import at, real, vec
from proofs.language import dim as size_named

V = [[1, 2], [Fraction(-1, 2), 3]]
A = [[Fraction(3, 10), -1], [Fraction(1, 2), Fraction(1, 4)]]
ORIGIN = [0, 0]
SINGULAR = [[1, Fraction(2, 3)], [Fraction(2, 3), Fraction(4, 9)]]
X = [1, Fraction(-2, 3)]
VALUES = {
    "d": 2,
    "V": V,
    "A": A,
    "Sigma0": SINGULAR,
    "Sigma": lambda t: SINGULAR,
    "t": 0,
    "x": X,
}

AT_TIME = consequence(instantiated(CLAIM.statement.conclusion.args[0], real("t")))
EQUATION = instantiated(AT_TIME, vec("x", size_named("d")))
RATE = at(*expect(CLAIM.statement.hypotheses[1], "maximal").args[2:])


def softmax(x: Any, digits: int) -> Any:
    return softmax_velocity(V, A, ORIGIN, SINGULAR, x, digits=digits)


def linear(x: Any, digits: int) -> Any:
    return linear_velocity(V, A, ORIGIN, SINGULAR, x, digits=digits)


def rate_of(velocity: Any) -> Any:
    return lambda digits: moment_rates(
        lambda x: velocity(x, digits), ORIGIN, SINGULAR, digits=digits
    )[1]


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the claimed integral for linear attention = the softmax velocity at x",
            right_side(EQUATION),
            VALUES,
            lambda digits: softmax(X, digits),
        ),
        Comparison(
            "the claimed integrals for softmax = the velocity of linear attention at x",
            left_side(EQUATION),
            VALUES,
            lambda digits: linear(X, digits),
        ),
        Comparison("rate of the covariance under softmax", RATE, VALUES, rate_of(softmax)),
        Comparison("rate of the covariance under linear attention", RATE, VALUES, rate_of(linear)),
    ),
)
