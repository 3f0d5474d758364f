"""Several softmax heads with biases: velocity and rates against the sum of the heads' integrals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from numeric.exact import transpose
from numeric.precise.convert import MatrixLike
from numeric.precise.moments import moment_rates
from proofs.claims.gaussian_multihead_bias import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational, product, scaled
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, expect, instantiated, left_side, right_side
from proofs.language import at, dim, real, vec

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
VALUE: list[Block] = [[[1, 2], [-HALF, 3]], [[2, -1], [1, HALF]]]
KEY: list[Block] = [[[1, HALF], [-THIRD, 1], [0, HALF]], [[HALF, 1], [1, -HALF], [THIRD, 1]]]
QUERY: list[Block] = [[[HALF, -1], [1, THIRD], [THIRD, -HALF]], [[1, THIRD], [-HALF, 1], [1, 0]]]
QUERY_BIAS: list[Block] = [[[HALF], [-1], [2]], [[1], [HALF], [-THIRD]]]
KEY_BIAS = [[1, -HALF, THIRD], [-1, HALF, 1]]
VALUE_BIAS: list[list[Rational]] = [[THIRD, -1], [HALF, 2]]
MEAN: list[Rational] = [HALF, -1]
POINT: list[Rational] = [1, Fraction(2, 3)]
PLANE: Block = [[2, HALF], [HALF, 1]]
SINGULAR: Block = [[1, -THIRD], [-THIRD, Fraction(1, 9)]]
# <Q x + b_q, K y + b_k> = y . K^T (Q x + b_q) + what does not depend on y
HEADS = Heads(
    V=VALUE,
    A=[product(transpose(scaled(1, K)), Q) for K, Q in zip(KEY, QUERY, strict=True)],
    tilts=[
        [row[0] for row in product(transpose(scaled(1, K)), b)]
        for K, b in zip(KEY, QUERY_BIAS, strict=True)
    ],
    value_biases=VALUE_BIAS,
)

_, SOLUTION, MEAN_EQUATION = CLAIM.statement.hypotheses
t, x = real("t"), vec("x", dim("d"))
AT_TIME = consequence(instantiated(CLAIM.statement.conclusion.args[0], t))
EQUATION = instantiated(AT_TIME, x)
MEAN_RATE = at(expect(MEAN_EQUATION, "ode").args[2], t)
COVARIANCE_RATE = at(*expect(SOLUTION, "maximal").args[2:])


def values(covariance: MatrixLike) -> dict[str, Any]:
    biases = {"b_q": QUERY_BIAS, "b_k": KEY_BIAS, "b_v": VALUE_BIAS}
    law = {"Sigma0": covariance, "Sigma": lambda t: covariance, "alpha": lambda t: MEAN}
    matrices = {"V": VALUE, "K": KEY, "Q": QUERY}
    return {"d": 2, "k": 3, "H": 2, "t": 0, "x": POINT, **matrices, **biases, **law}


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
            "the claimed integrals with b_k, d = 2 with singular Sigma, two heads",
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
