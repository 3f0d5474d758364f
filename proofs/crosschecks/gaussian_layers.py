"""Two layers: velocities and rates in each, at the switch and through it, against integrals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from mpmath import mp

from numeric.exact import transpose
from numeric.precise.moments import moment_rates
from numeric.precise.ranks import counted_rank
from proofs.claims.gaussian_layers import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational, product, scaled
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, expect, instantiated, left_side, right_side
from proofs.language import at, dim, real, vec

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@dataclass(frozen=True)
class Layer:
    """The parameters of two heads, biases as columns."""

    V: list[Block]
    K: list[Block]
    Q: list[Block]
    b_q: list[Block]
    b_k: list[Block]
    b_v: list[Block]

    @cached_property
    def heads(self) -> Heads:
        """<Q x + b_q, K y + b_k> = y . K^T (Q x + b_q) + what does not depend on y."""
        keys = [transpose(scaled(1, K)) for K in self.K]
        return Heads(
            V=self.V,
            A=[product(key, Q) for key, Q in zip(keys, self.Q, strict=True)],
            tilts=[_entries(product(key, b)) for key, b in zip(keys, self.b_q, strict=True)],
            value_biases=[_entries(b) for b in self.b_v],
        )


def _entries(column: Block) -> list[Rational]:
    return [row[0] for row in column]


FIRST = Layer(
    V=[[[1, 2], [-HALF, 3]], [[2, -1], [1, HALF]]],
    K=[[[1, HALF], [-THIRD, 1], [0, HALF]], [[HALF, 1], [1, -HALF], [THIRD, 1]]],
    Q=[[[HALF, -1], [1, THIRD], [THIRD, -HALF]], [[1, THIRD], [-HALF, 1], [1, 0]]],
    b_q=[[[HALF], [-1], [2]], [[1], [HALF], [-THIRD]]],
    b_k=[[[1], [-HALF], [THIRD]], [[-1], [HALF], [1]]],
    b_v=[[[THIRD], [-1]], [[HALF], [2]]],
)
SECOND = Layer(
    V=[[[-1, HALF], [1, 1]], [[THIRD, 2], [-1, 1]]],
    K=[[[HALF, -1], [1, 1], [THIRD, 0]], [[1, 0], [-HALF, THIRD], [1, -1]]],
    Q=[[[1, 1], [-HALF, THIRD], [0, 1]], [[-1, HALF], [THIRD, 1], [HALF, -1]]],
    b_q=[[[1], [THIRD], [-HALF]], [[-HALF], [THIRD], [HALF]]],
    b_k=[[[HALF], [1], [-THIRD]], [[THIRD], [-HALF], [HALF]]],
    b_v=[[[-1], [HALF]], [[1], [-THIRD]]],
)
#: the time at which the second layer takes over, and one before it
SWITCH, BEFORE = Fraction(1, 64), Fraction(1, 128)
MEAN: list[Rational] = [HALF, -1]
POINT: list[Rational] = [1, Fraction(2, 3)]
PLANE: Block = [[2, HALF], [HALF, 1]]
SINGULAR: Block = [[1, -THIRD], [-THIRD, Fraction(1, 9)]]

_, _, COVARIANCE_EQUATION, _, MEAN_EQUATION = CLAIM.statement.hypotheses
RANK_STATEMENT, VELOCITY_STATEMENT, _ = CLAIM.statement.conclusion.args
t, x = real("t"), vec("x", dim("d"))
RANKS = consequence(instantiated(RANK_STATEMENT, t)).args[1]
EQUATION = instantiated(consequence(instantiated(VELOCITY_STATEMENT, t)), x)
MEAN_RATE = at(expect(MEAN_EQUATION, "ode").args[2], t)
COVARIANCE_RATE = at(expect(COVARIANCE_EQUATION, "ode").args[2], t)


def switched(first: Block, second: Block) -> Callable[[Any], Block]:
    """One matrix before the switch, the other from it on."""
    return lambda time: second if time >= mp.mpf(SWITCH.numerator) / SWITCH.denominator else first


def values(time: Fraction, covariance: Block) -> dict[str, Any]:
    parameters = {
        name: [
            switched(*pair)
            for pair in zip(getattr(FIRST, name), getattr(SECOND, name), strict=True)
        ]
        for name in ("V", "K", "Q", "b_q", "b_k", "b_v")
    }
    law = {"Sigma0": covariance, "Sigma": lambda t: covariance, "alpha": lambda t: MEAN}
    return {"d": 2, "k": 3, "H": 2, "t": time, "x": POINT, **parameters, **law}


def velocity_of(layer: Layer, covariance: Block) -> Callable[[int], Any]:
    return lambda digits: layer.heads.velocity(MEAN, covariance, POINT, digits)


@cache
def rates(name: str, digits: int) -> tuple[Any, Any]:
    layer = {"first": FIRST, "second": SECOND}[name]
    return moment_rates(
        lambda x: layer.heads.velocity(MEAN, SINGULAR, x, digits), MEAN, SINGULAR, digits=digits
    )


def rate_of(name: str, which: int) -> Callable[[int], Any]:
    return lambda digits: rates(name, digits)[which]


def through_both(start: Block, duration: Fraction, digits: int) -> Any:
    """The covariance some time after the switch, by one Taylor series for each layer."""
    middle = FIRST.heads.covariance_at(start, SWITCH, digits)
    rows: Sequence[Sequence[Any]] = middle.tolist()
    return SECOND.heads.covariance_at(rows, duration, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "velocity at x in the first layer, d = 2, two heads",
            right_side(EQUATION),
            values(BEFORE, PLANE),
            velocity_of(FIRST, PLANE),
        ),
        Comparison(
            "velocity at x in the second layer, d = 2, two heads",
            right_side(EQUATION),
            values(SWITCH, PLANE),
            velocity_of(SECOND, PLANE),
        ),
        Comparison(
            "the claimed integrals at the switch, d = 2 with singular Sigma",
            left_side(EQUATION),
            values(SWITCH, SINGULAR),
            velocity_of(SECOND, SINGULAR),
        ),
        *(
            Comparison(
                f"rate of the {moment} {place}, d = 2 with singular Sigma",
                formula,
                values(time, SINGULAR),
                rate_of(name, which),
            )
            for which, (moment, formula) in enumerate(
                (("mean", MEAN_RATE), ("covariance", COVARIANCE_RATE))
            )
            for name, place, time in (
                ("first", "before the switch", BEFORE),
                ("second", "at the switch", SWITCH),
            )
        ),
        Comparison(
            "rank of Sigma(t) behind the switch, counted on its singular values, d = 2",
            right_side(RANKS),
            values(2 * SWITCH, SINGULAR),
            lambda digits: counted_rank(through_both(SINGULAR, SWITCH, digits + 10), digits),
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
