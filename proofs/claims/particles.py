"""Weighted particles: masses m_i > 0 at points X_i(t) that move with velocities U_i(t).

Their law is the measure mu(t), the sum of m_i times the point mass at X_i(t).
"""

from __future__ import annotations

from proofs.builder import Builder, replaced
from proofs.claims.covariance_equation import T, d, t
from proofs.language import (
    add,
    at,
    atoms,
    curves,
    dim,
    eq,
    family,
    forall,
    head,
    lam,
    ode,
    pd,
    scale,
    total,
)
from proofs.terms import ONE, Term, index, sort_of

n = dim("n")
i, j = head("i", n), head("j", n)
m = family("m", n, ONE, ONE)
X, U = curves("X", n, d, ONE), curves("U", n, d, ONE)
#: positions, velocities and masses of two particles at the time t
Xi, Xj, Ui, Uj = at(X, i, t), at(X, j, t), at(U, i, t), at(U, j, t)
mi, mj = at(m, i), at(m, j)
LAW = atoms(m, lam(i, Xi))
POSITIVE_MASSES = forall(i, pd(mi))
MOTION = forall(i, ode(T, at(X, i), at(U, i)))


def nonnegative_masses(p: Builder, positive: int) -> int:
    """For all i, m_i >= 0, from a step that the masses are positive."""
    return p.generalise(i, p.fact("positive-definite", p.specialise(positive, i)))


def over_atoms(p: Builder, nonnegative: int, whole: Term) -> int:
    """The integral ``whole`` against LAW as a sum, when no mass is negative."""
    law, integrand = whole.args
    return p.fact("integral-over-atoms", nonnegative, x=law.args[1], f=integrand)


def over_pairs(p: Builder, nonnegative: int, whole: Term) -> tuple[int, int]:
    """Equations from a double integral against LAW to a double sum, in two steps.

    The first gives the sum over i of m_i times the integral at X_i, the second these as sums.
    """
    outer = over_atoms(p, nonnegative, whole)
    inner = over_atoms(p, nonnegative, at(whole.args[1], Xi))
    weighed = p.algebra(
        scale(mi, p[inner].args[0]), scale(mi, p[inner].args[1]), (inner, lambda h: scale(mi, h))
    )
    return outer, summed(p, i, weighed)


def expanded(p: Builder, nonnegative: int, whole: Term) -> int:
    """A sum over a family of known size, written out with its integrals over atoms as sums."""
    count = int(str(sort_of(whole.args[0]).args[0].args[0].data))
    members = [at(whole.args[0], index(number, count)) for number in range(1, count + 1)]
    step = p.algebra(whole, add(*members) if count > 1 else members[0])
    return as_sums(p, nonnegative, step)


def as_sums(p: Builder, nonnegative: int, step: int) -> int:
    """An equation with the integrals over atoms on its right side written as sums."""
    while integrals := [term for term in p[step].args[1].walk() if term.op == "integral"]:
        step = _as_sum(p, nonnegative, step, integrals[0])
    return step


def _as_sum(p: Builder, nonnegative: int, step: int, integral: Term) -> int:
    """An equation with an integral on its right side replaced by a sum."""
    law, integrand = integral.args
    value = p.fact("integral-over-atoms", nonnegative, x=law.args[1], f=integrand)
    left, right = p[step].args
    return p.replace(value, step, lambda h: eq(left, replaced(right, integral, h)))


def summed(p: Builder, index: Term, same: int) -> int:
    """The sums over ``index`` of the two sides of an equation are equal."""
    whole = total(index, p[same].args[0])
    functions = p.extensionality(index, same)
    return p.replace(functions, p.reflexivity(whole), lambda f: eq(whole, Term("sum", (f,))))


def summed_curves(p: Builder, index: Term, equation: int) -> int:
    """The sum over ``index`` of the curves of one equation, with their derivatives."""
    end, curve, velocity = p[equation].args
    return p.fact(
        "derivative-of-family-sum",
        p.generalise(index, equation),
        f=lam(index, curve),
        h=lam(index, velocity),
        T=end,
    )


def rewritten(p: Builder, equation: int, curve: int, velocity: int | None = None) -> int:
    """ode(T, X, G) with the value, and maybe the velocity, at t rewritten by equations."""
    end, _, flow = p[equation].args
    equation = p.replace(p.extensionality(t, curve), equation, lambda x: ode(end, x, flow))
    if velocity is None:
        return equation
    path = p[equation].args[1]
    return p.replace(p.extensionality(t, velocity), equation, lambda g: ode(end, path, g))
