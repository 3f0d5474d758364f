"""A positive symmetrisable value matrix and A + A^T <= 0: global, bounded, limits of low rank."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import (
    SOLUTION,
    A,
    Sigma,
    Sigma0,
    T,
    V,
    d,
)
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.dissipation import Decay, Dissipative, P, Z, trace_bound
from proofs.claims.ranks import rank_in_kernel
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    conj,
    dimension,
    eq,
    forall,
    implies,
    inv,
    invertible,
    le,
    limit,
    limit_point,
    minus,
    mul,
    number,
    pd,
    psd,
    rank,
    scale,
    tp,
    tr,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

N = mul(P, V)
H = add(A, tp(A))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    metric, value = p.assume(pd(P)), p.assume(psd(N))
    negative = p.assume(psd(scale(-1, H)))
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    head = Dissipative(V, A, metric, value, negative)

    # tr(P F(Z)) <= 0 for every Z >= 0
    nonnegative, trace = head.decay(p, p.assume(psd(Z)))
    decreasing = p.replace(trace, p.fact("trace-nonnegative", nonnegative), psd)
    everywhere = p.for_all(Z, psd(Z), decreasing)
    stays = p.lemma(RANK.id, start, solution)
    decay = Decay.of(p, solution, stays, metric, everywhere)

    # at a limit point form(Z) has trace 0, hence (A + A^T) Z V^T = 0
    inside, no_power = decay.at_limit(p)
    nonnegative, trace = head.decay(p, inside)
    no_trace = p.algebra(
        tr(head.form()), number(0), (trace, itself), (no_power, lambda h: scale(-1, h))
    )
    annihilated = head.annihilated(p, nonnegative, no_trace)
    limit_points = p.for_all(Z, limit_point(Sigma, Z), p.conjunction(inside, annihilated))

    # V invertible: H Y = 0
    regular = p.assume(invertible(V))
    cancelled = p.part(p.fact("inverse", regular), 1)
    in_kernel = p.algebra(
        mul(H, Z),
        zero(d, d),
        (annihilated, lambda h: mul(h, tp(inv(V)))),
        (cancelled, lambda h: scale(-1, mul(H, Z, tp(h)))),
    )
    low_rank = rank_in_kernel(p, H, Z, in_kernel)
    ranks = p.for_all(Z, limit_point(Sigma, Z), p.conjunction(in_kernel, low_rank))
    ranks = p.discharge(invertible(V), ranks)

    # A + A^T invertible as well: the only limit point is 0
    definite = p.assume(conj(invertible(V), invertible(H)))
    reached = p.assume(limit_point(Sigma, Z))
    at_kernel = p.part(p.at(p.modus_ponens(ranks, p.part(definite, 0)), Z, reached), 0)
    undo = p.part(p.fact("inverse", p.part(definite, 1)), 1)
    is_zero = p.algebra(
        Z,
        zero(d, d),
        (undo, lambda h: scale(-1, mul(h, Z))),
        (at_kernel, lambda h: mul(inv(H), h)),
    )
    converges = decay.to_zero(p, metric, is_zero)
    converges = p.discharge(conj(invertible(V), invertible(H)), converges)
    p.conjunction(decay.endless, decay.bound, limit_points, ranks, converges)
    return p.proof()


def at_limit_points(body: Term) -> Term:
    return forall(Z, implies(limit_point(Sigma, Z), body))


CLAIM = Claim(
    id="covariance.definite-value",
    title="Positive symmetrisable V and A + A^T <= 0: global, bounded, limit points of low rank",
    source="new; generalises the clustering statement of the paper",
    statement=Statement(
        (pd(P), psd(N), psd(scale(-1, H)), psd(Sigma0), SOLUTION),
        conj(
            eq(T, INFINITY),
            trace_bound(T),
            at_limit_points(conj(psd(Z), eq(mul(H, Z, tp(V)), zero(d, d)))),
            implies(
                invertible(V),
                at_limit_points(
                    conj(
                        eq(mul(H, Z), zero(d, d)),
                        le(rank(Z), minus(dimension(d), rank(H))),
                    )
                ),
            ),
            implies(conj(invertible(V), invertible(H)), limit(Sigma, zero(d, d))),
        ),
    ),
    hypotheses=(
        "P positive definite",
        "P V symmetric positive semidefinite",
        "A + A^T negative semidefinite",
        "Sigma0 positive semidefinite",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
    note="P = I covers V = V^T >= 0 (the trace never grows); P = V^{-1} covers V = V^T > 0.",
    notation=(Definition("H", H),),
)
