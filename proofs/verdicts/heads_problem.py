"""Several heads as kernel terms: families of literal matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from numeric.model import Model
from numeric.parameters import Parameters
from proofs.claims.multihead_equation import heads_field
from proofs.terms import Term, size
from proofs.verdicts.problem import CovarianceProblem, Problem, Rows, times, to_literal


@dataclass(frozen=True, kw_only=True)
class HeadFamilies(CovarianceProblem):
    """A covariance equation of several heads with one scale, which V_h and A_h determine.

    Attributes:
        values, scores: one d x d matrix for each head; A_h = s * scores[h].
    """

    start: Rows | None
    values: tuple[Rows, ...]
    scores: tuple[Rows, ...]

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """From one layer whose heads share their scale."""
        (layer,) = model.layers
        heads = [Parameters.from_model(model, head=i) for i in range(len(layer.heads))]
        first = heads[0]
        scale = first.scale
        return cls(
            values=tuple(head.value_matrix for head in heads),
            scores=tuple(times(scale, head.A_unscaled) for head in heads),
            scale_squared=first.scale_squared if scale is None else None,
            start=first.Sigma0,
            mean=first.alpha0,
            biased=model.has_bias,
        )

    @property
    def matrices(self) -> Mapping[str, Term]:
        return {
            "H": size(len(self.values)),
            "V": Term("family", tuple(to_literal(V) for V in self.values)),
            "A": Term("family", tuple(self.scaled(score) for score in self.scores)),
        }


@dataclass(frozen=True, kw_only=True)
class HeadsProblem(HeadFamilies):
    """The softmax covariance equation of several heads with one scale."""

    @cached_property
    def field(self) -> Term:
        return heads_field(self.terms["V"], self.terms["A"], self.terms["Sigma0"])

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
