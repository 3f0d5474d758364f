"""The second variation of the softmax energy along geodesics of the twisted metric."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, T, d, t
from proofs.claims.gradient_flow import PART, B, Motion, kernel, x, y
from proofs.claims.gradient_softmax import ENERGY, MASS, Z, mass
from proofs.claims.growth import (
    exponential_of,
    inverted,
    moving,
    product_of,
    same_velocity,
    with_velocity,
)
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import (
    LAW,
    MOTION,
    POSITIVE_MASSES,
    U,
    Ui,
    Uj,
    Xi,
    Xj,
    i,
    j,
    mi,
    mj,
    n,
    rewritten,
    summed,
    summed_curves,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    curves,
    eq,
    forall,
    integral,
    inv,
    lam,
    minus,
    mul,
    ode,
    on_lifetime,
    pd,
    scale,
    symmetric,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

HALF = Fraction(1, 2)


def tilted_mean(point: Term) -> Term:
    """The mean of the tokens as x sees them."""
    return scale(inv(mass(point)), integral(LAW, y, scale(kernel(point, y), y)))


#: accelerations
C = curves("C", n, d, ONE)
Ci = at(C, i, t)
ACCELERATION = forall(i, ode(T, at(U, i), at(C, i)))
TILTED = tilted_mean(Xi)
WEIGHT = mul(mj, kernel(Xi, Xj))
#: <A X_i, U_j>
FAR_PART = mul(tp(Xi), A, Uj)
#: |U_i|_B^2 + |U_j|_B^2
SPEEDS = add(mul(tp(Ui), B, Ui), mul(tp(Uj), B, Uj))
#: the derivative of Z_i
MASS_CHANGE = total(j, mul(WEIGHT, add(PART, FAR_PART)))
FORCE = total(j, scale(mul(WEIGHT, SPEEDS), mul(A, Xj)))
GEODESIC = on_lifetime(
    T,
    lambda t: forall(
        i,
        eq(
            scale(2, add(scale(MASS_CHANGE, mul(B, Ui)), scale(MASS, mul(B, Ci)))),
            FORCE,
        ),
    ),
)
FIRST = total(i, scale(mi, total(j, scale(mj, mul(kernel(Xi, Xj), PART)))))
#: <A (X_j - m_i), U_i>
RELATIVE = mul(tp(Ui), A, minus(Xj, TILTED))
DENSITY = add(
    mul(RELATIVE, RELATIVE),
    mul(tp(Ui), A, Uj),
    mul(RELATIVE, FAR_PART),
    scale(HALF, mul(SPEEDS, tp(mul(A, TILTED)), inv(B), A, Xj)),
)
SECOND = total(i, scale(mi, total(j, mul(WEIGHT, DENSITY))))


def prove() -> Proof:
    given = Motion()
    p = given.p
    symmetric_score, metric = p.assume(symmetric(A)), p.assume(pd(B))
    acceleration, geodesic = p.assume(ACCELERATION), p.assume(GEODESIC)
    weight, opposite = kernel(Xi, Xj), mul(kernel(Xj, Xi), mul(tp(Uj), A, Xi))
    exponential = exponential_of(p, given.score)
    change = with_velocity(p, exponential, add(mul(weight, PART), opposite), symmetric_score)
    first = given.rate(ENERGY, change)

    turned = p.fact("derivative-of-transpose", p.specialise(acceleration, i))
    part = product_of(p, product_of(p, turned, moving(p, T, A)), p.specialise(given.motion, j))
    pair = product_of(p, moving(p, T, mul(mi, mj)), product_of(p, exponential, part))
    second = summed_curves(p, i, summed_curves(p, j, pair))
    second = rewritten(p, second, p.algebra(at(p[second].args[1], t), FIRST))

    inside = p.assume(within(t, T))
    positive = given.positive_integral(MASS, positive_exponential(p, weight.args[0]))
    _, _, cancel = inverted(p, positive)
    sight = TILTED.args[1]
    average = given.sum_of(sight)
    seen = p.algebra(
        scale(MASS, TILTED),
        total(j, scale(WEIGHT, Xj)),
        (cancel, lambda h: scale(h, sight)),
        (average, itself),
    )
    inverse = p.fact("definite-inverse", metric)
    unit = p.part(p.fact("inverse", p.part(inverse, 0)), 1)
    slope, far = mul(tp(Ui), A, TILTED), tp(mul(A, TILTED))
    moved = add(scale(MASS_CHANGE, Ui), scale(MASS, Ci))
    flow = p.algebra(
        total(j, at(p[pair].args[2], t)),
        scale(mi, total(j, mul(WEIGHT, DENSITY))),
        symmetric_score,
        metric,
        p.part(inverse, 1),
        (seen, lambda h: scale(scale(-1, mi), add(mul(tp(Ci), A, h), mul(slope, tp(Ui), A, h)))),
        (
            p.specialise(p.at(geodesic, t, inside), i),
            lambda h: scale(scale(HALF, mi), mul(far, inv(B), h)),
        ),
        (unit, lambda h: scale(scale(-1, mi), mul(far, h, moved))),
        (given.sum_of(MASS), lambda h: mul(mi, slope, slope, h)),
    )
    whole = p.algebra(at(p[second].args[2], t), SECOND, (summed(p, i, flow), itself))
    p.conjunction(first, same_velocity(p, second, whole))
    return p.proof()


CLAIM = Claim(
    id="variation.softmax",
    title="The second variation of the softmax energy along geodesics of the twisted metric",
    source="new",
    statement=Statement(
        (POSITIVE_MASSES, MOTION, symmetric(A), pd(B), ACCELERATION, GEODESIC),
        conj(ode(T, lam(t, ENERGY), lam(t, FIRST)), ode(T, lam(t, FIRST), lam(t, SECOND))),
    ),
    hypotheses=(
        "the masses are positive",
        "X moves with the velocities U",
        "A symmetric",
        "B positive definite",
        "U changes with the accelerations C",
        "X moves along a geodesic",
    ),
    prove=prove,
    note="The geodesics are those of the metric with the weights m_i Z(X_i), where Z' is the "
    "total derivative. The second variation is a quadratic form in the velocities U.",
    notation=(
        Definition("mu", lam(t, LAW)),
        Z,
        Definition("M", lam(t, lam(x, tilted_mean(x)))),
        Definition("r", lam(i, lam(j, lam(t, RELATIVE)))),
        Definition("h", lam(i, lam(j, lam(t, DENSITY)))),
    ),
)
