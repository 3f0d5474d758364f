"""The derivative of the energy of softmax attention, another way."""

from __future__ import annotations

from mpmath import mp

from numeric.precise.particles import score
from proofs.claims.gradient_softmax import CLAIM
from proofs.crosschecks.moving_particles import A, compared

scores = score(A)
CROSS_CHECK = compared(CLAIM, lambda x, y: mp.exp(scores(x, y)))
