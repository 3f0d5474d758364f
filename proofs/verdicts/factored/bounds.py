"""Bounds of the norms of a head, found in floating point and proved by tests of small matrices."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import isqrt

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from numeric.exact import square_root
from proofs import language as la
from proofs.claims.covariance_equation import symmetrised
from proofs.claims.head_growth import gram_at_most
from proofs.kernel import KernelError, Lemma
from proofs.terms import Literal, Term, size, substitute
from proofs.verdicts.definite import prove_definite
from proofs.verdicts.exact import evaluate
from proofs.verdicts.factored import low_rank
from proofs.verdicts.factored.head import FactoredHead
from proofs.verdicts.problem import SCALE
from proofs.verdicts.workspace import Workspace

Array = NDArray[np.float64]

#: relative slack of bounds found in floating point, and their digits
SLACK, DIGITS = 1e-6, 7
#: bound of what is 0
SMALL = Fraction(1, 10**DIGITS)


def lemmas() -> dict[str, Lemma]:
    """What the steps of :class:`Bounding` refer to."""
    return {
        "norm of V": low_rank.value_norm(),
        "norm of A": low_rank.score_norm(),
        "S": low_rank.drift(),
        "S by size d": low_rank.dense_drift(),
        "S by norms": low_rank.plain_drift(),
    }


@dataclass(frozen=True)
class HeadBounds:
    """|V| <= value, |A| <= score, V A + A^T V^T <= 2 drift I: rationals > 0.

    ``unscaled`` bounds A / s and the drift / s, when A = s K^T Q.
    """

    value: Fraction
    score: Fraction
    drift: Fraction
    unscaled: tuple[Fraction, Fraction]

    @classmethod
    def of(cls, head: FactoredHead) -> HeadBounds:
        """Proposals, not proved; of the drift at most |V| |A|."""
        factors = [factor.floats for factor in head.value]
        scores = [factor.floats for factor in head.score_factors]
        value = upward(product_norm(factors))
        score = upward(product_norm(scores))
        drift = min(upward(growth(head)), value * score)
        if len(head.score) == 1:
            return cls(value, score, drift, (score, drift))
        square = head.scale_squared
        return cls(value, scaled_up(score, square), scaled_up(drift, square), (score, drift))


def product_norm(factors: list[Array]) -> float:
    """The spectral norm of a product of one or two matrices, through its small side."""
    if len(factors) == 1:
        return float(np.linalg.norm(factors[0], 2))
    left, right = _triangle(factors[0]), _triangle(factors[1].T)
    return float(np.linalg.norm(left @ right.T, 2))


def _triangle(matrix: Array) -> Array:
    """R of the decomposition Q R."""
    return np.asarray(np.linalg.qr(matrix, mode="r"))


def growth(head: FactoredHead) -> float:
    """Half of the largest eigenvalue of V A + A^T V^T, over s when A = s K^T Q.

    At least a small part of the smallest one, where the largest is 0 or negative.
    """
    left, right = drift_factors(head)
    d, k = left.shape
    if d <= 2 * k:
        image = left @ right
        drift = image + image.T
    else:  # on the span of the columns of both factors; it is 0 across
        frame = _triangle(np.hstack([left, right.T]))
        drift = np.hstack([frame[:, k:], frame[:, :k]]) @ frame.T
    values = np.linalg.eigvalsh(drift)
    return max(float(values[-1]), SLACK * abs(float(values[0]))) / 2


def drift_factors(head: FactoredHead) -> tuple[Array, Array]:
    """V K^T (d x k) and Q (k x d), or V and A."""
    scores = [factor.floats for factor in head.score_factors]
    left = scores[0] if len(scores) == 2 else np.identity(head.dimension)
    for factor in reversed(head.value):
        left = factor.floats @ left
    return left, scores[-1]


def upward(value: float) -> Fraction:
    """A short rational above a nonnegative float, with some slack."""
    if not np.isfinite(value):
        raise ArithmeticError("outside the range of floating point")
    if value <= 0:
        return SMALL
    return Fraction(f"{value * (1 + 2 * SLACK):.{DIGITS - 1}e}")


def rounded_to(value: Fraction, rounding: str) -> Fraction:
    """A short rational at one side of ``value``."""
    context = Context(prec=DIGITS, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def scaled_up(bound: Fraction, square: Fraction) -> Fraction:
    """A short rational above sqrt(square) * bound."""
    root = square_root(square)
    if root is not None:
        return root * bound
    target = square * bound * bound
    shift = 10 ** (2 * DIGITS)
    while target * shift < 10 ** (2 * DIGITS):
        shift *= 100
    return Fraction(isqrt(int(target * shift)) + 1, isqrt(shift))


@dataclass(frozen=True)
class Bounded:
    """Terms v, a, s for bounds of a head, and the steps that prove them.

    ``norms`` prove v > 0, a > 0, |V| <= v and |A| <= a, and ``drift`` V A + A^T V^T <= 2 s I.
    """

    value: Term
    score: Term
    drift: Term
    norms: tuple[int, int, int, int]
    drift_step: int


class Bounding:
    """Steps of a proof that bound the norms of heads."""

    def __init__(self, work: Workspace) -> None:
        self._work = work

    def bound(self, head: FactoredHead) -> Bounded:
        """Bounds of a head.

        Raises:
            KernelError, ArithmeticError, LinAlgError: none could be proved.
        """
        bounds = HeadBounds.of(head)
        v, a = la.number(bounds.value), la.number(bounds.score)
        norms = (
            self._positive(bounds.value),
            self._positive(bounds.score),
            self._value_norm(head, bounds),
            self._score_norm(head, bounds),
        )
        try:
            drift, step = la.number(bounds.drift), self._drift(head, bounds)
        except KernelError:
            letters = {"V": head.value_term, "A": head.score_term, "v": v, "a": a}
            drift, step = la.mul(v, a), self._work.p.lemma("S by norms", *norms, **letters)
        return Bounded(v, a, drift, norms, step)

    def _positive(self, value: Fraction) -> int:
        return self._work.prove(la.pd(la.number(value)))

    def _value_norm(self, head: FactoredHead, bounds: HeadBounds) -> int:
        v, V = la.number(bounds.value), head.value_term
        if len(head.value) == 1:
            return self._test(self._sized(gram_at_most(la.mul(V, la.tp(V)), v), head))
        W, U = (factor.term for factor in head.value)
        small = self._test(la.psd(low_rank.core(W, U, v)))
        positive = self._positive(bounds.value)
        return self._work.p.lemma("norm of V", positive, small, W=W, U=U, v=v)

    def _score_norm(self, head: FactoredHead, bounds: HeadBounds) -> int:
        a, A = la.number(bounds.score), head.score_term
        if len(head.score) == 1:
            return self._test(self._sized(gram_at_most(la.mul(la.tp(A), A), a), head))
        K, Q = (factor.term for factor in head.score)
        b = bounds.unscaled[0]
        square, room = self._square(head), self._room(head, b, bounds.score)
        small = self._test(la.psd(low_rank.core(la.tp(Q), K, la.number(b))))
        letters = {"K": K, "Q": Q, "s": head.scale, "a": a, "b": la.number(b)}
        return self._work.p.lemma("norm of A", square, self._positive(b), small, room, **letters)

    def _drift(self, head: FactoredHead, bounds: HeadBounds) -> int:
        V, d = head.value_term, size(head.dimension)
        if len(head.score) == 1:
            return self._test(drift_at_most(symmetrised(V, head.score_term), d, bounds.drift))
        K, Q = (factor.term for factor in head.score)
        b = bounds.unscaled[1]
        shared = (
            self._square(head),
            self._scale_positive(head),
            self._positive(b),
            self._positive(bounds.drift),
            self._room(head, b, bounds.drift),
        )
        letters = {"K": K, "Q": Q, "s": head.scale}
        letters |= {"a": la.number(bounds.drift), "b": la.number(b)}
        if len(head.value) == 2:
            try:
                return self._framed_drift(head, shared, letters)
            except KernelError:
                pass  # [W, Q^T] has dependent columns
        small = self._test(drift_at_most(symmetrised(V, la.mul(la.tp(K), Q)), d, b))
        return self._work.p.lemma("S by size d", *shared, small, V=V, **letters)

    def _framed_drift(
        self, head: FactoredHead, shared: tuple[int, ...], letters: dict[str, Term]
    ) -> int:
        """The drift, from a test of the size of the columns of [W, Q^T]."""
        W, U = (factor.term for factor in head.value)
        r, k = head.value[1].exact.rows, head.score[0].exact.rows
        if r + k > head.dimension:
            raise KernelError("definite", "more columns than rows are dependent")
        letters = letters | {"W": W, "U": U, "d": size(head.dimension)}
        letters |= {"E1": selector(r, 0, r + k), "E2": selector(k, r, r + k)}
        letters |= {"r": size(r), "k": size(k), "n": size(r + k)}
        equations = [self._equation(substitute(h, letters)) for h in low_rank.SELECT]
        gram = self._test(substitute(la.pd(low_rank.GRAM), letters))
        small = self._test(substitute(la.psd(low_rank.SYMMETRIC_CORE), letters))
        return self._work.p.lemma("S", *shared, *equations, gram, small, **letters)

    # What the lemmas ask for

    def _test(self, proposition: Term) -> int:
        """psd(M) or pd(M), by the exact value of M."""
        (matrix,) = proposition.args
        value = evaluate(matrix, None).plain
        return prove_definite(self._work.p, matrix, value, proposition.op == "pd")

    def _sized(self, proposition: Term, head: FactoredHead) -> Term:
        """With the size of the head for d."""
        return substitute(proposition, {"d": size(head.dimension)})

    def _equation(self, proposition: Term) -> int:
        left, right = proposition.args
        return self._work.p.algebra(left, right)

    def _square(self, head: FactoredHead) -> int:
        """s^2 = q."""
        if head.scale == SCALE:
            return self._work.scale_square()
        square = la.eq(la.mul(head.scale, head.scale), la.number(head.scale_squared))
        return self._equation(square)

    def _scale_positive(self, head: FactoredHead) -> int:
        if head.scale == SCALE:
            return self._work.scale_positive()
        return self._work.prove(la.pd(head.scale))

    def _room(self, head: FactoredHead, b: Fraction, a: Fraction) -> int:
        """a^2 - q b^2 >= 0."""
        letters = {"q": la.number(head.scale_squared), "a": la.number(a), "b": la.number(b)}
        return self._test(substitute(low_rank.SCALED, letters))


def selector(k: int, first: int, n: int) -> Term:
    """Rows ``first`` to ``first`` + k of the n x n identity."""
    matrix = fmpz_mat(k, n)
    for i in range(k):
        matrix[i, i + first] = 1
    return Term("literal", data=Literal.from_integers(matrix, fmpz(1)))


def drift_at_most(drift: Term, d: Term, bound: Fraction) -> Term:
    return la.le(drift, la.scale(2, la.scale(la.number(bound), la.identity(d))))
