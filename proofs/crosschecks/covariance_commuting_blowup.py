"""The blow-up time in the commuting case against the poles of the Taylor series."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.flow import covariance_at
from numeric.precise.poles import blow_up_time
from proofs.claims.covariance_commuting_blowup import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, score, start
from proofs.crosschecks.structure import consequence, end_of, expect
from proofs.language import at, real

START = start([[2, 1], [1, 3]], Fraction(1, 2))
SCORE = score([[1, -1], [-1, Fraction(-1, 4)]], Fraction(1, 5))
DECAYING = score([[-1, 1], [1, -2]], Fraction(-1, 3))
TIME = Fraction(1, 4)

GLOBAL, BLOW_UP = (consequence(part) for part in CLAIM.statement.conclusion.args)
END = end_of(BLOW_UP.args[0])
FORMULA = at(expect(GLOBAL, "maximal").args[1], real("t"))
VALUES = {"d": 4, "V": VALUE, "Sigma0": START}

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time, d = 4",
            END,
            {**VALUES, "A": SCORE},
            lambda digits: blow_up_time(VALUE, SCORE, START, digits=digits),
            assumes=(CLAIM.statement.conclusion.args[1].args[0],),
        ),
        Comparison(
            f"Sigma(t) at t = {TIME} without blow-up, d = 4",
            FORMULA,
            {**VALUES, "A": DECAYING, "t": TIME},
            lambda digits: covariance_at(VALUE, DECAYING, START, TIME, digits),
            assumes=(CLAIM.statement.conclusion.args[0].args[0],),
        ),
    ),
)
