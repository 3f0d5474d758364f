"""L2 attention on the line: the variance grows at most exponentially, and has a limit."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.growth import UNIT, inverted, square_positive, velocity_at
from proofs.claims.scalar_equation import (
    HYPOTHESIS_NAMES,
    L2,
    L2_FIELD,
    L2_GAIN,
    k,
    now,
    s0,
    square,
)
from proofs.claims.scalar_fate import (
    Setting,
    bounds,
    gaps,
    growth_bound,
    hypotheses,
    monotone,
    product,
    setting,
    tame,
    vanishing,
)
from proofs.kernel import Proof, Statement
from proofs.language import conj, inv, invertible, minus, mul, psd, scale
from proofs.printing.abbreviations import Definition

RATE = scale(2, mul(product, inv(square)))


def compare(p: Builder, given: Setting, order: int) -> tuple[int, int]:
    """Both are nonnegative: D is affine."""
    share, first = inv(L2.divisor(now)), inv(L2.divisor(s0))
    unit, unit_first = given.unit
    shares = (*given.share, order)
    decrease, increase = gaps(L2)
    return (
        p.positive(
            decrease,
            Summand(k, scalars=shares, coefficient=2),
            by=[
                (unit, lambda h: scale(-1, mul(product, first, h))),
                (unit_first, lambda h: mul(product, share, h)),
            ],
        ),
        p.positive(
            increase,
            Summand(UNIT, scalars=shares),
            by=[
                (unit_first, lambda h: scale(-1, mul(product, now, share, h))),
                (unit, lambda h: mul(product, s0, first, h)),
            ],
        ),
    )


def growth(p: Builder, given: Setting) -> int:
    """2 k^2 s/D(s) < 1."""
    hypothesis = conj(invertible(k), psd(product))
    assumption = p.assume(hypothesis)
    _, inverse, cancel = inverted(p, square_positive(p, k, p.part(assumption, 0)))
    flow = velocity_at(p, given.equation)
    slope = p.positive(
        minus(mul(RATE, now), flow),
        Summand(
            UNIT,
            scalars=(p.part(assumption, 1), given.positive[0], inverse, given.share[0]),
            coefficient=2,
        ),
        by=[
            (given.unit[0], lambda h: scale(-1, mul(RATE, now, h))),
            (cancel, lambda h: mul(flow, h)),
        ],
    )
    return p.discharge(hypothesis, growth_bound(p, given, RATE, slope))


def prove() -> Proof:
    p = Builder()
    given = setting(p, L2, [p.assume(h) for h in hypotheses(L2)])
    both, upper = bounds(p, L2, given, compare(p, given, monotone(p, given)))
    p.conjunction(both, growth(p, given), vanishing(p, given, upper))
    return p.proof()


CLAIM = Claim(
    id="covariance.scalar-l2",
    title="L2 attention on the line: exponential bounds, and limit 0 if v a < 0 and T is infinite",
    source="new",
    statement=Statement(hypotheses(L2), tame(k, RATE)),
    hypotheses=("s solves the L2 equation", *HYPOTHESIS_NAMES, "F(s0) = c s0"),
    prove=prove,
    note="k is the key, and a = k q.  The rate c at the start has the sign of v a.",
    notation=(Definition("B", L2_GAIN), Definition("F", L2_FIELD)),
)
