"""The second variation of the softmax energy at one token."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, T, d, t
from proofs.claims.gradient_flow import B, kernel
from proofs.claims.growth import exponential_of, inverted, moving, product_of, same_velocity
from proofs.claims.particles import rewritten
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    inv,
    lam,
    mul,
    number,
    ode,
    on_lifetime,
    pd,
    scale,
    symmetric,
    time_to,
    tp,
    within,
)
from proofs.terms import ONE

HALF = Fraction(1, 2)
x, u, a = (time_to(name, d, ONE) for name in ("x", "u", "a"))
xt, ut, acceleration = at(x, t), at(u, t), at(a, t)
#: Z, the mass that the token sees, and its derivative
MASS = kernel(xt, xt)
MASS_CHANGE = scale(2, mul(MASS, tp(ut), A, xt))
#: |u|_B^2
SPEED = mul(tp(ut), B, ut)
FORCE = scale(mul(MASS, SPEED), mul(A, xt))
GEODESIC = on_lifetime(
    T,
    lambda t: eq(add(scale(MASS_CHANGE, mul(B, ut)), scale(MASS, mul(B, acceleration))), FORCE),
)
ENERGY = scale(HALF, MASS)
FIRST = mul(MASS, tp(ut), A, xt)
#: <A u, u> / |u|_B^2 + |A x|^2 in the inverse metric
RATIO = add(mul(tp(ut), A, ut, inv(SPEED)), mul(tp(mul(A, xt)), inv(B), A, xt))
METRIC = mul(MASS, SPEED)
SECOND = mul(RATIO, METRIC)


def prove() -> Proof:
    p = Builder()
    moves, turns = p.assume(ode(T, x, u)), p.assume(ode(T, u, a))
    symmetric_score, metric = p.assume(symmetric(A)), p.assume(pd(B))
    geodesic, moving_on = p.assume(GEODESIC), p.assume(on_lifetime(T, lambda t: pd(SPEED)))

    matrix = moving(p, T, A)
    turned = p.fact("derivative-of-transpose", product_of(p, matrix, moves))
    exponential = exponential_of(p, product_of(p, turned, moves))
    first = product_of(p, moving(p, T, number(HALF)), exponential)
    energy = p.algebra(at(p[first].args[1], t), ENERGY)
    flow = p.algebra(at(p[first].args[2], t), FIRST, symmetric_score)
    first = rewritten(p, first, energy, flow)

    turned = p.fact("derivative-of-transpose", turns)
    part = product_of(p, product_of(p, turned, matrix), moves)
    second = product_of(p, exponential, part)
    second = rewritten(p, second, p.algebra(at(p[second].args[1], t), FIRST))
    inside = p.assume(within(t, T))
    inverse = p.fact("definite-inverse", metric)
    unit = p.part(p.fact("inverse", p.part(inverse, 0)), 1)
    _, _, cancel = inverted(p, p.at(moving_on, t, inside))
    far = tp(mul(A, xt))
    moved = add(scale(MASS_CHANGE, ut), scale(MASS, acceleration))
    whole = p.algebra(
        at(p[second].args[2], t),
        SECOND,
        symmetric_score,
        metric,
        p.part(inverse, 1),
        (p.at(geodesic, t, inside), lambda h: mul(far, inv(B), h)),
        (unit, lambda h: scale(-1, mul(far, h, moved))),
        (cancel, lambda h: scale(-1, mul(MASS, tp(ut), A, ut, h))),
    )
    p.conjunction(first, same_velocity(p, second, whole))
    return p.proof()


CLAIM = Claim(
    id="variation.softmax-dirac",
    title="The second variation of the softmax energy at one token, compared with the metric",
    source="new",
    statement=Statement(
        (
            ode(T, x, u),
            ode(T, u, a),
            symmetric(A),
            pd(B),
            GEODESIC,
            on_lifetime(T, lambda t: pd(SPEED)),
        ),
        conj(ode(T, lam(t, ENERGY), lam(t, FIRST)), ode(T, lam(t, FIRST), lam(t, SECOND))),
    ),
    hypotheses=(
        "x moves with the velocity u",
        "u changes with the acceleration a",
        "A symmetric",
        "B positive definite",
        "x moves along a geodesic",
        "u is never 0",
    ),
    prove=prove,
    note="The case n = 1 of variation.softmax. For A = -I and B = I the ratio is |x|^2 - 1: "
    "negative for a token in the unit ball.",
)
