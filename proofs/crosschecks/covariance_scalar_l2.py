"""L2 attention on the line: rate at the start, and the growth that is never exceeded."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.precise.convert import number
from proofs.claims.covariance_scalar_l2 import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.line import L2_START, START, TIME, VALUES, growth, l2_rate
from proofs.crosschecks.structure import (
    consequence,
    expect,
    greater_side,
    instantiated,
    left_side,
)
from proofs.language import real

*_, RAY = CLAIM.statement.hypotheses
ABOVE = consequence(expect(CLAIM.statement.conclusion, "and").args[1])
CEILING = greater_side(consequence(instantiated(ABOVE, real("t"))))
RATE = {**VALUES, "c": L2_START}


def first_rate(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return l2_rate(number(START))


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison("s'(0)", left_side(RAY), RATE, first_rate),
        Comparison(
            f"bound of s({TIME}), from the limit of s'/s as s grows",
            CEILING,
            RATE,
            lambda digits: growth(l2_rate, digits),
        ),
    ),
)
