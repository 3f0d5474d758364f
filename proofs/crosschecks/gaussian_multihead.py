"""Heads of four variants side by side: velocity and rates against the sum of their integrals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity
from numeric.precise.velocity import GUARD_DIGITS, linear_velocity, softmax_velocity
from numeric.precise.velocity_l2 import l2_velocity
from proofs.claims.gaussian_multihead import CLAIM
from proofs.crosschecks.base import CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.gaussian_sinkhorn import A
from proofs.crosschecks.preservation import (
    MEAN,
    POINT,
    SINGULAR,
    Case,
    V,
    constantly,
    rates,
    velocities,
)

F = Fraction
OTHER: Block = [[1, -1], [F(1, 3), F(1, 2)]]
SMALL: Block = [[F(1, 4), F(1, 2)], [F(-1, 8), F(3, 4)]]
#: variant -> the parameters of its heads, two of softmax, one of each other variant, such that all
#: of them matter in the sum
HEADS: dict[str, list[tuple[Block, ...]]] = {
    "soft": [(SMALL, A), (OTHER, [[0, F(1, 2)], [-1, 0]])],
    "l2": [([[F(1, 2), -1]], [[F(2, 3), F(1, 3)]], V)],
    "sink": [(V, A)],
    "lin": [(SMALL, OTHER)],
}
LETTERS = {"soft": "VA", "l2": "QKV", "sink": "VA", "lin": "VA"}


def velocity(mean: Sequence[Rational], covariance: Block, x: Any, digits: int) -> Any:
    law = (mean, covariance, x)
    with mp.workdps(digits + GUARD_DIGITS):
        total = mp.zeros(len(mean), 1)
        for value, score in HEADS["soft"]:
            total += softmax_velocity(value, score, *law, digits=digits)
        for Q, K, value in HEADS["l2"]:
            total += l2_velocity(value, Q, K, *law, digits=digits)
        for value, score in HEADS["sink"]:
            total += sinkhorn_gaussian_velocity(value, score, *law, digits=digits)
        for value, score in HEADS["lin"]:
            total += linear_velocity(value, score, *law, digits=digits)
        return total


def parameters() -> dict[str, Any]:
    found: dict[str, Any] = {"k": 1}
    for mark, heads in HEADS.items():
        found[f"H_{mark}"] = len(heads)
        for place, letter in enumerate(LETTERS[mark]):
            found[f"{letter}_{mark}"] = [constantly(head[place]) for head in heads]
    return found


THIN = Case(
    "d = 2 with singular Sigma, five heads of four variants",
    MEAN,
    SINGULAR,
    POINT,
    parameters(),
    velocity,
)

CROSS_CHECK = CrossCheck(CLAIM.id, (*velocities(CLAIM, (THIN,)), *rates(CLAIM, THIN)))
