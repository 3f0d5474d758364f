"""The guaranteed time for several heads where it is attained, against the poles of the series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs.claims.covariance_multihead_existence_time import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, end_of, expect, instantiated
from proofs.language import real


def rotation(factor: Fraction, cosine: Fraction, sine: Fraction) -> Block:
    return [[factor * cosine, -factor * sine], [factor * sine, factor * cosine]]


# V_h is a multiple of a rotation, A_h of its inverse, Sigma0 isotropic: all norms are attained.
BOUNDS_V = [Fraction(2), Fraction(1, 2), Fraction(1)]
BOUNDS_A = [Fraction(1, 3), Fraction(3), Fraction(1, 7)]
ANGLES = [
    (Fraction(3, 5), Fraction(4, 5)),
    (Fraction(-5, 13), Fraction(12, 13)),
    (Fraction(1), Fraction(0)),
]
HEADS = Heads(
    V=[rotation(v, c, s) for v, (c, s) in zip(BOUNDS_V, ANGLES, strict=True)],
    A=[rotation(a, c, -s) for a, (c, s) in zip(BOUNDS_A, ANGLES, strict=True)],
)
WIDTH = Fraction(5, 7)
START: Block = [[WIDTH, 0], [0, WIDTH]]
VALUES: dict[str, Any] = {
    "d": 2,
    "H": 3,
    "V": HEADS.V,
    "A": HEADS.A,
    "Sigma0": START,
    "v": BOUNDS_V,
    "a": BOUNDS_A,
    "m": WIDTH,
    "s": sum(v * a for v, a in zip(BOUNDS_V, BOUNDS_A, strict=True)),
}

FIRST, SECOND = CLAIM.statement.conclusion.args
IMPROVED = instantiated(SECOND, real("s"))


def independent(digits: int) -> Any:
    return HEADS.blow_up_time(START, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time where the bound by norms is attained, d = 2, three heads",
            end_of(expect(FIRST, "at_most").args[0]),
            VALUES,
            independent,
        ),
        Comparison(
            "blow-up time where the bound with S is attained, d = 2, three heads",
            end_of(expect(consequence(IMPROVED), "at_most").args[0]),
            VALUES,
            independent,
            assumes=(IMPROVED.args[0],),
        ),
    ),
)
