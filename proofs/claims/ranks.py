"""Steps on ranks that several proofs take."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.language import (
    add,
    dimension,
    eq,
    identity,
    le,
    minus,
    mul,
    pinv,
    rank,
    scale,
    tp,
    zero,
)
from proofs.terms import ONE, Term, sort_of


def rank_of_factors(p: Builder, equation: int, left: Term, middle: Term, right: Term) -> int:
    """rank X <= rank Y from a step X = L Y R."""
    whole = p[equation].args[0]
    nested = p.algebra(whole, mul(mul(left, middle), right), (equation, itself))
    outer = p.part(p.fact("rank-of-product", A=mul(left, middle), B=right), 0)
    inner = p.part(p.fact("rank-of-product", A=left, B=middle), 1)
    bound = p.positive(
        minus(rank(middle), rank(mul(mul(left, middle), right))),
        Summand(identity(ONE), core=outer),
        Summand(identity(ONE), core=inner),
    )
    back = p.algebra(mul(mul(left, middle), right), whole, (nested, lambda h: scale(-1, h)))
    return p.replace(back, bound, lambda h: le(rank(h), rank(middle)))


def rank_of_complement(p: Builder, projector: Term, *by: int) -> int:
    """rank(I - Q) = d - rank Q for an orthogonal projector Q.

    ``by`` are steps that prove Q^T = Q and Q Q = Q.
    """
    symmetric, idempotent = by
    n = sort_of(projector).args[0]
    rest = minus(identity(n), projector)
    orthogonal = p.algebra(
        mul(tp(projector), rest),
        zero(n, n),
        (symmetric, lambda h: mul(h, rest)),
        (idempotent, lambda h: scale(-1, h)),
    )
    flipped = p.algebra(
        mul(projector, tp(rest)),
        zero(n, n),
        (symmetric, lambda h: scale(-1, mul(projector, h))),
        (idempotent, lambda h: scale(-1, h)),
    )
    total = p.fact("rank-of-orthogonal-sum", orthogonal, flipped, C=projector, D=rest)
    whole = p.algebra(add(projector, rest), identity(n))
    total = p.replace(whole, total, lambda h: eq(rank(h), add(rank(projector), rank(rest))))
    full = p.fact("rank-of-identity", d=n)
    return p.algebra(
        rank(rest),
        minus(dimension(n), rank(projector)),
        (total, lambda h: scale(-1, h)),
        (full, itself),
    )


def support_projector(p: Builder, matrix: Term) -> tuple[int, int, int]:
    """For Q = M^+ M: steps that prove Q^T = Q, Q Q = Q and M Q = M."""
    equations = p.fact("moore-penrose", R=matrix)
    projector = mul(pinv(matrix), matrix)
    symmetric = p.part(equations, 3)
    reproduces = p.part(equations, 0)
    idempotent = p.algebra(
        mul(projector, projector), projector, (reproduces, lambda h: mul(pinv(matrix), h))
    )
    keeps = p.algebra(mul(matrix, projector), matrix, (reproduces, itself))
    return symmetric, idempotent, keeps


def rank_in_kernel(p: Builder, matrix: Term, inside: Term, equation: int) -> int:
    """rank Y <= d - rank H from a step H Y = 0."""
    n = sort_of(matrix).args[1]
    symmetric, idempotent, keeps = support_projector(p, matrix)
    projector = mul(pinv(matrix), matrix)
    rest = minus(identity(n), projector)
    complement = rank_of_complement(p, projector, symmetric, idempotent)
    columns = sort_of(inside).args[1]
    reproduced = p.algebra(
        inside,
        mul(mul(rest, inside), identity(columns)),
        (equation, lambda h: mul(pinv(matrix), h)),
    )
    # rank Y = rank((I - Q) Y) <= rank(I - Q)
    product = p.part(p.fact("rank-of-product", A=rest, B=inside), 0)
    trimmed = p.algebra(mul(rest, inside), inside, (reproduced, lambda h: scale(-1, h)))
    product = p.replace(trimmed, product, lambda h: le(rank(h), rank(rest)))
    # rank H = rank(H Q) <= rank Q
    support = p.part(p.fact("rank-of-product", A=matrix, B=projector), 1)
    support = p.replace(keeps, support, lambda h: le(rank(h), rank(projector)))
    return p.positive(
        minus(minus(dimension(n), rank(matrix)), rank(inside)),
        Summand(identity(ONE), core=product),
        Summand(identity(ONE), core=support),
        by=[(complement, lambda h: scale(-1, h))],
    )


def equal_ranks(
    p: Builder,
    first: tuple[int, Term, Term, Term],
    second: tuple[int, Term, Term, Term],
) -> int:
    """rank X = rank Y from X = L Y R and Y = L' X R', each given as (step, L, Y, R)."""
    X, Y = second[2], first[2]
    return p.fact(
        "antisymmetry",
        rank_of_factors(p, *first),
        rank_of_factors(p, *second),
        a=rank(X),
        b=rank(Y),
    )


def rank_of_support(p: Builder, matrix: Term, keeps: int) -> int:
    """rank(M^+ M) = rank M, from a step that proves M (M^+ M) = M."""
    n = sort_of(matrix).args[0]
    projector = mul(pinv(matrix), matrix)
    one = identity(n)
    down = p.algebra(projector, mul(pinv(matrix), matrix, one))
    up = p.algebra(matrix, mul(matrix, projector, one), (keeps, lambda h: scale(-1, h)))
    return equal_ranks(p, (down, pinv(matrix), matrix, one), (up, matrix, projector, one))
