"""L2 attention with K_g V_h = 0 for all heads: the solutions are those of softmax heads."""

from __future__ import annotations

from functools import partial

from proofs.builder import Builder, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, t
from proofs.claims.covariance_l2_rank import CLAIM as RANK
from proofs.claims.l2_equation import (
    SOLUTION,
    F,
    H,
    K,
    Kh,
    Qh,
    Resolvent,
    V,
    Vh,
    gram,
    h,
    k,
    precision,
    regular,
)
from proofs.claims.multihead_equation import heads_field
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    conj,
    eq,
    forall,
    head,
    inv,
    lam,
    maximal,
    mul,
    on_lifetime,
    psd,
    scale,
    total,
    tp,
    within,
    zero,
    zero_like,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

g = head("g", H)
Kg = at(K, g)
KILLED = forall(g, forall(h, eq(mul(Kg, Vh), zero_like(mul(Kg, Vh)))))
#: A_h = 2 K_h^T (I + 2 K_h Sigma0 K_h^T)^{-1} Q_h
SCORES = lam(h, scale(2, mul(tp(Kh), inv(gram(Kh, Sigma0)), Qh)))
SOFTMAX = heads_field(V, SCORES, Sigma0)


def seen(index: Term, covariance: Term) -> Term:
    """K_h Sigma K_h^T."""
    return mul(at(K, index), covariance, tp(at(K, index)))


def constant(p: Builder, killed: int, solution: int) -> int:
    """K_g Sigma(t) K_g^T = K_g Sigma0 K_g^T on [0, T) for all g, its derivative being 0."""
    solves = p.fact("solution", solution)
    equation, start = p.part(solves, 0), p.part(solves, 1)
    curve = equation
    for constant_factor, on_left in ((Kg, True), (tp(Kg), False)):
        factor = p.differentiate(T, lam(t, constant_factor))
        steps = (factor, curve) if on_left else (curve, factor)
        (X, G), (Z, L) = (p[step].args[1:] for step in steps)
        curve = p.fact("derivative-of-product", *steps, X=X, G=G, Z=Z, L=L)
    _, moved, slope = p[curve].args
    now, flat = at(Sigma, t), zero(k, k)
    none = p.extensionality(h, p.specialise(p.specialise(killed, g), h))
    rest = mul(inv(precision(Kh, now)), now, tp(Kh), Qh)
    vanishes = p.algebra(
        at(slope, t),
        flat,
        (none, lambda f: total(h, scale(2, mul(at(f, h), rest, now, tp(Kg))))),
        (none, lambda f: total(h, scale(2, mul(Kg, now, tp(rest), tp(at(f, h)))))),
    )
    still = p.fact(
        "equal-velocities",
        curve,
        p.for_all(t, within(t, T), vanishes),
        Y=moved,
        G=slope,
        H=lam(t, flat),
    )
    kept = p.at(p.fact("zero-derivative", still, X=moved), t, p.assume(within(t, T)))
    same = p.algebra(
        seen(g, now),
        seen(g, Sigma0),
        (kept, itself),
        (start, lambda f: seen(g, f)),
    )
    return p.for_all(t, within(t, T), p.generalise(g, same))


def agree(p: Builder, positive: int, same: int) -> int:
    """F(Sigma(t)) is the softmax field, from steps Sigma(t) >= 0 and seen(h, .) constant."""
    now = at(Sigma, t)
    one = Resolvent.of(p, Kh, now, positive)
    seen_here = p.specialise(same, h)
    pushed = p.replace(
        p.algebra(gram(Kh, now), gram(Kh, Sigma0), (seen_here, lambda f: scale(2, f))),
        one.pushed,
        lambda J: eq(mul(inv(precision(Kh, now)), now, tp(Kh)), mul(now, tp(Kh), inv(J))),
    )
    families = p.extensionality(h, pushed)
    return p.algebra(
        at(F, now),
        at(SOFTMAX, now),
        (families, lambda f: total(h, scale(2, mul(Vh, at(f, h), Qh, now)))),
        (families, lambda f: total(h, scale(2, mul(now, tp(Qh), tp(at(f, h)), tp(Vh))))),
        positive,
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    killed = p.assume(KILLED)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    fixed = constant(p, killed, solution)
    ranks = p.lemma(RANK.id, start, solution)
    inside = p.assume(within(t, T))
    positive = p.part(p.at(ranks, t, inside), 0)
    along = p.for_all(t, within(t, T), agree(p, positive, p.at(fixed, t, inside)))
    other = p.fact(
        "equal-fields-on-cone",
        p.smooth_on_cone(F, partial(regular, p)),
        solution,
        p.for_all(t, within(t, T), positive),
        along,
        G=SOFTMAX,
    )
    p.conjunction(other, fixed)
    return p.proof()


CLAIM = Claim(
    id="covariance.l2-in-kernel",
    title="L2 attention with K_g V_h = 0 for all heads: a solution is one of softmax heads",
    source="new",
    statement=Statement(
        (KILLED, psd(Sigma0), SOLUTION),
        conj(
            maximal(T, Sigma, SOFTMAX, Sigma0),
            on_lifetime(T, lambda t: forall(g, eq(seen(g, at(Sigma, t)), seen(g, Sigma0)))),
        ),
    ),
    hypotheses=(
        "K_g V_h = 0 for all heads g and h",
        "Sigma0 positive semidefinite",
        "Sigma solves the L2 covariance equation",
    ),
    prove=prove,
    note="The heads have the same V_h and A_h = 2 K_h^T (I + 2 K_h Sigma0 K_h^T)^{-1} Q_h, so that "
    "all that is known of softmax heads applies, blow-up included.",
    notation=(Definition("B", SCORES), Definition("F", F), Definition("G", SOFTMAX)),
)
