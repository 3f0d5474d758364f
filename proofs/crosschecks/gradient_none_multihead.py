"""The velocities of two tokens under three heads, from the definition."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.particles import softmax_velocities
from proofs.claims.gradient_none_multihead import CLAIM, field
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.language import vec
from proofs.terms import size

PLACES = Fraction(1, 2), Fraction(-2, 5)
#: the scores over log 2, and the values
HEADS = (0, 2), (1, 90), (2, -85)


def independent(digits: int) -> Any:
    with mp.workdps(digits + 20):
        total = [mp.zero, mp.zero]
        for n, value in HEADS:
            heads = softmax_velocities(
                [[n * mp.log(2)]], [[value]], [1, 1], [[z] for z in PLACES], digits=digits + 10
            )
            total = [a + b[0] for a, b in zip(total, heads, strict=True)]
        return mp.matrix(total)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "the velocities of two tokens near the equilibrium, three heads",
            field(vec("z", size(2))),
            {"z": [[z] for z in PLACES], "G": lambda z: [[1, 0], [0, 1]]},
            independent,
        ),
    ),
)
