"""A start on a self-similar ray: Sigma(t) = Sigma0 / (1 - c t)."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import F_LETTER, F, Sigma0, along, d, t
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    escapes,
    finite,
    forall,
    identity,
    implies,
    inv,
    lam,
    limit,
    maximal,
    minus,
    mul,
    number,
    pd,
    pinv,
    psd,
    real,
    scale,
    tp,
    vec,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

c, w = real("c"), vec("w", d)
RAY = eq(at(F, Sigma0), scale(c, Sigma0))
DENOMINATOR = minus(number(1), mul(c, t))
X = lam(t, scale(inv(DENOMINATOR), Sigma0))
END = finite(inv(c))
PROBE = mul(tp(w), Sigma0, w)
UNIT = identity(ONE)


def solves(p: Builder, end: Term, positive: int, ray: int) -> tuple[int, int]:
    """Steps that prove X' = F(X) on [0, end) and X(0) = Sigma0.

    ``positive`` proves that 1 - c t > 0 under the assumption t in [0, end).
    """
    exists = p.part(p.fact("definite-inverse", positive), 0)
    derivative = p.differentiate(end, X, p.for_all(t, within(t, end), exists))
    slope = at(p[derivative].args[2], t)
    square = mul(inv(DENOMINATOR), inv(DENOMINATOR))
    same = p.algebra(slope, at(F, at(X, t)), (ray, lambda h: scale(-1, scale(square, h))))
    velocity = p.fact(
        "equal-velocities",
        derivative,
        p.generalise(t, p.discharge(within(t, end), same)),
        T=end,
        Y=X,
        G=p[derivative].args[2],
        H=along(F, X),
    )
    return velocity, p.algebra(at(X, number(0)), Sigma0)


def blow_up(p: Builder, ray: int) -> int:
    """If c > 0 and w^T Sigma0 w > 0: X on [0, 1/c) is maximal and escapes."""
    growth = p.assume(pd(c))
    definite = p.fact("definite-inverse", growth)
    reciprocal = p.part(p.fact("inverse", p.part(definite, 0)), 0)
    before = p.fact("within-finite", p.assume(within(t, END)))
    rest = minus(inv(c), t)
    positive = p.positive(
        DENOMINATOR,
        Summand(UNIT, scalars=(growth, before)),
        by=[(reciprocal, lambda h: scale(-1, h))],
        strict=True,
    )
    velocity, start = solves(p, END, positive, ray)

    # 1/(1 - c t) = (1/c) / (1/c - t)
    gap = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", before), 0)), 1)
    product = mul(mul(inv(c), inv(rest)), DENOMINATOR)
    one = p.algebra(
        product,
        UNIT,
        (gap, lambda h: mul(c, inv(c), h)),
        (reciprocal, itself),
        (reciprocal, lambda h: scale(-1, mul(inv(c), inv(rest), h))),
    )
    ratio = p.part(p.fact("one-sided-inverse", one, N=mul(inv(c), inv(rest)), M=DENOMINATOR), 1)
    probe = p.assume(pd(PROBE))
    constant = mul(inv(c), PROBE)
    constant_positive = p.positive(
        constant, Summand(UNIT, scalars=(p.part(definite, 1), probe)), strict=True
    )
    value = mul(tp(w), at(X, t), w)
    bound = p.positive(
        minus(value, scale(constant, inv(rest))),
        by=[(ratio, lambda h: scale(h, PROBE))],
    )
    escape = p.fact(
        "unbounded-form",
        p.part(definite, 1),
        constant_positive,
        p.for_all(t, within(t, END), bound),
        r=inv(c),
        c=constant,
        X=X,
        w=w,
    )
    solution = p.fact(
        "escaping-solution",
        p.smooth_along(F, finite(inv(c)), X),
        p.part(definite, 1),
        velocity,
        start,
        escape,
        r=inv(c),
        X=X,
        F=F,
        X0=Sigma0,
    )
    result = p.discharge(pd(PROBE), p.conjunction(solution, escape))
    return p.discharge(pd(c), p.generalise(w, result))


def denominator_positive(p: Builder, decay: int) -> int:
    """1 - c t > 0 for t in [0, oo), from a step that proves c <= 0 or c < 0."""
    later = p.fact("within", p.assume(within(t, INFINITY)))
    return p.positive(
        DENOMINATOR, Summand(UNIT), Summand(UNIT, scalars=(decay, later)), strict=True
    )


def global_solution(p: Builder, ray: int) -> int:
    """If c <= 0: X on [0, oo) is maximal."""
    decay = p.assume(psd(scale(-1, c)))
    velocity, start = solves(p, INFINITY, denominator_positive(p, decay), ray)
    solution = p.fact("global-solution", p.polynomial(F), velocity, start, X=X, F=F, X0=Sigma0)
    return p.discharge(psd(scale(-1, c)), solution)


def convergence(p: Builder) -> int:
    """If c < 0: X(t) = (I + t N)^{-1} Sigma0 with N = -c I, hence X(t) tends to 0."""
    rate = scale(-1, c)
    decay = p.assume(pd(rate))
    N, full = scale(rate, identity(d)), identity(d)
    resolvent = p.fact("resolvent-limit", p.positive(N, Summand(full, scalars=(decay,))), N=N)
    product = p.fact(
        "limit-of-product",
        resolvent,
        curve=p[resolvent].args[0],
        Y=p[resolvent].args[1],
        L=full,
        R=Sigma0,
    )
    regular = p.part(p.fact("definite-inverse", denominator_positive(p, decay)), 0)
    cancel = p.part(p.fact("inverse", regular), 1)
    candidate, inverted = scale(inv(DENOMINATOR), full), add(full, scale(t, N))
    left = p.algebra(mul(candidate, inverted), full, (cancel, lambda h: scale(h, full)))
    inverse = p.part(p.fact("one-sided-inverse", left, N=candidate, M=inverted), 1)
    same = p.algebra(
        mul(full, inv(inverted), Sigma0), at(X, t), (inverse, lambda h: mul(h, Sigma0))
    )
    moved = p.fact(
        "equal-curves",
        product,
        p.for_all(t, within(t, INFINITY), same),
        Y=p[product].args[0],
        W=X,
    )
    penrose = p.part(p.fact("moore-penrose", R=N), 0)
    unit = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", decay), 0)), 1)
    zero_limit = p.algebra(
        p[moved].args[1],
        zero(d, d),
        (unit, lambda h: scale(h, mul(minus(scale(rate, pinv(N)), full), Sigma0))),
        (penrose, lambda h: scale(-1, scale(inv(rate), mul(h, Sigma0)))),
    )
    return p.discharge(pd(rate), p.replace(zero_limit, moved, lambda h: limit(X, h)))


def prove() -> Proof:
    p = Builder()
    ray = p.assume(RAY)
    p.conjunction(blow_up(p, ray), global_solution(p, ray), convergence(p))
    return p.proof()


CLAIM = Claim(
    id="covariance.self-similar",
    title="On a self-similar ray Sigma(t) = Sigma0 / (1 - c t), exactly",
    source="new",
    statement=Statement(
        (RAY,),
        conj(
            implies(
                pd(c),
                forall(
                    w,
                    implies(pd(PROBE), conj(maximal(END, X, F, Sigma0), escapes(END, X))),
                ),
            ),
            implies(psd(scale(-1, c)), maximal(INFINITY, X, F, Sigma0)),
            implies(pd(scale(-1, c)), limit(X, zero(d, d))),
        ),
    ),
    hypotheses=("V Sigma0 A Sigma0 + Sigma0 A^T Sigma0 V^T = c Sigma0",),
    prove=prove,
    note="Such a ray can be unstable, so that numerical integration leaves it: test it exactly.",
    notation=(Definition("X", X), F_LETTER),
)
