"""Softmax attention on the line: blow-up at 1/c for v a > 0, limit 0 for v a < 0."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.covariance_scalar import CLAIM as SCALAR
from proofs.claims.covariance_scalar import DENOMINATOR
from proofs.claims.growth import UNIT, inverted, throughout
from proofs.claims.scalar_equation import HYPOTHESIS_NAMES, SOFTMAX, SOFTMAX_FIELD, a, now, s0, v
from proofs.claims.scalar_fate import LINE, VANISHES, c, hypotheses, product, setting, vanishing
from proofs.kernel import Proof, Statement
from proofs.language import (
    at_most,
    conj,
    finite,
    implies,
    inv,
    minus,
    mul,
    number,
    pd,
    scale,
    within,
)
from proofs.printing.abbreviations import Definition

LIFETIME = at_most(T, finite(inv(c)))


def prove() -> Proof:
    """Reads off the closed form s = s0/(1 - c t), c = 2 v a s0."""
    p = Builder({SCALAR.id: SCALAR.lemma()})
    assumed = [p.assume(h) for h in hypotheses(SOFTMAX)]
    given = setting(p, SOFTMAX, assumed)
    forms = p.lemma(SCALAR.id, *assumed[1:4], v=v, a=a, k=number(1))
    closed = p.modus_ponens(p.part(forms, 0), assumed[0])
    closed = p.at(closed, t, p.assume(within(t, T)))
    above, value = p.part(closed, 0), p.part(closed, 1)
    cancel = inverted(p, above)[2]
    line = p.algebra(LINE, DENOMINATOR, (given.rate, lambda h: scale(-1, mul(t, h))))
    exact = p.algebra(
        mul(LINE, now),
        s0,
        (line, lambda h: mul(h, now)),
        (value, lambda h: mul(DENOMINATOR, h)),
        (cancel, lambda h: mul(s0, h)),
    )
    upper = p.positive(minus(s0, mul(LINE, now)), by=[(exact, lambda h: scale(-1, h))])

    growth = p.assume(pd(product))
    fast = p.positive(
        c,
        Summand(UNIT, scalars=(growth, given.positive[1]), coefficient=2),
        by=[(given.rate, itself)],
        strict=True,
    )
    _, inverse, unit = inverted(p, fast)
    before = p.positive(
        minus(inv(c), t),
        Summand(UNIT, scalars=(inverse, above)),
        by=[
            (unit, lambda h: mul(t, h)),
            (line, lambda h: mul(inv(c), h)),
        ],
        strict=True,
    )
    lifetime = p.fact("lifetime-bound", inverse, throughout(p, T, before))
    p.conjunction(
        p.discharge(pd(product), lifetime),
        vanishing(p, given, upper),
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.scalar-softmax",
    title="Softmax attention on the line: no solution beyond 1/c if v a > 0, limit 0 if v a < 0",
    source="new",
    statement=Statement(hypotheses(SOFTMAX), conj(implies(pd(product), LIFETIME), VANISHES)),
    hypotheses=("s solves the softmax equation", *HYPOTHESIS_NAMES, "F(s0) = c s0"),
    prove=prove,
    note="c = 2 v a s0 is the rate at the start.",
    notation=(Definition("F", SOFTMAX_FIELD),),
)
