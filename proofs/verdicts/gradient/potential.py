"""What the claim on Sinkhorn attention assumes of the potential of its entropic plan.

As in ``proofs.claims.gradient_sinkhorn``, which a test confirms; see
:mod:`proofs.verdicts.gradient.velocities` for why it is written out.
"""

from __future__ import annotations

from proofs import language as la
from proofs.claims.covariance_equation import A, T, d, t
from proofs.claims.particles import LAW, Xi, i, n
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, variable
from proofs.verdicts.gradient.velocities import score

#: the potential at each time, a function of the points; its derivative along each particle
phi = variable("phi", function_sort(REAL, function_sort(matrix_sort(d, ONE), REAL)))
g = la.curves("g", n, ONE, ONE)
_x, _y = la.vec("x", d), la.vec("y", d)


def _plan(first: Term, second: Term) -> Term:
    """The density of the plan, exp(phi(x)) exp(<A x, y>) exp(phi(y))."""
    outer = [la.exp(la.at(phi, t, point)) for point in (first, second)]
    return la.mul(outer[0], la.exp(score(A, first, second)), outer[1])


_FOLLOWED = la.forall(i, la.ode(T, la.lam(t, la.at(phi, t, Xi)), la.at(g, i)))
_REGULAR = la.on_lifetime(T, lambda t: la.continuous(la.at(phi, t)))
_MARGINAL = la.eq(la.integral(LAW, _y, _plan(_x, _y)), la.number(1))
#: it is differentiable along the particles and continuous, and the plan has the marginals mu
POTENTIAL = (_FOLLOWED, _REGULAR, la.on_lifetime(T, lambda _: la.forall(_x, _MARGINAL)))
