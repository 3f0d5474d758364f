"""Softmax attention is a gradient flow in a metric twisted by its denominator."""

from __future__ import annotations

from fractions import Fraction

from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import B, Motion, claim, kernel, x, y
from proofs.claims.growth import exponential_of, inverted
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import LAW, Ui, Xi, Xj, mi
from proofs.kernel import Proof
from proofs.language import integral, mul, scale, tp

#: Z, the integral of exp(<A X_i, y>)
MASS = integral(LAW, y, kernel(Xi, y))
ENERGY = scale(Fraction(1, 2), integral(LAW, x, integral(LAW, y, kernel(x, y))))


def prove() -> Proof:
    given = Motion()
    p, gamma, weight = given.p, velocity("softmax", LAW, Xi), kernel(Xi, Xj)
    change = given.change(
        exponential_of(p, given.score), weight, kernel(Xj, Xi), given.symmetric
    )
    positive = given.positive_integral(MASS, positive_exponential(p, weight.args[0]))
    _, _, cancel = inverted(p, positive)
    values = gamma.args[1]
    local = (
        (cancel, lambda h: scale(-1, scale(mul(mi, h), mul(tp(Ui), B, values)))),
        (given.sum_of(values), lambda h: scale(-1, scale(mi, mul(tp(Ui), B, h)))),
        given.relation_in(weight),
    )
    return given.conclude(ENERGY, change, given.weighted(positive), gamma, local)


CLAIM = claim(
    "softmax",
    "Softmax attention is a gradient flow in a metric twisted by its denominator",
    ENERGY,
    mul(mi, MASS),
    prove,
    note="The particles carry the masses m. For c = -1 the motion with U = Gamma is the steepest "
    "descent of the energy, for c = 1 the steepest ascent, in the metric that gives the particle "
    "at X_i the weight m_i Z(X_i).",
)
