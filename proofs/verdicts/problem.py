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


def to_literal(matrix: Rows | Literal | Term) -> Term:
    """A literal; a term stays as it is."""
    if isinstance(matrix, Term):
        return matrix
    return Term("literal", data=matrix) if isinstance(matrix, Literal) else la.literal(matrix)


def to_data(matrix: Rows) -> Literal:
    """A rational matrix for exact arithmetic."""
    return Literal(len(matrix), len(matrix[0]), tuple(x for row in matrix for x in row))


def to_rows(matrix: Literal) -> Rows:
    width = matrix.columns
    return tuple(matrix.entries[i * width : (i + 1) * width] for i in range(matrix.rows))


@dataclass(frozen=True, kw_only=True)
class CovarianceProblem:
    """A covariance equation with exact parameters, and its start.

    An irrational scale s > 0 of the scores is a variable with the hypotheses s > 0 and
    s^2 = ``scale_squared``; a rational one is multiplied into the scores.

    Attributes:
        scale_squared: s^2, or None when s is rational.
        start: Sigma0, or None when every positive definite one is meant.
        mean: alpha0.
        biased: whether there are biases; they do not enter the covariance equation.
        stage: number of the layer in a stack, from 1, which names its T and Sigma.
    """

    scale_squared: Fraction | None
    start: Rows | Literal | Term | None
    mean: tuple[Fraction, ...]
    biased: bool
    stage: int | None = None

    @property
    def dimension(self) -> int:
        return len(self.mean)

    @property
    def matrices(self) -> Mapping[str, Term]:
        """What the matrices of the equation stand for."""
        raise TypeError("a covariance problem is about one head or several")

    @property
    def field(self) -> Term:
        """The right-hand side of the covariance equation."""
        raise TypeError("a covariance problem is about one head or several")

    def scaled(self, score: Rows) -> Term:
        """The term of a score matrix, with the irrational scale in front."""
        literal = to_literal(score)
        return literal if self.scale_squared is None else la.scale(SCALE, literal)

    @cached_property
    def terms(self) -> Mapping[str, Term]:
        """What d, Sigma0, T, Sigma and the matrices stand for."""
        d = size(self.dimension)
        start = la.mat("Sigma0", d, d) if self.start is None else to_literal(self.start)
        number = "" if self.stage is None else str(self.stage)
        return {
            "d": d,
            **self.matrices,
            "Sigma0": start,
            "T": variable(f"{T.data}{number}", T.args[0]),
            "Sigma": variable(f"{Sigma.data}{number}", substitute(Sigma.args[0], {"d": d})),
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


@dataclass(frozen=True, kw_only=True)
class Problem(CovarianceProblem):
    """The softmax covariance equation of one head.

    Attributes:
        V, score: d x d matrices; A = s * score.
    """

    start: Rows | None
    V: Rows
    score: Rows

    @classmethod
    def from_parameters(cls, parameters: Parameters) -> Problem:
        scale = parameters.scale
        return cls(
            V=parameters.value_matrix,
            score=times(scale, parameters.A_unscaled),
            scale_squared=parameters.scale_squared if scale is None else None,
            start=parameters.Sigma0,
            mean=parameters.alpha0,
            biased=parameters.has_bias,
        )

    @property
    def matrices(self) -> Mapping[str, Term]:
        return {"V": to_literal(self.V), "A": self.scaled(self.score)}

    @cached_property
    def field(self) -> Term:
        return covariance_field(self.terms["V"], self.terms["A"])


def times(factor: Fraction | None, matrix: Rows) -> Rows:
    """factor * matrix; None stands for 1."""
    if factor is None or factor == 1:
        return matrix
    return tuple(tuple(factor * x for x in row) for row in matrix)
