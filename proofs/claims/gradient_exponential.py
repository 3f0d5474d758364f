"""Exponential attention is a gradient flow in a constant metric."""

from __future__ import annotations

from fractions import Fraction

from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import B, Motion, claim, kernel, x, y
from proofs.claims.growth import exponential_of
from proofs.claims.particles import LAW, Ui, Xi, Xj, i, mi
from proofs.kernel import Proof
from proofs.language import integral, mul, scale, tp

ENERGY = scale(Fraction(1, 2), integral(LAW, x, integral(LAW, y, kernel(x, y))))


def prove() -> Proof:
    given = Motion()
    p, gamma, weight = given.p, velocity("exponential", LAW, Xi), kernel(Xi, Xj)
    change = given.change(
        exponential_of(p, given.score), weight, kernel(Xj, Xi), given.symmetric
    )
    local = (
        (given.sum_of(gamma), lambda h: scale(-1, scale(mi, mul(tp(Ui), B, h)))),
        given.relation_in(weight),
    )
    return given.conclude(ENERGY, change, p.specialise(given.masses, i), gamma, local)


CLAIM = claim(
    "exponential",
    "Exponential attention is a gradient flow in a constant metric",
    ENERGY,
    mi,
    prove,
    note="The energy is that of softmax attention; the metric is the Wasserstein metric of B.",
)
