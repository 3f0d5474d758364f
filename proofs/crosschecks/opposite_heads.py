"""Heads with P V = -A^T in d = 3, for one P > 0."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.exact import transpose
from numeric.precise.convert import rows
from proofs.crosschecks.commuting_family import Block, product, scaled

HALF = Fraction(1, 2)
METRIC: Block = [[2, 1, 1], [1, 2, 1], [1, 1, 1]]
INVERSE: Block = [[1, 0, -1], [0, 1, -1], [-1, -1, 3]]
SCORES: list[Block] = [
    [[1, 2, 0], [-1, HALF, 1], [0, 1, -1]],
    [[HALF, 0, 1], [1, -1, 0], [-HALF, 0, 1]],
]
#: of rank 2, so small that 1 counts beside 4 Sigma A Sigma A^T
FLAT = scaled(Fraction(1, 4), [[1, 1, 0], [1, 2, -2], [0, -2, 4]])
ORIGIN = [0, 0, 0]
#: x^T A x = 0 on the plane of the first two axes, and the rank is 2
HOLLOW: list[Block] = [
    [[0, 0, 1], [0, 0, 2], [3, 1, 0]],
    [[0, 1, -1], [-1, 0, 1], [0, HALF, 0]],
]
#: in that plane
PLANAR: Block = [[2, 1, 0], [1, 1, 0], [0, 0, 0]]


def opposite(score: Block, inverse: Block = INVERSE) -> Block:
    """V = -P^{-1} A^T."""
    return scaled(-1, product(inverse, transpose(scaled(1, score))))


def weighted(matrix: Any) -> Any:
    """tr(P M)."""
    image = mp.matrix(rows(METRIC)) * matrix
    return mp.fsum(image[i, i] for i in range(3))
