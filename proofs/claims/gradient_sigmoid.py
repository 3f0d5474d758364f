"""Sigmoid attention is a gradient flow in a constant metric."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.covariance_equation import T
from proofs.claims.gradient_flow import B, Motion, claim, kernel, score, x, y
from proofs.claims.growth import UNIT, exponential_of, inverted, logarithm_of, moving, sum_of
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import LAW, Ui, Xi, Xj, i, mi
from proofs.kernel import Proof
from proofs.language import add, integral, log, mul, number, scale, tp

SOFTPLUS = log(add(number(1), kernel(x, y)))
ENERGY = scale(Fraction(1, 2), integral(LAW, x, integral(LAW, y, SOFTPLUS)))


def prove() -> Proof:
    given = Motion()
    p, gamma = given.p, velocity("sigmoid", LAW, Xi)
    return given.p.proof()


CLAIM = claim(
    "sigmoid",
    "Sigmoid attention is a gradient flow in a constant metric",
    ENERGY,
    mi,
    prove,
    note="The metric is the Wasserstein metric of B.",
)
