"""S with a positive eigenvalue: the largest eigenvalue of Sigma may blow up, for every d."""

from __future__ import annotations

from proofs.builder import Builder, Summand, Use, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import A, F, S, Sigma, Sigma0, V, covariance_field, d, t
from proofs.claims.covariance_self_similar import CLAIM as SELF_SIMILAR
from proofs.claims.covariance_self_similar import DENOMINATOR, PROBE
from proofs.claims.covariance_self_similar import X as RAY
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    conj,
    eq,
    escapes,
    exists,
    finite,
    identity,
    inv,
    lam,
    lmax,
    maximal,
    minus,
    mul,
    number,
    pd,
    real,
    scale,
    tp,
    vec,
    within,
)
from proofs.terms import ONE, Term, substitute

r, u = real("r"), vec("u", d)
I = identity(d)  # noqa: E741 (the identity matrix)
UNIT = identity(ONE)
TWO = number(2)
INSTANCE = {"V": I, "A": I, "Sigma0": I, "c": TWO}
X = substitute(RAY, INSTANCE)
END = finite(inv(TWO))
BODY = conj(
    pd(lmax(S)),
    pd(Sigma0),
    maximal(finite(r), Sigma, F, Sigma0),
    escapes(finite(r), lam(t, lmax(at(Sigma, t)))),
)
VARIABLES = (V, A, Sigma0, r, Sigma)
STATEMENT: Term = BODY
for _variable in reversed(VARIABLES):
    STATEMENT = exists(_variable, STATEMENT)


def eigenvalue(p: Builder, matrix: Term, value: Term, *by: Use) -> int:
    """lambda_max(M) = value, for M = value I as the equations ``by`` show."""
    spectrum = p.fact("largest-eigenvalue", p.algebra(tp(matrix), matrix), M=matrix)
    vector = p.assume(
        conj(eq(mul(tp(u), u), number(1)), eq(mul(matrix, u), scale(lmax(matrix), u)))
    )
    length, equation = p.part(vector, 0), p.part(vector, 1)
    found = p.algebra(
        lmax(matrix),
        value,
        (equation, lambda h: scale(-1, mul(tp(u), h))),
        (length, lambda h: scale(minus(value, lmax(matrix)), h)),
        *by,
    )
    return p.obtain(p.part(spectrum, 1), u, found)


def prove() -> Proof:
    p = Builder({SELF_SIMILAR.id: SELF_SIMILAR.lemma()})
    two = p.definite(TWO, strict=True)
    drift = substitute(S, INSTANCE)
    back = p.algebra(TWO, lmax(drift), (eigenvalue(p, drift, TWO), lambda h: scale(-1, h)))
    growing = p.replace(back, two, pd)

    start = p.positive(I, Summand(I), strict=True)
    ray = p.algebra(at(covariance_field(I, I), I), scale(TWO, I))
    theorem = p.lemma(SELF_SIMILAR.id, ray, **INSTANCE)
    # any unit vector serves as the probe
    unit_spectrum = p.fact("largest-eigenvalue", p.algebra(tp(I), I), M=I)
    vector = p.assume(conj(eq(mul(tp(u), u), number(1)), eq(mul(I, u), scale(lmax(I), u))))
    one = p.definite(number(1), strict=True)
    probe = substitute(PROBE, {**INSTANCE, "w": u})
    length = p.algebra(number(1), probe, (p.part(vector, 0), lambda h: scale(-1, h)))
    mass = p.replace(length, one, pd)
    solution = p.modus_ponens(p.specialise(p.modus_ponens(p.part(theorem, 0), two), u), mass)
    solution = p.obtain(p.part(unit_spectrum, 1), u, p.part(solution, 0))

    # lambda_max(X(t)) = 1/(1 - 2 t) = (1/2) / (1/2 - t)
    gap = p.fact("within-finite", p.assume(within(t, END)))
    rest = minus(inv(TWO), t)
    cancel = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", gap), 0)), 1)
    denominator = substitute(DENOMINATOR, INSTANCE)
    candidate = scale(inv(TWO), inv(rest))
    ratio = p.algebra(mul(candidate, denominator), UNIT, (cancel, itself))
    ratio = p.part(p.fact("one-sided-inverse", ratio, N=candidate, M=denominator), 1)
    largest = eigenvalue(p, at(X, t), candidate, (ratio, lambda h: scale(h, mul(tp(u), u))))
    curve = lam(t, lmax(at(X, t)))
    bound = p.positive(minus(mul(tp(UNIT), at(curve, t), UNIT), candidate), by=[(largest, itself)])
    half = p.part(p.fact("definite-inverse", two), 1)
    escape = p.fact(
        "unbounded-form",
        half,
        half,
        p.for_all(t, within(t, END), bound),
        d=ONE,
        r=inv(TWO),
        c=inv(TWO),
        X=curve,
        w=UNIT,
    )
    found = p.conjunction(growing, start, solution, escape)
    p.exhibit_all(VARIABLES, BODY, (I, I, I, inv(TWO), X), found)
    return p.proof()


CLAIM = Claim(
    id="seed.softmax-blowup.may",
    title="If S has a positive eigenvalue, the largest eigenvalue of Sigma may blow up",
    source=f"{PAPER_ID}, as two public summaries word it, read as 'can happen'",
    statement=Statement((), STATEMENT),
    hypotheses=(),
    prove=prove,
    note="In every dimension: V = A = I and Sigma0 = I give S = 2 I and Sigma(t) = I / (1 - 2 t).",
)
