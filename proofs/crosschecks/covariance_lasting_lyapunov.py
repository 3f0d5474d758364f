"""The time that is granted to a linear function, and its bound until then, where it takes both."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from proofs.claims.covariance_lasting_lyapunov import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, end_of, expect, greater_side, instantiated
from proofs.language import real

HALF = Fraction(1, 2)
METRIC: Block = [[2, 1], [1, 1]]
INVERSE: Block = [[1, -1], [-1, 2]]
# V_1 = 3 I and A_1 = P/2 + skew, P V_2 symmetric and A_2 skew: tr(P F(Z)) = 3 tr(P Z P Z), which
# is 3 tr(P Z)^2 at Z of rank 1, as Sigma(t) is for ever.
HEADS = Heads(
    V=[[[3, 0], [0, 3]], product(INVERSE, [[1, 2], [2, -1]])],
    A=[[[1, HALF + 1], [HALF - 1, HALF]], [[0, -2], [2, 0]]],
)
START: Block = [[1, HALF], [HALF, HALF * HALF]]
TIME = Fraction(1, 20)
VALUES: dict[str, Any] = {
    "d": 2,
    "H": 2,
    "V": HEADS.V,
    "A": HEADS.A,
    "P": METRIC,
    "Sigma0": START,
    "c": 3,
}
LASTS, BOUNDED = CLAIM.statement.conclusion.args
BOUND = greater_side(consequence(instantiated(BOUNDED, real("t"))))


def trace_with_metric(digits: int) -> Any:
    with mp.workdps(digits + 5):
        moved = mp.matrix(rows(METRIC)) * HEADS.covariance_at(START, TIME, digits + 5)
        return moved[0, 0] + moved[1, 1]


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time of rank 1, two heads, where the bound is attained",
            end_of(expect(LASTS, "at_most").args[0]),
            VALUES,
            lambda digits: HEADS.blow_up_time(START, digits),
        ),
        Comparison(
            f"tr(P Sigma(t)) at t = {TIME} where the bound is attained",
            BOUND,
            {**VALUES, "t": TIME},
            trace_with_metric,
        ),
    ),
)
