"""The commuting case for every Sigma0 > 0: S alone decides between blow-up and a limit."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_commuting_blowup import CLAIM as BLOWUP
from proofs.claims.covariance_commuting_blowup import LARGEST
from proofs.claims.covariance_commuting_factored import COMMUTING
from proofs.claims.covariance_commuting_limit import CLAIM as LIMITS
from proofs.claims.covariance_commuting_limit import LIMIT, I, N
from proofs.claims.covariance_equation import SOLUTION, F, S, Sigma, Sigma0, T, d, t
from proofs.claims.ranks import equal_ranks
from proofs.claims.roots import invertible_root
from proofs.claims.square_root_form import LETTERS, M, R, X
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    at,
    conj,
    dimension,
    eq,
    exists,
    forall,
    identity,
    implies,
    inv,
    limit,
    mat,
    minus,
    mul,
    negation,
    on_lifetime,
    pd,
    psd,
    rank,
    scale,
    tp,
    vec,
    within,
)
from proofs.terms import ONE

w, Y = vec("w", d), mat("Y", d, d)
CONVERGES = conj(limit(Sigma, Y), eq(rank(Y), minus(dimension(d), rank(S))))
GROWTH = mul(tp(w), S, w)


def prove_limit(p: Builder, start: int, hypotheses: list[int], solution: int) -> int:
    drift = p.assume(psd(scale(-1, S)))
    negative = p.positive(N, Summand(R, core=drift))
    theorem = p.lemma(LIMITS.id, *hypotheses, negative)
    unique = p.fact(
        "uniqueness",
        p.smooth_along(F, T, Sigma),
        solution,
        p.part(theorem, 0),
        F=F,
        X=Sigma,
        Y=X,
        X0=Sigma0,
    )
    endless = p.part(unique, 0)
    along = p.replace(
        endless,
        p.part(unique, 1),
        lambda end: on_lifetime(end, lambda t: eq(at(Sigma, t), at(X, t))),
    )
    now = p.at(along, t, p.assume(within(t, INFINITY)))
    back = p.algebra(at(X, t), at(Sigma, t), (now, lambda h: scale(-1, h)))
    converges = p.fact(
        "equal-curves", p.part(theorem, 1), p.for_all(t, within(t, INFINITY), back), Y=X, W=Sigma
    )
    # rank Sigma0 = d and rank M = rank S
    _, left, right = invertible_root(p, Sigma0, start)
    full = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", start), 0)), 1)
    whole = equal_ranks(
        p,
        (p.algebra(Sigma0, mul(Sigma0, I, I)), Sigma0, I, I),
        (
            p.algebra(I, mul(inv(Sigma0), Sigma0, I), (full, lambda h: scale(-1, h))),
            inv(Sigma0),
            Sigma0,
            I,
        ),
    )
    reduced = equal_ranks(
        p,
        (p.algebra(M, mul(R, S, R)), R, S, R),
        (
            p.algebra(
                S,
                mul(inv(R), M, inv(R)),
                (left, lambda h: scale(-1, mul(h, S, R, inv(R)))),
                (right, lambda h: scale(-1, mul(S, h))),
            ),
            inv(R),
            M,
            inv(R),
        ),
    )
    ranks = p.algebra(
        rank(LIMIT),
        minus(dimension(d), rank(S)),
        (p.part(theorem, 2), itself),
        (whole, itself),
        (p.fact("rank-of-identity", d=d), itself),
        (reduced, lambda h: scale(-1, h)),
    )
    found = p.exhibit(Y, CONVERGES, LIMIT, p.conjunction(converges, ranks))
    return p.discharge(psd(scale(-1, S)), p.conjunction(endless, found))


def prove_blow_up(p: Builder, start: int, hypotheses: list[int], solution: int) -> int:
    growth = p.assume(pd(GROWTH))
    _, _, right = invertible_root(p, Sigma0, start)
    above = p.part(p.fact("largest-eigenvalue", p.algebra(tp(M), M), M=M), 0)
    # lambda_max(M) |v|^2 >= v^T M v = w^T S w > 0 for v = R^{-1} w
    v = mul(inv(R), w)
    length = mul(tp(v), v)
    positive = p.positive(
        mul(LARGEST, length),
        Summand(v, core=above),
        Summand(identity(ONE), scalars=(growth,)),
        by=[
            (right, lambda h: mul(tp(w), tp(h), S, R, v)),
            (right, lambda h: mul(tp(w), S, h, w)),
        ],
        strict=True,
    )
    square = p.positive(length, Summand(v))
    largest = p.fact("positive-factor", square, positive, a=length, b=LARGEST)
    theorem = p.lemma(BLOWUP.id, *hypotheses)
    explicit = p.part(p.modus_ponens(p.part(theorem, 1), largest), 0)
    end = p.part(
        p.fact(
            "uniqueness",
            p.smooth_along(F, T, Sigma),
            solution,
            explicit,
            F=F,
            X=Sigma,
            Y=X,
            X0=Sigma0,
        ),
        0,
    )
    back = p.replace(end, p.reflexivity(T), lambda h: eq(h, T))
    finite_time = p.fact("finite-lifetime", r=inv(LARGEST))
    ends = p.replace(back, finite_time, lambda h: negation(eq(h, INFINITY)))
    return p.generalise(w, p.discharge(pd(GROWTH), ends))


def prove() -> Proof:
    p = Builder({LIMITS.id: LIMITS.lemma(), BLOWUP.id: BLOWUP.lemma()})
    start = p.assume(pd(Sigma0))
    commutes = [p.assume(h) for h in COMMUTING]
    solution = p.assume(SOLUTION)
    hypotheses = [p.fact("positive-definite", start), *commutes]
    p.conjunction(
        prove_limit(p, start, hypotheses, solution), prove_blow_up(p, start, hypotheses, solution)
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting-every-start",
    title="In the commuting case S alone decides, for every Sigma0 > 0",
    source=PAPER_ID,
    statement=Statement(
        (pd(Sigma0), *COMMUTING, SOLUTION),
        conj(
            implies(psd(scale(-1, S)), conj(eq(T, INFINITY), exists(Y, CONVERGES))),
            forall(w, implies(pd(GROWTH), negation(eq(T, INFINITY)))),
        ),
    ),
    hypotheses=(
        "Sigma0 positive definite",
        "V commutes with Sigma0",
        "V commutes with S",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
    note="V = v I commutes with everything: then the theorem holds for every start.",
    notation=LETTERS,
)
