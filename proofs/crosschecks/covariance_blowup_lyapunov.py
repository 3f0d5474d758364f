"""The time by which a linear function has to blow up, where it does so at that time."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.exact import transpose
from proofs.claims.covariance_blowup_lyapunov import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product, scaled
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import end_of, expect

# V_h is a multiple v_h of a rotation R_h and A_h one a_h of its inverse, so that with P = I/2
# tr(P F(Z)) = sum of v_h a_h tr(R_h Z R_h^T Z) >= c tr(P Z)^2 for c = 2 sum of v_h a_h, with
# equality for multiples of I, as the sum of v_h a_h cos(2 angle_h) is positive.
TURNING = Heads(
    V=[
        [[Fraction(6, 5), Fraction(-8, 5)], [Fraction(8, 5), Fraction(6, 5)]],
        [[1, 0], [0, 1]],
    ],
    A=[
        [[Fraction(1, 5), Fraction(4, 15)], [Fraction(-4, 15), Fraction(1, 5)]],
        [[3, 0], [0, 3]],
    ],
)
ROUND: dict[str, Any] = {
    "d": 2,
    "H": 2,
    "V": TURNING.V,
    "A": TURNING.A,
    "P": [[Fraction(1, 2), 0], [0, Fraction(1, 2)]],
    "Sigma0": [[Fraction(5, 7), 0], [0, Fraction(5, 7)]],
    "c": 2 * (2 * Fraction(1, 3) + 1 * 3),
}

# In the basis of BASIS: V = diag(1, -1), A = diag(1, 2), P = e1 e1^T, where
# tr(P F(Z)) = 2 z11^2 + 4 z12^2 >= 2 tr(P Z)^2, and Sigma0 is diagonal.
BASIS: Block = [[1, 1], [0, 2]]
INVERSE: Block = [[1, Fraction(-1, 2)], [0, Fraction(1, 2)]]
COTRANSPOSED = transpose(scaled(1, INVERSE))
ONE_SIDED = Heads(
    V=[product(BASIS, [[1, 0], [0, -1]], INVERSE)],
    A=[product(COTRANSPOSED, [[1, 0], [0, 2]], INVERSE)],
)
SINGULAR: dict[str, Any] = {
    "d": 2,
    "H": 1,
    "V": ONE_SIDED.V,
    "A": ONE_SIDED.A,
    "P": product(COTRANSPOSED, [[1, 0], [0, 0]], INVERSE),
    "Sigma0": product(
        BASIS, [[Fraction(5, 7), 0], [0, Fraction(1, 2)]], transpose(scaled(1, BASIS))
    ),
    "c": 2,
}
TIME = end_of(expect(CLAIM.statement.conclusion, "at_most").args[1])


def pole(heads: Heads, values: dict[str, Any]) -> Any:
    return lambda digits: heads.blow_up_time(values["Sigma0"], digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "blow-up time of a multiple of I, two heads, where the bound is attained",
            TIME,
            ROUND,
            pole(TURNING, ROUND),
        ),
        Comparison(
            "blow-up time where the bound with a singular P is attained, one head",
            TIME,
            SINGULAR,
            pole(ONE_SIDED, SINGULAR),
        ),
    ),
)
