"""Softmax attention on the line: rate at the start, and the time until the variance is infinite."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.convert import number
from proofs.claims.covariance_scalar_softmax import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.line import SOFTMAX_START, START, VALUES, softmax_rate
from proofs.crosschecks.structure import consequence, end_of, expect, left_side

*_, RAY = CLAIM.statement.hypotheses
LIFETIME = consequence(expect(CLAIM.statement.conclusion, "and").args[0])
RATE = {**VALUES, "c": SOFTMAX_START}


def first_rate(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return softmax_rate(number(START))


def lifetime(digits: int) -> Any:
    """The integral of ds / s' from s0 to infinity."""
    with mp.workdps(digits + 10):
        return mp.quad(lambda s: 1 / softmax_rate(s), [number(START), mp.inf])


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison("s'(0)", left_side(RAY), RATE, first_rate),
        Comparison(
            "time at which s is infinite",
            end_of(expect(LIFETIME, "at_most").args[1]),
            RATE,
            lifetime,
        ),
    ),
)
