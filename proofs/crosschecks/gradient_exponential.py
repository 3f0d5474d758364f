"""The derivative of the energy of exponential attention, another way."""

from __future__ import annotations

from mpmath import mp

from numeric.precise.particles import score
from proofs.claims.gradient_exponential import CLAIM
from proofs.crosschecks.moving_particles import A, compared

scores = score(A)
CROSS_CHECK = compared(CLAIM, lambda x, y: mp.exp(scores(x, y)))
