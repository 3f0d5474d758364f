"""What the variance on the line does: bounds by its rate c = F(s0)/s0 at the start, and its limit.

Both v a/D(s0) >= v a/D(s) and v a s/D(s) >= v a s0/D(s0), as s moves in the direction of v a.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import T, t
from proofs.claims.growth import (
    UNIT,
    bounded,
    curve_at,
    inverse_of,
    inverted,
    moving,
    not_increasing,
    product_of,
    sum_of,
    throughout,
    velocity_at,
)
from proofs.claims.scalar_equation import (
    HYPOTHESES,
    Variant,
    a,
    divisor_positive,
    now,
    positive_now,
    s,
    s0,
    simple_equation,
    simplification,
    v,
)
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    exp,
    implies,
    inv,
    invertible,
    lam,
    le,
    limit,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    pinv,
    psd,
    real,
    scale,
    within,
    zero,
)
from proofs.terms import ONE, Term

c = real("c")
product = mul(v, a)
LINE = minus(UNIT, mul(c, t))
LOWER, UPPER = le(mul(s0, exp(mul(c, t))), now), le(mul(LINE, now), s0)
DECAY = conj(pd(scale(-1, product)), eq(T, INFINITY))
VANISHES = implies(DECAY, limit(s, zero(ONE, ONE)))


def hypotheses(variant: Variant) -> tuple[Term, ...]:
    """s' = F(s), the hypotheses of the closed forms, and F(s0) = c s0."""
    return (variant.equation, *HYPOTHESES, eq(at(variant.field, s0), mul(c, s0)))


def always(body: Term) -> Term:
    """``body`` for all t in [0, T)."""
    return on_lifetime(T, lambda time: at(lam(t, body), time))


def tame(letter: Term, rate: Term) -> Term:
    """What is said of L2 and of Sinkhorn attention: s exists as long as one likes."""
    below = le(now, mul(s0, exp(mul(rate, t))))
    return conj(
        always(conj(LOWER, UPPER)),
        implies(conj(invertible(letter), psd(product)), always(below)),
        VANISHES,
    )


@dataclass(frozen=True)
class Setting:
    """Steps that hold at t in [0, T), for one variant.

    ``equation`` is s' = 4 v a s^2 / D(s), ``rate`` c = 4 v a s0 / D(s0); of s(t) and of s0 the
    others say that x > 0, 1/x x = 1, 1/D(x) > 0 and 1/D(x) D(x) = 1.
    """

    start: int
    equation: int
    rate: int
    positive: tuple[int, int]
    cancel: tuple[int, int]
    share: tuple[int, int]
    unit: tuple[int, int]


def setting(p: Builder, variant: Variant, assumed: Sequence[int]) -> Setting:
    """From steps that prove the ``hypotheses``."""
    equation, start, positive_start, everywhere, slope = assumed
    positive = (positive_now(p, everywhere), positive_start)
    cancel = (inverted(p, positive[0])[2], inverted(p, positive[1])[2])
    divisor, divisor_start = (
        inverted(p, divisor_positive(p, variant, point, step))
        for point, step in zip((now, s0), positive, strict=True)
    )
    rate = mul(number(4), v, a, s0, inv(variant.divisor(s0)))
    same = p.algebra(
        c,
        rate,
        (cancel[1], lambda h: scale(-1, mul(c, h))),
        (slope, lambda h: scale(-1, mul(h, inv(s0)))),
        (simplification(p, variant, s0, positive_start), lambda h: mul(h, inv(s0))),
        (cancel[1], lambda h: mul(rate, h)),
    )
    return Setting(
        start=start,
        equation=simple_equation(p, variant, equation, positive[0]),
        rate=same,
        positive=positive,
        cancel=cancel,
        share=(divisor[1], divisor_start[1]),
        unit=(divisor[2], divisor_start[2]),
    )


def monotone(p: Builder, given: Setting) -> int:
    """v a (s - s0) >= 0, as (v a s)' = v a F(s) >= 0."""
    opposite = product_of(p, moving(p, T, scale(-1, product)), given.equation)
    slope = p.positive(
        minus(mul(number(0), curve_at(p, opposite)), velocity_at(p, opposite)),
        Summand(mul(product, now), scalars=(given.share[0],), coefficient=4),
    )
    return p.positive(
        mul(product, minus(now, s0)),
        Summand(UNIT, core=not_increasing(p, opposite, slope)),
        by=[(given.start, lambda h: mul(product, h))],
    )


def gaps(variant: Variant) -> tuple[Term, Term]:
    """v a (1/D(s0) - 1/D(s)) and v a (s/D(s) - s0/D(s0))."""
    share, first = inv(variant.divisor(now)), inv(variant.divisor(s0))
    return (
        mul(product, minus(first, share)),
        mul(product, minus(mul(now, share), mul(s0, first))),
    )


def lower_bound(p: Builder, given: Setting, increase: int) -> int:
    """s(t) >= s0 exp(c t), as F(s)/s grows with v a s."""
    opposite = product_of(p, moving(p, T, number(-1)), given.equation)
    slope = p.positive(
        minus(mul(c, curve_at(p, opposite)), velocity_at(p, opposite)),
        Summand(UNIT, scalars=(given.positive[0], increase), coefficient=4),
        by=[(given.rate, lambda h: scale(-1, mul(h, now)))],
    )
    bound = bounded(p, opposite, c, slope)
    factor = exp(mul(c, t))
    return p.positive(
        minus(now, mul(s0, factor)),
        Summand(UNIT, core=bound),
        by=[(given.start, lambda h: mul(h, factor))],
    )


def upper_bound(p: Builder, variant: Variant, given: Setting, decrease: int) -> int:
    """(1 - c t) s(t) <= s0, as (1/s)' = -F(s)/s^2 is at least its value at the start."""
    cancel, cancel_start = given.cancel
    regular = inverted(p, given.positive[0])[0]
    opposite = product_of(p, moving(p, T, number(-1)), inverse_of(p, given.equation, regular))
    slope = mul(c, inv(s0))
    whole = sum_of(p, opposite, moving(p, T, scale(-1, mul(slope, t))))
    share, first = inv(variant.divisor(now)), inv(variant.divisor(s0))
    turn = mul(number(4), product, share, add(UNIT, mul(inv(now), now)))
    falls = p.positive(
        minus(mul(number(0), curve_at(p, whole)), velocity_at(p, whole)),
        Summand(UNIT, core=decrease, coefficient=4),
        by=[
            (given.rate, lambda h: mul(h, inv(s0))),
            (cancel_start, lambda h: mul(number(4), product, first, h)),
            (cancel, lambda h: scale(-1, mul(turn, h))),
        ],
    )
    end = curve_at(p, whole)
    bound = p.replace(
        given.start,
        not_increasing(p, whole, falls),
        lambda h: le(end, add(mul(number(-1), inv(h)), scale(-1, mul(slope, number(0))))),
    )
    return p.positive(
        minus(s0, mul(LINE, now)),
        Summand(UNIT, scalars=(*given.positive, bound)),
        by=[
            (cancel, lambda h: scale(-1, mul(s0, h))),
            (cancel_start, lambda h: mul(LINE, now, h)),
        ],
    )


def vanishing(p: Builder, given: Setting, upper: int) -> int:
    """0 <= s(t) <= s0/(1 - c t) -> 0, when c < 0."""
    decay = p.assume(DECAY)
    endless = p.part(decay, 1)
    rate = scale(-1, c)
    negative = p.positive(
        rate,
        Summand(UNIT, scalars=(p.part(decay, 0), given.positive[1], given.share[1]), coefficient=4),
        by=[(given.rate, lambda h: scale(-1, h))],
        strict=True,
    )
    later = p.fact("within", p.assume(within(t, T)))
    above = p.positive(LINE, Summand(UNIT), Summand(UNIT, scalars=(negative, later)), strict=True)
    _, inverse, cancel = inverted(p, above)
    resolvent = p.fact("resolvent-limit", p.fact("positive-definite", negative), N=rate)
    curve, value = p[resolvent].args
    scaled = p.fact("limit-of-product", resolvent, curve=curve, Y=value, L=s0, R=UNIT)
    ceiling = p[scaled].args[0]
    bound = p.positive(
        minus(at(ceiling, t), now),
        Summand(UNIT, scalars=(inverse, upper)),
        by=[(cancel, lambda h: mul(now, h))],
    )
    penrose = p.part(p.fact("moore-penrose", R=rate), 0)
    unit = inverted(p, negative)[2]
    nothing = p.algebra(
        p[scaled].args[1],
        zero(ONE, ONE),
        (unit, lambda h: mul(s0, minus(mul(rate, pinv(rate)), UNIT), h)),
        (penrose, lambda h: scale(-1, mul(s0, inv(rate), h))),
    )
    positive = throughout(p, T, p.fact("positive-definite", given.positive[0]))
    squeezed = p.fact(
        "squeezed-limit",
        p.replace(endless, positive, lambda h: on_lifetime(h, lambda t: psd(at(s, t)))),
        p.replace(
            endless,
            throughout(p, T, bound),
            lambda h: on_lifetime(h, lambda t: le(at(s, t), at(ceiling, t))),
        ),
        p.replace(nothing, scaled, lambda h: limit(ceiling, h)),
        M=s,
        N=ceiling,
    )
    return p.discharge(DECAY, squeezed)


def growth_bound(p: Builder, given: Setting, rate: Term, slope: int) -> int:
    """s(t) <= s0 exp(rate t) on [0, T), from a step F(s) <= rate s."""
    bound = bounded(p, given.equation, rate, slope)
    factor = exp(mul(rate, t))
    stated = p.positive(
        minus(mul(s0, factor), now),
        Summand(UNIT, core=bound),
        by=[(given.start, lambda h: scale(-1, mul(h, factor)))],
    )
    return throughout(p, T, stated)


def bounds(p: Builder, variant: Variant, given: Setting, gap: tuple[int, int]) -> tuple[int, int]:
    """Both bounds on [0, T), and the upper one at t alone, when both ``gaps`` are nonnegative."""
    decrease, increase = gap
    upper = upper_bound(p, variant, given, decrease)
    return throughout(p, T, p.conjunction(lower_bound(p, given, increase), upper)), upper
