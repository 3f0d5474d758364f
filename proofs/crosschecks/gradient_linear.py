"""The derivative of the energy of linear attention, another way."""

from __future__ import annotations

from numeric.precise.particles import score
from proofs.claims.gradient_linear import CLAIM
from proofs.crosschecks.moving_particles import A, compared

scores = score(A)
CROSS_CHECK = compared(CLAIM, lambda x, y: scores(x, y) ** 2 / 2)
