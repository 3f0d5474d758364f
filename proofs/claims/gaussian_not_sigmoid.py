"""Sigmoid attention does not keep Gaussians Gaussian.

Its velocity is bounded in x, so that among the velocities that move Gaussians through Gaussians
only the constant ones remain; but it takes different values at 1 and at -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofs.builder import Builder, Context, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.line_velocity import (
    HALF,
    INSIDE,
    LAW,
    POSITIVE,
    UNIT,
    Sigma,
    a,
    alpha,
    b,
    c,
    for_some,
    inverse_of,
    k,
    line_velocity,
    nonzero,
    positive_exponential,
    positive_inverse,
    profile,
    profile_of,
    v,
    x,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    continuity,
    eq,
    exp,
    inv,
    lam,
    minus,
    mul,
    negation,
    number,
    real,
    scale,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

VELOCITY = lam(t, lam(x, line_velocity("sigmoid", at(LAW, t))))
MEAN, VARIANCE, NOW = at(alpha, t), at(Sigma, t), at(LAW, t)
ZERO, ONE, y = number(0), number(1), real("y")
NONZERO = negation(eq(v, ZERO)), negation(eq(a, ZERO))
SOLVES = continuity(T, LAW, VELOCITY)
#: x -> y -> s v y with s = 1 / (1 + exp(-a x y)), the integrand of the velocity
INTEGRAND = lam(x, at(VELOCITY, t, x).args[1])


@dataclass(frozen=True)
class Weight:
    """Steps on the weight s = 1 / (1 + e) of y for x, where e = exp(-a x y)."""

    e: Term
    s: Term
    e_positive: int
    s_positive: int
    exists: int
    #: s (1 + e) = 1
    product: int


def weight(p: Builder, place: Term, point: Term) -> Weight:
    s = at(INTEGRAND, place, point).args[0]
    below = s.args[0]
    e = below.args[1]
    e_positive = positive_exponential(p, e.args[0])
    shares = Summand(UNIT), Summand(UNIT, scalars=(e_positive,))
    inverse = p.fact("definite-inverse", p.positive(below, *shares, strict=True))
    exists = p.part(inverse, 0)
    return Weight(e, s, e_positive, p.part(inverse, 1), exists, inverse_of(p, exists))


@dataclass(frozen=True)
class Dominated:
    """A multiple of the integrand, and a bound of its size that does not depend on x."""

    body: Term
    bound: Term
    bounded: int
    integrable: int


def dominated(p: Builder, here: Weight, factor: Term, body: Term, positive: int) -> Dominated:
    """|factor s y| <= (factor^2 + y^2) / 2, where ``body`` is factor s y."""
    constant = scale(HALF, mul(factor, factor))
    bound = add(mul(tp(y), number(HALF), y), mul(tp(ZERO), y), constant)
    squares = add(mul(factor, factor), mul(y, y))

    def nonnegative(matrix: Term, sign: int) -> int:
        """The bound plus or minus factor s y: (factor +- y)^2 s / 2 + squares s e / 2."""
        both = (here.e_positive, here.s_positive)
        return p.positive(
            matrix,
            Summand(add(factor, scale(sign, y)), scalars=(here.s_positive,), coefficient=HALF),
            Summand(factor, scalars=both, coefficient=HALF),
            Summand(y, scalars=both, coefficient=HALF),
            by=[(here.product, lambda h: scale(-HALF, mul(h, squares)))],
        )

    sides = p.conjunction(
        nonnegative(minus(body, scale(-1, bound)), 1), nonnegative(minus(bound, body), -1)
    )
    integrable = p.fact(
        "gaussian-quadratic-integrable",
        positive,
        a=MEAN,
        C=VARIANCE,
        S=number(HALF),
        h=ZERO,
        r=constant,
    )
    return Dominated(body, bound, p.generalise(x, p.generalise(y, sides)), integrable)


def integrated(p: Builder, item: Dominated, place: Term, is_continuous: int) -> int:
    """The integrand at a place, continuous in y, is integrable, and its integral is bounded."""
    return p.fact(
        "dominated-integral",
        is_continuous,
        item.integrable,
        p.specialise(item.bounded, place),
        nu=NOW,
        f=at(lam(x, lam(y, item.body)), place),
        g=lam(y, item.bound),
    )


def constant_velocity(p: Builder, bounds: int, at_place: int, positive: int) -> tuple[int, int]:
    """k = 0 and b = 0, from bounds of the velocity at x and its form there."""
    below, above = p.part(bounds, 0), p.part(bounds, 1)
    bound = p[above].args[0].args[0]
    constant, form = add(bound, mul(ZERO, x, x)), profile(MEAN, VARIANCE)
    sides = p.conjunction(
        p.positive(
            minus(form, scale(-1, constant)),
            Summand(UNIT, core=below),
            by=[(at_place, lambda h: scale(-1, h))],
        ),
        p.positive(minus(constant, form), Summand(UNIT, core=above), by=[(at_place, itself)]),
    )
    rate = scale(HALF, inv(VARIANCE))
    inverse_positive = p.part(p.fact("definite-inverse", positive), 1)
    growth = p.fact(
        "exponential-growth",
        p.positive(rate, Summand(UNIT, scalars=(inverse_positive,), coefficient=HALF), strict=True),
        p.generalise(x, sides),
        r=bound,
        s=ZERO,
        b=b,
        c=c,
        k=k,
        q=rate,
        m=MEAN,
    )
    return p.part(growth, 0), p.modus_ponens(p.part(growth, 1), p.reflexivity(ZERO))


def tangents(p: Builder, u: Term) -> tuple[int, int]:
    """The facts exp(r) >= 1 + r at u and at -u."""
    first, second = (p.fact("exponential-above-tangent", r=r) for r in (u, scale(-1, u)))
    return first, second


def exponential_of_zero(p: Builder) -> int:
    """exp(0) = 1."""
    once = p.fact("exponential-of-sum", r=ZERO, s=ZERO)
    cancel, unit = positive_inverse(p, p.part(once, 1)), exp(ZERO)
    return p.algebra(
        unit,
        ONE,
        (p.part(once, 0), lambda h: scale(-1, mul(inv(unit), h))),
        (cancel, lambda h: scale(-1, minus(mul(h, unit), h))),
    )


def reciprocal(p: Builder, u: Term, at_zero: int) -> int:
    """exp(u) exp(-u) = 1, from a step exp(0) = 1."""
    split = p.part(p.fact("exponential-of-sum", r=u, s=scale(-1, u)), 0)
    return p.algebra(
        mul(exp(u), exp(scale(-1, u))),
        ONE,
        (split, lambda h: scale(-1, h)),
        (at_zero, itself),
    )


def difference(
    p: Builder,
    bodies: Sequence[Term],
    point: Term,
    at_zero: int,
    cancel: int,
    score: int | None = None,
) -> int:
    """At y = point the integrand times a / v, in ``bodies``, is at x = -1 at most that at x = 1.

    With u = a y it is u / (1 + exp(u)) there, u exp(u) / (1 + exp(u)) here, and
    u (exp(u) - 1) = (exp(u) - 1 - u) + exp(u) (exp(-u) - 1 + u), a sum of two terms that are not
    negative.  With a step ``score`` that proves u to be nonzero the first is positive.
    """
    u = mul(a, point)
    low, high = weight(p, number(-1), point), weight(p, ONE, point)
    grow, decay = tangents(p, u)
    unit = reciprocal(p, u, at_zero)
    # the logistic function at u is exp(u) times that at -u
    ratio = p.algebra(
        high.s,
        mul(exp(u), low.s),
        (low.product, lambda h: scale(-1, mul(high.s, h))),
        (high.product, lambda h: mul(exp(u), low.s, h)),
        (unit, lambda h: scale(-1, mul(h, high.s, low.s))),
    )
    first = p.part(grow, 0) if score is None else p.modus_ponens(p.part(grow, 1), score)
    matrix = minus(bodies[1], bodies[0])
    growth = mul(a, inv(v), v, point)
    return p.positive(
        matrix,
        Summand(UNIT, core=first, scalars=(low.s_positive,)),
        Summand(UNIT, core=p.part(decay, 0), scalars=(low.s_positive, low.e_positive)),
        by=[
            (ratio, lambda h: mul(growth, h)),
            (cancel, lambda h: mul(h, u, minus(mul(exp(u), low.s), low.s))),
            (unit, lambda h: scale(-1, mul(low.s, h))),
        ],
        strict=score is not None,
    )


def prove() -> Proof:
    p = Builder()
    value, score = (p.assume(h) for h in NONZERO)
    starts, positive = p.assume(within(ZERO, T)), p.assume(POSITIVE)
    inside, solves = p.assume(INSIDE), p.assume(SOLVES)
    positive_now = p.at(positive, t, inside)
    nonnegative = p.fact("positive-definite", positive_now)

    here, body = weight(p, x, y), at(INTEGRAND, x, y)
    in_point, in_place = (p.generalise(z, here.exists) for z in (y, x))
    exists = p.generalise(x, in_point)
    plain = dominated(p, here, v, body, nonnegative)
    in_y = p.continuous(lam(y, body), in_point)
    is_continuous = p.fact(
        "dominated-continuity",
        p.generalise(x, in_y),
        p.generalise(y, p.continuous(lam(x, body), in_place)),
        plain.integrable,
        plain.bounded,
        nu=NOW,
        f=INTEGRAND,
        g=lam(y, plain.bound),
    )
    existence, equation = profile_of(p, solves, positive, inside, is_continuous)
    form = p.assume(equation)
    bounds = p.part(integrated(p, plain, x, in_y), 1)
    no_growth, no_slope = constant_velocity(p, bounds, p.specialise(form, x), positive_now)

    # the velocities at -1 and 1, times a / v
    cancel, factor = nonzero(p, value), mul(a, inv(v))
    multiple = lam(x, lam(y, scale(factor, body)))
    scaled = dominated(p, here, mul(factor, v), at(multiple, x, y), nonnegative)
    places = number(-1), ONE
    continuous_there = [
        p.continuous(at(multiple, place), p.specialise(exists, place)) for place in places
    ]
    integrals = [
        integrated(p, scaled, *there) for there in zip(places, continuous_there, strict=True)
    ]
    at_zero = exponential_of_zero(p)
    bodies = tuple(at(multiple, place, y) for place in places)
    order = difference(p, bodies, y, at_zero, cancel)
    first = tuple(at(multiple, place, ONE) for place in places)
    nonzero_score = p.replace(p.algebra(a, mul(a, ONE)), score, lambda h: negation(eq(h, ZERO)))
    larger = p.fact(
        "strict-order-of-integrals",
        positive_now,
        *continuous_there,
        *(p.part(step, 0) for step in integrals),
        p.generalise(y, order),
        difference(p, first, ONE, at_zero, cancel, nonzero_score),
        a=MEAN,
        C=VARIANCE,
        f=at(multiple, places[0]),
        g=at(multiple, places[1]),
        z=ONE,
    )

    def same(place: Term, sign: int) -> list[tuple[int, Context]]:
        """Equations by which the integral at a place is that of the constant velocity c."""
        out = p.fact("constant-factor", nu=NOW, r=factor, f=at(INTEGRAND, place))
        there = p.specialise(form, place)
        growth = p[there].args[1].args[2].args[1]
        return [
            (out, lambda h: scale(sign, h)),
            (there, lambda h: scale(sign, mul(factor, h))),
            (no_growth, lambda h: scale(sign, mul(factor, h, growth))),
            (no_slope, lambda h: scale(sign, mul(factor, h, place))),
        ]

    # the difference of equal velocities would be positive
    by = [*same(places[0], 1), *same(places[1], -1)]
    nothing = p.positive(ZERO, Summand(UNIT, core=larger), by=by, strict=True)
    impossible = positive_inverse(p, nothing)
    absurd = p.algebra(ONE, ZERO, (impossible, lambda h: scale(-1, h)))
    absurd = for_some(p, existence, equation, absurd)
    absurd = p.at(p.for_all(t, INSIDE, absurd), ZERO, starts)
    p.contradiction(SOLVES, absurd, p.unequal(ONE, ZERO))
    return p.proof()


CLAIM = Claim(
    id="gaussian.not-sigmoid",
    title="Sigmoid attention does not keep Gaussians Gaussian",
    source="new",
    statement=Statement((*NONZERO, within(ZERO, T), POSITIVE), negation(SOLVES)),
    hypotheses=("V = v is not 0", "A = a is not 0", "T > 0", "Sigma positive"),
    prove=prove,
    note="Here d = 1, which settles that Gaussians are not preserved in general. For d >= 2 a "
    "velocity that is not affine is not yet a contradiction: its other part may be divergence-free "
    "against the density.",
    notation=(Definition("mu", LAW), Definition("Gamma", VELOCITY)),
)
