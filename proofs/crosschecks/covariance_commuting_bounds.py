"""The bounds of the blow-up time where they are attained, against the poles of the series."""

from __future__ import annotations

from numeric.precise.poles import blow_up_time
from proofs.claims.covariance_commuting_bounds import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, Factored
from proofs.crosschecks.structure import end_of, expect
from proofs.language import inv, mul

CASE = Factored([2, 3])
SCORE = CASE.score(1)
TIME = 1 / CASE.eigenvalue
VALUES = {**CASE.values(SCORE), "w": CASE.vector, "low": TIME, "high": TIME}

LOW = end_of(CLAIM.statement.conclusion.args[0].args[0])
#: the hypothesis w^T E w <= high w^T N w, that is high w^T N w - w^T E w >= 0
UPPER, LOWER_SIDE = expect(expect(CLAIM.statement.hypotheses[7], "psd").args[0], "add").args
FORM, ENERGY = expect(UPPER, "scale").args[1], expect(LOWER_SIDE, "scale").args[1]


def independent(digits: int) -> object:
    return blow_up_time(VALUE, SCORE, CASE.START, digits=digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time = the best lower bound, E - low N singular", LOW, VALUES, independent
        ),
        Comparison(
            "blow-up time = the best upper bound, w^T E w / w^T N w at an eigenvector",
            mul(ENERGY, inv(FORM)),
            VALUES,
            independent,
        ),
    ),
)
