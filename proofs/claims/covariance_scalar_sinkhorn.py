"""Sinkhorn attention on the line: the variance grows at most exponentially, and has a limit."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.growth import UNIT, inverted, positive_root, square_positive, velocity_at
from proofs.claims.scalar_equation import (
    HYPOTHESIS_NAMES,
    SINKHORN,
    SINKHORN_FIELD,
    SINKHORN_GAIN,
    Z,
    a,
    hypotenuse,
    now,
    root_positive,
    root_squared,
    s0,
    score,
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
from proofs.language import add, conj, inv, invertible, lam, minus, mul, psd, root, scale
from proofs.printing.abbreviations import Definition

SIZE = root(mul(a, a))
RATE = scale(2, mul(product, inv(SIZE)))


def compare(p: Builder, given: Setting, order: int) -> tuple[int, int]:
    """Both are nonnegative, by the squares of the roots g in D = 1 + g."""
    share, first = inv(SINKHORN.divisor(now)), inv(SINKHORN.divisor(s0))
    g, g0 = hypotenuse(now), hypotenuse(s0)
    unit, unit_first = given.unit
    squared, squared_first = root_squared(p, now), root_squared(p, s0)
    roots = (root_positive(p, now), root_positive(p, s0))
    sides = p.positive(
        add(now, s0), *(Summand(UNIT, scalars=(x,)) for x in given.positive), strict=True
    )
    whole = add(g, g0)
    total = p.positive(whole, *(Summand(UNIT, scalars=(x,)) for x in roots), strict=True)
    crossed = add(mul(now, g0), mul(s0, g))
    mixed = p.positive(
        crossed,
        Summand(UNIT, scalars=(given.positive[0], roots[1])),
        Summand(UNIT, scalars=(given.positive[1], roots[0])),
        strict=True,
    )
    _, total_inverse, total_unit = inverted(p, total)
    _, mixed_inverse, mixed_unit = inverted(p, mixed)
    shares = (*given.share, order)
    both = mul(product, share, first)
    decrease, increase = gaps(SINKHORN)
    return (
        p.positive(
            decrease,
            Summand(a, scalars=(*shares, sides, total_inverse), coefficient=4),
            by=[
                (unit, lambda h: scale(-1, mul(product, first, h))),
                (unit_first, lambda h: mul(product, share, h)),
                (total_unit, lambda h: scale(-1, mul(both, minus(g, g0), h))),
                (squared, lambda h: mul(both, inv(whole), h)),
                (squared_first, lambda h: scale(-1, mul(both, inv(whole), h))),
            ],
        ),
        p.positive(
            increase,
            Summand(UNIT, scalars=shares),
            Summand(UNIT, scalars=(*shares, sides, mixed_inverse)),
            by=[
                (unit_first, lambda h: scale(-1, mul(product, now, share, h))),
                (unit, lambda h: mul(product, s0, first, h)),
                (
                    mixed_unit,
                    lambda h: scale(-1, mul(both, minus(mul(now, g0), mul(s0, g)), h)),
                ),
                (squared_first, lambda h: mul(both, inv(crossed), now, now, h)),
                (squared, lambda h: scale(-1, mul(both, inv(crossed), s0, s0, h))),
            ],
        ),
    )


def growth(p: Builder, given: Setting) -> int:
    """2 |a| s/D(s) < 1, as g^2 - 4 a^2 s^2 = 1."""
    hypothesis = conj(invertible(a), psd(product))
    assumption = p.assume(hypothesis)
    score = square_positive(p, a, p.part(assumption, 0))
    size, g = root(mul(a, a)), hypotenuse(now)
    size_squared = p.part(p.fact("square-root", p.fact("positive-definite", score)), 1)
    size_positive = positive_root(p, score)
    _, size_inverse, size_unit = inverted(p, size_positive)
    reach = add(g, scale(2, mul(size, now)))
    far = p.positive(
        reach,
        Summand(UNIT, scalars=(root_positive(p, now),)),
        Summand(UNIT, scalars=(size_positive, given.positive[0]), coefficient=2),
        strict=True,
    )
    _, reach_inverse, reach_unit = inverted(p, far)
    squared = root_squared(p, now)
    flow, share = velocity_at(p, given.equation), inv(SINKHORN.divisor(now))
    shared = mul(RATE, now, share)
    slope = p.positive(
        minus(mul(RATE, now), flow),
        Summand(
            UNIT,
            scalars=(p.part(assumption, 1), given.positive[0], size_inverse, given.share[0]),
            coefficient=2,
        ),
        Summand(
            UNIT,
            scalars=(
                *(p.part(assumption, 1), given.positive[0], size_inverse),
                *(given.share[0], reach_inverse),
            ),
            coefficient=2,
        ),
        by=[
            (given.unit[0], lambda h: scale(-1, mul(RATE, now, h))),
            (size_unit, lambda h: mul(flow, h)),
            (reach_unit, lambda h: scale(-1, mul(shared, minus(g, scale(2, mul(size, now))), h))),
            (squared, lambda h: mul(shared, inv(reach), h)),
            (size_squared, lambda h: scale(-4, mul(shared, inv(reach), now, now, h))),
        ],
    )
    return p.discharge(hypothesis, growth_bound(p, given, RATE, slope))


def prove() -> Proof:
    p = Builder()
    given = setting(p, SINKHORN, [p.assume(h) for h in hypotheses(SINKHORN)])
    both, upper = bounds(p, SINKHORN, given, compare(p, given, monotone(p, given)))
    p.conjunction(both, growth(p, given), vanishing(p, given, upper))
    return p.proof()


CLAIM = Claim(
    id="covariance.scalar-sinkhorn",
    title="Sinkhorn attention on the line: exponential bounds, limit 0 if v a < 0 and T infinite",
    source="new",
    statement=Statement(hypotheses(SINKHORN), tame(a, RATE)),
    hypotheses=("s solves the Sinkhorn equation", *HYPOTHESIS_NAMES, "F(s0) = c s0"),
    prove=prove,
    note="The rate c at the start has the sign of v a.",
    notation=(
        Definition("m", lam(Z, score(Z))),
        Definition("B", SINKHORN_GAIN),
        Definition("F", SINKHORN_FIELD),
    ),
)
