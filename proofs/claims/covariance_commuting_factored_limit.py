"""The limit in the commuting case with rational data."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_commuting_bounds import C, K
from proofs.claims.covariance_commuting_factored import CLAIM as FACTORED
from proofs.claims.covariance_commuting_factored import HYPOTHESES, PENCIL, E, L, N, X, k
from proofs.claims.covariance_equation import S_LETTER, SOLUTION, F, Sigma, Sigma0, T, t
from proofs.claims.ranks import support_projector
from proofs.claims.roots import invertible_root
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    identity,
    inv,
    limit,
    mat,
    minus,
    mul,
    on_lifetime,
    pinv,
    psd,
    scale,
    tp,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition

G, Y = mat("G", k, k), mat("Y", k, k)
NEGATIVE = psd(scale(-1, N))
#: G is the generalised inverse of E on ker N
PREMISES = (NEGATIVE, eq(mul(N, G), zero(k, k)), eq(minus(identity(k), mul(E, G)), mul(N, Y)))
LIMIT = mul(L, G, tp(L))
B = scale(-1, mul(K, N, K))
PROJECTOR = minus(identity(k), mul(pinv(B), B))


def prove_limit(p: Builder, metric: int, negative: int, kernel: int, split: int) -> int:
    """L (E - t N)^{-1} L^T converges to L G L^T."""
    square, left, right = invertible_root(p, E, metric)
    positive = p.positive(B, Summand(K, core=negative))
    resolvent = p.fact("resolvent-limit", positive, N=B)
    product = p.fact(
        "limit-of-product",
        resolvent,
        curve=p[resolvent].args[0],
        Y=p[resolvent].args[1],
        L=mul(L, K),
        R=mul(K, tp(L)),
    )
    # (E - t N)^{-1} = K (I + t B)^{-1} K
    later = p.fact("within", p.assume(within(t, INFINITY)))
    shifted = add(identity(k), scale(t, B))
    regular = p.positive(
        shifted,
        Summand(identity(k)),
        Summand(identity(k), core=positive, scalars=(later,)),
        strict=True,
    )
    cancel = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", regular), 0)), 1)
    candidate = mul(K, inv(shifted), K)
    pencil = p.algebra(
        PENCIL,
        mul(C, shifted, C),
        (square, lambda h: scale(-1, h)),
        (right, lambda h: scale(t, mul(h, N, K, C))),
        (left, lambda h: scale(t, mul(N, h))),
    )
    one = p.algebra(
        mul(candidate, PENCIL),
        identity(k),
        (pencil, lambda h: mul(candidate, h)),
        (left, lambda h: mul(K, inv(shifted), h, shifted, C)),
        (cancel, lambda h: mul(K, h, C)),
        (left, itself),
    )
    inverse = p.part(p.fact("one-sided-inverse", one, N=candidate, M=PENCIL), 1)
    curve = p[product].args[0]
    same = p.algebra(at(curve, t), at(X, t), (inverse, lambda h: scale(-1, mul(L, h, tp(L)))))
    moved = p.fact("equal-curves", product, p.for_all(t, within(t, INFINITY), same), Y=curve, W=X)
    # K Pi K = G
    symmetric, _, keeps = support_projector(p, B)
    annihilates = p.algebra(
        mul(PROJECTOR, B),
        zero(k, k),
        (keeps, lambda h: scale(-1, tp(h))),
        (symmetric, lambda h: mul(h, B)),
        metric,
    )
    inner = mul(K, PROJECTOR, K)
    outside = p.algebra(
        mul(inner, N),
        zero(k, k),
        (annihilates, lambda h: scale(-1, mul(K, h, C))),
        (left, lambda h: scale(-1, mul(inner, N, h))),
    )
    fixed = p.algebra(
        mul(PROJECTOR, C, G),
        mul(C, G),
        (left, lambda h: mul(pinv(B), K, N, h, G)),
        (kernel, lambda h: mul(pinv(B), K, h)),
    )
    equal = p.algebra(
        mul(mul(L, K), PROJECTOR, mul(K, tp(L))),
        LIMIT,
        *(
            (step, lambda h, c=context: mul(L, c(h), tp(L)))
            for step, context in (
                (split, lambda h: mul(inner, h)),
                (outside, lambda h: mul(h, Y)),
                (square, lambda h: scale(-1, mul(inner, h, G))),
                (left, lambda h: mul(K, PROJECTOR, h, C, G)),
                (fixed, lambda h: mul(K, h)),
                (left, lambda h: mul(h, G)),
            )
        ),
    )
    return p.replace(equal, moved, lambda h: limit(X, h))


def prove() -> Proof:
    p = Builder({FACTORED.id: FACTORED.lemma()})
    hypotheses = [p.assume(h) for h in HYPOTHESES]
    negative, kernel, split = (p.assume(h) for h in PREMISES)
    solution = p.assume(SOLUTION)
    explicit = p.modus_ponens(p.part(p.lemma(FACTORED.id, *hypotheses), 1), negative)
    unique = p.fact(
        "uniqueness", p.smooth_along(F, T, Sigma), solution, explicit, F=F, X=Sigma, Y=X, X0=Sigma0
    )
    endless = p.part(unique, 0)
    along = p.replace(
        endless,
        p.part(unique, 1),
        lambda end: on_lifetime(end, lambda t: eq(at(Sigma, t), at(X, t))),
    )
    now = p.at(along, t, p.assume(within(t, INFINITY)))
    back = p.algebra(at(X, t), at(Sigma, t), (now, lambda h: scale(-1, h)))
    limit_of_curve = prove_limit(p, hypotheses[0], negative, kernel, split)
    converges = p.fact(
        "equal-curves",
        limit_of_curve,
        p.for_all(t, within(t, INFINITY), back),
        Y=X,
        W=Sigma,
    )
    p.conjunction(endless, converges)
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting-factored-limit",
    title="In the commuting case with N <= 0: global, and the limit in factored form",
    source="commuting case of the paper, in factored form",
    statement=Statement(
        (*HYPOTHESES, *PREMISES, SOLUTION), conj(eq(T, INFINITY), limit(Sigma, LIMIT))
    ),
    hypotheses=(
        "E positive definite",
        "Sigma0 = L E^{-1} L^T",
        "V commutes with Sigma0",
        "V commutes with S",
        "N negative semidefinite",
        "N G = 0",
        "I - E G = N Y",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
    note="G = J (J^T E J)^{-1} J^T for a basis J of ker N.",
    notation=(S_LETTER, Definition("N", N), Definition("X", X)),
)
