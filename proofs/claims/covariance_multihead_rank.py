"""Several heads: the covariance stays positive semidefinite and keeps its rank."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma0
from proofs.claims.covariance_rank import CONSTANT_RANK, Z, constant_rank
from proofs.claims.multihead_equation import SOLUTION, Ah, Vh, h
from proofs.kernel import Proof, Statement
from proofs.language import lam, mul, psd, total


def prove() -> Proof:
    p = Builder()
    linear = lam(Z, total(h, mul(Vh, Z, Ah)))
    constant_rank(p, p.assume(psd(Sigma0)), p.assume(SOLUTION), linear)
    return p.proof()


CLAIM = Claim(
    id="covariance.multihead-rank",
    title="Several heads: the covariance stays positive semidefinite and its rank is constant",
    source="affine lemma",
    statement=Statement((psd(Sigma0), SOLUTION), CONSTANT_RANK),
    hypotheses=("Sigma0 positive semidefinite", "Sigma solves the multi-head covariance equation"),
    prove=prove,
)
