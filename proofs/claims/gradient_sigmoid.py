"""Sigmoid attention is a gradient flow in a constant metric."""

from __future__ import annotations

from proofs.builder import Builder, Summand, Use
from proofs.claims.covariance_equation import T, t
from proofs.claims.gaussian_not_sigmoid import exponential_of_zero, reciprocal
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import (
    CONSTANT,
    ScoreMotion,
    Structure,
    claim,
    score,
    table_energy,
)
from proofs.claims.growth import UNIT, exponential_of, inverted, logarithm_of, moving, sum_of
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import LAW, Xi, Xj, mi
from proofs.kernel import Proof
from proofs.language import add, at, exp, inv, mul, number, scale
from proofs.terms import Term

ONE = number(1)
ENERGY = table_energy("sigmoid")
SHOWN = Structure(ENERGY, velocity("sigmoid", LAW, Xi), mi)


def weight_of(second: Term, first: Term) -> Term:
    """The weight of the second particle for the first."""
    return at(velocity("sigmoid", LAW, first).args[1], second).args[0]


def logistic(u: Term) -> Term:
    """1 / (1 + exp(-u))."""
    return inv(add(ONE, exp(scale(-1, u))))


def above_one(p: Builder, u: Term) -> int:
    """1 + exp(u) > 0."""
    shares = Summand(UNIT), Summand(UNIT, scalars=(positive_exponential(p, u),))
    return p.positive(add(ONE, exp(u)), *shares, strict=True)


def derivative_of_softplus(p: Builder) -> int:
    """exp(u) / (1 + exp(u)) = 1 / (1 + exp(-u)) at u = <A X_i, X_j>."""
    u = score(Xi, Xj)
    products = [inverted(p, above_one(p, v))[2] for v in (u, scale(-1, u))]
    unit = reciprocal(p, u, exponential_of_zero(p))
    share, weight = inv(add(ONE, exp(u))), logistic(u)
    return p.algebra(
        mul(exp(u), share),
        weight,
        (products[1], lambda h: scale(-1, mul(exp(u), share, h))),
        (products[0], lambda h: mul(weight, h)),
        (unit, lambda h: mul(share, weight, h)),
    )


def prove() -> Proof:
    given = ScoreMotion()
    p = given.p
    weight = weight_of(Xj, Xi)
    exponential = exponential_of(p, given.score)
    softplus = logarithm_of(
        p, sum_of(p, moving(p, T, ONE), exponential), above_one(p, score(Xi, Xj))
    )
    flow = p[exponential].args[2]
    part = at(flow, t).args[1]
    slope: Use = (derivative_of_softplus(p), lambda h: mul(h, part))
    change = given.change(softplus, weight, weight_of(Xi, Xj), slope)
    return given.in_constant_metric(SHOWN, change, weight)


CLAIM = claim(
    "sigmoid",
    "Sigmoid attention is a gradient flow in a constant metric",
    SHOWN,
    prove,
    note=CONSTANT,
)
