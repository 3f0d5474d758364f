"""The derivative that an energy of l2 attention would have, from the definition."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.particles import minus_squared_distance, work_rate
from proofs.claims.gradient_none_l2 import CLAIM
from proofs.claims.two_tokens import U, X
from proofs.crosschecks.moving_particles import MASSES, POINTS, VELOCITIES, B, Points, V
from proofs.crosschecks.two_tokens import PAIR, asked, compared

Q: Points = [[1, Fraction(1, 2)], [Fraction(-1, 3), 1]]


def independent(digits: int) -> Any:
    with mp.workdps(digits + 15):
        force = (mp.matrix(rows(B)) * mp.matrix(rows(V))).tolist()
    return work_rate(
        minus_squared_distance(Q),
        force,
        MASSES[PAIR],
        POINTS[PAIR],
        VELOCITIES[PAIR],
        digits=digits,
    )


CROSS_CHECK = compared(CLAIM, asked(CLAIM, (X, U)), {"k": 2, "Q": Q, "V": V}, independent)
