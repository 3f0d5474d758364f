"""Exact decisions about one head that is kept as products, each with a short witness."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul

from flint import acb, fmpz, fmpz_mat, fmpz_poly

from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.always import STATIONARY
from proofs.verdicts.base import Hypothesis
from proofs.verdicts.commuting import NAMES, NEGATIVE_NAME, POSITIVE_NAME
from proofs.verdicts.definite import is_definite
from proofs.verdicts.definite_value import SCORE_NAME, VALUE_NAME
from proofs.verdicts.every_start import NAME as SCALAR_NAME
from proofs.verdicts.factored import spectrum
from proofs.verdicts.factored.head import Factor, FactoredHead
from proofs.verdicts.factored.ranks import product_rank, rank
from proofs.verdicts.factored.spectrum import Symmetric
from proofs.verdicts.factored.words import Words, describe, words
from proofs.verdicts.workspace import brief, equals

NEEDS_START = "needs a given Sigma0"
#: size beyond which traces are tried before a characteristic polynomial
FEW = 64


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
        keys, queries = (rational.transposed(factor.exact) for factor in self.head.score)
        return Symmetric.of(self.both_scores, keys, queries, rational.identity(keys.columns))

    @cached_property
    def symmetric_drift(self) -> Symmetric:
        """S / s in the frame [W, Q^T], [V K^T, Q^T] or [W, A^T U^T], as the factors are."""
        return self._drift_between(None)

    def _drift_between(self, start: Factor | None) -> Symmetric:
        """Sigma0 S Sigma0 / s in the frame of S, times Sigma0; without Sigma0 when None."""
        *outer, value = (factor.exact for factor in self.head.value)
        *keys, score = (factor.exact for factor in self.head.score)
        matrix = self.drift
        if start is not None:
            matrix = words([start]) * matrix * words([start])
        if not outer and not keys:
            return Symmetric(matrix)
        if keys:
            value = rational.product(value, rational.transposed(keys[0]))
        elif outer:
            score = rational.product(value, score)
        left = outer[0] if outer else value
        middle = value if outer and keys else rational.identity(left.columns)
        right = rational.transposed(score)
        if start is not None:
            left, right = (rational.product(start.exact, side) for side in (left, right))
        return Symmetric.of(matrix, left, right, middle)

    def _over(self, what: str) -> str:
        """The name of a matrix that was computed without its factor s."""
        if self.head.scale_squared == 1:
            return what
        return f"({what}) / s" if " " in what else f"{what} / s"

    # Ranks

    def ranks(self) -> dict[str, int]:
        """Exact ranks of V, A, A + A^T and S."""
        return {
            "V": self._value_rank,
            "A": _rank(self.head.score_factors, self.score),
            "A + A^T": _symmetric_rank(self.symmetric_score),
            "S": _symmetric_rank(self.symmetric_drift),
        }

    @cached_property
    def _value_rank(self) -> int:
        return _rank(self.head.value, self.value)

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
        if self._value_rank not in (0, self.head.dimension):
            return None
        return rational.multiple_of_identity(self.value.exact())

    def scalar(self) -> Hypothesis:
        """V = v I."""
        factor = self.factor_of_identity
        if factor is None:
            number, d = self._value_rank, self.head.dimension
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
        small = self.symmetric_score
        if matrix.nonzero() is None or (small.frame is None and matrix.is_negative_definite()):
            return Hypothesis(SCORE_NAME, True)
        holds = small.is_nonpositive()
        return Hypothesis(SCORE_NAME, holds, None if holds else _no_vector(holds))

    @cached_property
    def symmetrisable(self) -> Hypothesis:
        """P V = V^T P >= 0 for some P > 0, that is, V diagonalisable with eigenvalues >= 0."""
        if self._asymmetry is None and is_definite(self.value.exact()):
            return Hypothesis(VALUE_NAME, True, "P = I")
        size = self._small_value.rows
        if size > FEW and (reason := self._traces()) is not None:
            return Hypothesis(VALUE_NAME, False, reason)
        if size > spectrum.MAX_CHARACTERISTIC:
            why = "V is too large for its characteristic polynomial"
            return Hypothesis(VALUE_NAME, None, why)
        value = self._bad_eigenvalue
        if value is not None:
            reason = f"V has the eigenvalue {_complex(value, 6)}"
            return Hypothesis(VALUE_NAME, False, reason, _complex(value, 3))
        if not self._is_nonnegative:
            return Hypothesis(VALUE_NAME, None, "an eigenvalue of V is too close to a limit case")
        if self._is_diagonalisable:
            return Hypothesis(VALUE_NAME, True, "V is diagonalisable with eigenvalues >= 0")
        return Hypothesis(VALUE_NAME, False, "V is not diagonalisable")

    def symmetric_value(self) -> Hypothesis:
        """V = V^T >= 0 (P = I)."""
        name = "V_h symmetric positive semidefinite (P = I)"
        place = self._asymmetry
        if place is None:  # then V is diagonalisable
            same = self.symmetrisable
            return Hypothesis(name, same.holds, None if same.holds else same.witness)
        i, j = place
        one, other = self.value.entry(i, j), self.value.entry(j, i)
        witness = (
            f"not symmetric: entry ({i + 1}, {j + 1}) is {brief(one)}, "
            f"entry ({j + 1}, {i + 1}) is {brief(other)}"
        )
        return Hypothesis(name, False, witness)

    @cached_property
    def _asymmetry(self) -> tuple[int, int] | None:
        """The place of an entry where V and V^T differ."""
        return (self.value - self.value.transposed).nonzero()

    @cached_property
    def _small_value(self) -> Literal:
        """A matrix with the nonzero eigenvalues of V: U W when V = W U."""
        factors = [factor.exact for factor in self.head.value]
        return factors[0] if len(factors) == 1 else rational.product(factors[1], factors[0])

    def _traces(self) -> str | None:
        """Why the eigenvalues of V are not all >= 0, from power sums of those; None: not known.

        Power sums of numbers x >= 0 satisfy p1, p2 >= 0, p1^2 >= p2, and by Cauchy's inequality
        p1^2 <= d p2, p2^2 <= p1 p3 and p3^2 <= p2 p4.
        """
        above, _ = self._small_value.integers
        square = above * above
        p1 = sum((above[i, i] for i in range(above.nrows())), fmpz(0))
        p2, p3, p4 = (
            sum(map(mul, one.entries(), other.transpose().entries()), fmpz(0))
            for one, other in ((above, above), (above, square), (square, square))
        )
        holds = {
            "tr V >= 0": p1 >= 0,
            "tr V^2 >= 0": p2 >= 0,
            "(tr V)^2 >= tr V^2": p1 * p1 >= p2,
            "(tr V)^2 <= d tr V^2": p1 * p1 <= above.nrows() * p2,
            "(tr V^2)^2 <= tr V tr V^3": p2 * p2 <= p1 * p3,
            "(tr V^3)^2 <= tr V^2 tr V^4": p3 * p3 <= p2 * p4,
        }
        failing = next((name for name, state in holds.items() if not state), None)
        return failing and f"{failing} would hold for eigenvalues >= 0, and does not"

    @cached_property
    def _characteristic(self) -> fmpz_poly:
        """The characteristic polynomial of the numerators of the small matrix."""
        return self._small_value.integers[0].charpoly()

    @cached_property
    def _eigenvalues(self) -> list[acb]:
        """Balls around the eigenvalues of the small matrix; a real one has no imaginary part."""
        _, below = self._small_value.integers
        # the stubs of python-flint leave out the multiplicities
        roots: list[tuple[acb, int]] = self._characteristic.complex_roots()  # type: ignore[assignment]
        return [root / below for root, _ in roots]

    @cached_property
    def _bad_eigenvalue(self) -> acb | None:
        """An eigenvalue of V that is not a real number >= 0."""
        bad = (x for x in self._eigenvalues if not x.imag.contains(0) or x.real < 0)
        return next(bad, None)

    @cached_property
    def _is_nonnegative(self) -> bool:
        """Whether all eigenvalues of V are real and >= 0.

        Real ones are >= 0 exactly when the coefficients of the characteristic polynomial
        alternate.
        """
        if not all(x.imag == 0 for x in self._eigenvalues):
            return False
        coefficients = reversed(self._characteristic.coeffs())
        signed = zip(itertools.cycle((1, -1)), coefficients, strict=False)
        return all(sign * c >= 0 for sign, c in signed)

    @cached_property
    def _is_diagonalisable(self) -> bool:
        """Whether V is diagonalisable, when its eigenvalues are real.

        The eigenvalue 0 has as many eigenvectors as it should when the rank of V is the number of
        the other eigenvalues; these are eigenvalues of the small matrix with the same chains.
        """
        coefficients = self._characteristic.coeffs()
        zeros = next(i for i, c in enumerate(coefficients) if c != 0)
        others = fmpz_poly(coefficients[zeros:])
        if self._value_rank != others.degree():
            return False
        simple = others // others.gcd(others.derivative()) if others.degree() else others
        if simple.degree() == others.degree():
            return True
        matrix = self._small_value.integers[0]
        result = matrix**zeros
        image = fmpz_mat(matrix.nrows(), matrix.nrows())
        for c in reversed(simple.coeffs()):
            image = image * matrix + c * result
        return bool(image == 0 * image)

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
            holds = self._drift_between(self.start).is_nonpositive()
            if holds:
                why = "u^T S u <= 0 for all u in the range of Sigma0"
                return Hypothesis(NEGATIVE_NAME, True), Hypothesis(POSITIVE_NAME, False, why)
            why = _no_vector(holds)
            opposite = None if holds is None else True
            return Hypothesis(NEGATIVE_NAME, holds, why), Hypothesis(POSITIVE_NAME, opposite, why)
        witness = f"u^T S u > 0 in the range of Sigma0: u = Sigma0 w, w = {describe(vector)}"
        return (
            Hypothesis(NEGATIVE_NAME, False, witness),
            Hypothesis(POSITIVE_NAME, True, witness),
        )

    def stationary(self) -> Hypothesis:
        """F(Sigma0) = 0."""
        if self.start is None:
            return Hypothesis("Sigma is stationary", None, NEEDS_START)
        return _vanishing(STATIONARY, self._image, self._over("F(Sigma0)"))

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


def _no_vector(holds: bool | None) -> str:
    """Why no vector shows whether an eigenvalue is positive."""
    if holds is None:
        return "close to singular: no exact test at this size"
    return "a positive eigenvalue, by the characteristic polynomial: too small for a vector"


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
    """The rank of P J P^T is that of J, as P is injective."""
    if symmetric.frame is not None:
        return rank(symmetric.frame[1])
    return rank(symmetric.matrix.exact())
