"""Two heads in d = 4 that commute with Sigma0 and S while neither A_h does.

In the columns of H the values have two 2 x 2 blocks, diag(2 I, J_1) and diag(-I / 3, J_2), where
J_1 and J_2 are rotations up to factors.  A_1 is arbitrary and A_2 makes
S = V_1 A_1 + V_2 A_2 + transposes the matrix with the blocks C and c I.
"""

from __future__ import annotations

from fractions import Fraction

from numeric.exact import Matrix
from proofs.crosschecks.commuting_family import (
    HALF,
    SKEW,
    UNIT,
    VALUE,
    Block,
    Rational,
    blocks,
    product,
    scaled,
)
from proofs.crosschecks.several_heads import Heads

THIRD = Fraction(1, 3)
OTHER_VALUE = blocks(scaled(-THIRD, UNIT), [[HALF, 2], [-2, HALF]])
_INVERSE = blocks(scaled(-3, UNIT), scaled(Fraction(4, 17), [[HALF, -2], [2, HALF]]))
FIRST_SCORE: Matrix = scaled(
    HALF, [[1, 0, -1, THIRD], [HALF, -1, 0, 1], [0, 1, THIRD, -1], [-1, HALF, 1, 0]]
)


def heads(block: Block, scalar: Rational) -> Heads:
    """The heads for S with the blocks C = ``block`` and c I, c = ``scalar``."""
    half = blocks(scaled(HALF, block), scaled(HALF * scalar, UNIT))
    rest = [
        [a + b - c for a, b, c in zip(*lines, strict=True)]
        for lines in zip(half, SKEW, product(VALUE, FIRST_SCORE), strict=True)
    ]
    return Heads(V=[VALUE, OTHER_VALUE], A=[FIRST_SCORE, product(_INVERSE, rest)])
