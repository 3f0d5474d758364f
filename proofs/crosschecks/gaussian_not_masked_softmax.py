"""The velocity of masked softmax at the second position against its defining integrals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numeric.precise.velocity_line import masked_softmax_velocity
from proofs.claims.gaussian_not_masked_softmax import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, instantiated, right_side
from proofs.language import real

V, A, X = Fraction(3, 2), Fraction(-2, 3), Fraction(3, 4)
P1, P2 = Fraction(2, 5), Fraction(3, 5)
#: mean and variance at the two positions
MOMENTS = (Fraction(1), Fraction(5, 4)), (Fraction(-1, 2), Fraction(2))


def values(moments: tuple[tuple[Fraction, Fraction], ...]) -> dict[str, Any]:
    (alpha1, Sigma1), (alpha2, Sigma2) = moments
    return {
        "v": V,
        "a": A,
        "p1": P1,
        "p2": P2,
        "alpha1": lambda t: alpha1,
        "alpha2": lambda t: alpha2,
        "Sigma1": lambda t: Sigma1,
        "Sigma2": lambda t: Sigma2,
        "t": 0,
        "x": X,
    }


def velocity(moments: tuple[tuple[Fraction, Fraction], ...]) -> Callable[[int], Any]:
    seen = [(p, *law) for p, law in zip((P1, P2), moments, strict=True)]
    return lambda digits: masked_softmax_velocity(V, A, seen, 1, X, digits=digits)


PARTS = CLAIM.statement.conclusion.args
AT_TIME = [consequence(instantiated(part, real("t"))) for part in (PARTS[0], PARTS[2])]
VELOCITY, UNMASKED = (
    right_side(instantiated(part, real("x"))) for part in (AT_TIME[0], consequence(AT_TIME[1]))
)
SAME = (MOMENTS[1], MOMENTS[1])

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison("velocity at x, d = 1", VELOCITY, values(MOMENTS), velocity(MOMENTS)),
        Comparison("velocity at x where the laws agree", UNMASKED, values(SAME), velocity(SAME)),
    ),
)
