"""Sinkhorn attention: the covariance stays positive semidefinite and keeps its rank."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma0
from proofs.claims.covariance_rank import CONSTANT_RANK, constant_rank
from proofs.claims.sinkhorn_equation import LINEAR, SOLUTION, regular_heads
from proofs.kernel import Proof, Statement
from proofs.language import psd


def prove() -> Proof:
    p = Builder()
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    constant_rank(p, start, solution, LINEAR, lambda positive: regular_heads(p, positive))
    return p.proof()


CLAIM = Claim(
    id="covariance.sinkhorn-rank",
    title="Sinkhorn attention: the covariance stays positive semidefinite, its rank is constant",
    source="affine lemma",
    statement=Statement((psd(Sigma0), SOLUTION), CONSTANT_RANK),
    hypotheses=("Sigma0 positive semidefinite", "Sigma solves the Sinkhorn covariance equation"),
    prove=prove,
    note="The equation in a form that is smooth at singular covariances, for any number of heads; "
    "covariance.sinkhorn-equation shows that it is the one of gaussian.sinkhorn.",
)
