"""Several softmax heads with biases keep Gaussian measures Gaussian."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.affine_flow import affine_flow, equation_of, preserved
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.gaussian_bias import (
    LAW,
    BiasedHead,
    alpha,
    covariance,
    k,
    mean,
    prove_velocity,
    velocity,
    x,
)
from proofs.claims.multihead_equation import H, V, Vh, h, heads_field
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    family,
    lam,
    maximal,
    mul,
    ode,
    psd,
    total,
    tp,
    within,
)
from proofs.terms import ONE, Term

Q, K = family("Q", H, k, d), family("K", H, k, d)
b_q, b_k, b_v = family("b_q", H, k, ONE), family("b_k", H, k, ONE), family("b_v", H, d, ONE)
Qh, Kh = at(Q, h), at(K, h)
HEAD = BiasedHead(Qh, Kh, Vh, at(b_q, h), at(b_k, h), at(b_v, h))
#: A_h = K_h^T Q_h
A = lam(h, mul(tp(Kh), Qh))
F = heads_field(V, A, Sigma0)
VELOCITY = velocity("multihead-softmax", BiasedHead(Q, K, V, b_q, b_k, b_v))
SOLUTION = maximal(T, Sigma, F, Sigma0)


def affine(point: Term) -> Term:
    """The sum over heads of V_h (alpha + Sigma K_h^T (Q_h x + b_q,h)) + b_v,h."""
    return total(h, HEAD.affine(point))


MEAN = ode(T, alpha, lam(t, affine(mean)))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    start, solution, mean_equation = p.assume(psd(Sigma0)), p.assume(SOLUTION), p.assume(MEAN)
    stays = p.lemma(RANK.id, start, solution, V=V, A=A, Sigma0=Sigma0, T=T, Sigma=Sigma)
    positive = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    families = p.extensionality(h, prove_velocity(p, positive, HEAD))
    formula = p.algebra(at(VELOCITY, t, x), affine(x), (families, lambda f: total(h, at(f, h))))
    tilt = mul(covariance, tp(Kh), HEAD.b_q)
    solves = affine_flow(
        p,
        equation=equation_of(p, solution),
        mean=mean_equation,
        linear=lam(t, total(h, mul(Vh, covariance, at(A, h)))),
        constant=lam(t, total(h, add(mul(Vh, add(mean, tilt)), HEAD.b_v))),
        positive=positive,
        formula=formula,
        velocity=VELOCITY,
    )
    p.conjunction(p.for_all(t, within(t, T), p.generalise(x, formula)), solves)
    return p.proof()


CLAIM = Claim(
    id="gaussian.multihead-bias",
    title="Several softmax heads with biases: Gaussians stay Gaussian",
    source="new",
    statement=Statement(
        (psd(Sigma0), SOLUTION, MEAN),
        preserved(LAW, VELOCITY, x, affine(x)),
    ),
    hypotheses=(
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation with A_h = K_h^T Q_h",
        "alpha solves the mean equation",
    ),
    prove=prove,
    note="An output bias of the layer is the value bias of a head with V_h = 0.",
)
