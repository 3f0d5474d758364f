"""S with a positive eigenvalue does not imply blow-up, not even for one start."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_definite_value import CLAIM as DEFINITE_VALUE
from proofs.claims.covariance_equation import S_LETTER, F, S, Sigma, Sigma0
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    conj,
    exists,
    finite,
    identity,
    literal,
    lmax,
    maximal,
    mul,
    pd,
    psd,
    real,
    scale,
    tp,
)
from proofs.terms import ONE, size, substitute

r = real("r")
BODY = conj(pd(Sigma0), maximal(finite(r), Sigma, F, Sigma0))
VARIABLES = (Sigma0, r, Sigma)
STATEMENT = Statement((pd(lmax(S)),), exists(Sigma0, exists(r, exists(Sigma, BODY))))

VALUE, SCORE = literal([[1, 0], [0, 4]]), literal([[-1, 3], [-3, -1]])
COUNTEREXAMPLE = {"d": size(2), "V": VALUE, "A": SCORE}


def prove() -> Proof:
    p = Builder({DEFINITE_VALUE.id: DEFINITE_VALUE.lemma()})
    plane = identity(size(2))
    # u^T S u = 8 and |u|^2 = 2 for u = (1, -1)
    drift, vector = substitute(S, COUNTEREXAMPLE), literal([[1], [-1]])
    above = p.part(p.fact("largest-eigenvalue", p.algebra(tp(drift), drift), M=drift), 0)
    growing = p.positive(
        lmax(drift),
        Summand(vector, core=above, coefficient=Fraction(1, 2)),
        Summand(identity(ONE), coefficient=4),
        strict=True,
    )

    # tr Sigma never grows, whatever the start
    metric = p.positive(plane, Summand(plane), strict=True)
    value = p.replace(p.algebra(VALUE, mul(plane, VALUE)), p.definite(VALUE), psd)
    twice = literal([[2, 0], [0, 2]])
    symmetric_part = scale(-1, add(SCORE, tp(SCORE)))
    negative = p.replace(p.algebra(twice, symmetric_part), p.definite(twice), psd)
    body = substitute(BODY, COUNTEREXAMPLE)
    variables = [substitute(v, COUNTEREXAMPLE) for v in VARIABLES]
    found = p.assume(body)
    start = p.fact("positive-definite", p.part(found, 0))
    endless = p.lemma(
        DEFINITE_VALUE.id,
        metric,
        value,
        negative,
        start,
        p.part(found, 1),
        **COUNTEREXAMPLE,
        P=plane,
        Sigma0=variables[0],
        T=finite(r),
        Sigma=variables[2],
    )
    finite_time = p.fact("finite-lifetime", r=r)
    p.conjunction(growing, p.deny(variables, body, p.part(endless, 0), finite_time))
    return p.proof()


CLAIM = Claim(
    id="seed.softmax-blowup.does",
    title="If S has a positive eigenvalue, Sigma blows up for some Sigma0 > 0",
    source=f"{PAPER_ID}, as two public summaries word it, read as 'does happen'",
    statement=STATEMENT,
    hypotheses=("S has a positive eigenvalue",),
    prove=prove,
    expected="refuted",
    counterexample=COUNTEREXAMPLE,
    note="No start at all blows up here: the value matrix is positive and A + A^T = -2 I, so that "
    "covariance.definite-value applies, although S is indefinite.",
    notation=(S_LETTER,),
)
