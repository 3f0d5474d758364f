"""Parameters of the commuting case in d = 4, exact, with nothing diagonal to look at.

In the columns of the orthogonal matrix H everything has two 2 x 2 blocks: V = diag(2 I, J) with J
not symmetric, Sigma0 = diag(B, b I) and S = diag(C, c I), where B and C need not commute.  Then V
commutes with Sigma0 and with S, and A = V^{-1} (S / 2 + K), K skew, makes S = V A + A^T V^T.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numeric.exact import Matrix, multiply, transpose

Rational = int | Fraction
Block = Sequence[Sequence[Rational]]

HALF = Fraction(1, 2)
UNIT: Block = [[1, 0], [0, 1]]
H: Matrix = tuple(
    tuple(HALF * sign for sign in row)
    for row in ((1, 1, 1, 1), (1, 1, -1, -1), (1, -1, 1, -1), (1, -1, -1, 1))
)
SKEW: Block = (
    (0, 1, -2, HALF),
    (-1, 0, Fraction(1, 3), 1),
    (2, Fraction(-1, 3), 0, -1),
    (-HALF, -1, 1, 0),
)


def scaled(factor: Rational, matrix: Block) -> Matrix:
    """factor * matrix."""
    return tuple(tuple(Fraction(factor) * x for x in row) for row in matrix)


def product(*factors: Block) -> Matrix:
    """The product of matrices of integers or fractions."""
    result, *others = (scaled(1, factor) for factor in factors)
    for factor in others:
        result = multiply(result, factor)
    return result


def blocks(top: Block, bottom: Block) -> Matrix:
    """H diag(top, bottom) H^T, 4 x 4."""
    zeros = (0, 0)
    diagonal = [(*row, *zeros) for row in top] + [(*zeros, *row) for row in bottom]
    return product(H, diagonal, transpose(H))


VALUE = blocks(scaled(2, UNIT), [[1, -1], [1, 1]])
_INVERSE_OF_VALUE = blocks(scaled(HALF, UNIT), [[HALF, HALF], [-HALF, HALF]])


def start(block: Block, scalar: Rational) -> Matrix:
    """Sigma0 with the blocks B = ``block`` and b I, b = ``scalar``."""
    return blocks(block, scaled(scalar, UNIT))


def score(block: Block, scalar: Rational) -> Matrix:
    """A such that S has the blocks C = ``block`` and c I, c = ``scalar``."""
    half = blocks(scaled(HALF, block), scaled(HALF * scalar, UNIT))
    summands = zip(half, SKEW, strict=True)
    return product(
        _INVERSE_OF_VALUE,
        [[a + b for a, b in zip(*lines, strict=True)] for lines in summands],
    )


class Factored:
    """A start of rank 2 in factored form, Sigma0 = L E^{-1} L^T with k = 3.

    L = H_12 G for the first two columns of H, so that Sigma0 has the blocks G E^{-1} G^T and 0.
    For S with the blocks s c c^T and 0, the matrix N = L^T S L is s n n^T with n = G^T c, and
    E u = n for ``vector`` u.
    """

    G: Matrix = scaled(1, [[1, 0, 2], [-1, 1, 1]])
    E: Matrix = scaled(1, [[2, 0, 1], [0, 1, 0], [1, 0, 3]])
    E_INVERSE: Matrix = scaled(Fraction(1, 5), [[3, 0, -1], [0, 5, 0], [-1, 0, 2]])
    L: Matrix = product([row[:2] for row in H], G)
    START: Matrix = product(L, E_INVERSE, transpose(L))

    def __init__(self, direction: Sequence[Rational]) -> None:
        self._column = [[Fraction(x)] for x in direction]
        self.n = product(transpose(self.G), self._column)
        self.vector = product(self.E_INVERSE, self.n)
        #: n^T E^{-1} n, the largest t^{-1} with E - t n n^T singular
        self.eigenvalue = product(transpose(self.n), self.vector)[0][0]

    def score(self, sign: int) -> Matrix:
        """A for S with the blocks ``sign`` c c^T and 0."""
        return score(scaled(sign, product(self._column, transpose(scaled(1, self._column)))), 0)

    def values(self, score: Matrix) -> dict[str, Any]:
        """The values of the letters that the factored claims share."""
        factors = {"L": self.L, "E": self.E, "Sigma0": self.START}
        return {"d": 4, "k": 3, "V": VALUE, "A": score, **factors}
