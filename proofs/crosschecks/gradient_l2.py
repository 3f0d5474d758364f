"""The derivative of the energy of l2 attention, another way."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp

from numeric.precise.particles import minus_squared_distance
from proofs.claims.gradient_l2 import CLAIM
from proofs.crosschecks.moving_particles import VALUES, Points, compared

Q: Points = [[1, Fraction(1, 2)], [Fraction(-1, 3), 1]]
scores = minus_squared_distance(Q)
CROSS_CHECK = compared(
    CLAIM, lambda x, y: mp.exp(scores(x, y)), {**VALUES, "k": 2, "Q": Q}, factor=1
)
