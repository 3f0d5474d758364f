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
    minus,
    mul,
    number,
    pd,
    psd,
    real,
    scale,
    smooth,
)
from proofs.terms import Term

c, b, size, first, last = (real(name) for name in ("c", "b", "s", "r", "R"))


def growth(state: Term) -> tuple[Term, Term, Term]:
    """c (w^T z)^2 <= w^T f(z) <= b (w^T z)^2 and |z|^2 <= s (w^T z)^2."""
    value, velocity = height(state), height(at(f, state))
    return (
        le(mul(c, value, value), velocity),
        le(velocity, mul(b, value, value)),
        le(square(state), mul(size, value, value)),
    )


GROWS = on_wider_cone(*growth(z))
BEGIN = le(mul(b, height(x0), first), number(1))
END = le(number(1), mul(c, height(x0), last))


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
    slow, fast = mul(c, height(x0)), mul(b, height(x0))
    later = _reciprocal(p, slow, (rate, above), last, p.assume(END), 1)
    sooner = _reciprocal(p, fast, (fastest, above), first, p.assume(BEGIN), -1)
    p.conjunction(
        p.fact(
            "lifetimes-transitive", p.fact("lifetimes-ordered", sooner, a=first, b=inv(fast)), lasts
        ),
        p.fact(
            "lifetimes-transitive", ends, p.fact("lifetimes-ordered", later, a=inv(slow), b=last)
        ),
    )
    return p.proof()


def _reciprocal(
    p: Builder, value: Term, factors: tuple[int, int], bound: Term, use: int, sign: int
) -> int:
    """1/v <= r from r v >= 1, or r <= 1/v from r v <= 1: their difference is (r v - 1)/v."""
    positive = p.positive(value, Summand(UNIT, scalars=factors), strict=True)
    definite = p.fact("definite-inverse", positive)
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
    gap = minus(bound, inv(value)) if sign > 0 else minus(inv(value), bound)
    return p.positive(
        gap,
        Summand(UNIT, core=use, scalars=(inverse,)),
        by=[(cancels, lambda f: scale(-sign, mul(bound, f)))],
    )


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
            BEGIN,
            END,
        ),
        conj(at_most(finite(first), T), at_most(T, finite(last))),
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
        "b w^T x0 r <= 1",
        "c w^T x0 R >= 1",
    ),
    prove=prove,
    note="Applied to the covariance equation in coordinates, near a direction that attracts the "
    "normalised flow; the cone is searched for, see verify.",
)
