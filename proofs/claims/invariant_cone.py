"""A cone {w^T z > 0, z^T M z >= 0} that solutions of x' = f(x), f quadratic, do not leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs.builder import Builder, Summand
from proofs.claims.growth import (
    UNIT,
    curve_at,
    given,
    moving,
    product_of,
    throughout,
    with_velocity,
)
from proofs.language import (
    add,
    at,
    conj,
    dim,
    eq,
    forall,
    implies,
    le,
    lifetime,
    mat,
    maximal,
    mul,
    number,
    ode,
    pd,
    psd,
    real,
    time_to,
    tp,
    vec,
    vector_field,
)
from proofs.terms import ONE, Term

n, T, t = dim("n"), lifetime("T"), real("t")
f, M, w = vector_field("f", n), mat("M", n, n), vec("w", n)
x, x0, z = time_to("x", n, ONE), vec("x0", n), vec("z", n)
k, m = real("k"), real("m")
SOLUTION = maximal(T, x, f, x0)


def height(state: Term) -> Term:
    """w^T z."""
    return mul(tp(w), state)


def form(state: Term) -> Term:
    """z^T M z."""
    return mul(tp(state), M, state)


def form_velocity(state: Term, matrix: Term = M) -> Term:
    """f(z)^T M z + z^T M f(z), the derivative of x^T M x where x = z."""
    return add(mul(tp(at(f, state)), matrix, state), mul(tp(state), matrix, at(f, state)))


def in_wider_cone(state: Term) -> Term:
    """w^T z > 0 and z^T M z + k (w^T z)^2 >= 0."""
    wider = add(form(state), mul(k, height(state), height(state)))
    return conj(pd(height(state)), psd(wider))


def on_wider_cone(*bodies: Term) -> Term:
    """For every z in the wider cone: M does not fall out of the cone, and ``bodies``."""
    holds = le(mul(m, height(z), form(z)), form_velocity(z))
    return forall(z, implies(in_wider_cone(z), conj(holds, *bodies)))


def equation_of_form(p: Builder, solves: int, matrix: Term) -> int:
    """ode(T, t -> x^T M x, its derivative), from a step ode(T, x, t -> f(x(t)))."""
    turned = p.fact("derivative-of-transpose", solves)
    first = product_of(p, turned, moving(p, T, matrix))
    product = product_of(p, first, solves)
    value = mul(tp(at(x, t)), matrix, at(x, t))
    velocity = p[product].args[2]
    same = p.extensionality(t, p.algebra(curve_at(p, product), value))
    equation = p.replace(same, product, lambda curve: ode(T, curve, velocity))
    return with_velocity(p, equation, form_velocity(at(x, t), matrix))


def equation_of_height(p: Builder, solves: int) -> int:
    """ode(T, t -> w^T x, t -> w^T f(x))."""
    product = product_of(p, moving(p, T, tp(w)), solves)
    return with_velocity(p, product, height(at(f, at(x, t))))


@dataclass(frozen=True)
class Inside:
    """Steps about a solution that stays in the cone.

    Attributes:
        height: ode(T, t -> w^T x(t), its derivative).
        solves: x' = f(x) on [0, T).
        starts, back: x(0) = x0 and x0 = x(0).
        always: for all t in [0, T), w^T x(t) > 0 and x(t)^T M x(t) >= 0.
        now: what holds on the wider cone, at x(t), where t in [0, T) is assumed.
    """

    height: int
    solves: int
    starts: int
    back: int
    always: int
    now: int


def stays_inside(
    p: Builder,
    solution: int,
    wide: int,
    start: tuple[int, int],
    everywhere: int,
    falls: Callable[[int], tuple[int, int, Term]],
) -> Inside:
    """A solution stays in the cone where it starts.

    Args:
        solution: x is the maximal solution from x0.
        wide: k > 0.
        start: w^T x0 > 0 and x0^T M x0 >= 0.
        everywhere: what holds on the wider cone.
        falls: steps b >= 0 and w^T f(z) + b (w^T z)^2 >= 0, and b, from a step for what holds at z.
    """
    solved = p.fact("solution", solution)
    solves, starts = p.part(solved, 0), p.part(solved, 1)
    heights, forms = equation_of_height(p, solves), equation_of_form(p, solves, M)
    back = p.replace(starts, p.reflexivity(at(x, number(0))), lambda g: eq(g, at(x, number(0))))
    above = p.replace(back, start[0], lambda g: pd(height(g)))
    inside = p.replace(back, start[1], lambda g: psd(form(g)))
    now = at(x, t)
    wider = p.assume(in_wider_cone(now))
    holds = p.at(everywhere, now, wider)
    rate, slow, b = falls(holds)
    moves = p.discharge(p[wider], p.conjunction(p.part(holds, 0), slow))
    always = p.fact(
        "invariant-cone",
        heights,
        forms,
        wide,
        rate,
        above,
        inside,
        throughout(p, T, moves),
        k=k,
        c=m,
        b=b,
    )
    current = given(p, T, always)
    widened = p.positive(
        p[p.part(wider, 1)].args[0],
        Summand(UNIT, core=p.part(current, 1)),
        Summand(height(now), scalars=(p.fact("positive-definite", wide),)),
    )
    both = p.conjunction(p.part(current, 0), widened)
    return Inside(heights, solves, starts, back, always, p.at(everywhere, now, both))
