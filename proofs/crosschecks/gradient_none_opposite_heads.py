"""The field of two heads in the statement against the means that they see, times the metric."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import number, rows
from proofs.claims.gradient_none_opposite_heads import CLAIM, x, y
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import instantiated, right_side

MASSES = Fraction(2, 3), Fraction(5, 4)
TOKENS = Fraction(1, 2), Fraction(-2, 3)
HEADS = (Fraction(7, 5), Fraction(3, 2)), (Fraction(-7, 5), Fraction(-1, 4))
"""Value and score of each head."""
METRIC = [[2, Fraction(1, 2)], [Fraction(1, 2), 1]]
VALUES = {
    **dict(zip("pqxy", (*MASSES, *TOKENS), strict=True)),
    **{"v": HEADS[0][0], "a": HEADS[0][1], "b": HEADS[1][1], "M": lambda state: METRIC},
}


def field(digits: int) -> Any:
    """The row of sum_h v_h (mean of y with the weights m exp(a_h x y)), times the metric."""
    with mp.workdps(digits + 10):
        row = mp.matrix(1, 2)
        for i, z in enumerate(map(number, TOKENS)):
            for value, score in HEADS:
                shares = [
                    number(m) * mp.exp(number(score) * z * number(other))
                    for m, other in zip(MASSES, TOKENS, strict=True)
                ]
                moment = sum(s * number(other) for s, other in zip(shares, TOKENS, strict=True))
                row[i] += number(value) * moment / sum(shares)
        return row * mp.matrix(rows(METRIC))


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "field F at two tokens, d = 1",
            right_side(instantiated(CLAIM.statement.hypotheses[2], x, y)),
            VALUES,
            field,
        ),
    ),
)
