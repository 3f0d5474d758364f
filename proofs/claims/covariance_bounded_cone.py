"""A solution in an invariant cone where a quadratic form does not grow is global."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.growth import given, throughout
from proofs.claims.invariant_cone import (
    SOLUTION,
    T,
    equation_of_form,
    f,
    form,
    form_velocity,
    height,
    k,
    n,
    on_wider_cone,
    stays_inside,
    t,
    x,
    x0,
    z,
)
from proofs.facts.enclosures import square
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    eq,
    identity,
    le,
    mat,
    minus,
    mul,
    pd,
    psd,
    real,
    scale,
    smooth,
    tp,
)
from proofs.terms import ONE, Term

UNIT = identity(ONE)
b, N = real("b"), mat("N", n, n)


def energy(state: Term) -> Term:
    """z^T N z."""
    return mul(tp(state), N, state)


#: w^T f(z) >= -b (w^T z)^2, and z^T N z does not grow
SETTLES = on_wider_cone(
    psd(add(height(at(f, z)), mul(b, height(z), height(z)))),
    psd(scale(-1, form_velocity(z, N))),
    le(square(z), energy(z)),
)


def prove() -> Proof:
    p = Builder()
    regular, solution = p.assume(smooth(f)), p.assume(SOLUTION)
    wide, rate = p.assume(pd(k)), p.assume(psd(b))
    above, inside = p.assume(pd(height(x0))), p.assume(psd(form(x0)))
    everywhere = p.assume(SETTLES)
    found = stays_inside(
        p, solution, wide, (above, inside), everywhere, lambda holds: (rate, p.part(holds, 1), b)
    )
    equation = equation_of_form(p, found.solves, N)
    bounded = p.fact("falling-function", equation, throughout(p, T, p.part(found.now, 2)))
    now = at(x, t)
    small = p.positive(
        minus(energy(p[found.starts].args[0]), square(now)),
        Summand(UNIT, core=given(p, T, bounded)),
        Summand(UNIT, core=p.part(found.now, 3)),
    )
    p.fact("bounded-orbit", regular, solution, throughout(p, T, small))
    return p.proof()


CLAIM = Claim(
    id="covariance.bounded-cone",
    title="A quadratic form that does not grow in an invariant cone: global existence",
    source="new",
    statement=Statement(
        (
            smooth(f),
            SOLUTION,
            pd(k),
            psd(b),
            pd(height(x0)),
            psd(form(x0)),
            SETTLES,
        ),
        eq(T, INFINITY),
    ),
    hypotheses=(
        "f is smooth",
        "x solves x' = f(x)",
        "k > 0",
        "b >= 0",
        "w^T x0 > 0",
        "x0^T M x0 >= 0",
        "where w^T z > 0 and z^T M z >= -k (w^T z)^2: the derivative of z^T M z is at least "
        "m (w^T z) (z^T M z), that of w^T z at least -b (w^T z)^2, that of z^T N z is not "
        "positive, and |z|^2 <= z^T N z",
    ),
    prove=prove,
    note="Applied to the covariance equation in coordinates, near a direction of limits or one in "
    "which the solution decays; the cone is searched for, see verify.",
)
