"""The limit in the commuting case when M <= 0, its rank, and the rate 1/t."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import F_LETTER, F, S, Sigma0, d, t
from proofs.claims.ranks import equal_ranks, rank_of_support, support_projector
from proofs.claims.square_root_form import (
    HYPOTHESES,
    HYPOTHESIS_NAMES,
    LEMMAS,
    LETTERS,
    M,
    R,
    X,
    factored_theorem,
    same_curve,
    same_matrix,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    identity,
    inv,
    lam,
    limit,
    maximal,
    minus,
    mul,
    on_lifetime,
    pinv,
    psd,
    rank,
    scale,
    tp,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

I = identity(d)  # noqa: E741 (the identity matrix)
#: -M, positive semidefinite here, and the orthogonal projector on its kernel
N = scale(-1, M)
SUPPORT = mul(pinv(N), N)
PROJECTOR = minus(I, SUPPORT)
LIMIT = mul(R, PROJECTOR, R)


def rate(time: Term) -> Term:
    """t (X(t) - limit) = R (I - W) N^+ R with 0 <= W <= I: convergence at rate 1/t."""
    W = inv(minus(I, scale(time, M)))
    return conj(
        eq(
            scale(time, minus(at(X, time), LIMIT)),
            mul(R, minus(I, W), pinv(N), R),
        ),
        psd(W),
        psd(minus(I, W)),
    )


def prove_rate(p: Builder, negative: int) -> int:
    symmetric, _, keeps = support_projector(p, N)
    later = p.fact("within", p.assume(within(t, INFINITY)))
    pencil = minus(I, scale(t, M))
    W = inv(pencil)
    positive = p.positive(
        pencil, Summand(I), Summand(I, core=negative, scalars=(later,)), strict=True
    )
    definite = p.fact("definite-inverse", positive)
    inverse = p.fact("inverse", p.part(definite, 0))
    resolvent_right, resolvent = p.part(inverse, 0), p.part(inverse, 1)
    swap = p.algebra(mul(N, pinv(N)), SUPPORT, (symmetric, itself))
    fixed = p.algebra(mul(pencil, PROJECTOR), PROJECTOR, (keeps, lambda h: scale(-1, scale(t, h))))
    kept = p.algebra(
        mul(W, PROJECTOR),
        PROJECTOR,
        (resolvent, lambda h: mul(h, PROJECTOR)),
        (fixed, lambda h: scale(-1, mul(W, h))),
    )
    difference = p.algebra(
        scale(t, minus(at(X, t), LIMIT)),
        mul(R, minus(I, W), pinv(N), R),
        (resolvent, lambda h: mul(R, h, pinv(N), R)),
        (swap, lambda h: scale(-1, scale(t, mul(R, W, h, R)))),
        (kept, lambda h: scale(t, mul(R, h, R))),
    )
    # I - W = t W N W + t^2 W N N W
    below = p.positive(
        minus(I, W),
        Summand(W, core=negative, scalars=(later,)),
        Summand(mul(N, W), scalars=(later, later)),
        by=[
            (resolvent_right, lambda h: scale(-1, scale(t, mul(W, N, h)))),
            (resolvent, lambda h: scale(-1, h)),
        ],
    )
    bounded = p.fact("positive-definite", p.part(definite, 1))
    return p.for_all(t, within(t, INFINITY), p.conjunction(difference, bounded, below))


def prove_limit(p: Builder, negative: int) -> int:
    resolvent = p.fact("resolvent-limit", negative, N=N)
    product = p.fact(
        "limit-of-product",
        resolvent,
        curve=p[resolvent].args[0],
        Y=p[resolvent].args[1],
        L=R,
        R=R,
    )
    curve = p[product].args[0]
    same = p.extensionality(t, p.algebra(at(curve, t), at(X, t)))
    return p.replace(same, product, lambda h: limit(h, LIMIT))


def prove_rank(p: Builder, start: int) -> int:
    """rank(R Pi R) = rank(P - Q) = rank P - rank Q, P and Q the projectors on ran R, ran M."""
    square = p.part(p.fact("square-root", start, M=Sigma0), 1)
    symmetric, _, keeps = support_projector(p, R)
    symmetric_part, _, keeps_part = support_projector(p, N)
    whole = mul(pinv(R), R)
    rest = minus(whole, SUPPORT)
    # the range of M lies in that of R: P Q = Q
    kept = p.algebra(mul(whole, R), R, (keeps, tp), (symmetric, lambda h: scale(-1, mul(h, R))))
    inside = p.algebra(
        mul(whole, SUPPORT),
        SUPPORT,
        (symmetric_part, lambda h: scale(-1, mul(whole, h))),
        (symmetric_part, itself),
        (kept, lambda h: scale(-1, mul(h, S, R, pinv(N)))),
    )
    idempotent = p.algebra(mul(SUPPORT, SUPPORT), SUPPORT, (keeps_part, lambda h: mul(pinv(N), h)))
    inside_left = p.algebra(
        mul(SUPPORT, whole),
        SUPPORT,
        (inside, tp),
        (symmetric, lambda h: scale(-1, mul(tp(SUPPORT), h))),
        (symmetric_part, lambda h: minus(h, mul(h, whole))),
    )
    orthogonal = p.algebra(
        mul(tp(SUPPORT), rest),
        zero(d, d),
        (symmetric_part, lambda h: mul(h, rest)),
        (inside_left, itself),
        (idempotent, lambda h: scale(-1, h)),
    )
    orthogonal_rows = p.algebra(
        mul(SUPPORT, tp(rest)),
        zero(d, d),
        (symmetric, lambda h: mul(SUPPORT, h)),
        (symmetric_part, lambda h: scale(-1, mul(SUPPORT, h))),
        (inside_left, itself),
        (idempotent, lambda h: scale(-1, h)),
    )
    total = p.fact("rank-of-orthogonal-sum", orthogonal, orthogonal_rows, C=SUPPORT, D=rest)
    total = p.replace(
        p.algebra(add(SUPPORT, rest), whole),
        total,
        lambda h: eq(rank(h), add(rank(SUPPORT), rank(rest))),
    )
    # ranks of the pieces
    range_root = rank_of_support(p, R, keeps)
    range_matrix = rank_of_support(p, N, keeps_part)
    minus_one = scale(-1, I)
    sign = equal_ranks(
        p,
        (p.algebra(N, mul(minus_one, M, I)), minus_one, M, I),
        (p.algebra(M, mul(minus_one, N, I)), minus_one, N, I),
    )
    root_rank = equal_ranks(
        p,
        (p.algebra(Sigma0, mul(R, R, I), (square, lambda h: scale(-1, h))), R, R, I),
        (
            p.algebra(
                R,
                mul(pinv(R), Sigma0, I),
                (kept, lambda h: scale(-1, h)),
                (square, lambda h: mul(pinv(R), h)),
            ),
            pinv(R),
            Sigma0,
            I,
        ),
    )
    # R Pi R = R (P - Q) R and P - Q = R^+ (R Pi R) R^+
    down = p.algebra(LIMIT, mul(R, rest, R), (kept, lambda h: scale(-1, mul(R, h))))
    up = p.algebra(
        rest,
        mul(pinv(R), LIMIT, pinv(R)),
        (inside, lambda h: mul(h, R, pinv(R))),
        (symmetric, lambda h: minus(mul(SUPPORT, h), h)),
        (inside_left, itself),
        (kept, lambda h: scale(-1, mul(h, pinv(R)))),
    )
    limit_rank = equal_ranks(p, (down, R, rest, R), (up, pinv(R), LIMIT, pinv(R)))
    return p.algebra(
        rank(LIMIT),
        minus(rank(Sigma0), rank(M)),
        (limit_rank, itself),
        (total, lambda h: scale(-1, h)),
        (range_root, itself),
        (range_matrix, lambda h: scale(-1, h)),
        (sign, lambda h: scale(-1, h)),
        (root_rank, lambda h: scale(-1, h)),
    )


def prove() -> Proof:
    p = Builder(LEMMAS)
    hypotheses = [p.assume(h) for h in HYPOTHESES]
    negative = p.assume(psd(N))
    theorem = factored_theorem(p, hypotheses)
    decay = p.replace(same_matrix(p), negative, lambda h: psd(scale(-1, h)))
    endless = p.modus_ponens(p.part(theorem, 1), decay)
    endless = p.replace(same_curve(p), endless, lambda h: maximal(INFINITY, h, F, Sigma0))
    p.conjunction(
        endless, prove_limit(p, negative), prove_rank(p, hypotheses[0]), prove_rate(p, negative)
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting-limit",
    title="In the commuting case with M <= 0: the limit, its rank, and the rate 1/t",
    source=PAPER_ID,
    statement=Statement(
        (*HYPOTHESES, psd(N)),
        conj(
            maximal(INFINITY, X, F, Sigma0),
            limit(X, LIMIT),
            eq(rank(LIMIT), minus(rank(Sigma0), rank(M))),
            on_lifetime(INFINITY, rate),
        ),
    ),
    hypotheses=(*HYPOTHESIS_NAMES, "M negative semidefinite"),
    prove=prove,
    note="I - N^+ N is the orthogonal projector on ker M. The rank drops exactly when M is not 0.",
    notation=(
        *LETTERS,
        Definition("W", lam(t, inv(minus(I, scale(t, M))))),
        Definition("Pi", PROJECTOR),
        F_LETTER,
    ),
)
