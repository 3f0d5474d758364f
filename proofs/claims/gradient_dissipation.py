"""Along softmax attention the energy changes in one direction, at the rate of the metric."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import HYPOTHESIS_NAMES, ON_MATRICES, B, x
from proofs.claims.gradient_softmax import CLAIM as GRADIENT
from proofs.claims.gradient_softmax import MASS, SHOWN, Z
from proofs.claims.growth import throughout
from proofs.claims.particles import LAW, POSITIVE_MASSES, X, i, mi
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    conj,
    forall,
    lam,
    mul,
    ode,
    on_lifetime,
    psd,
    scale,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition

GAMMA = SHOWN.velocity
SOLUTION = forall(i, ode(T, at(X, i), lam(t, GAMMA)))
#: m_i Z_i <B Gamma_i, Gamma_i>
SHARE = scale(mul(mi, MASS), mul(tp(GAMMA), B, GAMMA))
RATE = total(i, SHARE)


def prove() -> Proof:
    p = Builder({GRADIENT.id: GRADIENT.lemma()})
    matrices = [p.assume(h) for h in ON_MATRICES]
    masses, solution = p.assume(POSITIVE_MASSES), p.assume(SOLUTION)
    found = p.lemma(GRADIENT.id, *matrices, masses, solution, U=lam(i, lam(t, GAMMA)))
    inside = p.assume(within(t, T))
    metric = p.fact("positive-definite", p.specialise(p.at(p.part(found, 0), t, inside), i))
    share = p.positive(SHARE, Summand(GAMMA, core=metric))
    rate = p.fact("sum-nonnegative", p.generalise(i, share), f=lam(i, SHARE))
    p.conjunction(p.part(found, 1), throughout(p, T, rate))
    return p.proof()


CLAIM = Claim(
    id="gradient.dissipation",
    title="The energy of softmax attention changes in one direction, at the rate of the metric",
    source=PAPER_ID,
    statement=Statement(
        (*ON_MATRICES, POSITIVE_MASSES, SOLUTION),
        conj(
            ode(T, lam(t, SHOWN.scaled_energy), lam(t, RATE)),
            on_lifetime(T, lambda t: psd(RATE)),
        ),
    ),
    hypotheses=(*HYPOTHESIS_NAMES[:4], "X moves with softmax attention"),
    prove=prove,
    note="For c = -1 the energy falls, for c = 1 it grows, as long as some velocity is not 0.",
    notation=(
        Definition("mu", lam(t, LAW)),
        Definition("Gamma", lam(t, lam(x, velocity("softmax", LAW, x)))),
        Z,
    ),
)
