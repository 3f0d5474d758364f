"""A solution in an invariant cone where a linear function grows like its square: blow-up."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.growth import UNIT, given, throughout
from proofs.claims.invariant_cone import (
    SOLUTION,
    T,
    f,
    form,
    height,
    k,
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
    add,
    at,
    at_most,
    conj,
    finite,
    inv,
    le,
    mul,
    number,
    pd,
    psd,
    real,
    smooth,
)
from proofs.terms import Term

c, b, size = real("c"), real("b"), real("s")


def growth(state: Term) -> tuple[Term, Term, Term]:
    """c (w^T z)^2 <= w^T f(z) <= b (w^T z)^2 and |z|^2 <= s (w^T z)^2."""
    value, velocity = height(state), height(at(f, state))
    return (
        le(mul(c, value, value), velocity),
        le(velocity, mul(b, value, value)),
        le(square(state), mul(size, value, value)),
    )


GROWS = on_wider_cone(*growth(z))


def prove() -> Proof:
    p = Builder()
    regular, solution = p.assume(smooth(f)), p.assume(SOLUTION)
    wide, rate, fastest = p.assume(pd(k)), p.assume(pd(c)), p.assume(pd(b))
    above, inside = p.assume(pd(height(x0))), p.assume(psd(form(x0)))
    everywhere = p.assume(GROWS)
    now = at(x, t)
    growing = p.fact("positive-definite", rate)

    def falls(holds: int) -> tuple[int, int, Term]:
        zero = number(0)
        slow = p.positive(
            add(height(at(f, now)), mul(zero, height(now), height(now))),
            Summand(UNIT, core=p.part(holds, 1)),
            Summand(height(now), scalars=(growing,)),
        )
        return p.definite(zero), slow, zero

    found = stays_inside(p, solution, wide, (above, inside), everywhere, falls)
    positive = p.part(given(p, T, found.always), 0)
    ends = p.fact(
        "quadratic-growth",
        found.height,
        rate,
        p.replace(found.back, above, lambda g: pd(height(g))),
        throughout(p, T, p.discharge(pd(height(now)), p.part(found.now, 1))),
    )
    lasts = p.fact(
        "quadratic-lifetime",
        regular,
        solution,
        found.height,
        fastest,
        p.replace(found.back, above, lambda g: pd(height(g))),
        throughout(p, T, p.conjunction(positive, p.part(found.now, 3), p.part(found.now, 2))),
        b=size,
        e=b,
    )
    ends = p.replace(found.starts, ends, lambda g: at_most(T, finite(inv(mul(c, height(g))))))
    lasts = p.replace(found.starts, lasts, lambda g: at_most(finite(inv(mul(b, height(g)))), T))
    p.conjunction(lasts, ends)
    return p.proof()


CLAIM = Claim(
    id="covariance.blowup-cone",
    title="A linear function that grows like its square in an invariant cone: blow-up, and when",
    source="new",
    statement=Statement(
        (
            smooth(f),
            SOLUTION,
            pd(k),
            pd(c),
            pd(b),
            pd(height(x0)),
            psd(form(x0)),
            GROWS,
        ),
        conj(
            at_most(finite(inv(mul(b, height(x0)))), T),
            at_most(T, finite(inv(mul(c, height(x0))))),
        ),
    ),
    hypotheses=(
        "f is smooth",
        "x solves x' = f(x)",
        "k > 0",
        "c > 0",
        "b > 0",
        "w^T x0 > 0",
        "x0^T M x0 >= 0",
        "where w^T z > 0 and z^T M z >= -k (w^T z)^2: the derivative of z^T M z is at least "
        "m (w^T z) (z^T M z), that of w^T z is between c (w^T z)^2 and b (w^T z)^2, and "
        "|z|^2 <= s (w^T z)^2",
    ),
    prove=prove,
    note="Applied to the covariance equation in coordinates, near a direction that attracts the "
    "normalised flow; the cone is searched for, see verify.",
)
