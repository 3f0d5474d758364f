"""The guaranteed time and the bound until then where both are attained, against integration."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numeric.precise.flow import covariance_at
from numeric.precise.poles import blow_up_time
from proofs.claims.covariance_existence_time import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, end_of, greater_side, instantiated
from proofs.language import real

# V is twice a rotation, A a third of its inverse, Sigma0 isotropic: all norms are attained.
COSINE, SINE = Fraction(3, 5), Fraction(4, 5)
VALUE = [[2 * COSINE, -2 * SINE], [2 * SINE, 2 * COSINE]]
SCORE = [[COSINE / 3, SINE / 3], [-SINE / 3, COSINE / 3]]
WIDTH = Fraction(5, 7)
START = [[WIDTH, 0], [0, WIDTH]]
VALUES = {
    "d": 2,
    "V": VALUE,
    "A": SCORE,
    "Sigma0": START,
    "v": 2,
    "a": Fraction(1, 3),
    "m": WIDTH,
    "s": Fraction(2, 3),
}
TIME = Fraction(1, 4)

FIRST, SECOND = CLAIM.statement.conclusion.args
IMPROVED = instantiated(SECOND, real("s"))
(TIME_BY_NORMS, BY_NORMS), (TIME_BY_S, BY_S) = FIRST.args, consequence(IMPROVED).args


@cache
def independent(digits: int) -> object:
    return blow_up_time(VALUE, SCORE, START, digits=digits)


@cache
def integrated(digits: int) -> object:
    return covariance_at(VALUE, SCORE, START, TIME, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time where the bound by norms is attained, d = 2",
            end_of(TIME_BY_NORMS.args[0]),
            VALUES,
            independent,
        ),
        Comparison(
            f"Sigma(t) at t = {TIME} where the bound by norms is attained, d = 2",
            greater_side(consequence(instantiated(BY_NORMS, real("t")))),
            {**VALUES, "t": TIME},
            integrated,
        ),
        Comparison(
            "blow-up time where the bound with S is attained, d = 2",
            end_of(TIME_BY_S.args[0]),
            VALUES,
            independent,
            assumes=(IMPROVED.args[0],),
        ),
        Comparison(
            f"Sigma(t) at t = {TIME} where the bound with S is attained, d = 2",
            greater_side(consequence(instantiated(BY_S, real("t")))),
            {**VALUES, "t": TIME},
            integrated,
            assumes=(IMPROVED.args[0],),
        ),
    ),
)
