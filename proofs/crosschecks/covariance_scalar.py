"""Closed forms on the line, against Taylor series of the three equations."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.convert import number
from proofs.claims.covariance_scalar import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.line import (
    KEY,
    SCORE,
    TIME,
    VALUES,
    l2_rate,
    sinkhorn_rate,
    softmax_rate,
    variance,
)
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import real

CASES = expect(CLAIM.statement.conclusion, "and").args
SOFTMAX, L2, SINKHORN = (consequence(instantiated(consequence(case), real("t"))) for case in CASES)


def l2_value(digits: int) -> Any:
    """z exp(z) for the ratio z = 1/(2 k^2 s) of the precisions in the L2 equation."""
    s = variance(l2_rate, digits + 5)
    with mp.workdps(digits + 10):
        z = 1 / s / (2 * number(KEY) ** 2)
        return z * mp.exp(z)


def sinkhorn_value(digits: int) -> Any:
    """exp(theta - coth(theta/2)) with sinh(theta) = 2 a s."""
    s = variance(sinkhorn_rate, digits + 5)
    with mp.workdps(digits + 10):
        theta = mp.asinh(2 * number(SCORE) * s)
        return mp.exp(theta - mp.coth(theta / 2))


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"softmax: s({TIME})",
            right_side(expect(SOFTMAX, "and").args[1]),
            VALUES,
            lambda digits: variance(softmax_rate, digits),
        ),
        Comparison(f"L2: z exp(z) with z = 1/(2 k^2 s({TIME}))", right_side(L2), VALUES, l2_value),
        Comparison(
            f"Sinkhorn: exp(theta - coth(theta/2)) with sinh(theta) = 2 a s({TIME})",
            right_side(SINKHORN),
            VALUES,
            sinkhorn_value,
        ),
    ),
)
