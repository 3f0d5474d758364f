"""The derivative that the energy of softmax attention has, where there is one, another way."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.particles import energy_rate, score
from proofs.claims.gradient_softmax_converse import CLAIM
from proofs.claims.two_tokens import U, X
from proofs.crosschecks.moving_particles import FACTOR, MASSES, POINTS, VELOCITIES, A, V
from proofs.crosschecks.two_tokens import PAIR, asked, compared

pair = score(A)


def independent(digits: int) -> Any:
    """B V = c A with A symmetric: c times the energy is one."""
    rate = energy_rate(
        lambda x, y: mp.exp(pair(x, y)),
        MASSES[PAIR],
        POINTS[PAIR],
        VELOCITIES[PAIR],
        digits=digits,
    )
    return mp.fmul(FACTOR, rate, exact=True)


CROSS_CHECK = compared(CLAIM, asked(CLAIM, (X, U)), {"A": A, "V": V}, independent)
