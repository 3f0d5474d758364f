"""What Z A Z = 0 says about Z >= 0: bounds of its rank."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import d
from proofs.claims.dissipation import Z
from proofs.claims.ranks import rank_in_kernel, rank_of_complement, support_projector
from proofs.language import (
    add,
    conj,
    dimension,
    eq,
    identity,
    inv,
    le,
    minus,
    mul,
    pinv,
    rank,
    scale,
    tp,
    zero,
)
from proofs.terms import ONE, Term

UNIT = identity(ONE)


def symmetric_part(score: Term) -> Term:
    """A + A^T."""
    return add(score, tp(score))


def null(score: Term) -> tuple[Term, Term]:
    """Z A Z = 0, and 2 rank Z <= 2 d - rank A."""
    at_most = minus(scale(2, dimension(d)), rank(score))
    return eq(mul(Z, score, Z), zero(d, d)), le(scale(2, rank(Z)), at_most)


def rank_when_null(p: Builder, score: Term, flat: int) -> int:
    """2 rank Z <= 2 d - rank A, from a step Z A Z = 0.

    Z = A^+ A Z + (I - A^+ A) Z, rank(A Z) <= d - rank Z, and I - A^+ A has rank d - rank A.
    """
    support, product = mul(pinv(score), score), mul(score, Z)
    rest = minus(identity(d), support)
    symmetric, idempotent, keeps = support_projector(p, score)
    inside, outside = mul(pinv(score), product), mul(rest, Z)
    parts = p.fact("rank-of-sum", C=inside, D=outside)
    whole = p.algebra(add(inside, outside), Z)
    parts = p.replace(whole, parts, lambda f: le(rank(f), add(rank(inside), rank(outside))))
    shrunk = p.part(p.fact("rank-of-product", A=pinv(score), B=product), 1)
    factor = p.part(p.fact("rank-of-product", A=rest, B=Z), 0)
    complement = rank_of_complement(p, support, symmetric, idempotent)
    least = p.part(p.fact("rank-of-product", A=score, B=support), 1)
    least = p.replace(keeps, least, lambda f: le(rank(f), rank(support)))
    killed = rank_in_kernel(p, Z, product, flat)
    return p.positive(
        minus(minus(scale(2, dimension(d)), rank(score)), scale(2, rank(Z))),
        *(Summand(UNIT, core=step) for step in (parts, shrunk, factor, least, killed)),
        by=[(complement, lambda f: scale(-1, f))],
    )


def annihilated(form: Term) -> Term:
    """N Z = 0, and rank Z <= d - rank N."""
    return conj(eq(mul(form, Z), zero(d, d)), le(rank(Z), minus(dimension(d), rank(form))))


def annihilated_steps(p: Builder, nonnegative: int, flat: int, positive: int) -> int:
    """What :func:`annihilated` says, from steps N >= 0, Z N Z = 0 and psd(Z)."""
    form = p[nonnegative].args[0]
    moved = p.algebra(mul(tp(Z), form, Z), zero(d, d), (flat, itself), positive)
    killed = p.fact("zero-form", nonnegative, moved, M=form, Z=Z)
    return p.conjunction(killed, rank_in_kernel(p, form, Z, killed))


def vanishes(p: Builder, definite: int, killed: int) -> int:
    """Z = 0, from steps N > 0 and N Z = 0."""
    form = p[definite].args[0]
    undo = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", definite), 0)), 1)
    return p.algebra(
        Z,
        zero(d, d),
        (undo, lambda f: scale(-1, mul(f, Z))),
        (killed, lambda f: mul(inv(form), f)),
    )
