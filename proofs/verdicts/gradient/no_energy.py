"""Variants whose velocity has no energy at all, by claims on two tokens, unless V = 0.

A claim assumes that E is an energy of two tokens and concludes that V vanishes; for a literal V
that does not, its assumptions do not all hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numeric.model import Model
from numeric.parameters import Parameters
from proofs import language as la
from proofs.builder import Builder
from proofs.checkers import rational
from proofs.claims.base import Claim
from proofs.kernel import Proof, Statement
from proofs.terms import Literal, Term, size, substitute
from proofs.verdicts.gradient.problem import GradientProblem, is_biased
from proofs.verdicts.problem import to_data
from proofs.verdicts.subject import MAX_MULTIPLIED


@dataclass(frozen=True)
class TwoTokens:
    """One head without biases: softmax with a causal mask, or l2 with scale Q = K.

    Attributes:
        variant: softmax or l2.
        V: its value matrix.
        keys: K, for l2.
        scores: A, or A / s for an irrational scale s, for softmax.
        scale_squared: s^2 when s is irrational.
    """

    variant: str
    V: Literal
    keys: Literal | None = None
    scores: Literal | None = None
    scale_squared: Fraction | None = None

    @classmethod
    def of(cls, model: Model) -> TwoTokens | None:
        """The head of a model; None for other models, and where V = 0 or K = 0.

        Also None where a mask does nothing, as there is one position.
        """
        masked = model.mask is not None
        if model.positions is not None and len(model.positions) < 2:
            return None
        if model.variant != ("softmax" if masked else "l2") or len(model.layers) > 1:
            return None
        if len(model.layers[0].heads) > 1 or model.dimension > MAX_MULTIPLIED or is_biased(model):
            return None
        head = Parameters.from_model(model)
        value = to_data(head.value_matrix)
        if rational.is_zero(value):
            return None
        if masked:
            scores = rational.scaled(to_data(head.A_unscaled), head.scale or Fraction(1))
            square = None if head.scale is not None else head.scale_squared
            return cls("softmax", value, scores=scores, scale_squared=square)
        assert head.Q is not None
        assert head.K is not None
        keys = to_data(head.K)
        tied = head.scale is not None and rational.scaled(to_data(head.Q), head.scale) == keys
        return cls("l2", value, keys) if tied and not rational.is_zero(keys) else None

    @property
    def matrices(self) -> tuple[Term, ...]:
        """What V, and A or Q, are."""
        d = size(self.V.rows)
        if self.scores is not None:
            return GradientProblem(
                "softmax", (self.V,), (self.scores,), self.scale_squared
            ).matrices
        assert self.keys is not None
        Q = la.mat("Q", size(self.keys.rows), d)
        return la.eq(la.mat("V", d, d), _term(self.V)), la.eq(Q, _term(self.keys))


def refuted_energy(problem: TwoTokens, claim: Claim) -> tuple[Statement, Proof]:
    """That the assumptions of the claim do not all hold, whatever E and B are."""
    p = Builder({claim.id: claim.lemma()})
    values = {"d": size(problem.V.rows)}
    if problem.keys is not None:
        values["k"] = size(problem.keys.rows)
    body = la.conj(*(substitute(h, values) for h in claim.statement.hypotheses))
    held = p.assume(body)
    parts = [p.part(held, place) for place in range(len(body.args))]
    letters = claim.statement.variables()
    instance = {name: substitute(letter, values) for name, letter in letters.items()}
    vanishing = p.lemma(claim.id, *parts, **{**instance, **values})
    value = p.assume(problem.matrices[-2])
    if problem.keys is not None:
        vanishing = _where_seen(p, vanishing, p.assume(problem.matrices[-1]), problem.keys)
    (i, j), d = _place(problem.V), problem.V.rows
    column, row = _unit(d, j), la.tp(_unit(d, i))
    gone = p.specialise(vanishing, column)
    entry = la.number(problem.V[i, j])
    equal = p.algebra(
        entry,
        la.number(0),
        (value, lambda h: la.scale(-1, la.mul(row, h, column))),
        (gone, lambda h: la.mul(row, h)),
    )
    last = p.contradiction(body, equal, p.unequal(entry, la.number(0)))
    return Statement(problem.matrices, p[last]), p.proof(last)


def _where_seen(p: Builder, vanishing: int, stated: int, keys: Literal) -> int:
    """For all y, V y = 0, from: for all z with Q z not 0."""
    i, j = _place(keys)
    z, row = _unit(keys.columns, j), la.tp(_unit(keys.rows, i))
    Q = p[stated].args[0]
    nothing = la.eq(la.mul(Q, z), la.zero(size(keys.rows), size(1)))
    held, entry = p.assume(nothing), la.number(keys[i, j])
    equal = p.algebra(
        entry,
        la.number(0),
        (stated, lambda h: la.scale(-1, la.mul(row, h, z))),
        (held, lambda h: la.mul(row, h)),
    )
    seen = p.contradiction(nothing, equal, p.unequal(entry, la.number(0)))
    return p.at(vanishing, z, seen)


def _place(matrix: Literal) -> tuple[int, int]:
    """Row and column of an entry that is not 0."""
    return divmod(next(k for k, x in enumerate(matrix.entries) if x), matrix.columns)


def _unit(length: int, place: int) -> Term:
    return _term(Literal(length, 1, tuple(Fraction(i == place) for i in range(length))))


def _term(matrix: Literal) -> Term:
    return Term("literal", data=matrix)
