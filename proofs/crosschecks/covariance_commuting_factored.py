"""The commuting case in factored form against integration and the poles of the Taylor series."""

from __future__ import annotations

from fractions import Fraction

from numeric.precise.flow import covariance_at
from numeric.precise.poles import blow_up_time
from proofs.claims.covariance_commuting_factored import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import VALUE, Factored, score
from proofs.crosschecks.structure import consequence, end_of, expect, instantiated
from proofs.language import at, lifetime, real, vec
from proofs.language import dim as size_named

TIME = Fraction(1, 5)
CASE = Factored([1, 2])
INDEFINITE = score([[1, Fraction(1, 2)], [Fraction(1, 2), Fraction(-3, 4)]], Fraction(1, 3))
GROWING = CASE.score(1)

WHILE_POSITIVE, _, SINGULAR = CLAIM.statement.conclusion.args
SOLUTION = consequence(instantiated(WHILE_POSITIVE, lifetime("T")))
FORMULA = at(expect(SOLUTION.args[0], "ode").args[1], real("t"))
ESCAPE = instantiated(SINGULAR, real("r"), vec("u", size_named("k")))
END = end_of(consequence(ESCAPE).args[0])

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"Sigma(t) at t = {TIME}, d = 4, k = 3",
            FORMULA,
            {**CASE.values(INDEFINITE), "t": TIME},
            lambda digits: covariance_at(VALUE, INDEFINITE, CASE.START, TIME, digits),
        ),
        Comparison(
            "blow-up time",
            END,
            {**CASE.values(GROWING), "r": 1 / CASE.eigenvalue, "u": CASE.vector},
            lambda digits: blow_up_time(VALUE, GROWING, CASE.START, digits=digits),
            assumes=(ESCAPE.args[0],),
        ),
    ),
)
