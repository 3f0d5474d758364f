"""Several softmax heads keep Gaussian measures Gaussian."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.affine_flow import affine_flow, equation_of, preserved
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.gaussian_velocity import softmax_velocity, velocity
from proofs.claims.multihead_equation import SOLUTION, A, Ah, V, Vh, h
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    gaussian,
    lam,
    mul,
    ode,
    psd,
    time_to,
    total,
    vec,
    within,
)
from proofs.terms import ONE, Term

alpha, x = time_to("alpha", d, ONE), vec("x", d)
mean, covariance = at(alpha, t), at(Sigma, t)
LAW = lam(t, gaussian(mean, covariance))
VELOCITY = lam(t, lam(x, velocity("multihead-softmax", at(LAW, t), x, (V, A))))


def affine(point: Term) -> Term:
    """The sum over heads of V_h (alpha + Sigma A_h x)."""
    return total(h, mul(Vh, add(mean, mul(covariance, Ah, point))))


MEAN = ode(T, alpha, lam(t, affine(mean)))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    start, solution, mean_equation = p.assume(psd(Sigma0)), p.assume(SOLUTION), p.assume(MEAN)
    stays = p.lemma(RANK.id, start, solution)
    positive = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    head = softmax_velocity(p, mean, covariance, x, positive, (Vh, Ah))
    families = p.extensionality(h, head)
    formula = p.algebra(at(VELOCITY, t, x), affine(x), (families, lambda f: total(h, at(f, h))))
    solves = affine_flow(
        p,
        equation=equation_of(p, solution),
        mean=mean_equation,
        linear=lam(t, total(h, mul(Vh, covariance, Ah))),
        constant=lam(t, mul(total(h, Vh), mean)),
        positive=positive,
        formula=formula,
        velocity=VELOCITY,
    )
    p.conjunction(p.for_all(t, within(t, T), p.generalise(x, formula)), solves)
    return p.proof()


CLAIM = Claim(
    id="gaussian.multihead",
    title="Several softmax heads keep Gaussians Gaussian: the right-hand sides add up",
    source=PAPER_ID,
    statement=Statement(
        (psd(Sigma0), SOLUTION, MEAN),
        preserved(LAW, VELOCITY, x, affine(x)),
    ),
    hypotheses=(
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
        "alpha solves the mean equation",
    ),
    prove=prove,
)
