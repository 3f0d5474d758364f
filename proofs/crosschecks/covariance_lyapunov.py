"""A linear function that never grows: where it is conserved, and how fast it falls elsewhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.moments import moment_rates
from proofs.claims.covariance_lyapunov import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product
from proofs.crosschecks.covariance_multihead_definite_value import CONSERVING
from proofs.crosschecks.covariance_multihead_definite_value import METRIC as METRIC_3
from proofs.crosschecks.covariance_multihead_definite_value import START as START_3
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import at, mul, real, tr

HALF = Fraction(1, 2)
METRIC: Block = [[2, 1], [1, 1]]
INVERSE: Block = [[1, -1], [-1, 2]]
#: P V_1 = -(A_1 + A_1^T)/2 is indefinite: tr(P F(Z)) = -2 tr(P V_1 Z P V_1 Z) <= 0
FIRST: Block = [[1, 2], [-1, -1]]
#: P V_2 > 0 and A_2 + A_2^T <= 0
FALLING = Heads(
    V=[
        product(INVERSE, [[-1, -HALF], [-HALF, 1]]),
        product(INVERSE, [[2, 1], [1, 1]]),
    ],
    A=[FIRST, [[-1, 1], [-1, 0]]],
)
LINE: Block = [[1, -2], [-2, 4]]
TIME = Fraction(1, 200)

STATEMENT = CLAIM.statement
METRIC_TERM = expect(STATEMENT.hypotheses[0], "pd").args[0]
START_TERM = expect(STATEMENT.hypotheses[2], "psd").args[0]
FIELD = expect(STATEMENT.hypotheses[3], "maximal").args[2]
TRACE = greater_side(consequence(instantiated(STATEMENT.conclusion.args[1], real("t"))))
VELOCITY = tr(mul(METRIC_TERM, at(FIELD, START_TERM)))


def with_metric(metric: Block, matrix: Any) -> Any:
    product_ = mp.matrix(rows(metric)) * matrix
    return mp.fsum(product_[i, i] for i in range(len(metric)))


def conserved(digits: int) -> Any:
    with mp.workdps(digits + 5):
        return with_metric(METRIC_3, CONSERVING.covariance_at(START_3, TIME, digits + 5))


def decay(digits: int) -> Any:
    """The derivative of tr(P Sigma) for the law N(0, LINE), from the velocities' integrals."""
    origin = [0, 0]

    def velocity(x: Any) -> Any:
        return FALLING.velocity(origin, LINE, x, digits)

    with mp.workdps(digits + 5):
        return with_metric(METRIC, moment_rates(velocity, origin, LINE, digits=digits)[1])


def values(heads: Heads, metric: Block, start: Block) -> dict[str, Any]:
    size = len(metric)
    return {"d": size, "H": 2, "P": metric, "V": heads.V, "A": heads.A, "Sigma0": start}


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"tr(P Sigma(t)) at t = {TIME} where it is conserved, two heads",
            TRACE,
            values(CONSERVING, METRIC_3, START_3),
            conserved,
        ),
        Comparison(
            "derivative of tr(P Sigma(t)) at 0 for Sigma0 of rank 1, two heads",
            VELOCITY,
            values(FALLING, METRIC, LINE),
            decay,
        ),
    ),
)
