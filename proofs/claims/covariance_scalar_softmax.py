"""Softmax attention on the line: blow-up at 1/c for v a > 0, limit 0 for v a < 0."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.covariance_scalar import softmax_line
from proofs.claims.growth import UNIT, inverted, throughout
from proofs.claims.scalar_equation import HYPOTHESIS_NAMES, SOFTMAX, SOFTMAX_FIELD, now, s0
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
    pd,
    scale,
)
from proofs.printing.abbreviations import Definition

LIFETIME = at_most(T, finite(inv(c)))


def prove() -> Proof:
    """1 - c t = s0/s(t) > 0, with c = 2 v a s0."""
    p = Builder()
    given = setting(p, SOFTMAX, [p.assume(h) for h in hypotheses(SOFTMAX)])
    positive, positive_start = given.positive
    exact = softmax_line(p, given.equation, positive, given.start, positive_start)
    line = p.algebra(
        LINE, mul(s0, inv(now)), (given.rate, lambda h: scale(-1, mul(t, h))), (exact, itself)
    )
    above = p.positive(
        LINE,
        Summand(UNIT, scalars=(positive_start, inverted(p, positive)[1])),
        by=[(line, itself)],
        strict=True,
    )
    upper = p.positive(
        minus(s0, mul(LINE, now)),
        by=[
            (line, lambda h: scale(-1, mul(h, now))),
            (given.cancel[0], lambda h: scale(-1, mul(s0, h))),
        ],
    )

    growth = p.assume(pd(product))
    fast = p.positive(
        c,
        Summand(UNIT, scalars=(growth, positive_start), coefficient=2),
        by=[(given.rate, itself)],
        strict=True,
    )
    _, inverse, unit = inverted(p, fast)
    before = p.positive(
        minus(inv(c), t),
        Summand(UNIT, scalars=(inverse, above)),
        by=[(unit, lambda h: mul(t, h))],
        strict=True,
    )
    lifetime = p.fact("lifetime-bound", inverse, throughout(p, T, before))
    p.conjunction(p.discharge(pd(product), lifetime), vanishing(p, given, upper))
    return p.proof()


CLAIM = Claim(
    id="covariance.scalar-softmax",
    title="Softmax attention on the line: T <= 1/c if v a > 0, limit 0 if v a < 0 and T infinite",
    source="new",
    statement=Statement(hypotheses(SOFTMAX), conj(implies(pd(product), LIFETIME), VANISHES)),
    hypotheses=("s solves the softmax equation", *HYPOTHESIS_NAMES, "F(s0) = c s0"),
    prove=prove,
    note="c = 2 v a s0 is the rate at the start.",
    notation=(Definition("F", SOFTMAX_FIELD),),
)
