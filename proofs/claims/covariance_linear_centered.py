"""For centred Gaussians linear attention and softmax are the same dynamics."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.claims.affine_flow import affine_flow, equation_of
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import SOLUTION, A, Sigma, Sigma0, T, V, d, t
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.gaussian_velocity import linear_velocity, softmax_velocity, velocity
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    conj,
    continuity,
    eq,
    forall,
    gaussian,
    implies,
    lam,
    mul,
    psd,
    scale,
    vec,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

x = vec("x", d)
ORIGIN = zero(d, ONE)
LAW = lam(t, gaussian(ORIGIN, at(Sigma, t)))
LINEAR = lam(t, mul(V, at(Sigma, t), A))


def field_of(variant: str) -> Term:
    """(t, x) -> Gamma_mu(x) of a variant for mu = N(0, Sigma(t))."""
    return lam(t, lam(x, velocity(variant, at(LAW, t), x)))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    stays = p.lemma(RANK.id, start, solution)
    now = at(Sigma, t)
    positive = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    equation = equation_of(p, solution)
    still = lam(t, ORIGIN)
    mean = p.differentiate(T, still)
    velocities = {
        "softmax": softmax_velocity(p, ORIGIN, now, x, positive),
        "linear": linear_velocity(p, ORIGIN, now, x, positive),
    }
    solves = [
        affine_flow(
            p,
            equation=equation,
            mean=mean,
            linear=LINEAR,
            constant=still,
            positive=positive,
            formula=formula,
            velocity=field_of(variant),
        )
        for variant, formula in velocities.items()
    ]
    same = p.algebra(
        at(field_of("softmax"), t, x),
        at(field_of("linear"), t, x),
        (velocities["softmax"], itself),
        (velocities["linear"], lambda h: scale(-1, h)),
    )
    p.conjunction(p.for_all(t, within(t, T), p.generalise(x, same)), *solves)
    return p.proof()


CLAIM = Claim(
    id="covariance.linear-centered",
    title="Centred Gaussians: linear attention and softmax have the same covariance equation",
    source="new",
    statement=Statement(
        (psd(Sigma0), SOLUTION),
        conj(
            forall(
                t,
                implies(
                    within(t, T),
                    forall(x, eq(at(field_of("softmax"), t, x), at(field_of("linear"), t, x))),
                ),
            ),
            continuity(T, LAW, field_of("softmax")),
            continuity(T, LAW, field_of("linear")),
        ),
    ),
    hypotheses=("Sigma0 positive semidefinite", "Sigma solves the covariance equation"),
    prove=prove,
    notation=(
        Definition("mu", LAW),
        Definition("Gamma1", field_of("softmax")),
        Definition("Gamma2", field_of("linear")),
    ),
)
