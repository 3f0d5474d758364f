"""Extreme eigenvalues of symmetric matrices of low rank, enclosed by exact tests."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq_mat, fmpz_mat

from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.definite import is_definite
from proofs.verdicts.factored.bounds import SLACK, Array, rounded_to
from proofs.verdicts.factored.ranks import rank
from proofs.verdicts.factored.words import Words, rounded

#: bits of the vectors whose Rayleigh quotients bound from inside
VECTOR_BITS = 24
#: relative slacks of the bounds from outside, the first that a test confirms
SLACKS = (SLACK, 100 * SLACK, 10_000 * SLACK)

#: largest size at which a characteristic polynomial is computed
MAX_CHARACTERISTIC = 256

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Symmetric:
    """A symmetric d x d matrix, or P J P^T for P (d x n) of rank n < d and J (n x n).

    Then its eigenvalues are at most b > 0 when b C - C J C > 0, with C = P^T P > 0, as
    b I - P J P^T is b times the projector along P, plus P C^{-1} (b C - C J C) C^{-1} P^T.
    """

    matrix: Words
    frame: tuple[Literal, Literal] | None = None

    @classmethod
    def of(cls, matrix: Words, left: Literal, right: Literal, middle: Literal) -> Symmetric:
        """L N R^T + (L N R^T)^T, in a frame of independent columns of [L, R] when they are few."""
        P = beside(left, right)
        number = rank(P)
        if number == 0 or number >= matrix.dimension:
            return cls(matrix)
        J = off_diagonal(middle)
        if number == P.columns:
            return cls(matrix, (P, J))
        basis, coordinates = independent(P)
        between = rational.product(coordinates, J)
        return cls(matrix, (basis, rational.product(between, rational.transposed(coordinates))))

    def spectrum(self) -> tuple[Interval | None, Interval | None]:
        """Enclosures of the smallest and of the largest eigenvalue, None where none was found."""
        values, vectors = self._eigen
        size = float(np.abs(values[[0, -1]]).max())
        highest = self._extreme(values[-1], vectors[:, -1], size, 1)
        opposite = self._extreme(-values[0], vectors[:, 0], size, -1)
        lowest = None if opposite is None else (-opposite[1], -opposite[0])
        return lowest, highest

    @cached_property
    def _eigen(self) -> tuple[Array, Array]:
        floats = self.matrix.floats
        values, vectors = np.linalg.eigh((floats + floats.T) / 2)
        return values, vectors

    def _extreme(self, value: float, vector: Array, size: float, sign: int) -> Interval | None:
        """Enclosure of the largest eigenvalue of sign * matrix, close to ``value``."""
        if size == 0 or not np.isfinite(size):
            return (Fraction(0), Fraction(0)) if self.matrix.nonzero() is None else None
        probe = rounded(vector, VECTOR_BITS)
        square = rational.product(rational.transposed(probe), probe)[0, 0]
        low = rounded_to(sign * self.matrix.form(probe, probe) / square, ROUND_FLOOR)
        if self.frame is not None:
            low = max(low, Fraction(0))  # an eigenvalue, as n < d
        for slack in SLACKS:
            high = rounded_to(Fraction(value + slack * size), ROUND_CEILING)
            if self._at_most(high, sign):
                return low, high
        return None

    def _at_most(self, bound: Fraction, sign: int) -> bool:
        if self.frame is None:
            one = rational.scaled(rational.identity(self.matrix.dimension), bound)
            return is_definite(rational.total(one, rational.scaled(self._exact, Fraction(-sign))))
        if bound <= 0:
            return False
        gram, bent = self._gram
        return is_definite(
            rational.total(rational.scaled(gram, bound), rational.scaled(bent, Fraction(-sign)))
        )

    @cached_property
    def _exact(self) -> Literal:
        return self.matrix.exact()

    @cached_property
    def _gram(self) -> tuple[Literal, Literal]:
        """C and C J C."""
        assert self.frame is not None
        P, J = self.frame
        gram = rational.product(rational.transposed(P), P)
        return gram, rational.product(rational.product(gram, J), gram)

    def is_nonpositive(self) -> bool | None:
        """Whether no eigenvalue is positive, None when that would take too long.

        That is so when no coefficient of the characteristic polynomial is negative, as all
        eigenvalues are real; those of P J P^T that are not 0 are those of J C.
        """
        size = self.matrix.dimension if self.frame is None else self.frame[1].rows
        if size > MAX_CHARACTERISTIC:
            return None
        if self.frame is None:
            small = self._exact
        else:
            small = rational.product(self.frame[1], self._gram[0])
        return all(c >= 0 for c in small.integers[0].charpoly().coeffs())


def independent(matrix: Literal) -> tuple[Literal, Literal]:
    """B of full rank and R with M = B R, where B has columns of M; for M != 0."""
    echelon, number = matrix.flint.rref()
    rows = [[echelon[i, j] for j in range(matrix.columns)] for i in range(number)]
    pivots = [next(j for j, x in enumerate(row) if x != 0) for row in rows]
    above, below = matrix.integers
    columns = [[above[i, j] for j in pivots] for i in range(matrix.rows)]
    return Literal.from_integers(fmpz_mat(columns), below), Literal.from_flint(fmpq_mat(rows))


def beside(left: Literal, right: Literal) -> Literal:
    """[left, right]."""
    common = left.integers[1] * right.integers[1]
    rows = [
        (matrix.integers[0] * (common // matrix.integers[1])).tolist() for matrix in (left, right)
    ]
    joined = [a + b for a, b in zip(*rows, strict=True)]
    return Literal.from_integers(fmpz_mat(joined), common)


def off_diagonal(block: Literal) -> Literal:
    """[[0, N], [N^T, 0]]."""
    above, below = block.integers
    m, n = block.rows, block.columns
    matrix = fmpz_mat(m + n, m + n)
    for i in range(m):
        for j in range(n):
            matrix[i, m + j] = matrix[m + j, i] = above[i, j]
    return Literal.from_integers(matrix, below)
