"""The commuting case for a start in factored form, Sigma0 = L E^{-1} L^T.

Every Sigma0 >= 0 has such factors: L = Sigma0^{1/2}, E = I gives the paper's form; L = I,
E = Sigma0^{-1} the precision; and an exact L D L^T decomposition gives rational ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import F_LETTER, S_LETTER, A, F, S, Sigma0, T, V, along, d, t
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    dim,
    eq,
    escapes,
    finite,
    forall,
    identity,
    implies,
    inv,
    lam,
    mat,
    maximal,
    minus,
    mul,
    number,
    ode,
    on_lifetime,
    pd,
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

k = dim("k")
L, E = mat("L", d, k), mat("E", k, k)
N = mul(tp(L), S, L)
r, u = real("r"), vec("u", k)
PENCIL = minus(E, scale(t, N))
X = lam(t, mul(L, inv(PENCIL), tp(L)))
FACTORED = eq(Sigma0, mul(L, inv(E), tp(L)))
COMMUTING = (eq(mul(V, Sigma0), mul(Sigma0, V)), eq(mul(V, S), mul(S, V)))
HYPOTHESES = (pd(E), FACTORED, *COMMUTING)
UNIT = identity(ONE)


def positive_before(end: Term) -> Term:
    """E - t N > 0 on [0, end)."""
    return on_lifetime(end, lambda t: pd(minus(E, scale(t, N))))


def singular_at(r: Term, u: Term) -> Term:
    """r > 0, E - r N >= 0, and u is a null vector of it with u^T E u > 0."""
    pencil = minus(E, scale(r, N))
    return conj(pd(r), psd(pencil), eq(mul(pencil, u), zero(k, ONE)), pd(mul(tp(u), E, u)))


def solves(p: Builder, end: Term, positive: int, hypotheses: Sequence[int]) -> int:
    """X' = F(X) on [0, end) and X(0) = Sigma0, from a step that proves E - t N > 0 there."""
    metric, factored, commutes_start, commutes_drift = hypotheses
    inverse_start = p.fact("inverse", p.part(p.fact("definite-inverse", metric), 0))
    start_left = p.part(inverse_start, 1)
    regular = p.part(p.fact("definite-inverse", p.at(positive, t, p.assume(within(t, end)))), 0)
    resolvent = p.part(p.fact("inverse", regular), 0)
    now, inverse = at(X, t), inv(PENCIL)

    # X = Sigma0 + t Sigma0 S X = Sigma0 + t X S Sigma0
    identity_left = p.algebra(
        now,
        add(Sigma0, scale(t, mul(Sigma0, S, now))),
        (factored, lambda h: scale(-1, add(h, scale(t, mul(h, S, now))))),
        (resolvent, lambda h: mul(L, inv(E), h, tp(L))),
        (start_left, lambda h: scale(-1, mul(L, h, inverse, tp(L)))),
        metric,
    )
    symmetric_start = p.algebra(tp(Sigma0), Sigma0, (factored, lambda h: minus(tp(h), h)), metric)
    identity_right = p.algebra(
        now,
        add(Sigma0, scale(t, mul(now, S, Sigma0))),
        (identity_left, tp),
        metric,
        symmetric_start,
    )
    # V commutes with X: Y = V X - X V satisfies Y = t Sigma0 S Y, and I - t Sigma0 S is invertible
    commutator = minus(mul(V, now), mul(now, V))
    fixed = p.algebra(
        commutator,
        scale(t, mul(Sigma0, S, commutator)),
        (identity_left, lambda h: minus(mul(V, h), mul(h, V))),
        (commutes_start, lambda h: add(h, scale(t, mul(h, S, now)))),
        (commutes_drift, lambda h: scale(t, mul(Sigma0, h, now))),
    )
    commutes = p.algebra(
        commutator,
        zero(d, d),
        (fixed, lambda h: add(h, scale(t, mul(now, S, h)))),
        (identity_right, lambda h: scale(-1, scale(t, mul(h, S, commutator)))),
    )
    # hence F(X) = X S X, which is X'
    derivative = p.differentiate(end, X, p.for_all(t, within(t, end), regular))
    slope = at(p[derivative].args[2], t)
    same = p.algebra(
        slope,
        at(F, now),
        (commutes, lambda h: scale(-1, mul(h, A, now))),
        (commutes, lambda h: scale(-1, mul(now, tp(A), tp(h)))),
        metric,
    )
    velocity = p.fact(
        "equal-velocities",
        derivative,
        p.generalise(t, p.discharge(within(t, end), same)),
        T=end,
        Y=X,
        G=p[derivative].args[2],
        H=along(F, X),
    )
    start = p.algebra(at(X, number(0)), Sigma0, (factored, lambda h: scale(-1, h)))
    return p.conjunction(velocity, start)


def prove() -> Proof:
    p = Builder()
    hypotheses = [p.assume(h) for h in HYPOTHESES]
    metric = hypotheses[0]
    before = p.assume(positive_before(T))
    while_positive = p.discharge(positive_before(T), solves(p, T, before, hypotheses))
    while_positive = p.generalise(T, while_positive)
    smooth = p.polynomial(F)

    # N <= 0: E - t N > 0 for all t >= 0
    decay = p.assume(psd(scale(-1, N)))
    later = p.fact("within", p.assume(within(t, INFINITY)))
    positive = p.positive(
        PENCIL,
        Summand(identity(k), core=metric),
        Summand(identity(k), core=decay, scalars=(later,)),
        strict=True,
    )
    solution = p.at(while_positive, INFINITY, p.for_all(t, within(t, INFINITY), positive))
    endless = p.fact(
        "global-solution",
        smooth,
        p.part(solution, 0),
        p.part(solution, 1),
        X=X,
        F=F,
        X0=Sigma0,
    )
    endless = p.discharge(psd(scale(-1, N)), endless)

    # E - r N >= 0 singular: E - t N is a combination of E - r N and E for t < r
    singular = p.assume(singular_at(r, u))
    time, edge, null, mass = (p.part(singular, i) for i in range(4))
    definite = p.fact("definite-inverse", time)
    reciprocal = p.part(p.fact("inverse", p.part(definite, 0)), 0)
    inverse_time = p.part(definite, 1)
    end = finite(r)
    inside = p.assume(within(t, end))
    gap = p.fact("within-finite", inside)
    positive = p.positive(
        PENCIL,
        Summand(identity(k), core=edge, scalars=(p.fact("within", inside), inverse_time)),
        Summand(identity(k), core=metric, scalars=(gap, inverse_time)),
        by=[(reciprocal, lambda h: scale(-1, scale(h, PENCIL)))],
        strict=True,
    )
    always = p.for_all(t, within(t, end), positive)
    solution = p.at(while_positive, end, always)

    # with w = S L u: w^T X w = u^T E u / (r (r - t))
    rest = minus(r, t)
    gap_inverse = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", gap), 0)), 0)
    regular = p.part(p.fact("definite-inverse", positive), 0)
    resolvent = p.part(p.fact("inverse", regular), 1)
    image = p.algebra(
        mul(N, u),
        scale(inv(r), mul(E, u)),
        (reciprocal, lambda h: scale(-1, scale(h, mul(N, u)))),
        (null, lambda h: scale(-1, scale(inv(r), h))),
    )
    pencil_image = p.algebra(
        mul(PENCIL, u),
        scale(mul(inv(r), rest), mul(E, u)),
        (image, lambda h: scale(-1, scale(t, h))),
        (reciprocal, lambda h: scale(-1, scale(h, mul(E, u)))),
    )
    factor = mul(r, inv(rest))
    solved = p.algebra(
        mul(inv(PENCIL), E, u),
        scale(factor, u),
        (pencil_image, lambda h: scale(-1, scale(factor, mul(inv(PENCIL), h)))),
        (resolvent, lambda h: scale(factor, mul(h, u))),
        (reciprocal, lambda h: scale(-1, scale(mul(h, rest, inv(rest)), mul(inv(PENCIL), E, u)))),
        (gap_inverse, lambda h: scale(-1, scale(h, mul(inv(PENCIL), E, u)))),
    )
    probe = mul(S, L, u)
    form = mul(tp(u), E, u)
    now = at(X, t)
    value = p.algebra(
        mul(tp(probe), now, probe),
        scale(mul(inv(r), inv(rest)), form),
        (image, lambda h: mul(tp(h), inv(PENCIL), N, u)),
        (image, lambda h: scale(inv(r), mul(tp(u), E, inv(PENCIL), h))),
        (solved, lambda h: scale(mul(inv(r), inv(r)), mul(tp(u), E, h))),
        (reciprocal, lambda h: scale(mul(h, inv(r), inv(rest)), form)),
        metric,
    )
    constant = mul(inv(r), form)
    bound = p.positive(
        minus(mul(tp(probe), now, probe), scale(constant, inv(rest))), by=[(value, itself)]
    )
    escape = p.fact(
        "unbounded-form",
        time,
        p.positive(constant, Summand(UNIT, scalars=(inverse_time, mass)), strict=True),
        p.for_all(t, within(t, end), bound),
        r=r,
        c=constant,
        X=X,
        w=probe,
    )
    blow_up = p.fact(
        "escaping-solution",
        p.smooth_along(F, finite(r), X),
        time,
        p.part(solution, 0),
        p.part(solution, 1),
        escape,
        r=r,
        X=X,
        F=F,
        X0=Sigma0,
    )
    blow_up = p.discharge(singular_at(r, u), p.conjunction(blow_up, escape))
    blow_up = p.generalise(r, p.generalise(u, blow_up))
    p.conjunction(while_positive, endless, blow_up)
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting-factored",
    title="The commuting case for Sigma0 = L E^{-1} L^T: Sigma(t) = L (E - t L^T S L)^{-1} L^T",
    source="commuting case of the paper, in factored form",
    statement=Statement(
        HYPOTHESES,
        conj(
            forall(
                T,
                implies(
                    positive_before(T),
                    conj(ode(T, X, along(F, X)), eq(at(X, number(0)), Sigma0)),
                ),
            ),
            implies(psd(scale(-1, N)), maximal(INFINITY, X, F, Sigma0)),
            forall(
                r,
                forall(
                    u,
                    implies(
                        singular_at(r, u),
                        conj(maximal(finite(r), X, F, Sigma0), escapes(finite(r), X)),
                    ),
                ),
            ),
        ),
    ),
    hypotheses=(
        "E positive definite",
        "Sigma0 = L E^{-1} L^T",
        "V commutes with Sigma0",
        "V commutes with S",
    ),
    prove=prove,
    notation=(S_LETTER, Definition("N", N), Definition("X", X), F_LETTER),
)
