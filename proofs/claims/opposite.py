"""What Z A Z = 0 says about Z >= 0: bounds of its rank."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_definite_value import at_limit_points
from proofs.claims.covariance_equation import Sigma, d
from proofs.claims.dissipation import Decay, Z
from proofs.claims.ranks import rank_in_kernel, rank_of_complement, support_projector
from proofs.language import (
    add,
    conj,
    dimension,
    eq,
    forall,
    identity,
    implies,
    inv,
    le,
    limit,
    limit_point,
    minus,
    mul,
    pd,
    pinv,
    psd,
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


def of_low_rank(form: Term, weight: Term) -> tuple[Term, Term]:
    """For all weights c with N >= 0: limit points have N Z = 0; with N > 0: Sigma(t) -> 0."""
    return (
        forall(weight, implies(psd(form), at_limit_points(annihilated(form)))),
        forall(weight, implies(pd(form), limit(Sigma, zero(d, d)))),
    )


def low_rank_steps(
    p: Builder, decay: Decay, metric: int, weight: Term, flat: int, inside: int
) -> tuple[int, int]:
    """What :func:`of_low_rank` says, from steps P > 0, and Z N Z = 0, psd(Z) at limit points."""
    form = p[flat].args[0].args[1]
    semidefinite, definite = p.assume(psd(form)), p.assume(pd(form))
    reached = limit_point(Sigma, Z)
    low = p.for_all(Z, reached, annihilated_steps(p, semidefinite, flat, inside))
    killed = p.part(annihilated_steps(p, p.fact("positive-definite", definite), flat, inside), 0)
    converges = decay.to_zero(p, metric, vanishes(p, definite, killed))
    return p.for_all(weight, psd(form), low), p.for_all(weight, pd(form), converges)


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
