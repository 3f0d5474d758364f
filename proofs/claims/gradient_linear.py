"""Linear attention is a gradient flow in a constant metric."""

from __future__ import annotations

from fractions import Fraction

from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import B, Motion, claim, score, x, y
from proofs.claims.growth import moving, product_of
from proofs.claims.covariance_equation import T
from proofs.claims.particles import LAW, Ui, Xi, Xj, i, mi
from proofs.kernel import Proof
from proofs.language import integral, mul, number, scale, tp

SQUARE = mul(score(x, y), score(x, y))
ENERGY = scale(Fraction(1, 4), integral(LAW, x, integral(LAW, y, SQUARE)))


def prove() -> Proof:
    given = Motion()
    p, gamma, weight = given.p, velocity("linear", LAW, Xi), score(Xi, Xj)
    square = product_of(p, given.score, given.score)
    half = product_of(p, moving(p, T, number(Fraction(1, 2))), square)
    change = given.change(half, weight, score(Xj, Xi), given.symmetric)
    local = (
        (given.sum_of(gamma), lambda h: scale(-1, scale(mi, mul(tp(Ui), B, h)))),
        given.relation_in(weight),
    )
    return given.conclude(ENERGY, change, p.specialise(given.masses, i), gamma, local)


CLAIM = claim(
    "linear",
    "Linear attention is a gradient flow in a constant metric",
    ENERGY,
    mi,
    prove,
    note="The metric is the Wasserstein metric of B.",
)
