"""The guaranteed time for several heads and the bound until then, where both are attained."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from proofs.claims.covariance_multihead_existence_time import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, end_of, greater_side, instantiated
from proofs.language import dim, family, real
from proofs.terms import ONE, Term


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
PRODUCTS = [v * a for v, a in zip(BOUNDS_V, BOUNDS_A, strict=True)]
VALUES: dict[str, Any] = {
    "d": 2,
    "H": 3,
    "V": HEADS.V,
    "A": HEADS.A,
    "Sigma0": START,
    "v": BOUNDS_V,
    "a": BOUNDS_A,
    "m": WIDTH,
}
TIME = Fraction(1, 10)

FIRST, SECOND, THIRD = CLAIM.statement.conclusion.args
IMPROVED = instantiated(SECOND, real("s"))
EACH = instantiated(THIRD, family("s", dim("H"), ONE, ONE))
#: name, what the bound assumes, the bound, and the letters that it has besides the others
BOUNDS: tuple[tuple[str, tuple[Term, ...], Term, dict[str, Any]], ...] = (
    ("by norms", (), FIRST, {}),
    ("with S", (IMPROVED.args[0],), consequence(IMPROVED), {"s": sum(PRODUCTS)}),
    ("with S of each head", (EACH.args[0],), consequence(EACH), {"s": PRODUCTS}),
)


@cache
def blow_up(digits: int) -> Any:
    return HEADS.blow_up_time(START, digits)


@cache
def integrated(digits: int) -> Any:
    return HEADS.covariance_at(START, TIME, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    tuple(
        comparison
        for name, assumes, bound, letters in BOUNDS
        for comparison in (
            Comparison(
                f"blow-up time where the bound {name} is attained, d = 2, three heads",
                end_of(bound.args[0].args[0]),
                {**VALUES, **letters},
                blow_up,
                assumes=assumes,
            ),
            Comparison(
                f"Sigma(t) at t = {TIME} where the bound {name} is attained",
                greater_side(consequence(instantiated(bound.args[1], real("t")))),
                {**VALUES, **letters, "t": TIME},
                integrated,
                assumes=assumes,
            ),
        )
    ),
)
