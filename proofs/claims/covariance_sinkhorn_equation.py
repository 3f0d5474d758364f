"""Sinkhorn attention: the covariance equation without roots of the covariance."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, V
from proofs.claims.sinkhorn_equation import (
    Z,
    linear_part,
    regular_roots,
    same_linear_part,
)
from proofs.claims.sinkhorn_roots import pull, shrinking
from proofs.kernel import Proof, Statement
from proofs.language import conj, eq, lam, mul, psd, smooth_at, tp
from proofs.printing.abbreviations import Definition

B = lam(Z, linear_part(V, A, Z))


def prove() -> Proof:
    p = Builder()
    positive = p.assume(psd(Z))
    same = same_linear_part(p, V, A, positive)
    regular = regular_roots(p, A, positive)
    everywhere = p.smooth_on_cone(B, lambda step: regular)
    p.conjunction(same, p.at(everywhere, Z, positive))
    return p.proof()


CLAIM = Claim(
    id="covariance.sinkhorn-equation",
    title="Sinkhorn attention: the linear part of the velocity is smooth in the covariance",
    source="new",
    statement=Statement(
        (psd(Z),),
        conj(eq(linear_part(V, A, Z), mul(V, pull(A, Z))), smooth_at(B, Z)),
    ),
    hypotheses=("Z positive semidefinite",),
    prove=prove,
    note="The right side is B of gaussian.sinkhorn. It contains the root of Z, which is not "
    "smooth at singular Z; on the left the roots are principal ones.",
    notation=(Definition("E", shrinking(A, Z, tp(A))),),
)
