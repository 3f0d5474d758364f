"""S <= 0 does not imply clustering: a start whose covariance blows up."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import (
    S_LETTER,
    SOLUTION,
    S,
    Sigma,
    Sigma0,
    T,
    covariance_field,
    d,
    symmetrised,
)
from proofs.claims.covariance_self_similar import CLAIM as SELF_SIMILAR
from proofs.claims.covariance_self_similar import X
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    at,
    conj,
    dimension,
    eq,
    exists,
    finite,
    inv,
    limit,
    literal,
    lt,
    mat,
    mul,
    number,
    pd,
    psd,
    rank,
    scale,
    tp,
)
from proofs.terms import size, substitute

Y = mat("Y", d, d)
CLUSTERS = conj(eq(T, INFINITY), exists(Y, conj(limit(Sigma, Y), lt(rank(Y), dimension(d)))))
STATEMENT = Statement((psd(scale(-1, S)), pd(Sigma0), SOLUTION), CLUSTERS)

VALUE = literal([[1, -1], [-2, 4]])
SCORE = literal([[Fraction(-1, 2), Fraction(7, 4)], [Fraction(-1, 4), Fraction(1, 4)]])
START = literal([[1, 0], [0, 4]])
RATE = number(1)
PLANE = {"d": size(2), "V": VALUE, "A": SCORE, "Sigma0": START}
COUNTEREXAMPLE = {
    **PLANE,
    "T": finite(inv(RATE)),
    "Sigma": substitute(X, {**PLANE, "c": RATE}),
}


def prove() -> Proof:
    p = Builder({SELF_SIMILAR.id: SELF_SIMILAR.lemma()})
    drift = symmetrised(VALUE, SCORE)
    negative = literal([[Fraction(1, 2), Fraction(-3, 2)], [Fraction(-3, 2), 5]])
    stated = p.replace(
        p.algebra(negative, scale(-1, drift)), p.definite(negative), lambda h: psd(h)
    )
    field = covariance_field(VALUE, SCORE)
    ray = p.algebra(at(field, START), scale(RATE, START))
    probe = literal([[1], [0]])
    one = p.definite(RATE, strict=True)
    mass = p.replace(p.algebra(RATE, mul(tp(probe), START, probe)), one, lambda h: pd(h))
    theorem = p.lemma(SELF_SIMILAR.id, ray, V=VALUE, A=SCORE, Sigma0=START, c=RATE)
    growing = p.specialise(p.modus_ponens(p.part(theorem, 0), one), probe)
    solution = p.part(p.modus_ponens(growing, mass), 0)
    # T = 1 is finite
    claimed = substitute(CLUSTERS, COUNTEREXAMPLE)
    endless = p.part(p.assume(claimed), 0)
    impossible = p.fact("finite-lifetime", r=inv(RATE))
    fails = p.contradiction(claimed, endless, impossible)
    p.conjunction(stated, p.definite(START, strict=True), solution, fails)
    return p.proof()


CLAIM = Claim(
    id="seed.softmax-clustering",
    title="If V A + A^T V^T <= 0 then Sigma(t) converges to a rank-deficient limit",
    source=f"{PAPER_ID}, as two public summaries word it",
    statement=STATEMENT,
    hypotheses=(
        "S negative semidefinite",
        "Sigma0 positive definite",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
    expected="refuted",
    counterexample=COUNTEREXAMPLE,
    note="Here S is even negative definite and Sigma0 positive definite, yet "
    "Sigma(t) = Sigma0 / (1 - t). What clusters is covariance.definite-value.",
    notation=(S_LETTER,),
)
