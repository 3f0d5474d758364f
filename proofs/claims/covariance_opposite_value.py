"""P V = -A^T with P > 0: tr(P Sigma) never grows, whatever the score matrix."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_definite_value import at_limit_points
from proofs.claims.covariance_equation import SOLUTION, A, F, Sigma, Sigma0, T, V, d
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.dissipation import Decay, P, Z, trace_bound
from proofs.claims.gaussian_integrals import HALF
from proofs.claims.opposite import (
    low_rank_steps,
    null,
    of_low_rank,
    rank_when_null,
    symmetric_part,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    identity,
    limit_point,
    minus,
    mul,
    number,
    pd,
    psd,
    real,
    root,
    scale,
    tp,
    tr,
    zero,
)
from proofs.terms import ONE

OPPOSITE = eq(mul(P, V), scale(-1, tp(A)))
c = real("c")
N = scale(c, symmetric_part(A))
W = root(Z)
#: M = W A W with W = Z^{1/2}
M = mul(W, A, W)
SQUARE = tr(mul(tp(M), M))


def power(p: Builder, metric: int, value: int, positive: int) -> int:
    """2 tr(M^T M) = -tr(P F(Z)), from steps P > 0, P V = -A^T and psd(Z)."""
    square = p.part(p.fact("square-root", positive), 1)
    return p.algebra(
        scale(2, SQUARE),
        minus(number(0), tr(mul(P, at(F, Z)))),
        (square, lambda f: scale(2, tr(mul(tp(A), f, A, W, W)))),
        (square, lambda f: scale(2, tr(mul(tp(A), Z, A, f)))),
        (value, lambda f: scale(2, tr(mul(f, Z, A, Z)))),
        positive,
        metric,
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    metric, value = p.assume(pd(P)), p.assume(OPPOSITE)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    square = p.fact("trace-nonnegative", p.positive(mul(tp(M), M), Summand(M)))
    twice = p.positive(scale(2, SQUARE), Summand(identity(ONE), core=square, coefficient=2))
    decreasing = p.replace(power(p, metric, value, p.assume(psd(Z))), twice, psd)
    everywhere = p.for_all(Z, psd(Z), decreasing)
    decay = Decay.of(p, solution, p.lemma(RANK.id, start, solution), metric, everywhere)

    # at a limit point M = 0, hence Z A Z = W M W = 0
    inside, no_power = decay.at_limit(p)
    no_trace = p.algebra(
        SQUARE,
        number(0),
        (power(p, metric, value, inside), lambda f: scale(HALF, f)),
        (no_power, lambda f: scale(-HALF, f)),
    )
    vanishing = p.fact("zero-trace", p.positive(mul(tp(M), M), Summand(M)), no_trace)
    one = p.positive(identity(d), Summand(identity(d)))
    flipped = p.algebra(mul(tp(M), identity(d), M), zero(d, d), (vanishing, itself))
    killed = p.fact("zero-form", one, flipped, M=identity(d), Z=M)
    root_square = p.part(p.fact("square-root", inside), 1)
    flat = p.algebra(
        mul(Z, A, Z),
        zero(d, d),
        (root_square, lambda f: scale(-1, mul(f, A, Z))),
        (root_square, lambda f: scale(-1, mul(W, W, A, f))),
        (killed, lambda f: mul(W, f, W)),
    )
    limits = p.conjunction(inside, flat, rank_when_null(p, A, flat))
    limits = p.for_all(Z, limit_point(Sigma, Z), limits)

    # Z (A + A^T) Z = 0 too
    both = p.algebra(mul(Z, N, Z), zero(d, d), (flat, lambda f: scale(c, add(f, tp(f)))), inside)
    ranks = low_rank_steps(p, decay, metric, c, both, inside)
    p.conjunction(decay.endless, decay.bound, limits, *ranks)
    return p.proof()


CLAIM = Claim(
    id="covariance.opposite-value",
    title="P V = -A^T with P > 0: global, bounded, limit points of low rank",
    source="new",
    statement=Statement(
        (pd(P), OPPOSITE, psd(Sigma0), SOLUTION),
        conj(
            eq(T, INFINITY),
            trace_bound(T),
            at_limit_points(conj(psd(Z), *null(A))),
            *of_low_rank(N, c),
        ),
    ),
    hypotheses=(
        "P positive definite",
        "P V = -A^T",
        "Sigma0 positive semidefinite",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
    note="tr(P Sigma)' = -2 |Sigma^{1/2} A Sigma^{1/2}|^2. P = I: V = -A^T, where A need not be "
    "symmetric. For c = 1 or -1 the last two conclusions are about A + A^T or its opposite.",
)
