"""The trace that never grows under several heads: where it is conserved, and how fast it falls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.moments import moment_rates
from proofs.claims.covariance_multihead_definite_value import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import at, mul, real, tr

HALF = Fraction(1, 2)
METRIC = [[2, 1, 1], [1, 2, 1], [1, 1, 1]]
INVERSE: Block = [[1, 0, -1], [0, 1, -1], [-1, -1, 3]]
#: P^{-1} N_h with N_1 > 0 and N_2 >= 0 of rank 2
VALUES: list[Block] = [
    product(INVERSE, [[3, 1, 0], [1, 2, -1], [0, -1, 1]]),
    product(INVERSE, [[1, 1, 0], [1, 2, 1], [0, 1, 1]]),
]
CONSERVING = Heads(
    VALUES,
    [[[0, 1, -HALF], [-1, 0, 2], [HALF, -2, 0]], [[0, -2, 1], [2, 0, HALF], [-1, -HALF, 0]]],
)
DISSIPATIVE = Heads(
    VALUES,
    [[[-1, 2, 0], [-1, -1, 1], [HALF, -1, -2]], [[-1, 0, 1], [1, -2, 0], [0, 1, -1]]],
)
START: Block = [[1, HALF, 0], [HALF, 2, Fraction(-1, 3)], [0, Fraction(-1, 3), 1]]
LINE: Block = [[1, -2, 1], [-2, 4, -2], [1, -2, 1]]
TIME = Fraction(1, 200)
ORIGIN = [0, 0, 0]

STATEMENT = CLAIM.statement
FIELD = expect(STATEMENT.hypotheses[4], "maximal").args[2]
TRACE = greater_side(consequence(instantiated(STATEMENT.conclusion.args[1], real("t"))))
METRIC_TERM = expect(STATEMENT.hypotheses[0], "pd").args[0]
START_TERM = expect(STATEMENT.hypotheses[3], "psd").args[0]


def trace_with_metric(matrix: Any) -> Any:
    product_ = mp.matrix(rows(METRIC)) * matrix
    return mp.fsum(product_[i, i] for i in range(3))


def conserved(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return trace_with_metric(CONSERVING.covariance_at(START, TIME, digits + 5))


def decay(digits: int) -> Any:
    """The derivative of tr(P Sigma) for the law N(0, LINE), from the velocities' integrals."""

    def velocity(x: Any) -> Any:
        return DISSIPATIVE.velocity(ORIGIN, LINE, x, digits)

    with mp.workdps(digits + 5):
        return trace_with_metric(moment_rates(velocity, ORIGIN, LINE, digits=digits)[1])


def values(heads: Heads, start: Block) -> dict[str, Any]:
    return {"d": 3, "H": 2, "P": METRIC, "V": heads.V, "A": heads.A, "Sigma0": start}


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"tr(P Sigma(t)) at t = {TIME} when A_h + A_h^T = 0 for two heads",
            TRACE,
            values(CONSERVING, START),
            conserved,
        ),
        Comparison(
            "derivative of tr(P Sigma(t)) at 0 for Sigma0 of rank 1, two heads",
            tr(mul(METRIC_TERM, at(FIELD, START_TERM))),
            values(DISSIPATIVE, LINE),
            decay,
        ),
    ),
)
