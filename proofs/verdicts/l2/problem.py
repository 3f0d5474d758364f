"""L2 heads as kernel terms: families of literal matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from numeric.model import Model
from numeric.parameters import Parameters
from proofs import language as la
from proofs.claims.l2_equation import l2_field
from proofs.terms import Term, size
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import SCALE, CovarianceProblem, Problem, Rows, times, to_literal


@dataclass(frozen=True, kw_only=True)
class L2Problem(CovarianceProblem):
    """The covariance equation of L2 heads with one scale, which multiplies the queries.

    Attributes:
        values: one d x d matrix for each head.
        queries, keys: one k x d matrix for each head; Q_h = s * queries[h].
    """

    start: Rows | None
    values: tuple[Rows, ...]
    queries: tuple[Rows, ...]
    keys: tuple[Rows, ...]

    @classmethod
    def from_model(cls, model: Model) -> L2Problem:
        """From one layer whose heads share their scale and their k."""
        (layer,) = model.layers
        heads = [Parameters.from_model(model, head=i) for i in range(len(layer.heads))]
        first = heads[0]
        return cls(
            values=tuple(head.value_matrix for head in heads),
            queries=tuple(times(first.scale, head.Q) for head in heads if head.Q is not None),
            keys=tuple(head.K for head in heads if head.K is not None),
            scale_squared=first.scale_squared if first.scale is None else None,
            start=first.Sigma0,
            mean=first.alpha0,
            biased=model.has_bias,
        )

    def query(self, i: int) -> Term:
        """Q of head i, with an irrational scale in front."""
        literal = to_literal(self.queries[i])
        return literal if self.scale_squared is None else la.scale(SCALE, literal)

    @property
    def matrices(self) -> Mapping[str, Term]:
        count = range(len(self.values))
        return {
            "H": size(len(self.values)),
            "k": size(len(self.keys[0])),
            "V": Term("family", tuple(to_literal(V) for V in self.values)),
            "Q": Term("family", tuple(self.query(i) for i in count)),
            "K": Term("family", tuple(to_literal(K) for K in self.keys)),
        }

    @cached_property
    def field(self) -> Term:
        return l2_field(self.terms["Q"], self.terms["K"], self.terms["V"])

    def softmax(self, scores: Sequence[Rows]) -> Problem | HeadsProblem:
        """Softmax heads with the same values and start; A_h = s * scores[h]."""
        heads = HeadsProblem(
            values=self.values,
            scores=tuple(scores),
            scale_squared=self.scale_squared,
            start=self.start,
            mean=self.mean,
            biased=self.biased,
        )
        return heads if len(heads.scores) > 1 else heads.single(self.values[0], heads.scores[0])
