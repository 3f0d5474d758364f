"""The covariance equation of heads that are kept as products, as kernel terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from proofs.claims.covariance_equation import covariance_field
from proofs.claims.multihead_equation import heads_field
from proofs.terms import Term, size
from proofs.verdicts.factored.head import FactoredHead
from proofs.verdicts.problem import CovarianceProblem


@dataclass(frozen=True, kw_only=True)
class FactoredProblem(CovarianceProblem):
    """The softmax covariance equation of one head, or of several with one scale."""

    heads: tuple[FactoredHead, ...]

    @property
    def matrices(self) -> Mapping[str, Term]:
        if len(self.heads) == 1:
            (head,) = self.heads
            return {"V": head.value_term, "A": head.score_term}
        return {
            "H": size(len(self.heads)),
            "V": Term("family", tuple(head.value_term for head in self.heads)),
            "A": Term("family", tuple(head.score_term for head in self.heads)),
        }

    @cached_property
    def field(self) -> Term:
        terms = self.terms
        if len(self.heads) == 1:
            return covariance_field(terms["V"], terms["A"])
        return heads_field(terms["V"], terms["A"], terms["Sigma0"])
