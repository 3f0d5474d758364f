"""L2 attention: the covariance stays positive semidefinite and keeps its rank."""

from __future__ import annotations

from functools import partial

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma0
from proofs.claims.covariance_rank import CONSTANT_RANK, Z, constant_rank
from proofs.claims.l2_equation import SOLUTION, Kh, Qh, Vh, h, linear_part, regular
from proofs.kernel import Proof, Statement
from proofs.language import lam, psd, total


def prove() -> Proof:
    p = Builder()
    linear = lam(Z, total(h, linear_part(Qh, Kh, Vh, Z)))
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    constant_rank(p, start, solution, linear, partial(regular, p))
    return p.proof()


CLAIM = Claim(
    id="covariance.l2-rank",
    title="L2 attention: the covariance stays positive semidefinite and its rank is constant",
    source="affine lemma",
    statement=Statement((psd(Sigma0), SOLUTION), CONSTANT_RANK),
    hypotheses=("Sigma0 positive semidefinite", "Sigma solves the L2 covariance equation"),
    prove=prove,
    note="For any number of heads, and any sizes of Q and K.",
)
