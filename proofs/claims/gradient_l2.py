"""L2 attention with equal queries and keys: the shift towards the mean is a gradient ascent."""

from __future__ import annotations

from proofs.bridge import to_term
from proofs.builder import Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, d, t
from proofs.claims.gradient_flow import Motion, Structure, x
from proofs.claims.growth import (
    exponential_of,
    inverted,
    moving,
    product_of,
    sum_of,
    with_velocity,
)
from proofs.claims.l2_equation import k
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import (
    LAW,
    MOTION,
    POSITIVE_MASSES,
    Ui,
    Uj,
    Xi,
    Xj,
    i,
    j,
    mi,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    identity,
    lam,
    mat,
    minus,
    mul,
    number,
    ode,
    pd,
    scale,
    tp,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term
from symbolic import energies, notation
from symbolic.variants import lookup

Q = mat("Q", k, d)
GRAM = mul(tp(Q), Q)


TABLE = energies.lookup("l2")


def kernel(first: Term, second: Term) -> Term:
    """exp(-|Q(x - y)|^2), from the table of variants."""
    letters = {"Q": Q, "K": Q, "x": first, "y": second}
    return to_term(lookup("l2").kernel(notation.x, notation.y, form="QK"), letters)


def shift(point: Term) -> Term:
    """The mean that x sees, where the values are the tokens themselves, less x."""
    return to_term(TABLE.velocity(notation.x, notation.mu), {"Q": Q, "mu": LAW, "x": point})


def mass(point: Term) -> Term:
    """Z(x), the integral of exp(-|Q(x - y)|^2)."""
    return to_term(TABLE.weight(notation.x, notation.mu), {"Q": Q, "mu": LAW, "x": point})


MASS = mass(Xi)
ENERGY = to_term(TABLE.energy(notation.mu), {"Q": Q, "mu": LAW})
SHOWN = Structure(ENERGY, shift(Xi), mul(mi, MASS), scale(2, GRAM), None)
#: half of what the motion of X_i adds to the derivative of -|Q(X_i - X_j)|^2, and of X_j
PART = mul(tp(Ui), GRAM, minus(Xj, Xi))
OTHER_PART = mul(tp(Uj), GRAM, minus(Xi, Xj))


def prove() -> Proof:
    given = Motion()
    p = given.p
    regular = p.assume(pd(GRAM))
    first, second = p.specialise(given.motion, i), p.specialise(given.motion, j)
    distance = sum_of(
        p,
        product_of(p, moving(p, T, Q), first),
        product_of(p, moving(p, T, scale(-1, Q)), second),
    )
    square = product_of(p, p.fact("derivative-of-transpose", distance), distance)
    opposite = product_of(p, moving(p, T, number(-1)), square)
    raw = exponential_of(p, opposite)
    weight = kernel(Xi, Xj)
    same = p.extensionality(t, p.algebra(at(p[raw].args[1], t), weight))
    flow = p[raw].args[2]
    equation = p.replace(same, raw, lambda h: ode(T, h, flow))
    change = with_velocity(
        p,
        equation,
        add(mul(scale(2, weight), PART), mul(scale(2, kernel(Xj, Xi)), OTHER_PART)),
    )
    positive = given.positive_integral(MASS, positive_exponential(p, weight.args[0]))
    _, _, cancel = inverted(p, positive)
    values = SHOWN.velocity.args[1].args[1]
    force = mul(tp(Ui), scale(2, GRAM))
    local = (
        (cancel, lambda h: scale(-1, scale(mul(mi, h), mul(force, values)))),
        (given.sum_of(values), lambda h: scale(-1, scale(mi, mul(force, h)))),
        (given.sum_of(MASS), lambda h: scale(mul(mi, h), mul(force, Xi))),
    )
    doubled = Summand(identity(d), core=regular, coefficient=2)
    metric = p.positive(scale(2, GRAM), doubled, strict=True)
    return given.conclude(SHOWN, change, metric, given.weighted(positive), local)


CLAIM = Claim(
    id="gradient.l2",
    title="L2 attention with equal queries and keys: the shift towards the weighted mean is a "
    "gradient ascent",
    source="new",
    statement=Statement((POSITIVE_MASSES, MOTION, pd(GRAM)), SHOWN.statement),
    hypotheses=("the masses are positive", "X moves with the velocities U", "Q injective"),
    prove=prove,
    note="The shift is the velocity of mean shift: the values are the tokens, less the token "
    "itself. Without Q injective the same identity holds, for a form that is not a metric.",
    notation=(
        Definition("mu", lam(t, LAW)),
        Definition("Gamma", lam(t, lam(x, shift(x)))),
        Definition("Z", lam(t, lam(x, mass(x)))),
    ),
)
