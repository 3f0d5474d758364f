"""The derivative of an energy of pairs, 1/2 sum over i, j of m_i m_j K_ij, along curves.

If K_ij' = W_ij + W_ji, the part of the derivative of K_ij that is due to its first point and the
part that is due to its second point, the energy has the derivative sum of m_i m_j W_ij.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from proofs.builder import Builder
from proofs.claims.covariance_equation import T, t
from proofs.claims.growth import moving, product_of, with_velocity
from proofs.claims.particles import i, j, m, n, rewritten, summed_curves
from proofs.kernel import Lemma
from proofs.language import add, at, forall, lam, mul, number, ode, scale, total
from proofs.terms import REAL, Term, function_sort, index_sort, variable

HALF = Fraction(1, 2)
_PAIRS = function_sort(index_sort(n), function_sort(index_sort(n), function_sort(REAL, REAL)))
K, W = variable("K", _PAIRS), variable("W", _PAIRS)
BOTH = add(at(W, i, j, t), at(W, j, i, t))
CHANGE = forall(i, forall(j, ode(T, at(K, i, j), lam(t, BOTH))))


def double_sum(pairs: Term) -> Term:
    """Sum over i of m_i times the sum over j of m_j times the entry, at the time t."""
    inner = total(j, scale(at(m, j), at(pairs, i, j, t)))
    return total(i, scale(at(m, i), inner))


@cache
def pair_energy() -> Lemma:
    """The lemma: hypothesis CHANGE, conclusion the derivative of half the double sum of K."""
    p = Builder()
    change = p.assume(CHANGE)
    masses = mul(at(m, i), at(m, j))
    pair = p.specialise(p.specialise(change, i), j)
    scaled = product_of(p, moving(p, T, masses), pair)
    scaled = with_velocity(p, scaled, mul(masses, BOTH))
    inner = summed_curves(p, j, scaled)
    outer = summed_curves(p, i, inner)
    halved = product_of(p, moving(p, T, number(HALF)), outer)
    halved = with_velocity(p, halved, double_sum(W))
    curve = p.algebra(at(p[halved].args[1], t), scale(HALF, double_sum(K)))
    return p.as_lemma(rewritten(p, halved, curve), (CHANGE,))
