"""The derivative that an energy of masked attention would have, from the definition."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.convert import number, rows
from numeric.precise.particles import score, softmax_velocities
from proofs.claims.gradient_none_masked import CLAIM
from proofs.claims.two_tokens import U, X
from proofs.crosschecks.moving_particles import MASSES, POINTS, VELOCITIES, A, B, V
from proofs.crosschecks.two_tokens import PAIR, asked, compared

pair = score(A)


def metric(x: Any) -> Any:
    """exp(<A x, y>) B, a metric of the second token."""
    return lambda y: mp.exp(pair(x, y)) * mp.matrix(rows(B))


def independent(digits: int) -> Any:
    """The force on the first token is its place."""
    velocities = softmax_velocities(A, V, MASSES[PAIR], POINTS[PAIR], digits=digits + 10)
    with mp.workdps(digits + 15):
        first, second = (mp.matrix(list(map(number, z))) for z in POINTS[PAIR])
        own, other = (mp.matrix(list(map(number, u))) for u in VELOCITIES[PAIR])
        seen = mp.matrix(velocities[1])
        force = (other.T * mp.matrix(rows(B)) * seen)[0]
        return (own.T * first)[0] + mp.exp(pair(first, second)) * force


CROSS_CHECK = compared(
    CLAIM, asked(CLAIM, (X, U)), {"A": A, "V": V, "f": lambda x: x, "G": metric}, independent
)
