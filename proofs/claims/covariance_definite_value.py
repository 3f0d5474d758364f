"""A positive symmetrisable value matrix and A + A^T <= 0: global, bounded, limits of low rank."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import (
    SOLUTION,
    A,
    F,
    Sigma,
    Sigma0,
    T,
    V,
    d,
    t,
)
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.ranks import rank_in_kernel
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
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
    mat,
    maximal,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    psd,
    rank,
    root,
    scale,
    tp,
    tr,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

P, Z = mat("P", d, d), mat("Z", d, d)
N = mul(P, V)
H = add(A, tp(A))


def trace_bound(end: Term) -> Term:
    return on_lifetime(end, lambda t: le(tr(mul(P, at(Sigma, t))), tr(mul(P, Sigma0))))


def form(state: Term) -> Term:
    """R Z (-A - A^T) Z R with R = N^{1/2}, written as a congruence."""
    factor = mul(state, root(N))
    return mul(tp(factor), scale(-1, H), factor)


def dissipation(p: Builder, state: Term, letters: tuple[int, int, int, int]) -> tuple[int, int]:
    """Steps that prove form(Z) >= 0 and tr form(Z) = -tr(P F(Z)).

    ``letters`` are steps that prove psd(Z), pd(P), psd(N) and psd(-A - A^T).
    """
    positive, metric, value, negative = letters
    square = p.part(p.fact("square-root", value, M=N), 1)
    nonnegative = p.positive(form(state), Summand(mul(state, root(N)), core=negative))
    trace = p.algebra(
        tr(form(state)),
        minus(number(0), tr(mul(P, at(F, state)))),
        (square, lambda h: scale(-1, tr(mul(h, state, H, state)))),
        (p.fact("semidefinite-symmetric", value), lambda h: tr(mul(h, state, tp(A), state))),
        positive,
        metric,
    )
    return nonnegative, trace


def prove() -> Proof:
    p = Builder({"covariance.rank": RANK.lemma()})
    metric, value = p.assume(pd(P)), p.assume(psd(N))
    negative = p.assume(psd(scale(-1, H)))
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    smooth = p.polynomial(F)

    stays = p.lemma("covariance.rank", start, solution)
    now = p.assume(within(t, T))
    positive_now = p.part(p.at(stays, t, now), 0)
    always_positive = p.for_all(t, within(t, T), positive_now)

    # tr(P F(Z)) <= 0 for every Z >= 0
    state = p.assume(psd(Z))
    nonnegative, trace = dissipation(p, Z, (state, metric, value, negative))
    decreasing = p.replace(trace, p.fact("trace-nonnegative", nonnegative), psd)
    everywhere = p.for_all(Z, psd(Z), decreasing)
    along_solution = p.for_all(t, within(t, T), p.at(everywhere, at(Sigma, t), positive_now))
    bound = p.fact("decreasing-form", solution, along_solution, X=Sigma, F=F, P=P)

    endless = p.fact(
        "bounded-solution",
        smooth,
        solution,
        always_positive,
        metric,
        bound,
        X=Sigma,
        b=tr(mul(P, Sigma0)),
    )
    forever = p.replace(endless, solution, lambda end: maximal(end, Sigma, F, Sigma0))
    positive_forever = p.replace(
        endless, always_positive, lambda end: on_lifetime(end, lambda t: psd(at(Sigma, t)))
    )
    limits = p.fact(
        "invariance-principle", smooth, forever, positive_forever, metric, everywhere, X=Sigma, F=F
    )

    # at a limit point form(Y) has trace 0, hence H Y V^T = 0
    reached = p.assume(limit_point(Sigma, Z))
    both = p.at(limits, Z, reached)
    inside = p.part(both, 0)
    nonnegative, trace = dissipation(p, Z, (inside, metric, value, negative))
    no_trace = p.algebra(
        tr(form(Z)), number(0), (trace, lambda h: h), (p.part(both, 1), lambda h: scale(-1, h))
    )
    vanishing = p.fact("zero-trace", nonnegative, no_trace)
    kernel = p.fact("zero-form", negative, vanishing, M=scale(-1, H), Z=mul(Z, root(N)))
    square = p.part(p.fact("square-root", value, M=N), 1)
    inverse = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", metric), 0)), 0)
    annihilated = p.algebra(
        mul(H, Z, tp(V)),
        zero(d, d),
        (inverse, lambda h: scale(-1, mul(H, Z, tp(V), h))),
        (
            p.fact("semidefinite-symmetric", value),
            lambda h: mul(H, Z, h, inv(P)),
        ),
        (square, lambda h: scale(-1, mul(H, Z, h, inv(P)))),
        (kernel, lambda h: scale(-1, mul(h, root(N), inv(P)))),
        metric,
    )
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
    at_kernel = p.part(p.at(p.modus_ponens(ranks, p.part(definite, 0)), Z, reached), 0)
    undo = p.part(p.fact("inverse", p.part(definite, 1)), 1)
    is_zero = p.algebra(
        Z,
        zero(d, d),
        (undo, lambda h: scale(-1, mul(h, Z))),
        (at_kernel, lambda h: mul(inv(H), h)),
    )
    bound_forever = p.replace(endless, bound, trace_bound)
    converges = p.fact(
        "only-limit-point",
        positive_forever,
        metric,
        bound_forever,
        p.for_all(Z, limit_point(Sigma, Z), is_zero),
        X=Sigma,
        L=zero(d, d),
        b=tr(mul(P, Sigma0)),
    )
    converges = p.discharge(conj(invertible(V), invertible(H)), converges)
    p.conjunction(endless, bound, limit_points, ranks, converges)
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
