"""The derivative of the energy of two heads of linear attention, another way."""

from __future__ import annotations

from typing import Any

from numeric.precise.particles import score
from proofs.claims.gradient_multihead_linear import CLAIM
from proofs.crosschecks.moving_particles import HEADS, SCORES, compared


def pair(x: Any, y: Any) -> Any:
    values = (score(A)(x, y) for A in SCORES)
    return sum(s**2 / 2 for s in values)


CROSS_CHECK = compared(CLAIM, pair, HEADS)
