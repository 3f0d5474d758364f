"""The trace that never grows: where it is conserved, how fast it falls, and the rank at the end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import Rows, rows
from numeric.precise.flow import covariance_at
from numeric.precise.moments import moment_rates
from numeric.precise.poles import limit_at_infinity
from numeric.precise.ranks import counted_rank
from numeric.precise.velocity import softmax_velocity
from proofs.claims.covariance_definite_value import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import product
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import at, mat, mul, real, tr
from proofs.language import dim as size_named

HALF = Fraction(1, 2)
METRIC = [[2, 1, 1], [1, 2, 1], [1, 1, 1]]
#: P^{-1} N with N = [[3, 1, 0], [1, 2, -1], [0, -1, 1]] > 0
VALUE = product([[1, 0, -1], [0, 1, -1], [-1, -1, 3]], [[3, 1, 0], [1, 2, -1], [0, -1, 1]])
SKEW = [[0, 1, -HALF], [-1, 0, 2], [HALF, -2, 0]]
START = [[1, HALF, 0], [HALF, 2, Fraction(-1, 3)], [0, Fraction(-1, 3), 1]]
TIME = Fraction(1, 10)
LINE = [[1, -2, 1], [-2, 4, -2], [1, -2, 1]]
DISSIPATIVE = [[-1, 2, 0], [-1, -1, 1], [HALF, -1, -2]]
#: V = I / 2 and A + A^T = -2 (1, 2, -1) (1, 2, -1)^T
SCALAR = [[HALF, 0, 0], [0, HALF, 0], [0, 0, HALF]]
RANK_ONE = [[-1, -1, HALF], [-3, -4, 4], [Fraction(3, 2), 0, -1]]

STATEMENT = CLAIM.statement
FIELD = expect(STATEMENT.hypotheses[4], "maximal").args[2]
_, BOUND, _, INVERTIBLE, _ = STATEMENT.conclusion.args
TRACE = greater_side(consequence(instantiated(BOUND, real("t"))))
METRIC_TERM = expect(STATEMENT.hypotheses[0], "pd").args[0]
START_TERM = expect(STATEMENT.hypotheses[3], "psd").args[0]
LIMIT_POINT = instantiated(consequence(INVERTIBLE), mat("Z", size_named("d"), size_named("d")))
RANK = greater_side(consequence(LIMIT_POINT).args[1])


def trace_with_metric(matrix: Any) -> Any:
    product_ = mp.matrix(rows(METRIC)) * matrix
    return mp.fsum(product_[i, i] for i in range(3))


def conserved(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return trace_with_metric(covariance_at(VALUE, SKEW, START, TIME, digits + 5))


def decay(digits: int) -> Any:
    """The derivative of tr(P Sigma) for the law N(0, LINE), from the velocity's integrals."""
    origin = [0, 0, 0]

    def velocity(x: Any) -> Any:
        return softmax_velocity(VALUE, DISSIPATIVE, origin, LINE, x, digits=digits)

    with mp.workdps(digits + 5):
        return trace_with_metric(moment_rates(velocity, origin, LINE, digits=digits)[1])


def rank_at_infinity(digits: int) -> Any:
    limit: Rows | None = limit_at_infinity(SCALAR, RANK_ONE, START)
    if limit is None:
        raise ArithmeticError("the covariance is unbounded")
    with mp.workdps(digits + 20):
        return counted_rank(mp.matrix(rows(limit)), digits)


SHARED = {"d": 3, "P": METRIC}

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"tr(P Sigma(t)) at t = {TIME} when A + A^T = 0",
            TRACE,
            {**SHARED, "V": VALUE, "A": SKEW, "Sigma0": START},
            conserved,
        ),
        Comparison(
            "derivative of tr(P Sigma(t)) at 0 for Sigma0 of rank 1",
            tr(mul(METRIC_TERM, at(FIELD, START_TERM))),
            {**SHARED, "V": VALUE, "A": DISSIPATIVE, "Sigma0": LINE},
            decay,
        ),
        Comparison(
            "rank of the limit where the bound is attained",
            RANK,
            {**SHARED, "V": SCALAR, "A": RANK_ONE, "Sigma0": START},
            rank_at_infinity,
            assumes=(INVERTIBLE.args[0],),
            tolerance=RANK_TOLERANCE,
        ),
    ),
)
