"""A linear function tr(P Sigma) that never grows: global and bounded for every start."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_definite_value import at_limit_points
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.dissipation import Decay, trace_bound
from proofs.claims.lyapunov_functions import P, Z, on_cone, velocity
from proofs.claims.multihead_equation import SOLUTION, F
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    conj,
    eq,
    forall,
    identity,
    implies,
    le,
    limit,
    limit_point,
    minus,
    mul,
    number,
    pd,
    psd,
    real,
    scale,
    tp,
    tr,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE

e = real("e")
UNIT = identity(ONE)
SQUARE = tr(mul(Z, Z))
NOT_GROWING = on_cone(le(velocity(Z), number(0)))
#: tr(P F(Z)) <= -e tr(Z^2) with e > 0
FALLING = conj(pd(e), on_cone(le(velocity(Z), scale(-1, mul(e, SQUARE)))))


def vanishing(p: Builder, decay: Decay) -> int:
    """For every e: FALLING implies that Sigma(t) converges to 0."""
    falling = p.assume(FALLING)
    inside, still = decay.at_limit(p)
    definite = p.fact("definite-inverse", p.part(falling, 0))
    positive, cancel = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 1)
    fall = p.at(p.part(falling, 1), Z, inside)
    not_positive = p.positive(
        minus(number(0), SQUARE),
        Summand(UNIT, core=fall, scalars=(positive,)),
        by=[
            (still, lambda h: mul(p[positive].args[0], h)),
            (cancel, lambda h: mul(h, SQUARE)),
        ],
    )
    form = mul(Z, identity(d), Z)
    square = p.positive(form, Summand(Z), by=[inside])
    same = p.algebra(tr(form), SQUARE)
    not_negative = p.positive(
        minus(SQUARE, number(0)),
        Summand(UNIT, core=p.fact("trace-nonnegative", square)),
        by=[(same, itself)],
    )
    none = p.fact("antisymmetry", not_positive, not_negative, a=SQUARE, b=number(0))
    traceless = p.algebra(tr(form), number(0), (same, itself), (none, itself))
    no_form = p.fact("zero-trace", square, traceless)
    one = p.positive(identity(d), Summand(identity(d)))
    no_gram = p.algebra(mul(tp(Z), identity(d), Z), zero(d, d), (no_form, itself), inside)
    killed = p.fact("zero-form", one, no_gram, M=identity(d), Z=Z)
    is_zero = p.algebra(Z, zero(d, d), (killed, itself))
    bounded = p.replace(decay.endless, decay.bound, trace_bound)
    converges = p.fact(
        "only-limit-point",
        decay.positive,
        p.assume(pd(P)),
        bounded,
        p.for_all(Z, limit_point(Sigma, Z), is_zero),
        X=Sigma,
        L=zero(d, d),
        b=tr(mul(P, Sigma0)),
    )
    return p.generalise(e, p.discharge(FALLING, converges))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    metric, everywhere = p.assume(pd(P)), p.assume(NOT_GROWING)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    stays = p.lemma(RANK.id, start, solution)
    decay = Decay.of(p, solution, stays, metric, everywhere)
    inside, still = decay.at_limit(p)
    limits = p.for_all(Z, limit_point(Sigma, Z), p.conjunction(inside, still))
    p.conjunction(decay.endless, decay.bound, limits, vanishing(p, decay))
    return p.proof()


CLAIM = Claim(
    id="covariance.lyapunov",
    title="tr(P Sigma) never grows: global and bounded; to 0 if it always falls",
    source="new",
    statement=Statement(
        (pd(P), NOT_GROWING, psd(Sigma0), SOLUTION),
        conj(
            eq(T, INFINITY),
            trace_bound(T),
            at_limit_points(conj(psd(Z), eq(velocity(Z), number(0)))),
            forall(e, implies(FALLING, limit(Sigma, zero(d, d)))),
        ),
    ),
    hypotheses=(
        "P positive definite",
        "tr(P F(Z)) <= 0 for every Z >= 0",
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
    ),
    prove=prove,
    note="P is searched for by semidefinite programming, see verify; one head is H = 1.",
    notation=(Definition("F", F),),
)
