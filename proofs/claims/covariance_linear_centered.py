"""For centred Gaussians linear attention and softmax are the same dynamics."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import SOLUTION, A, F, Sigma, Sigma0, T, V, along, d, t
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.gaussian_velocity import linear_velocity, softmax_velocity, velocity
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
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
    tp,
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
FIELD = lam(t, lam(x, add(mul(at(LINEAR, t), x), ORIGIN)))


def field_of(variant: str) -> Term:
    """(t, x) -> Gamma_mu(x) of a variant for mu = N(0, Sigma(t))."""
    return lam(t, lam(x, velocity(variant, at(LAW, t), x)))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    stays = p.lemma(RANK.id, start, solution)
    now = at(Sigma, t)
    positive = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    positive_always = p.for_all(t, within(t, T), positive)

    # the affine lemma with B = V Sigma A and mean 0
    congruence = add(mul(at(LINEAR, t), now), mul(now, tp(at(LINEAR, t))))
    covariance = p.fact(
        "equal-velocities",
        p.part(p.fact("solution", solution), 0),
        p.for_all(t, within(t, T), p.algebra(at(F, now), congruence, positive)),
        Y=Sigma,
        G=along(F, Sigma),
        H=lam(t, congruence),
    )
    still = lam(t, ORIGIN)
    rest = add(mul(at(LINEAR, t), ORIGIN), ORIGIN)
    constant = p.differentiate(T, still)
    mean = p.fact(
        "equal-velocities",
        constant,
        p.generalise(t, p.discharge(within(t, T), p.algebra(ORIGIN, rest))),
        T=T,
        Y=still,
        G=p[constant].args[2],
        H=lam(t, rest),
    )
    transport = p.fact(
        "affine-transport", mean, covariance, positive_always, a=still, C=Sigma, B=LINEAR, c=still
    )
    velocities = {
        "softmax": softmax_velocity(p, ORIGIN, now, x, positive),
        "linear": linear_velocity(p, ORIGIN, now, x, positive),
    }
    solves = []
    for variant, formula in velocities.items():
        back = p.algebra(at(FIELD, t, x), p[formula].args[0], (formula, lambda h: scale(-1, h)))
        solves.append(
            p.fact(
                "equal-velocity-fields",
                transport,
                p.for_all(t, within(t, T), p.generalise(x, back)),
                mu=LAW,
                v=FIELD,
                w=field_of(variant),
            )
        )
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
