"""Linear attention is a gradient flow in a constant metric."""

from __future__ import annotations

from fractions import Fraction

from proofs.claims.covariance_equation import T
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import (
    CONSTANT,
    ScoreMotion,
    Structure,
    claim,
    score,
    table_energy,
)
from proofs.claims.growth import moving, product_of
from proofs.claims.particles import LAW, Xi, Xj, mi
from proofs.kernel import Proof
from proofs.language import number

ENERGY = table_energy("linear")
SHOWN = Structure(ENERGY, velocity("linear", LAW, Xi), mi)


def prove() -> Proof:
    given = ScoreMotion()
    p, weight = given.p, score(Xi, Xj)
    square = product_of(p, given.score, given.score)
    half = product_of(p, moving(p, T, number(Fraction(1, 2))), square)
    change = given.change(half, weight, score(Xj, Xi))
    return given.in_constant_metric(SHOWN, change, weight)


CLAIM = claim(
    "linear",
    "Linear attention is a gradient flow in a constant metric",
    SHOWN,
    prove,
    note=CONSTANT,
)
