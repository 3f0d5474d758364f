"""Sinkhorn attention: the solution is global and grows at most exponentially."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_sinkhorn_rank import CLAIM as RANK
from proofs.claims.exponential_growth import ceiling, endless
from proofs.claims.head_growth import LENGTH, TOP, I, Z, c, gram_at_most, u
from proofs.claims.multihead_equation import Ah, H, Vh, h
from proofs.claims.sinkhorn_equation import (
    SOLUTION,
    F,
    congruence,
    linear_part,
    regular_heads,
    same_linear_part,
)
from proofs.claims.sinkhorn_roots import shrinking_steps
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    at,
    conj,
    eq,
    family,
    forall,
    identity,
    inv,
    lam,
    le,
    minus,
    mul,
    on_lifetime,
    pd,
    psd,
    real,
    root,
    scale,
    total,
    tp,
    vec,
    within,
)
from proofs.terms import ONE

v, s = family("v", H, ONE, ONE), real("s")
vh = at(v, h)
UNIT = identity(ONE)
#: v_h > 0 bounds the norm of V_h^T
NORMS = forall(h, conj(pd(vh), gram_at_most(mul(Vh, tp(Vh)), vh)))
START = le(Sigma0, scale(s, I))
#: 2 sum over h of v_h
RATE = scale(2, total(h, vh))


GROWTH = on_lifetime(T, lambda t: le(at(Sigma, t), ceiling(s, RATE, t)))
#: 2 v_h c |u|^2 - u^T (B_h(Z) Z + Z B_h(Z)^T) u
HEAD_GROWTH = minus(
    scale(2, scale(vh, scale(c, LENGTH))),
    mul(tp(u), congruence(linear_part(Vh, Ah, Z), Z), u),
)


def not_negative(p: Builder, positive: int, below: int) -> int:
    """c >= 0, from steps that prove 0 <= Z <= c I: take a unit vector."""
    w = vec("w", d)
    unit = p.fact("largest-eigenvalue", p.fact("semidefinite-symmetric", positive), M=Z)
    found = p.part(unit, 1)
    inside = p[found].args[0]
    both = p.assume(at(inside, w))
    result = p.positive(
        c,
        Summand(w, core=positive),
        Summand(w, core=below),
        by=[(p.part(both, 0), lambda h: scale(-1, scale(c, h)))],
    )
    return p.obtain(found, w, result)


def head_growth(p: Builder, norm: int, state: int) -> int:
    """HEAD_GROWTH >= 0, from steps that prove v_h > 0, |V_h| <= v_h and TOP.

    With W = Z^{1/2}, y = V^T u and K = E W A W, K K^T = I - E <= I:
    u^T B(Z) Z u = y^T W K W u, and Z <= c I, |W u|^2 = c |u|^2.
    """
    positive, below, top = (p.part(state, i) for i in range(3))
    v_positive, v_bound = p.part(norm, 0), p.part(norm, 1)
    inverse = p.fact("definite-inverse", v_positive)
    v_inverse, one = p.part(inverse, 1), p.part(p.fact("inverse", p.part(inverse, 0)), 0)
    W, i = root(Z), inv(vh)
    square = p.part(p.fact("square-root", positive), 1)
    steps = shrinking_steps(p, Ah, tp(Ah), positive)
    y, K = mul(tp(Vh), u), mul(steps.E, W, Ah, W)
    both = mul(tp(y), W, K, W, u)
    return p.positive(
        HEAD_GROWTH,
        Summand(minus(scale(vh, mul(W, u)), mul(tp(K), W, y)), scalars=(v_inverse,)),
        Summand(mul(W, y), core=steps.positive, scalars=(v_inverse,)),
        Summand(y, core=below, scalars=(v_inverse,)),
        Summand(u, core=v_bound, scalars=(v_inverse, not_negative(p, positive, below))),
        by=[
            positive,
            (same_linear_part(p, Vh, Ah, positive), lambda f: scale(-2, mul(tp(u), f, Z, u))),
            (square, lambda f: scale(2, mul(tp(y), W, steps.E, W, Ah, f, u))),
            (square, lambda f: scale(-1, mul(i, vh, vh, tp(u), f, u))),
            (top, lambda f: scale(-1, mul(i, vh, vh, tp(u), f))),
            (one, lambda f: scale(-2, mul(f, vh, c, LENGTH))),
            (one, lambda f: scale(2, mul(f, both))),
            (
                square,
                lambda f: scale(-1, mul(i, tp(y), W, steps.E, W, Ah, f, tp(Ah), W, steps.E, W, y)),
            ),
            (steps.resolvent, lambda f: scale(-1, mul(i, tp(y), W, f, W, y))),
            (square, lambda f: scale(-1, mul(i, tp(y), f, y))),
        ],
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    norm = p.specialise(p.assume(NORMS), h)
    below = p.assume(START)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    each = p.generalise(h, head_growth(p, norm, p.assume(TOP)))
    summed = p.fact("sum-nonnegative", each, f=lam(h, HEAD_GROWTH))
    bound = p.positive(
        minus(scale(RATE, scale(c, LENGTH)), mul(tp(u), at(F, Z), u)), Summand(UNIT, core=summed)
    )
    everywhere = p.generalise(Z, p.generalise(c, p.generalise(u, p.discharge(TOP, bound))))
    stays = p.lemma(RANK.id, start, solution)
    inside = p.assume(within(t, T))
    positive = p.for_all(t, within(t, T), p.part(p.at(stays, t, inside), 0))
    growth = p.fact(
        "linear-comparison",
        solution,
        positive,
        below,
        everywhere,
        X=Sigma,
        F=F,
        s=s,
        r=RATE,
    )

    smooth = p.smooth_on_cone(F, lambda step: regular_heads(p, step))
    forever = endless(p, smooth, solution, positive, growth, ceiling(s, RATE, t))
    p.conjunction(forever, growth)
    return p.proof()


CLAIM = Claim(
    id="covariance.sinkhorn-global",
    title="Sinkhorn attention: global, |Sigma(t)| <= |Sigma0| exp(2 t sum |V_h|), always",
    source="new",
    statement=Statement((NORMS, START, psd(Sigma0), SOLUTION), conj(eq(T, INFINITY), GROWTH)),
    hypotheses=(
        "v_h > 0 bounds the norm of V_h",
        "s bounds Sigma0",
        "Sigma0 positive semidefinite",
        "Sigma solves the Sinkhorn covariance equation",
    ),
    prove=prove,
    note="Any number of heads; no condition on A_h.",
)
