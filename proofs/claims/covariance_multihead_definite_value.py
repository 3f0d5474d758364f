"""Several heads with P V_h >= 0 and A_h + A_h^T <= 0: global and bounded."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_definite_value import at_limit_points
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.dissipation import Decay, Dissipative, P, Z, trace_bound
from proofs.claims.multihead_equation import SOLUTION, Ah, F, Vh, h
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    forall,
    lam,
    limit_point,
    minus,
    mul,
    number,
    pd,
    psd,
    scale,
    total,
    tp,
    tr,
    zero,
)

VALUES = forall(h, psd(mul(P, Vh)))
SCORES = forall(h, psd(scale(-1, add(Ah, tp(Ah)))))
ANNIHILATED = forall(h, eq(mul(add(Ah, tp(Ah)), Z, tp(Vh)), zero(d, d)))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    metric = p.assume(pd(P))
    value, negative = p.specialise(p.assume(VALUES), h), p.specialise(p.assume(SCORES), h)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    head = Dissipative(Vh, Ah, metric, value, negative)
    traces = lam(h, tr(head.form()))
    powers = minus(number(0), tr(mul(P, at(F, Z))))

    def summed(positive: int) -> tuple[int, int, int]:
        """form_h(Z) >= 0, tr form_h(Z) >= 0 for all h, and their sum is -tr(P F(Z))."""
        nonnegative, trace = head.decay(p, positive)
        each = p.generalise(h, p.fact("trace-nonnegative", nonnegative))
        families = p.extensionality(h, trace)
        whole = p.algebra(total(h, at(traces, h)), powers, (families, lambda f: total(h, at(f, h))))
        return nonnegative, each, whole

    _, each, whole = summed(p.assume(psd(Z)))
    decreasing = p.replace(whole, p.fact("sum-nonnegative", each, f=traces), psd)
    everywhere = p.for_all(Z, psd(Z), decreasing)
    stays = p.lemma(RANK.id, start, solution)
    decay = Decay.of(p, solution, stays, metric, everywhere)

    inside, no_power = decay.at_limit(p)
    nonnegative, each, whole = summed(inside)
    none = p.algebra(
        total(h, at(traces, h)), number(0), (whole, itself), (no_power, lambda f: scale(-1, f))
    )
    no_trace = p.specialise(p.fact("sum-of-nonnegative-zero", each, none, f=traces), h)
    annihilated = p.generalise(h, head.annihilated(p, nonnegative, no_trace))
    limits = p.for_all(Z, limit_point(Sigma, Z), p.conjunction(inside, annihilated))
    p.conjunction(decay.endless, decay.bound, limits)
    return p.proof()


CLAIM = Claim(
    id="covariance.multihead-definite-value",
    title="Several heads, P V_h >= 0 and A_h + A_h^T <= 0: global, bounded, constrained limits",
    source="new",
    statement=Statement(
        (pd(P), VALUES, SCORES, psd(Sigma0), SOLUTION),
        conj(eq(T, INFINITY), trace_bound(T), at_limit_points(conj(psd(Z), ANNIHILATED))),
    ),
    hypotheses=(
        "P positive definite",
        "P V_h symmetric positive semidefinite for every head",
        "A_h + A_h^T negative semidefinite for every head",
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
    ),
    prove=prove,
    note="P = I: for V_h = V_h^T >= 0 the trace of Sigma never grows.",
)
