"""One attention head with its matrices as they were given, exact: factors are not multiplied."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from numeric.exact import square_root
from numeric.matrices import ExactMatrix
from numeric.model import Head
from proofs import language as la
from proofs.checkers import rational
from proofs.parameter_arrays import literal_of
from proofs.terms import Literal, Term
from proofs.verdicts.problem import SCALE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Factor:
    """An exact matrix, with floats that only propose bounds and witnesses."""

    exact: Literal

    @classmethod
    def of(cls, matrix: ExactMatrix) -> Factor:
        return cls(literal_of(matrix))

    @cached_property
    def floats(self) -> Array:
        """The nearest floats; infinite beyond their range."""
        import numpy as np

        numerators, denominator = self.exact.integers
        below = int(denominator)
        values = [_divided(int(above), below) for above in numerators.entries()]
        return np.array(values).reshape(self.exact.rows, self.exact.columns)

    def times(self, number: Fraction) -> Factor:
        """The multiple by a rational."""
        return Factor(rational.scaled(self.exact, number))

    @property
    def term(self) -> Term:
        return Term("literal", data=self.exact)

    @cached_property
    def transposed(self) -> Factor:
        return Factor(rational.transposed(self.exact))


@dataclass(frozen=True)
class FactoredHead:
    """V = W U, or V alone; A = s K^T Q, or A alone.

    Attributes:
        value: W (d x r) and U (r x d), or V (d x d) alone.
        score: K and Q (k x d), or A (d x d) alone.
        scale_squared: s^2 > 0.
    """

    value: tuple[Factor, ...]
    score: tuple[Factor, ...]
    scale_squared: Fraction

    @classmethod
    def of(cls, head: Head) -> FactoredHead:
        value = (head.V,) if head.W is None else (head.W, head.V)
        if head.A is not None:
            score: tuple[ExactMatrix, ...] = (head.A,)
        else:
            assert head.K is not None
            assert head.Q is not None
            score = (head.K, head.Q)
        return cls(
            tuple(Factor.of(matrix) for matrix in value),
            tuple(Factor.of(matrix) for matrix in score),
            head.scale_squared,
        )

    @property
    def dimension(self) -> int:
        """Token dimension d."""
        return self.value[-1].exact.columns

    @property
    def scale(self) -> Term:
        """s as a term: a number, or a variable when it is irrational."""
        root = square_root(self.scale_squared)
        return SCALE if root is None else la.number(root)

    @cached_property
    def value_term(self) -> Term:
        return product_term([factor.term for factor in self.value])

    @cached_property
    def score_term(self) -> Term:
        if len(self.score) == 1:
            return self.score[0].term
        keys, queries = self.score
        return la.scale(self.scale, la.mul(la.tp(keys.term), queries.term))

    @cached_property
    def score_factors(self) -> tuple[Factor, ...]:
        """Matrices whose product is A, or A / s: K^T and Q, or A alone."""
        if len(self.score) == 1:
            return self.score
        keys, queries = self.score
        return keys.transposed, queries


def _divided(above: int, below: int) -> float:
    try:
        return above / below
    except OverflowError:
        return inf if above > 0 else -inf


def product_term(factors: list[Term]) -> Term:
    return factors[0] if len(factors) == 1 else la.mul(*factors)


def product(factors: tuple[Factor, ...]) -> Literal:
    """The exact product, from the side where it stays small."""
    result = factors[0].exact
    for factor in factors[1:]:
        result = rational.product(result, factor.exact)
    return result
