"""Blow-up in the commuting case: exactly when M has a positive eigenvalue, at its inverse."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import F_LETTER, F, Sigma0, d
from proofs.claims.square_root_form import (
    HYPOTHESES,
    HYPOTHESIS_NAMES,
    LEMMAS,
    LETTERS,
    MATRIX,
    M,
    X,
    factored_theorem,
    same_curve,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    conj,
    eq,
    escapes,
    finite,
    identity,
    implies,
    inv,
    lmax,
    maximal,
    minus,
    mul,
    number,
    pd,
    psd,
    scale,
    tp,
    vec,
    zero,
)
from proofs.terms import ONE

LARGEST = lmax(M)
END = finite(inv(LARGEST))
u = vec("u", d)
UNIT = identity(ONE)


def prove() -> Proof:
    p = Builder(LEMMAS)
    theorem = factored_theorem(p, [p.assume(h) for h in HYPOTHESES])
    curve = same_curve(p)
    spectrum = p.fact("largest-eigenvalue", p.algebra(tp(M), M), M=M)
    above = p.part(spectrum, 0)

    # lambda_max <= 0
    low = p.assume(psd(scale(-1, LARGEST)))
    negative = p.positive(
        scale(-1, MATRIX),
        Summand(identity(d), core=above),
        Summand(identity(d), scalars=(low,)),
    )
    endless = p.modus_ponens(p.part(theorem, 1), negative)
    endless = p.replace(curve, endless, lambda h: maximal(INFINITY, h, F, Sigma0))
    endless = p.discharge(psd(scale(-1, LARGEST)), endless)

    # lambda_max > 0: I - M / lambda_max is singular on the eigenvector u
    high = p.assume(pd(LARGEST))
    definite = p.fact("definite-inverse", high)
    reciprocal = p.part(p.fact("inverse", p.part(definite, 0)), 1)
    eigenvector = p.assume(conj(eq(mul(tp(u), u), number(1)), eq(mul(M, u), scale(LARGEST, u))))
    length, equation = p.part(eigenvector, 0), p.part(eigenvector, 1)
    pencil = minus(identity(d), scale(inv(LARGEST), MATRIX))
    edge = p.positive(
        pencil,
        Summand(identity(d), core=above, scalars=(p.part(definite, 1),)),
        by=[(reciprocal, lambda h: scale(-1, scale(h, identity(d))))],
    )
    null = p.algebra(
        mul(pencil, u),
        zero(d, ONE),
        (equation, lambda h: scale(-1, scale(inv(LARGEST), h))),
        (reciprocal, lambda h: scale(-1, scale(h, u))),
    )
    mass = p.positive(mul(tp(u), identity(d), u), Summand(UNIT), by=[(length, itself)], strict=True)
    singular = p.conjunction(p.part(definite, 1), edge, null, mass)
    blow_up = p.specialise(p.specialise(p.part(theorem, 2), inv(LARGEST)), u)
    blow_up = p.modus_ponens(blow_up, singular)
    blow_up = p.obtain(p.part(spectrum, 1), u, blow_up)
    blow_up = p.replace(curve, blow_up, lambda h: conj(maximal(END, h, F, Sigma0), escapes(END, h)))
    p.conjunction(endless, p.discharge(pd(LARGEST), blow_up))
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting-blowup",
    title="In the commuting case: blow-up iff lambda_max(M) > 0, at t* = 1 / lambda_max(M)",
    source=PAPER_ID,
    statement=Statement(
        HYPOTHESES,
        conj(
            implies(psd(scale(-1, LARGEST)), maximal(INFINITY, X, F, Sigma0)),
            implies(pd(LARGEST), conj(maximal(END, X, F, Sigma0), escapes(END, X))),
        ),
    ),
    hypotheses=HYPOTHESIS_NAMES,
    prove=prove,
    notation=(*LETTERS, F_LETTER),
)
