"""Blow-up and limit of the variance on the line, for softmax, L2 and Sinkhorn attention."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.covariance_scalar import CLAIM as SCALAR
from proofs.claims.covariance_scalar import DENOMINATOR
from proofs.claims.growth import (
    UNIT,
    bounded,
    curve_at,
    inverse_of,
    inverted,
    moving,
    not_increasing,
    positive_root,
    product_of,
    square_positive,
    sum_of,
    throughout,
    velocity_at,
)
from proofs.claims.scalar_equation import (
    FIELD_LETTERS,
    HYPOTHESES,
    HYPOTHESIS_NAMES,
    L2,
    SINKHORN,
    SOFTMAX,
    Variant,
    a,
    divisor_positive,
    hypotenuse,
    k,
    now,
    positive_now,
    root_positive,
    root_squared,
    s,
    s0,
    simple_equation,
    simplification,
    square,
    v,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    eq,
    exp,
    finite,
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
    root,
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
LIFETIME = at_most(T, finite(inv(c)))
L2_RATE = scale(2, mul(product, inv(square)))
SINKHORN_RATE = scale(2, mul(product, inv(root(mul(a, a)))))


def premise(variant: Variant) -> Term:
    """s' = F(s), and F(s0) = c s0."""
    return conj(variant.equation, eq(at(variant.field, s0), mul(c, s0)))


def below(rate: Term) -> Term:
    """s(t) <= s0 exp(rate t)."""
    return le(now, mul(s0, exp(mul(rate, t))))


def always(body: Term) -> Term:
    return on_lifetime(T, lambda time: at(lam(t, body), time))


def tame(variant: Variant, letter: Term, rate: Term) -> Term:
    """What is said of L2 and of Sinkhorn attention."""
    return implies(
        premise(variant),
        conj(
            always(conj(LOWER, UPPER)),
            implies(conj(invertible(letter), psd(product)), always(below(rate))),
            VANISHES,
        ),
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


def setting(p: Builder, variant: Variant, hypotheses: tuple[int, int, int]) -> Setting:
    start, positive_start, everywhere = hypotheses
    premises = p.assume(premise(variant))
    positive = (positive_now(p, everywhere), positive_start)
    points = (now, s0)
    cancel = [inverted(p, x)[2] for x in positive]
    divisors = [
        inverted(p, divisor_positive(p, variant, point, x))
        for point, x in zip(points, positive, strict=True)
    ]
    slope = p.part(premises, 1)
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
        equation=simple_equation(p, variant, p.part(premises, 0), positive[0]),
        rate=same,
        positive=positive,
        cancel=(cancel[0], cancel[1]),
        share=(divisors[0][1], divisors[1][1]),
        unit=(divisors[0][2], divisors[1][2]),
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


def l2_gaps(p: Builder, given: Setting, order: int) -> tuple[int, int]:
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


def sinkhorn_gaps(p: Builder, given: Setting, order: int) -> tuple[int, int]:
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


def l2_growth(p: Builder, given: Setting) -> int:
    """2 k^2 s/D(s) < 1."""
    hypothesis = conj(invertible(k), psd(product))
    assumption = p.assume(hypothesis)
    _, inverse, cancel = inverted(p, square_positive(p, k, p.part(assumption, 0)))
    flow = velocity_at(p, given.equation)
    slope = p.positive(
        minus(mul(L2_RATE, now), flow),
        Summand(
            UNIT,
            scalars=(p.part(assumption, 1), given.positive[0], inverse, given.share[0]),
            coefficient=2,
        ),
        by=[
            (given.unit[0], lambda h: scale(-1, mul(L2_RATE, now, h))),
            (cancel, lambda h: mul(flow, h)),
        ],
    )
    return p.discharge(hypothesis, growth_bound(p, given, L2_RATE, slope))


def sinkhorn_growth(p: Builder, given: Setting) -> int:
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
    shared = mul(SINKHORN_RATE, now, share)
    slope = p.positive(
        minus(mul(SINKHORN_RATE, now), flow),
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
            (given.unit[0], lambda h: scale(-1, mul(SINKHORN_RATE, now, h))),
            (size_unit, lambda h: mul(flow, h)),
            (reach_unit, lambda h: scale(-1, mul(shared, minus(g, scale(2, mul(size, now))), h))),
            (squared, lambda h: mul(shared, inv(reach), h)),
            (size_squared, lambda h: scale(-4, mul(shared, inv(reach), now, now, h))),
        ],
    )
    return p.discharge(hypothesis, growth_bound(p, given, SINKHORN_RATE, slope))


def tamed(
    p: Builder,
    variant: Variant,
    hypotheses: tuple[int, int, int],
    compare: Callable[[Builder, Setting, int], tuple[int, int]],
    growth: Callable[[Builder, Setting], int],
) -> int:
    given = setting(p, variant, hypotheses)
    decrease, increase = compare(p, given, monotone(p, given))
    upper = upper_bound(p, variant, given, decrease)
    result = p.conjunction(
        throughout(p, T, p.conjunction(lower_bound(p, given, increase), upper)),
        growth(p, given),
        vanishing(p, given, upper),
    )
    return p.discharge(premise(variant), result)


def softmax(p: Builder, hypotheses: tuple[int, int, int]) -> int:
    """Read off the closed form s = s0/(1 - c t), c = 2 v a s0."""
    given = setting(p, SOFTMAX, hypotheses)
    known = p.part(p.lemma(SCALAR.id, *hypotheses, v=v, a=a, k=k), 0)
    closed = p.modus_ponens(known, p.part(p.assume(premise(SOFTMAX)), 0))
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
    result = p.conjunction(
        p.discharge(pd(product), lifetime),
        vanishing(p, given, upper),
    )
    return p.discharge(premise(SOFTMAX), result)


def prove() -> Proof:
    p = Builder({SCALAR.id: SCALAR.lemma()})
    first, second, third = (p.assume(h) for h in HYPOTHESES)
    hypotheses = (first, second, third)
    p.conjunction(
        softmax(p, hypotheses),
        tamed(p, L2, hypotheses, l2_gaps, l2_growth),
        tamed(p, SINKHORN, hypotheses, sinkhorn_gaps, sinkhorn_growth),
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.scalar-fate",
    title="The variance on the line: softmax can blow up, L2 and Sinkhorn attention cannot",
    source="new",
    statement=Statement(
        HYPOTHESES,
        conj(
            implies(premise(SOFTMAX), conj(implies(pd(product), LIFETIME), VANISHES)),
            tame(L2, k, L2_RATE),
            tame(SINKHORN, a, SINKHORN_RATE),
        ),
    ),
    hypotheses=HYPOTHESIS_NAMES,
    prove=prove,
    note="(a) softmax; (b) L2, with key k and a = k q; (c) Sinkhorn.  The rate c = F(s0)/s0 has "
    "the sign of v a.",
    notation=FIELD_LETTERS,
)
