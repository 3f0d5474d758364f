"""Exact decisions about one head that is kept as products, each with a short witness."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import acb

from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.base import Hypothesis
from proofs.verdicts.commuting import NAMES, NEGATIVE_NAME, POSITIVE_NAME
from proofs.verdicts.definite import is_definite
from proofs.verdicts.definite_value import SCORE_NAME, VALUE_NAME
from proofs.verdicts.every_start import NAME as SCALAR_NAME
from proofs.verdicts.factored.head import Factor, FactoredHead
from proofs.verdicts.factored.ranks import product_rank, rank
from proofs.verdicts.factored.spectrum import Symmetric, beside, off_diagonal
from proofs.verdicts.factored.words import Words, describe, words
from proofs.verdicts.workspace import brief, equals

NEEDS_START = "needs a given Sigma0"


@dataclass(frozen=True)
class Decisions:
    """Decisions about V and A / s of one head; signs and kernels do not depend on s > 0.

    ``start`` is Sigma0, None when it is not given.
    """

    head: FactoredHead
    start: Factor | None

    # Matrices

    @cached_property
    def value(self) -> Words:
        return words(self.head.value)

    @cached_property
    def score(self) -> Words:
        return words(self.head.score_factors)

    @cached_property
    def drift(self) -> Words:
        """S / s = V A / s + (V A / s)^T."""
        product = self.value * self.score
        return product + product.transposed

    @cached_property
    def both_scores(self) -> Words:
        """(A + A^T) / s."""
        return self.score + self.score.transposed

    @cached_property
    def symmetric_score(self) -> Symmetric:
        """(A + A^T) / s in the frame [K^T, Q^T]."""
        if len(self.head.score) == 1:
            return Symmetric(self.both_scores)
        keys, queries = self.head.score
        k = keys.exact.rows
        return self._framed(
            self.both_scores, keys.transposed, queries.transposed, rational.identity(k)
        )

    @cached_property
    def symmetric_drift(self) -> Symmetric:
        """S / s in the frame [W, Q^T]."""
        if len(self.head.score) == 1 or len(self.head.value) == 1:
            return Symmetric(self.drift)
        (W, U), (keys, queries) = self.head.value, self.head.score
        middle = rational.product(U.exact, keys.transposed.exact)
        return self._framed(self.drift, W, queries.transposed, middle)

    def _framed(self, matrix: Words, left: Factor, right: Factor, middle: Literal) -> Symmetric:
        if left.exact.columns + right.exact.columns >= matrix.dimension:
            return Symmetric(matrix)
        return Symmetric(matrix, (beside(left.exact, right.exact), off_diagonal(middle)))

    def _over(self, what: str) -> str:
        """The name of a matrix that was computed without its factor s."""
        if self.head.scale_squared == 1:
            return what
        return f"({what}) / s" if " " in what else f"{what} / s"

    # Ranks

    def ranks(self) -> dict[str, int]:
        """Exact ranks of V, A, A + A^T and S."""
        return {
            "V": _rank(self.head.value, self.value),
            "A": _rank(self.head.score_factors, self.score),
            "A + A^T": _symmetric_rank(self.symmetric_score),
            "S": _symmetric_rank(self.symmetric_drift),
        }

    # Hypotheses

    def symmetric(self) -> Hypothesis:
        """A = A^T."""
        place = (self.score - self.score.transposed).nonzero()
        if place is None:
            return Hypothesis("A symmetric", True)
        i, j = place
        one, other = self.score.entry(i, j), self.score.entry(j, i)
        witness = (
            f"entry ({i + 1}, {j + 1}) of {self._over('A')} is {brief(one)}, "
            f"entry ({j + 1}, {i + 1}) is {brief(other)}"
        )
        return Hypothesis("A symmetric", False, witness, f"({i + 1}, {j + 1})")

    @cached_property
    def factor_of_identity(self) -> Fraction | None:
        """v with V = v I."""
        d = self.head.dimension
        if _rank(self.head.value, self.value) not in (0, d):
            return None
        return rational.multiple_of_identity(self.value.exact())

    def scalar(self) -> Hypothesis:
        """V = v I."""
        factor = self.factor_of_identity
        if factor is None:
            number, d = _rank(self.head.value, self.value), self.head.dimension
            why = f", of rank {number} < {d}" if number < d else ""
            return Hypothesis(SCALAR_NAME, False, f"V is not a multiple of the identity{why}")
        return Hypothesis(SCALAR_NAME, True, "V = I" if factor == 1 else f"V = {brief(factor)} I")

    def commutes_with_start(self) -> Hypothesis:
        """V Sigma0 = Sigma0 V."""
        if self.factor_of_identity is not None:
            return Hypothesis(NAMES[0], True)
        if self.start is None:
            return Hypothesis(NAMES[0], None, "depends on Sigma0, which is not given")
        start = words([self.start])
        return _vanishing(NAMES[0], self.value * start - start * self.value, "V Sigma0 - Sigma0 V")

    @cached_property
    def commutes_with_drift(self) -> Hypothesis:
        """V S = S V."""
        return self.commutes_with(self.drift)

    def commutes_with(self, drift: Words) -> Hypothesis:
        """V S = S V, for S / s of this head or of several."""
        if self.factor_of_identity is not None:
            return Hypothesis(NAMES[1], True)
        difference = self.value * drift - drift * self.value
        return _vanishing(NAMES[1], difference, self._over("V S - S V"))

    @cached_property
    def score_negative(self) -> Hypothesis:
        """A + A^T <= 0."""
        matrix = self.both_scores
        vector = matrix.positive_direction()
        if vector is not None:
            value = matrix.form(vector, vector)
            form = self._over("u^T (A + A^T) u")
            witness = f"u = {describe(vector)} gives {form} {equals(value)}"
            return Hypothesis(SCORE_NAME, False, witness, describe(vector))
        if matrix.nonzero() is None or self._tied() or matrix.is_negative_definite():
            return Hypothesis(SCORE_NAME, True)
        return Hypothesis(SCORE_NAME, None, "close to singular: no exact test at this size")

    def _tied(self) -> bool:
        """Whether Q = L K with L + L^T <= 0, so that A + A^T = s K^T (L + L^T) K."""
        if len(self.head.score) == 1:
            return False
        keys, queries = (factor.exact for factor in self.head.score)
        gram = rational.product(keys, rational.transposed(keys))
        if not is_definite(gram):
            return False
        mixed = rational.product(queries, rational.transposed(keys))
        inverse = rational.inverted(gram)
        assert inverse is not None
        L = rational.product(mixed, inverse)
        if rational.product(L, keys) != queries:
            return False
        opposite = rational.scaled(rational.total(L, rational.transposed(L)), Fraction(-1))
        return is_definite(opposite) or rational.is_semidefinite(opposite)

    @cached_property
    def symmetrisable(self) -> Hypothesis:
        """P V = V^T P >= 0 for some P > 0, that is, V diagonalisable with eigenvalues >= 0."""
        place = (self.value - self.value.transposed).nonzero()
        if place is None and is_definite(self.value.exact()):
            return Hypothesis(VALUE_NAME, True, "P = I")
        above, below = self._small_value().integers
        # the stubs of python-flint leave out the multiplicities
        roots: list[tuple[acb, int]] = above.charpoly().complex_roots()  # type: ignore[assignment]
        for root, _ in roots:
            value = root / below
            if not (value.imag.contains(0) and not value.real < 0):
                reason = f"V has the eigenvalue {_complex(value, 6)}"
                return Hypothesis(VALUE_NAME, False, reason, _complex(value, 3))
        why = "its eigenvalues are >= 0, it may not be diagonalisable"
        return Hypothesis(VALUE_NAME, None, why)

    def symmetric_value(self) -> Hypothesis:
        """V = V^T >= 0 (P = I)."""
        name = "V_h symmetric positive semidefinite (P = I)"
        place = (self.value - self.value.transposed).nonzero()
        if place is None:
            if is_definite(self.value.exact()):
                return Hypothesis(name, True)
            return Hypothesis(name, None, "close to singular: no exact test at this size")
        i, j = place
        one, other = self.value.entry(i, j), self.value.entry(j, i)
        witness = (
            f"not symmetric: entry ({i + 1}, {j + 1}) is {brief(one)}, "
            f"entry ({j + 1}, {i + 1}) is {brief(other)}"
        )
        return Hypothesis(name, False, witness)

    def _small_value(self) -> Literal:
        """A matrix with the nonzero eigenvalues of V: U W when V = W U."""
        factors = [factor.exact for factor in self.head.value]
        return factors[0] if len(factors) == 1 else rational.product(factors[1], factors[0])

    def signs(self) -> tuple[Hypothesis, Hypothesis]:
        """Whether Sigma0^{1/2} S Sigma0^{1/2} <= 0, and whether it has a positive eigenvalue."""
        if self.start is None:
            return (
                Hypothesis(NEGATIVE_NAME, None, NEEDS_START),
                Hypothesis(POSITIVE_NAME, None, NEEDS_START),
            )
        start = words([self.start])
        vector = (start * self.drift * start).positive_direction()
        if vector is None:
            why = "no vector with u^T S u > 0 was found"
            return Hypothesis(NEGATIVE_NAME, None, why), Hypothesis(POSITIVE_NAME, None, why)
        witness = f"u^T S u > 0 in the range of Sigma0: u = Sigma0 w, w = {describe(vector)}"
        return (
            Hypothesis(NEGATIVE_NAME, False, witness),
            Hypothesis(POSITIVE_NAME, True, witness),
        )

    def stationary(self) -> Hypothesis:
        """F(Sigma0) = 0."""
        name = "Sigma is stationary"
        if self.start is None:
            return Hypothesis(name, None, "needs a given Sigma0")
        return _vanishing(f"{name}: F(Sigma0) = 0", self._image, self._over("F(Sigma0)"))

    @cached_property
    def _image(self) -> Words:
        """F(Sigma0) / s."""
        assert self.start is not None
        start = words([self.start])
        half = self.value * start * self.score * start
        return half + half.transposed

    def self_similar(self, name: str) -> Hypothesis:
        """F(Sigma0) = c Sigma0."""
        if self.start is None:
            return Hypothesis(name, None, NEEDS_START)
        start = words([self.start])
        image = self._image
        i, j = start.nonzero() or (0, 0)
        below = start.entry(i, j)
        if not below:
            return Hypothesis(name, True, "Sigma0 = 0")
        rate = image.entry(i, j) / below
        place = (image - words([self.start.times(rate)])).nonzero()
        if place is None:
            return Hypothesis(name, True, f"{self._over('c')} {equals(rate)}")
        k, n = place
        witness = (
            f"entry ({k + 1}, {n + 1}) of {self._over('F(Sigma0)')} is {brief(image.entry(k, n))}; "
            f"in c Sigma0 it would be {brief(rate * start.entry(k, n))}"
        )
        return Hypothesis(name, False, witness)


def _vanishing(name: str, difference: Words, what: str) -> Hypothesis:
    place = difference.nonzero()
    if place is None:
        return Hypothesis(name, True)
    i, j = place
    value = difference.entry(i, j)
    entry = f"({i + 1}, {j + 1})"
    return Hypothesis(name, False, f"entry {entry} of {what} is {brief(value)}", entry)


def _complex(value: acb, digits: int) -> str:
    """The midpoint of a ball that is much smaller than the digits shown."""
    real, imaginary = float(value.real.mid()), float(value.imag.mid())
    if value.imag.contains(0):
        return f"≈{real:.{digits}g}"
    sign = "+" if imaginary > 0 else "-"
    return f"≈{real:.{digits}g} {sign} {abs(imaginary):.{digits}g}i"


def _rank(factors: tuple[Factor, ...], matrix: Words) -> int:
    if len(factors) == 1:
        return rank(factors[0].exact)
    found = product_rank(*factors)
    return rank(matrix.exact()) if found is None else found


def _symmetric_rank(symmetric: Symmetric) -> int:
    """The rank of P J P^T is that of J when P is injective."""
    if symmetric.frame is not None:
        P, J = symmetric.frame
        if rank(P) == P.columns:
            return rank(J)
    return rank(symmetric.matrix.exact())
