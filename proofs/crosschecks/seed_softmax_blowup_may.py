"""The example of blow-up against integration and poles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.flow import covariance_at
from numeric.precise.poles import blow_up_time
from proofs.claims.seed_softmax_blowup_may import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import end_of, exhibited, expect
from proofs.language import at, real

IDENTITY = [[1, 0], [0, 1]]
TIME = Fraction(1, 4)

ESCAPE = expect(exhibited(CLAIM).args[3], "escapes")


def largest_eigenvalue(digits: int) -> Any:
    covariance = covariance_at(IDENTITY, IDENTITY, IDENTITY, TIME, digits)
    with mp.workdps(digits + 5):
        return max(mp.eigsy(covariance, eigvals_only=True))


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time of the example, d = 2",
            end_of(ESCAPE),
            {"d": 2},
            lambda digits: blow_up_time(IDENTITY, IDENTITY, IDENTITY, digits=digits),
        ),
        Comparison(
            f"largest eigenvalue of Sigma(t) at t = {TIME}, d = 2",
            at(ESCAPE.args[1], real("t")),
            {"d": 2, "t": TIME},
            largest_eigenvalue,
        ),
    ),
)
