"""Exponential attention is a gradient flow in a constant metric."""

from __future__ import annotations

from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import ScoreMotion, Structure, claim, kernel, table_energy
from proofs.claims.growth import exponential_of
from proofs.claims.particles import LAW, Xi, Xj, mi
from proofs.kernel import Proof

ENERGY = table_energy("exponential")
SHOWN = Structure(ENERGY, velocity("exponential", LAW, Xi), mi)


def prove() -> Proof:
    given = ScoreMotion()
    p, weight = given.p, kernel(Xi, Xj)
    change = given.change(exponential_of(p, given.score), weight, kernel(Xj, Xi))
    return given.in_constant_metric(SHOWN, change, weight)


CLAIM = claim(
    "exponential",
    "Exponential attention is a gradient flow in a constant metric",
    SHOWN,
    prove,
    note="The energy is that of softmax attention; the metric is the Wasserstein metric of B.",
)
