"""V = I: the rank of a stationary covariance is at most d - max(p, q), (p, q, z) the signature."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import A, covariance_field, d
from proofs.claims.ranks import rank_of_complement, support_projector
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    dimension,
    eq,
    identity,
    le,
    mat,
    minus,
    mul,
    pinv,
    psd,
    rank,
    scale,
    tp,
    vec,
    zero,
)
from proofs.terms import ONE, Term

Sigma, Hp, Hn = mat("Sigma", d, d), mat("Hp", d, d), mat("Hn", d, d)
w = vec("w", d)
I = identity(d)  # noqa: E741 (the identity matrix)
STATIONARY = eq(at(covariance_field(I, A), Sigma), zero(d, d))
SPLIT = eq(add(A, tp(A)), minus(Hp, Hn))


def bound(definite: Term) -> Term:
    return le(rank(Sigma), minus(dimension(d), rank(definite)))


def half(p: Builder, parts: tuple[int, int], null: int, product: int, start: int) -> int:
    """rank Sigma <= d - rank P, from psd(P), psd(N), Sigma (P - N) Sigma = 0 and N P = 0.

    (I - Q) is injective on ran Sigma, Q the projector on ran P: if Sigma w = Q Sigma w then
    w^T Sigma N Sigma w = 0, hence w^T Sigma P Sigma w = 0 and Q Sigma w = 0.
    """
    P, other = p[parts[0]].args[0], p[parts[1]].args[0]
    symmetric, idempotent, keeps = support_projector(p, P)
    Q = mul(pinv(P), P)
    rest = minus(I, Q)
    hypothesis = eq(mul(mul(rest, Sigma), w), zero(d, ONE))
    inside = p.assume(hypothesis)
    # N Q = N Q^T = N P P^+ = 0
    apart = p.algebra(
        mul(other, Q),
        zero(d, d),
        (symmetric, lambda h: scale(-1, mul(other, h))),
        (product, lambda h: mul(h, pinv(P))),
        parts[0],
    )
    flat = p.algebra(
        mul(tp(mul(Sigma, w)), P, mul(Sigma, w)),
        zero(ONE, ONE),
        (null, lambda h: mul(tp(w), h, w)),
        (inside, lambda h: mul(tp(w), Sigma, other, h)),
        (apart, lambda h: mul(tp(w), Sigma, h, Sigma, w)),
        start,
    )
    killed = p.fact("zero-form", parts[0], flat, M=P, Z=mul(Sigma, w))
    gone = p.algebra(
        mul(Sigma, w),
        zero(d, ONE),
        (inside, itself),
        (killed, lambda h: mul(pinv(P), h)),
    )
    kernels = p.for_all(w, hypothesis, gone)
    below = p.fact("rank-by-kernels", kernels, X=Sigma, Y=mul(rest, Sigma))
    factor = p.part(p.fact("rank-of-product", A=rest, B=Sigma), 0)
    complement = rank_of_complement(p, Q, symmetric, idempotent)
    support = p.part(p.fact("rank-of-product", A=P, B=Q), 1)
    support = p.replace(keeps, support, lambda h: le(rank(h), rank(Q)))
    unit = identity(ONE)
    return p.positive(
        minus(minus(dimension(d), rank(P)), rank(Sigma)),
        Summand(unit, core=below),
        Summand(unit, core=factor),
        Summand(unit, core=support),
        by=[(complement, lambda h: scale(-1, h))],
    )


def prove() -> Proof:
    p = Builder()
    positive, negative = p.assume(psd(Hp)), p.assume(psd(Hn))
    product, split = p.assume(eq(mul(Hn, Hp), zero(d, d))), p.assume(SPLIT)
    start, stationary = p.assume(psd(Sigma)), p.assume(STATIONARY)
    null = p.algebra(
        mul(Sigma, minus(Hp, Hn), Sigma),
        zero(d, d),
        (stationary, itself),
        (split, lambda h: scale(-1, mul(Sigma, h, Sigma))),
    )
    flipped = p.algebra(
        mul(Sigma, minus(Hn, Hp), Sigma), zero(d, d), (null, lambda h: scale(-1, h))
    )
    transposed = p.algebra(mul(Hp, Hn), zero(d, d), (product, tp), positive, negative)
    p.conjunction(
        half(p, (positive, negative), null, product, start),
        half(p, (negative, positive), flipped, transposed, start),
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.stationary-rank",
    title="V = I: a stationary covariance has rank at most z + min(p, q) = d - max(p, q)",
    source=PAPER_ID,
    statement=Statement(
        (
            psd(Hp),
            psd(Hn),
            eq(mul(Hn, Hp), zero(d, d)),
            SPLIT,
            psd(Sigma),
            STATIONARY,
        ),
        conj(bound(Hp), bound(Hn)),
    ),
    hypotheses=(
        "Hp positive semidefinite",
        "Hn positive semidefinite",
        "Hp and Hn orthogonal",
        "A + A^T = Hp - Hn",
        "Sigma positive semidefinite",
        "Sigma is stationary for V = I",
    ),
    prove=prove,
    note="Hp and Hn are the positive and negative parts of A + A^T: p = rank Hp, q = rank Hn, "
    "z = d - p - q.",
)
