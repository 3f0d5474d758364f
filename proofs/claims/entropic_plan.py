"""The entropic plan of weighted particles with themselves, by a symmetric potential.

Its density against mu x mu is exp(phi(x) + <A x, y> + phi(y)), where A is symmetric and phi such
that the marginals are mu.  It is the kernel of Sinkhorn attention, by uniqueness.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.builder import Builder, itself, replaced
from proofs.claims.covariance_equation import A, T, V, d, t
from proofs.claims.gradient_flow import kernel, score, table_energy, x, y
from proofs.claims.particles import LAW, Xi, Xj, i, j, mi, mj, over_atoms, over_pairs, summed
from proofs.claims.schroedinger_system import velocity
from proofs.language import (
    add,
    at,
    balanced,
    continuous,
    eq,
    exp,
    forall,
    integral,
    lam,
    log,
    mul,
    number,
    on_lifetime,
    scale,
    total,
    tp,
)
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, variable

HALF = Fraction(1, 2)
#: the potential at each time, a function of the points
phi = variable("phi", function_sort(REAL, function_sort(matrix_sort(d, ONE), REAL)))


def potential(point: Term) -> Term:
    return at(phi, t, point)


def plan(first: Term, second: Term) -> Term:
    """exp(phi(x)) exp(<A x, y>) exp(phi(y))."""
    return mul(exp(potential(first)), kernel(first, second), exp(potential(second)))


REGULAR = on_lifetime(T, lambda t: continuous(at(phi, t)))
BALANCE = on_lifetime(T, lambda t: forall(x, eq(integral(LAW, y, plan(x, y)), number(1))))
#: half the entropic cost, and Gamma_i, from the tables of energies and of variants
ENERGY = table_energy("sinkhorn")
GAMMA = velocity(A, V, LAW, Xi)
#: the kernel of Sinkhorn attention
DENSITY = balanced(LAW, lam(x, lam(y, kernel(x, y))))


@dataclass(frozen=True)
class Plan:
    """Steps at the time t: A symmetric, no negative mass, phi continuous, and the marginals."""

    p: Builder
    symmetric: int
    nonnegative: int
    regular: int
    balance: int

    def unique(self) -> int:
        """For all x and y, DENSITY(x, y) = plan(x, y)."""
        p = self.p
        product = mul(number(1), exp(potential(x)), exp(mul(tp(x), A, y)), exp(potential(y)))
        same = p.algebra(plan(x, y), product, self.symmetric)
        other = p.algebra(plan(y, x), product, self.symmetric)
        marginals = [(y, same, x, p.specialise(self.balance, x))]
        marginals.append((x, other, y, p.specialise(self.balance, y)))
        ones = []
        for over, equal, free, one in marginals:
            function = p.extensionality(over, equal)
            moved = p.replace(function, one, lambda f: eq(Term("integral", (LAW, f)), number(1)))
            ones.append(p.generalise(free, moved))
        places = LAW.args[1]
        integrable = p.fact("integrable-over-atoms", self.nonnegative, self.regular, x=places)
        found = p.fact(
            "balanced-kernel",
            p.definite(number(1), strict=True),
            integrable,
            integrable,
            *ones,
            nu=LAW,
            M=A,
            r=number(1),
            phi=at(phi, t),
            psi=at(phi, t),
        )
        turned = p.algebra(exp(mul(tp(x), A, y)), kernel(x, y), self.symmetric)
        scores = p.extensionality(x, p.extensionality(y, turned))
        stated = p.replace(
            scores,
            found,
            lambda k: forall(x, forall(y, eq(at(balanced(LAW, k), x, y), product))),
        )
        here = p.specialise(p.specialise(stated, x), y)
        equal = p.algebra(at(DENSITY, x, y), plan(x, y), self.symmetric, (here, itself))
        return p.generalise(x, p.generalise(y, equal))

    def velocity(self, unique: int) -> int:
        """Gamma_i = sum over j of m_j plan_ij V X_j."""
        p = self.p
        here = p.specialise(p.specialise(unique, Xi), y)
        value = p.algebra(
            at(GAMMA.args[1], y),
            scale(plan(Xi, y), mul(V, y)),
            (here, lambda h: scale(h, mul(V, y))),
        )
        seen = integrated(p, value, GAMMA, y)
        as_sum = over_atoms(p, self.nonnegative, p[seen].args[1])
        return p.algebra(GAMMA, p[as_sum].args[1], (seen, itself), (as_sum, itself))

    def row(self) -> int:
        """The sum over j of m_j plan_ij is 1."""
        p = self.p
        now = p.specialise(self.balance, Xi)
        as_sum = over_atoms(p, self.nonnegative, p[now].args[0])
        left, right = p[as_sum].args[1], number(1)
        return p.algebra(left, right, (as_sum, lambda h: scale(-1, h)), (now, itself))

    def logarithm(self) -> int:
        """log(plan(x, y)) = phi(x) + <A x, y> + phi(y)."""
        p = self.p
        r, s, last = potential(x), score(x, y), potential(y)
        inner = p.part(p.fact("exponential-of-sum", r=s, s=last), 0)
        outer = p.part(p.fact("exponential-of-sum", r=r, s=add(s, last)), 0)
        exponent = add(r, add(s, last))
        whole = p.algebra(
            exp(exponent), plan(x, y), (outer, itself), (inner, lambda h: mul(exp(r), h))
        )
        known = p.fact("logarithm-of-exponential", r=exponent)
        return p.replace(whole, known, lambda h: eq(log(h), exponent))

    def energy(self, unique: int, row: int) -> int:
        """F = -(sum over i of m_i phi(X_i)), by the logarithm of the density."""
        p = self.p
        multiple, whole = ENERGY.args
        here = p.specialise(p.specialise(unique, x), y)
        density = p[here].args[0]
        one = at(whole.args[1], x)
        pair = at(one.args[1], y)
        planned = p.replace(
            here, p.reflexivity(pair), lambda h: eq(pair, replaced(pair, density, h))
        )
        potentials = scale(-1, add(potential(x), potential(y)))
        value = p.algebra(
            pair,
            mul(plan(x, y), potentials),
            (planned, itself),
            (self.logarithm(), lambda h: scale(-1, mul(plan(x, y), h))),
        )
        seen = integrated(p, integrated(p, value, one, y), whole, x)
        outer, inner = over_pairs(p, self.nonnegative, p[seen].args[1])
        own = p.algebra(
            mul(mi, potential(Xi), p[row].args[0]),
            mul(mi, potential(Xi)),
            (row, lambda h: mul(mi, potential(Xi), h)),
        )
        weight = mul(mi, mj)
        swapped = p.algebra(
            mul(weight, plan(Xi, Xj), potential(Xj)),
            mul(weight, plan(Xj, Xi), potential(Xj)),
            self.symmetric,
        )
        doubled, turned = summed(p, i, own), summed(p, i, summed(p, j, swapped))
        return p.algebra(
            ENERGY,
            scale(-1, total(i, mul(mi, potential(Xi)))),
            *((step, lambda h: mul(multiple, h)) for step in (seen, outer, inner)),
            (turned, lambda h: scale(-1, mul(multiple, h))),
            (doubled, lambda h: scale(-2, mul(multiple, h))),
        )


def integrated(p: Builder, same: int, whole: Term, point: Term) -> int:
    """The integral ``whole`` over a point with its integrand rewritten by an equation."""
    functions = p.extensionality(point, same)
    start = p.reflexivity(whole)
    return p.replace(functions, start, lambda f: eq(whole, Term("integral", (LAW, f))))
