"""Sums of products of large matrices: entries and forms exactly, without forming the products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpz, fmpz_mat

from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.definite import is_definite
from proofs.verdicts.factored.bounds import Array
from proofs.verdicts.factored.head import Factor

#: floats below this share of the largest summand are taken for rounding errors
ROUNDING = 1e-9
#: bits of the entries of a witness, the coarsest that do first
WITNESS_BITS = (2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Words:
    """The d x d matrix sum of c M_1 ... M_n over its terms (c, (M_1, ..., M_n))."""

    terms: tuple[tuple[int, tuple[Factor, ...]], ...]

    def __sub__(self, other: Words) -> Words:
        return Words((*self.terms, *((-c, factors) for c, factors in other.terms)))

    def __add__(self, other: Words) -> Words:
        return Words((*self.terms, *other.terms))

    def __mul__(self, other: Words) -> Words:
        return Words(
            tuple((c * e, (*one, *two)) for c, one in self.terms for e, two in other.terms)
        )

    @cached_property
    def transposed(self) -> Words:
        return Words(
            tuple((c, tuple(f.transposed for f in reversed(factors))) for c, factors in self.terms)
        )

    @property
    def dimension(self) -> int:
        return self.terms[0][1][0].exact.rows

    @cached_property
    def floats(self) -> Array:
        """The matrix in floating point, d x d."""
        return sum(self._float_terms, np.zeros((self.dimension, self.dimension)))

    @cached_property
    def _float_terms(self) -> list[Array]:
        return [
            c * np.linalg.multi_dot([f.floats for f in factors])
            if len(factors) > 1
            else c * factors[0].floats
            for c, factors in self.terms
        ]

    @cached_property
    def noise(self) -> float:
        """What rounding may have left of entries that are 0."""
        return ROUNDING * max(float(np.abs(term).max()) for term in self._float_terms)

    def form(self, left: Literal, right: Literal) -> Fraction:
        """left^T M right for columns of d entries."""
        result = Fraction(0)
        for c, factors in self.terms:
            row = rational.transposed(left)
            for factor in factors:
                row = rational.product(row, factor.exact)
            result += c * rational.product(row, right)[0, 0]
        return result

    def entry(self, i: int, j: int) -> Fraction:
        return self.form(unit(self.dimension, i), unit(self.dimension, j))

    def nonzero(self) -> tuple[int, int] | None:
        """The place of an entry that is not 0, None for the zero matrix; exact."""
        i, j = divmod(int(np.abs(self.floats).argmax()), self.dimension)
        if self.entry(i, j):
            return i, j
        exact = self.exact()
        above, _ = exact.integers
        places = np.argwhere(np.array([[x != 0 for x in row] for row in above.tolist()]))
        return None if not len(places) else (int(places[0][0]), int(places[0][1]))

    def exact(self) -> Literal:
        """The matrix, d x d."""
        total = rational.zero(self.dimension, self.dimension)
        for c, factors in self.terms:
            product = factors[0].exact
            for factor in factors[1:]:
                product = rational.product(product, factor.exact)
            total = rational.total(total, rational.scaled(product, Fraction(c)))
        return total

    def positive_direction(self) -> Literal | None:
        """u with u^T M u > 0 for a symmetric M, exactly; None when none was found."""
        diagonal = int(self.floats.diagonal().argmax())
        candidates = [unit(self.dimension, diagonal)]
        if self.floats[diagonal, diagonal] <= self.noise:
            values, vectors = np.linalg.eigh((self.floats + self.floats.T) / 2)
            if values[-1] <= self.noise:
                return None
            candidates = [rounded(vectors[:, -1], bits) for bits in WITNESS_BITS]
        return next((u for u in candidates if self.form(u, u) > 0), None)

    def is_negative_definite(self) -> bool:
        """Whether a congruence shows that a symmetric M < 0; a test of size d."""
        return is_definite(rational.scaled(self.exact(), Fraction(-1)))


def unit(d: int, i: int) -> Literal:
    """The column e_i."""
    column = fmpz_mat(d, 1)
    column[i, 0] = 1
    return Literal.from_integers(column, fmpz(1))


def rounded(vector: Array, bits: int) -> Literal:
    """A column of integers close to a multiple of a vector."""
    scaled = np.rint(vector / np.abs(vector).max() * 2**bits).astype(np.int64)
    return Literal.from_integers(fmpz_mat(len(vector), 1, scaled.tolist()), fmpz(1))


def describe(vector: Literal) -> str:
    """A column for people: e_i, or its entries when they are few."""
    entries = vector.entries
    places = [i for i, x in enumerate(entries) if x]
    if len(places) == 1 and entries[places[0]] == 1:
        return f"e_{places[0] + 1}"
    if len(entries) <= 16:
        return "(" + ", ".join(str(x) for x in entries) + ")"
    largest = sorted(places, key=lambda i: -abs(entries[i]))[:3]
    shown = ", ".join(f"{entries[i]} at {i + 1}" for i in sorted(largest))
    return f"a vector of {len(places)} integers ({shown}, ...)"


def words(*terms: Sequence[Factor]) -> Words:
    """The sum of products with coefficient 1."""
    return Words(tuple((1, tuple(factors)) for factors in terms))
