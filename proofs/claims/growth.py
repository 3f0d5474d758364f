"""Steps on real curves r on [0, T): rules for derivatives, and bounds by exponentials."""

from __future__ import annotations

from proofs.builder import Builder, Summand, Use, itself
from proofs.claims.covariance_equation import t
from proofs.language import (
    add,
    at,
    exp,
    identity,
    inv,
    lam,
    minus,
    mul,
    number,
    root,
    scale,
    within,
)
from proofs.terms import ONE, Term

UNIT = identity(ONE)


def curve_at(p: Builder, equation: int, time: Term = t) -> Term:
    """r(time), from a step ode(T, r, g)."""
    return at(p[equation].args[1], time)


def velocity_at(p: Builder, equation: int, time: Term = t) -> Term:
    """g(time), from a step ode(T, r, g)."""
    return at(p[equation].args[2], time)


def throughout(p: Builder, end: Term, use: int) -> int:
    """On [0, end) what ``use`` proves under the assumption t in [0, end)."""
    return p.for_all(t, within(t, end), use)


def given(p: Builder, end: Term, everywhere: int) -> int:
    """What holds on [0, end), at the time t in [0, end)."""
    return p.at(everywhere, t, p.assume(within(t, end)))


def moving(p: Builder, end: Term, value: Term) -> int:
    """ode(end, t -> value, its derivative) for a rational expression in t without inverses."""
    return p.differentiate(end, lam(t, value))


def sum_of(p: Builder, left: int, right: int) -> int:
    return p.fact("derivative-of-sum", left, right)


def product_of(p: Builder, left: int, right: int) -> int:
    return p.fact("derivative-of-product", left, right)


def exponential_of(p: Builder, equation: int) -> int:
    return p.fact("derivative-of-exponential", equation)


def logarithm_of(p: Builder, equation: int, positive: int) -> int:
    """The equation of log r, when ``positive`` proves r(t) > 0 at t in [0, end)."""
    whole = throughout(p, p[equation].args[0], positive)
    return p.fact("derivative-of-logarithm", equation, whole)


def inverse_of(p: Builder, equation: int, regular: int) -> int:
    """The equation of 1/r, when ``regular`` proves r(t) invertible at t in [0, end)."""
    return p.fact("derivative-of-inverse", equation, throughout(p, p[equation].args[0], regular))


def root_of(p: Builder, equation: int, positive: int) -> int:
    """The equation of r^{1/2}, when ``positive`` proves r(t) > 0 at t in [0, end)."""
    return p.fact("derivative-of-root", equation, throughout(p, p[equation].args[0], positive))


def with_velocity(p: Builder, equation: int, value: Term, *uses: Use) -> int:
    """The same curve with its velocity written as ``value``, equal by algebra."""
    return same_velocity(p, equation, p.algebra(velocity_at(p, equation), value, *uses))


def same_velocity(p: Builder, equation: int, same: int) -> int:
    """The same curve with its velocity written as the right side of ``same``."""
    end, curve, velocity = p[equation].args
    return p.fact(
        "equal-velocities",
        equation,
        throughout(p, end, same),
        T=end,
        Y=curve,
        G=velocity,
        H=lam(t, p[same].args[1]),
    )


def inverted(p: Builder, positive: int) -> tuple[int, int, int]:
    """Steps that prove x invertible, 1/x > 0 and 1/x x = 1, from a step x > 0."""
    found = p.fact("definite-inverse", positive)
    regular = p.part(found, 0)
    return regular, p.part(found, 1), p.part(p.fact("inverse", regular), 1)


def square_positive(p: Builder, number: Term, regular: int) -> int:
    """x x > 0, from a step that proves x invertible."""
    cancel = p.part(p.fact("inverse", regular), 1)
    opposite = mul(inv(number), inv(number))
    one = p.positive(
        mul(mul(number, number), opposite),
        Summand(UNIT),
        by=[(cancel, lambda h: mul(h, add(UNIT, mul(inv(number), number))))],
        strict=True,
    )
    return p.fact("positive-factor", p.positive(opposite, Summand(inv(number))), one)


def positive_root(p: Builder, positive: int) -> int:
    """x^{1/2} > 0, from a step x > 0."""
    value = p[positive].args[0]
    found = p.fact("square-root", p.fact("positive-definite", positive))
    square = p.positive(
        mul(root(value), root(value)),
        Summand(UNIT, core=positive),
        by=[(p.part(found, 1), itself)],
        strict=True,
    )
    return p.fact("positive-factor", p.part(found, 0), square)


def bounded(p: Builder, equation: int, rate: Term, slope: int) -> int:
    """r(t) <= r(0) exp(rate t) at t in [0, end), when ``slope`` proves g(t) <= rate r(t) there."""
    end = p[equation].args[0]
    everywhere = p.fact("exponential-bound", equation, throughout(p, end, slope), c=rate)
    return given(p, end, everywhere)


def exponential(p: Builder, equation: int, rate: Term) -> int:
    """r(t) = r(0) exp(rate t) at t in [0, end), for a velocity that equals rate r(t) by algebra."""
    now, start = curve_at(p, equation), curve_at(p, equation, number(0))
    factor = exp(mul(rate, t))
    slope = p.positive(minus(mul(rate, now), velocity_at(p, equation)))
    above = bounded(p, equation, rate, slope)
    opposite = product_of(p, moving(p, p[equation].args[0], number(-1)), equation)
    slope = p.positive(minus(mul(rate, curve_at(p, opposite)), velocity_at(p, opposite)))
    below = bounded(p, opposite, rate, slope)
    below = p.positive(minus(now, mul(start, factor)), Summand(UNIT, core=below))
    return p.fact("antisymmetry", above, below, a=now, b=mul(start, factor))


def at_rest(p: Builder) -> int:
    """exp(0 t) = 1."""
    one = exp(number(0))
    law = p.fact("exponential-of-sum", r=number(0), s=number(0))
    _, _, cancel = inverted(p, p.part(law, 1))
    return p.algebra(
        exp(mul(number(0), t)),
        number(1),
        (p.part(law, 0), lambda h: scale(-1, mul(inv(one), h))),
        (cancel, lambda h: mul(minus(UNIT, one), h)),
    )


def not_increasing(p: Builder, equation: int, slope: int) -> int:
    """r(t) <= r(0) at t in [0, end), when ``slope`` proves g(t) <= 0 r(t) there."""
    now, start = curve_at(p, equation), curve_at(p, equation, number(0))
    bound = bounded(p, equation, number(0), slope)
    return p.positive(
        minus(start, now),
        Summand(UNIT, core=bound),
        by=[(at_rest(p), lambda h: scale(-1, mul(start, h)))],
    )


def constant(p: Builder, equation: int) -> int:
    """r(t) = r(0) at t in [0, end), for a velocity that vanishes by algebra."""
    now, start = curve_at(p, equation), curve_at(p, equation, number(0))
    same = exponential(p, equation, number(0))
    rest = at_rest(p)
    return p.algebra(now, start, (same, itself), (rest, lambda h: mul(start, h)))
