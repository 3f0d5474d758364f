"""Softmax attention is a gradient flow in a metric twisted by its denominator."""

from __future__ import annotations

from proofs.bridge import to_term
from proofs.claims.covariance_equation import A, t
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import B, ScoreMotion, Structure, claim, kernel, table_energy, x
from proofs.claims.growth import exponential_of, inverted
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import LAW, Ui, Xi, Xj, mi
from proofs.kernel import Proof
from proofs.language import lam, mul, scale, tp
from proofs.printing.abbreviations import Definition
from proofs.terms import Term
from symbolic import energies, notation


def mass(point: Term) -> Term:
    """Z(x), the integral of exp(<A x, y>)."""
    weight = energies.lookup("softmax").weight(notation.x, notation.mu)
    return to_term(weight, {"A": A, "mu": LAW, "x": point})


MASS = mass(Xi)
Z = Definition("Z", lam(t, lam(x, mass(x))))
ENERGY = table_energy("softmax")
SHOWN = Structure(ENERGY, velocity("softmax", LAW, Xi), mul(mi, MASS))


def prove() -> Proof:
    given = ScoreMotion()
    p, weight = given.p, kernel(Xi, Xj)
    change = given.change(exponential_of(p, given.score), weight, kernel(Xj, Xi))
    positive = given.positive_integral(MASS, positive_exponential(p, weight.args[0]))
    _, _, cancel = inverted(p, positive)
    values = SHOWN.velocity.args[1]
    local = (
        (cancel, lambda h: scale(-1, scale(mul(mi, h), mul(tp(Ui), B, values)))),
        (given.sum_of(values), lambda h: scale(-1, scale(mi, mul(tp(Ui), B, h)))),
        given.relation_in(weight),
    )
    return given.conclude(SHOWN, change, given.metric, given.weighted(positive), local)


CLAIM = claim(
    "softmax",
    "Softmax attention is a gradient flow in a metric twisted by its denominator",
    SHOWN,
    prove,
    note="The particles carry the masses m. For c = -1 the motion with U = Gamma is the steepest "
    "descent of the energy, for c = 1 the steepest ascent, in the metric that gives the particle "
    "at X_i the weight m_i Z(X_i).",
    notation=(Z,),
)
