"""Masked linear attention: the velocity against integrals over the positions that are seen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.precise.velocity_masked import masked_linear_velocity
from proofs.claims.gaussian_masked_linear import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.preservation import POINT, A, V, constantly
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import dim, real, vec

F = Fraction
s, t, x = real("s"), real("t"), vec("x", dim("d"))
#: mass, mean and covariance at the positions 0, 1, 2; the last is not seen from 1
POSITIONS = (
    (F(1, 2), [F(1, 2), -1], [[2, F(1, 2)], [F(1, 2), 1]]),
    (F(1, 3), [1, F(1, 4)], [[1, F(2, 3)], [F(2, 3), F(4, 9)]]),
    (F(1, 6), [0, 3], [[1, 0], [0, 1]]),
)
VALUES = {
    "d": 2,
    "V": constantly(V),
    "A": constantly(A),
    "theta": [(place, mass) for place, (mass, _, _) in enumerate(POSITIONS)],
    "alpha": lambda place: constantly(POSITIONS[int(place)][1]),
    "Sigma": lambda place: constantly(POSITIONS[int(place)][2]),
    "s": 1,
    "t": 0,
    "x": POINT,
}
AT_POSITION = instantiated(CLAIM.statement.conclusion, s)
EVERYWHERE = expect(AT_POSITION, "and").args[0]
FORMULA = right_side(instantiated(consequence(instantiated(EVERYWHERE, t)), x))


def velocity(digits: int) -> Any:
    return masked_linear_velocity(V, A, POSITIONS, 1, POINT, digits=digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "velocity at x from the second of three positions, d = 2", FORMULA, VALUES, velocity
        ),
    ),
)
