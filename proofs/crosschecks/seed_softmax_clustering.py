"""The counterexample to clustering against integration and poles."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.flow import covariance_at
from numeric.precise.poles import blow_up_time
from proofs.claims.seed_softmax_clustering import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import end_of, expect, refuted
from proofs.language import at, number

VALUE = [[1, -1], [-2, 4]]
SCORE = [[Fraction(-1, 2), Fraction(7, 4)], [Fraction(-1, 4), Fraction(1, 4)]]
START = [[1, 0], [0, 4]]
TIME = Fraction(1, 2)

SOLUTION = refuted(CLAIM, expect(CLAIM.statement.hypotheses[2], "maximal"))

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"Sigma(t) at t = {TIME} for the counterexample",
            at(SOLUTION.args[1], number(TIME)),
            {},
            lambda digits: covariance_at(VALUE, SCORE, START, TIME, digits),
        ),
        Comparison(
            "blow-up time of the counterexample",
            end_of(SOLUTION),
            {},
            lambda digits: blow_up_time(VALUE, SCORE, START, digits=digits),
        ),
    ),
)
