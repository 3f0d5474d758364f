"""Softmax attention that has an energy in its twisted metric: what that says of A and V."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.covariance_equation import A, t
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import B, kernel
from proofs.claims.two_tokens import LAW, POSITIVE_MASSES, Attention, Exact, X, k
from proofs.kernel import Proof
from proofs.language import at, mul, pd, tp

PLACE = at(X, k, t)
ATTENTION = Attention(
    kernel,
    lambda own, other, direction: mul(tp(mul(A, own)), direction),
    velocity("softmax", LAW, PLACE).args[0].args[0],
    velocity("softmax", LAW, PLACE),
)


def prove() -> Proof:
    p = Builder()
    metric = p.assume(pd(B))
    structure, masses = p.assume(ATTENTION.structure), p.assume(POSITIVE_MASSES)
    agree = Exact(p, ATTENTION, structure, masses).agreement()
    return p.proof()
