"""A solution in an invariant cone where a linear function grows no faster than a clock allows."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.growth import (
    UNIT,
    curve_at,
    exponential_of,
    given,
    moving,
    product_of,
    sum_of,
    throughout,
    velocity_at,
)
from proofs.claims.invariant_cone import (
    SOLUTION,
    T,
    f,
    form,
    height,
    k,
    n,
    on_wider_cone,
    stays_inside,
    t,
    x,
    x0,
    z,
)
from proofs.facts.enclosures import square
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    eq,
    forall,
    implies,
    lam,
    le,
    minus,
    mul,
    number,
    ode,
    on_lifetime,
    pd,
    psd,
    real,
    scale,
    smooth,
    time_to,
)
from proofs.terms import ONE, REAL, function_sort, matrix_sort, variable

b, c, size, r = (real(name) for name in ("b", "c", "s", "r"))
pace, clock = variable("h", function_sort(matrix_sort(n, ONE), REAL)), time_to("q", ONE, ONE)
#: -b (w^T z)^2 <= w^T f(z) <= c (w^T z) h(z) and |z|^2 <= s (w^T z)^2
FOLLOWS = on_wider_cone(
    psd(add(height(at(f, z)), mul(b, height(z), height(z)))),
    le(height(at(f, z)), mul(c, height(z), at(pace, z))),
    le(square(z), mul(size, height(z), height(z))),
)
CLOCK = ode(T, clock, lam(t, at(pace, at(x, t))))
STOPS = on_lifetime(T, lambda t: le(at(clock, t), r))


def prove() -> Proof:
    p = Builder()
    regular, solution = p.assume(smooth(f)), p.assume(SOLUTION)
    wide, slow = p.assume(pd(k)), p.assume(psd(b))
    rate, wider = p.assume(psd(c)), p.assume(psd(size))
    above, inside = p.assume(pd(height(x0))), p.assume(psd(form(x0)))
    everywhere, runs = p.assume(FOLLOWS), p.assume(CLOCK)
    found = stays_inside(
        p, solution, wide, (above, inside), everywhere, lambda holds: (slow, p.part(holds, 1), b)
    )
    positive = p.part(given(p, T, found.always), 0)
    # y exp(c (r - q)) does not grow, and is at least y while q <= r
    left = sum_of(p, moving(p, T, mul(c, r)), product_of(p, moving(p, T, scale(-1, c)), runs))
    exponent = curve_at(p, left)
    factor = p.part(p.fact("exponential-of-sum", r=exponent, s=number(0)), 1)
    product = product_of(p, found.height, exponential_of(p, left))
    falls = p.positive(
        scale(-1, velocity_at(p, product)),
        Summand(UNIT, core=p.part(found.now, 2), scalars=(factor,)),
    )
    bounded = p.fact("falling-function", product, throughout(p, T, falls))
    stops = p.assume(STOPS)
    tangent = p.part(p.fact("exponential-above-tangent", r=exponent), 0)
    value, level = height(at(x, t)), curve_at(p, product, number(0))
    below = p.positive(
        minus(level, value),
        Summand(UNIT, core=given(p, T, bounded)),
        Summand(UNIT, core=tangent, scalars=(positive,)),
        Summand(UNIT, core=given(p, T, stops), scalars=(positive, rate)),
    )
    bound = mul(size, level, level)
    small = p.positive(
        minus(bound, square(at(x, t))),
        Summand(UNIT, core=p.part(found.now, 3)),
        Summand(minus(level, value), scalars=(wider,)),
        Summand(UNIT, core=below, scalars=(wider, positive), coefficient=2),
    )
    endless = p.fact("bounded-orbit", regular, solution, throughout(p, T, small), b=bound)
    p.for_all(r, STOPS, endless)
    return p.proof()


CLAIM = Claim(
    id="covariance.clocked-cone",
    title="A linear function that grows in an invariant cone as a clock allows: no end before it",
    source="new",
    statement=Statement(
        (
            smooth(f),
            SOLUTION,
            pd(k),
            psd(b),
            psd(c),
            psd(size),
            pd(height(x0)),
            psd(form(x0)),
            FOLLOWS,
            CLOCK,
        ),
        forall(r, implies(STOPS, eq(T, INFINITY))),
    ),
    hypotheses=(
        "f is smooth",
        "x solves x' = f(x)",
        "k > 0",
        "b >= 0",
        "c >= 0",
        "s >= 0",
        "w^T x0 > 0",
        "x0^T M x0 >= 0",
        "where w^T z > 0 and z^T M z >= -k (w^T z)^2: the derivative of z^T M z is at least "
        "m (w^T z) (z^T M z), that of w^T z is at least -b (w^T z)^2 and at most "
        "c (w^T z) h(z), and |z|^2 <= s (w^T z)^2",
        "the clock q runs at the pace h(x)",
    ),
    prove=prove,
    note="Where the solution blows up the clock runs to infinity: with L2 attention for a clock, "
    "see covariance.l2-one-row, it does not end.",
)
