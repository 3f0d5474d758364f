"""Heads of attention as kernel terms, for the question whether they are a gradient flow.

Weighted particles X_i move with any velocities U_i, and Gamma_i is the velocity that attention
would give them: V, A and Gamma are letters, and hypotheses say what they stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from numeric.exact import square_root
from numeric.model import Model
from numeric.parameters import Parameters
from proofs import language as la
from proofs.checkers import rational
from proofs.claims.covariance_equation import t
from proofs.claims.particles import LAW, MOTION, POSITIVE_MASSES, Xi, i, n
from proofs.terms import ONE, Literal, Term, size, substitute
from proofs.verdicts.gradient.potential import POTENTIAL
from proofs.verdicts.gradient.velocities import CANCELLING_BIASES, VELOCITIES
from proofs.verdicts.problem import SCALE, to_data
from proofs.verdicts.subject import MAX_MULTIPLIED


@dataclass(frozen=True)
class Pair:
    """A value matrix and a score matrix that one metric has to relate: terms and exact values.

    The score is ``scores`` times the scale when that is irrational.
    """

    V: Term
    A: Term
    values: Literal
    scores: Literal


@dataclass(frozen=True)
class GradientProblem:
    """Heads of one variant, without biases.

    Attributes:
        variant: one of those in ``VELOCITIES``.
        values, scores: one d x d matrix for each head; A_h = s * scores[h].
        scale_squared: s^2 when s is irrational, otherwise None, and s is 1.
    """

    variant: str
    values: tuple[Literal, ...]
    scores: tuple[Literal, ...]
    scale_squared: Fraction | None = None

    @classmethod
    def of(cls, model: Model) -> GradientProblem | None:
        """The heads of a model of one layer; None for models that are not like that.

        These have a mask, several layers, another variant, biases that do not cancel, d above
        ``MAX_MULTIPLIED``, or heads whose scales have no rational ratio.
        """
        layer, *others = model.layers
        if model.mask is not None or others or model.variant not in VELOCITIES:
            return None
        if model.dimension > MAX_MULTIPLIED or is_biased(model):
            return None
        square = next((h.scale_squared for h in layer.heads if h.scale is None), None)
        factors = [square_root(head.scale_squared / (square or 1)) for head in layer.heads]
        heads = [Parameters.from_model(model, head=place) for place in range(len(factors))]
        scores = []
        for head, factor in zip(heads, factors, strict=True):
            matrix = to_data(head.A_unscaled)
            if factor is None and not rational.is_zero(matrix):
                return None
            scores.append(rational.scaled(matrix, factor or Fraction(0)))
        values = tuple(to_data(head.value_matrix) for head in heads)
        return cls(model.variant, values, tuple(scores), square)

    @property
    def dimension(self) -> int:
        return self.values[0].rows

    @cached_property
    def letters(self) -> tuple[tuple[Term, Term], ...]:
        """V_h and A_h; V and A for one head."""
        d, count = size(self.dimension), len(self.values)
        numbers = [""] if count == 1 else [str(h) for h in range(count)]
        return tuple((la.mat(f"V{h}", d, d), la.mat(f"A{h}", d, d)) for h in numbers)

    @cached_property
    def pairs(self) -> tuple[Pair, ...] | None:
        """What one metric has to relate; None for softmax heads with different scores.

        Softmax heads with equal scores are one head with the sum of their values; the energies of
        heads without a denominator add up.
        """
        every = zip(self.letters, self.values, self.scores, strict=True)
        pairs = tuple(Pair(V, A, values, scores) for (V, A), values, scores in every)
        if self.variant != "softmax" or len(pairs) == 1:
            return pairs
        if len(set(self.scores)) > 1:
            return None
        total = self.values[0]
        for values in self.values[1:]:
            total = rational.total(total, values)
        return (Pair(la.add(*(pair.V for pair in pairs)), pairs[0].A, total, self.scores[0]),)

    def scaled(self, scores: Literal) -> Term:
        """The term of a score matrix, with the irrational scale in front."""
        literal = Term("literal", data=scores)
        return literal if self.scale_squared is None else la.scale(SCALE, literal)

    @cached_property
    def matrices(self) -> tuple[Term, ...]:
        """The scale, when it is irrational, and what V_h and A_h are."""
        stated: list[Term] = []
        if self.scale_squared is not None:
            square = la.number(self.scale_squared)
            stated += [la.pd(SCALE), la.eq(la.mul(SCALE, SCALE), square)]
        for (V, A), values, scores in zip(self.letters, self.values, self.scores, strict=True):
            stated += [la.eq(V, Term("literal", data=values)), la.eq(A, self.scaled(scores))]
        return tuple(stated)

    @cached_property
    def gamma(self) -> Term:
        """The letter for the velocities of attention, i -> t -> Gamma_i(t)."""
        return la.curves("Gamma", n, size(self.dimension), ONE)

    def at_size(self, term: Term) -> Term:
        """A term on particles, at the dimension d of the heads."""
        return substitute(term, {"d": size(self.dimension)})

    @cached_property
    def velocities(self) -> tuple[Term, ...]:
        """What each head gives the particle i at the time t."""
        law, point = self.at_size(LAW), self.at_size(Xi)
        one = VELOCITIES[self.variant]
        return tuple(one(V, A, law, point) for V, A in self.letters)

    @cached_property
    def velocity(self) -> Term:
        """The sum of the velocities."""
        return self.velocities[0] if len(self.velocities) == 1 else la.add(*self.velocities)

    @cached_property
    def particles(self) -> tuple[Term, ...]:
        """The masses are positive, U are the velocities of X, Gamma those of attention.

        For Sinkhorn attention of one head, also that its potential is regular.
        """
        velocities = la.lam(i, la.lam(t, self.velocity))
        motion: tuple[Term, ...] = (POSITIVE_MASSES, MOTION)
        if self.variant == "sinkhorn" and len(self.letters) == 1:
            motion += POTENTIAL
        named = {"A": self.letters[0][1]}
        stated = (self.at_size(substitute(part, named)) for part in motion)
        return (*stated, la.eq(self.gamma, velocities))

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        """What a certificate on motions of particles assumes."""
        return (*self.matrices, *self.particles)

    def conditions(self, metric: Term, sign: int) -> tuple[Term, ...]:
        """A_h symmetric, B > 0 and B V_h = c A_h, c = 1 or -1."""
        pairs = self.pairs or ()
        images = (pair.A if sign == 1 else la.scale(sign, pair.A) for pair in pairs)
        return (
            *(la.symmetric(pair.A) for pair in pairs),
            la.pd(metric),
            *(la.eq(la.mul(metric, p.V), image) for p, image in zip(pairs, images, strict=True)),
        )


def is_biased(model: Model) -> bool:
    """Whether some layer has a bias that changes the velocity."""
    names = {"b_q", "b_k", "b_v"} - CANCELLING_BIASES.get(model.variant, frozenset())
    biases = (
        bias
        for layer in model.layers
        for bias in (layer.output_bias, *(getattr(h, name) for h in layer.heads for name in names))
    )
    return any(any(bias or ()) for bias in biases)
