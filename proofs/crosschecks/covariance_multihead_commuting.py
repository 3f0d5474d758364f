"""Heads that commute with Sigma0 and S: both fields against the integrals of the heads."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from numeric.precise.moments import moment_rates
from proofs.claims.covariance_multihead_commuting import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import start
from proofs.crosschecks.commuting_heads import heads
from proofs.crosschecks.structure import consequence, expect
from proofs.language import at, dim, mat

HEADS = heads([[1, -1], [-1, Fraction(1, 2)]], Fraction(-1, 3))
#: of rank 1, with blocks that do not commute with those of S
START = start([[Fraction(1, 4), Fraction(1, 2)], [Fraction(1, 2), 1]], 0)
ORIGIN = [0, 0, 0, 0]
VALUES = {"d": 4, "H": 2, "V": HEADS.V, "A": HEADS.A, "Sigma0": START, "Z": START}

Z = mat("Z", dim("d"), dim("d"))
ONE_HEAD, SEVERAL = (
    at(expect(consequence(part), "maximal").args[2], Z) for part in CLAIM.statement.conclusion.args
)


@cache
def rate(digits: int) -> Any:
    """The derivative of the covariance of the law N(0, Sigma0), from the integrals of the heads."""
    return moment_rates(
        lambda x: HEADS.velocity(ORIGIN, START, x, digits), ORIGIN, START, digits=digits
    )[1]


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "rate of the covariance with A = sum V_h A_h, d = 4, two heads",
            ONE_HEAD,
            VALUES,
            rate,
        ),
        Comparison(
            "rate of the covariance as a sum over the heads, d = 4, two heads",
            SEVERAL,
            VALUES,
            rate,
        ),
    ),
)
