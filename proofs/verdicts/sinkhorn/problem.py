"""The covariance equation of Sinkhorn heads as a kernel term."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from proofs.claims.sinkhorn_equation import sinkhorn_field
from proofs.terms import Term
from proofs.verdicts.heads_problem import HeadFamilies


@dataclass(frozen=True, kw_only=True)
class SinkhornProblem(HeadFamilies):
    """The covariance equation of Sinkhorn heads with one scale."""

    @cached_property
    def field(self) -> Term:
        return sinkhorn_field(self.terms["V"], self.terms["A"], self.terms["Sigma0"])
