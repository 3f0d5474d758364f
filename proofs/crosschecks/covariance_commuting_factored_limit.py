"""The limit in factored form against the rational function that the Taylor series determines."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from numeric.exact import transpose
from numeric.precise.convert import rows
from numeric.precise.poles import limit_at_infinity
from proofs.claims.covariance_commuting_factored_limit import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, Factored, product, scaled
from proofs.crosschecks.structure import expect

CASE = Factored([2, -1])
SCORE = CASE.score(-1)
#: G = E^{-1} - u u^T / (n^T E^{-1} n) is the inverse of E on ker N, and I - E G = N Y
CORRECTION = scaled(1 / CASE.eigenvalue, product(CASE.vector, transpose(CASE.vector)))
G = [
    [a - b for a, b in zip(*lines, strict=True)]
    for lines in zip(CASE.E_INVERSE, CORRECTION, strict=True)
]
Y = scaled(-1 / CASE.eigenvalue, CASE.E_INVERSE)

LIMIT = expect(CLAIM.statement.conclusion.args[1], "limit").args[1]


def independent(digits: int) -> Any:
    limit = limit_at_infinity(VALUE, SCORE, CASE.START)
    with mp.workdps(digits + 5):
        return mp.matrix(rows(limit)) if limit is not None else mp.matrix([[mp.inf]])


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "limit of Sigma(t), d = 4, k = 3",
            LIMIT,
            {**CASE.values(SCORE), "G": G, "Y": Y},
            independent,
        ),
    ),
)
