"""The closed form in the commuting case against the integrated covariance equation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numeric.exact import Matrix
from numeric.precise.flow import covariance_at
from proofs.claims.covariance_commuting import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, score, start
from proofs.crosschecks.structure import expect
from proofs.language import at, real

TIME = Fraction(1, 3)
HALF = Fraction(1, 2)
START = start([[2, 1], [1, 3]], HALF)
SCORE = score([[HALF, Fraction(-1, 3)], [Fraction(-1, 3), Fraction(-1, 4)]], Fraction(3, 4))
SINGULAR = start([[1, 2], [2, 4]], Fraction(2, 3))

CURVE = expect(CLAIM.statement.conclusion.args[0], "ode").args[1]
FORMULA = at(CURVE, real("t"))


def integrated(initial: Matrix) -> Callable[[int], Any]:
    return lambda digits: covariance_at(VALUE, SCORE, initial, TIME, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    tuple(
        Comparison(
            f"Sigma(t) at t = {TIME}, d = 4, Sigma0 of rank {rank}",
            FORMULA,
            {"d": 4, "V": VALUE, "A": SCORE, "Sigma0": initial, "t": TIME},
            integrated(initial),
        )
        for initial, rank in ((START, 4), (SINGULAR, 3))
    ),
)
