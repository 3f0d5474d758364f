"""Self-similar rays, some of them unstable, against integration and poles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.exact import transpose
from numeric.precise.flow import covariance_at
from numeric.precise.poles import blow_up_time
from proofs.claims.covariance_self_similar import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product, scaled
from proofs.crosschecks.structure import consequence, end_of, expect, instantiated
from proofs.language import at, real, vec
from proofs.language import dim as size_named

# V Sigma A Sigma + Sigma A^T Sigma V^T = Sigma for Sigma = diag(1, 4), moved by x -> BASIS x
BASIS: Block = [[1, 1], [0, 2]]
INVERSE: Block = [[1, Fraction(-1, 2)], [0, Fraction(1, 2)]]
VALUE = product(BASIS, [[1, -1], [-2, 4]], INVERSE)
START = product(BASIS, [[1, 0], [0, 4]], transpose(scaled(1, BASIS)))
SCORE = product(
    transpose(scaled(1, INVERSE)),
    [[Fraction(-1, 2), Fraction(7, 4)], [Fraction(-1, 4), Fraction(1, 4)]],
    INVERSE,
)

GROWTH, ENDLESS, _ = CLAIM.statement.conclusion.args
ESCAPE = instantiated(consequence(GROWTH), vec("w", size_named("d")))
BLOW_UP = expect(consequence(ESCAPE).args[0], "maximal")
DECAY = expect(consequence(ENDLESS), "maximal")


def ray(rate: int) -> dict[str, Any]:
    """Parameters for the constant c = ``rate``."""
    return {"d": 2, "V": VALUE, "A": scaled(rate, SCORE), "Sigma0": START, "c": rate, "w": [1, 0]}


def covariance(rate: int, time: Fraction) -> Any:
    return lambda digits: covariance_at(VALUE, scaled(rate, SCORE), START, time, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "Sigma(t) at t = 1/6 for c = 3",
            at(BLOW_UP.args[1], real("t")),
            {**ray(3), "t": Fraction(1, 6)},
            covariance(3, Fraction(1, 6)),
            assumes=(GROWTH.args[0], ESCAPE.args[0]),
        ),
        Comparison(
            "blow-up time for c = 3",
            end_of(BLOW_UP),
            ray(3),
            lambda digits: blow_up_time(VALUE, scaled(3, SCORE), START, digits=digits),
            assumes=(GROWTH.args[0], ESCAPE.args[0]),
        ),
        Comparison(
            "Sigma(t) at t = 2 for c = -2",
            at(DECAY.args[1], real("t")),
            {**ray(-2), "t": 2},
            covariance(-2, Fraction(2)),
            assumes=(ENDLESS.args[0],),
        ),
    ),
)
