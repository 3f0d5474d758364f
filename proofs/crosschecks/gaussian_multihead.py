"""Several softmax heads: velocity and rates against the sum of the heads' integrals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from numeric.precise.convert import MatrixLike
from numeric.precise.moments import moment_rates
from proofs.claims.gaussian_multihead import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, expect, instantiated, left_side, right_side
from proofs.language import at, dim, real, vec

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
HEADS = Heads(
    V=[[[1, 2], [-HALF, 3]], [[2, -1], [1, HALF]]],
    A=[[[THIRD, -1], [HALF, HALF]], [[1, HALF], [-1, THIRD]]],
)
MEAN: list[Rational] = [HALF, -1]
POINT: list[Rational] = [1, Fraction(2, 3)]
PLANE: Block = [[2, HALF], [HALF, 1]]
SINGULAR: Block = [[1, -THIRD], [-THIRD, Fraction(1, 9)]]

_, SOLUTION, MEAN_EQUATION = CLAIM.statement.hypotheses
t, x = real("t"), vec("x", dim("d"))
AT_TIME = consequence(instantiated(CLAIM.statement.conclusion.args[0], t))
EQUATION = instantiated(AT_TIME, x)
MEAN_RATE = at(expect(MEAN_EQUATION, "ode").args[2], t)
COVARIANCE_RATE = at(*expect(SOLUTION, "maximal").args[2:])


def values(covariance: MatrixLike) -> dict[str, Any]:
    law = {"Sigma0": covariance, "Sigma": lambda t: covariance, "alpha": lambda t: MEAN}
    return {"d": 2, "H": 2, "t": 0, "x": POINT, "V": HEADS.V, "A": HEADS.A, **law}


@cache
def rates(digits: int) -> tuple[Any, Any]:
    return moment_rates(
        lambda x: HEADS.velocity(MEAN, SINGULAR, x, digits), MEAN, SINGULAR, digits=digits
    )


def velocity_of(covariance: Any) -> Callable[[int], Any]:
    return lambda digits: HEADS.velocity(MEAN, covariance, POINT, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "velocity at x, d = 2, two heads",
            right_side(EQUATION),
            values(PLANE),
            velocity_of(PLANE),
        ),
        Comparison(
            "the claimed integrals, d = 2 with singular Sigma, two heads",
            left_side(EQUATION),
            values(SINGULAR),
            velocity_of(SINGULAR),
        ),
        Comparison(
            "rate of the mean, d = 2 with singular Sigma, two heads",
            MEAN_RATE,
            values(SINGULAR),
            lambda digits: rates(digits)[0],
        ),
        Comparison(
            "rate of the covariance, d = 2 with singular Sigma, two heads",
            COVARIANCE_RATE,
            values(SINGULAR),
            lambda digits: rates(digits)[1],
        ),
    ),
)
