"""The L2 covariance that blows up, against integration and the pole of its Taylor series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import number as converted
from numeric.precise.flow_l2 import l2_covariance_at, l2_series
from numeric.precise.poles import rational_function, smallest_positive_root
from proofs.claims.seed_l2_global import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import end_of, expect, refuted
from proofs.language import at, number

#: Q, K and V
HEAD = ([[0, 1]], [[1, 0]], [[0, 0], [0, 1]])
START = [[2, 1], [1, 2]]
#: the end is at 5/2
TIME = Fraction(2)
#: of numerator and denominator of the trace, and coefficients to spare
DEGREE, ORDER = 2, 12

SOLUTION = refuted(CLAIM, expect(CLAIM.statement.hypotheses[1], "maximal"))


def pole(digits: int) -> Any:
    """The first pole of tr Sigma(t), from its exact Taylor coefficients."""
    traces = [term[0][0] + term[1][1] for term in l2_series([HEAD], START, ORDER)]
    _, denominator = rational_function(traces, DEGREE)
    root = smallest_positive_root(denominator, digits)
    if root is None:
        raise ArithmeticError("the covariance has no pole")
    with mp.workdps(digits + 5):
        return converted(root)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"Sigma(t) at t = {TIME} for the counterexample",
            at(SOLUTION.args[1], number(TIME)),
            {},
            lambda digits: l2_covariance_at([HEAD], START, TIME, digits),
        ),
        Comparison("blow-up time of the counterexample", end_of(SOLUTION), {}, pole),
    ),
)
