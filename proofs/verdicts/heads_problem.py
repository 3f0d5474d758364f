"""Several softmax heads as kernel terms: families of literal matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from proofs.claims.multihead_equation import heads_field
from proofs.terms import Term, size
from proofs.verdicts.problem import CovarianceProblem, Problem, Rows, to_literal


@dataclass(frozen=True, kw_only=True)
class HeadsProblem(CovarianceProblem):
    """The softmax covariance equation of several heads with one scale.

    Attributes:
        values, scores: one d x d matrix for each head; A_h = s * scores[h].
    """

    values: tuple[Rows, ...]
    scores: tuple[Rows, ...]

    @property
    def matrices(self) -> Mapping[str, Term]:
        return {
            "H": size(len(self.values)),
            "V": Term("family", tuple(to_literal(V) for V in self.values)),
            "A": Term("family", tuple(self.scaled(score) for score in self.scores)),
        }

    @cached_property
    def field(self) -> Term:
        return heads_field(self.terms["V"], self.terms["A"], self.terms["Sigma0"])

    def head(self, index: int) -> Problem:
        """One head by itself, counted from 0."""
        return self.single(self.values[index], self.scores[index])

    def single(self, value: Rows, score: Rows) -> Problem:
        """One head with other matrices and the same start."""
        return Problem(
            V=value,
            score=score,
            scale_squared=self.scale_squared,
            start=self.start,
            mean=self.mean,
            biased=self.biased,
        )
