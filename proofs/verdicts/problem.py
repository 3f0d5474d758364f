"""A user's parameters as kernel terms: the covariance equation with literal matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from numeric.parameters import Parameters
from proofs import language as la
from proofs.claims.covariance_equation import Sigma, T, covariance_field
from proofs.kernel import Statement
from proofs.terms import Literal, Term, size, substitute, variable

SCALE = la.real("scale")
Rows = tuple[tuple[Fraction, ...], ...]


def to_literal(rows: Rows) -> Term:
    return la.literal(rows)


def to_rows(matrix: Literal) -> Rows:
    width = matrix.columns
    return tuple(matrix.entries[i * width : (i + 1) * width] for i in range(matrix.rows))


@dataclass(frozen=True)
class Problem:
    """The softmax covariance equation of one head, with exact parameters.

    An irrational scale s > 0 of the scores is a variable with the hypotheses s > 0 and
    s^2 = ``scale_squared``; a rational one is multiplied into A.

    Attributes:
        V, score: d x d matrices; A = s * score.
        scale_squared: s^2, or None when s is rational and part of ``score``.
        start: Sigma0, or None when every positive definite one is meant.
        mean: alpha0.
        biased: whether the head has biases; they do not enter the covariance equation.
    """

    V: Rows
    score: Rows
    scale_squared: Fraction | None
    start: Rows | None
    mean: tuple[Fraction, ...]
    biased: bool

    @classmethod
    def from_parameters(cls, parameters: Parameters) -> Problem:
        scale = parameters.scale
        score = parameters.A_unscaled
        if scale is not None:
            score = tuple(tuple(scale * x for x in row) for row in score)
        return cls(
            parameters.value_matrix,
            score,
            parameters.scale_squared if scale is None else None,
            parameters.Sigma0,
            parameters.alpha0,
            parameters.has_bias,
        )

    @property
    def dimension(self) -> int:
        return len(self.V)

    @cached_property
    def terms(self) -> Mapping[str, Term]:
        """What d, V, A, Sigma0, T and Sigma stand for."""
        d = size(self.dimension)
        score = to_literal(self.score)
        start = la.mat("Sigma0", d, d) if self.start is None else to_literal(self.start)
        return {
            "d": d,
            "V": to_literal(self.V),
            "A": score if self.scale_squared is None else la.scale(SCALE, score),
            "Sigma0": start,
            "T": T,
            "Sigma": variable("Sigma", substitute(Sigma.args[0], {"d": d})),
        }

    @cached_property
    def scale_hypotheses(self) -> tuple[Term, ...]:
        if self.scale_squared is None:
            return ()
        return (
            la.pd(SCALE),
            la.eq(la.mul(SCALE, SCALE), la.number(self.scale_squared)),
        )

    @cached_property
    def field(self) -> Term:
        return covariance_field(self.terms["V"], self.terms["A"])

    @cached_property
    def solution(self) -> Term:
        """Sigma on [0, T) is the maximal solution from Sigma0."""
        terms = self.terms
        return la.maximal(terms["T"], terms["Sigma"], self.field, terms["Sigma0"])

    @cached_property
    def hypotheses(self) -> tuple[Term, ...]:
        """What every certificate about this problem assumes."""
        start = () if self.start is not None else (la.pd(self.terms["Sigma0"]),)
        return (*self.scale_hypotheses, *start, self.solution)

    def statement(self, conclusion: Term) -> Statement:
        return Statement(self.hypotheses, conclusion)
