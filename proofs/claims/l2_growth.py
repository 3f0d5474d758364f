"""How fast one head of L2 attention can make the largest eigenvalue of Sigma grow.

For 0 <= Z <= c I and Z u = c u the bound is u^T B(Z) Z u <= rho c |u|^2.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import d
from proofs.claims.head_growth import LENGTH, TOP, I, Z, c, gram_at_most, u
from proofs.claims.l2_equation import Resolvent, linear_part
from proofs.claims.l2_velocity import k
from proofs.language import (
    add,
    conj,
    eq,
    forall,
    identity,
    implies,
    inv,
    mat,
    minus,
    mul,
    pd,
    psd,
    real,
    scale,
    tp,
    vec,
)
from proofs.terms import Term

HALF = Fraction(1, 2)
N, l, v, q, n, a, kappa = (  # noqa: E741
    mat("N", d, k),
    *(real(name) for name in ("l", "v", "q", "n", "a", "kappa")),
)


def gap(head: tuple[Term, Term, Term], rho: Term) -> Term:
    """rho c |u|^2 - u^T B(Z) Z u for the head (Q, K, V)."""
    return minus(scale(mul(rho, c), LENGTH), mul(tp(u), linear_part(*head, Z), Z, u))


def grows_at_most(head: tuple[Term, Term, Term], rho: Term) -> Term:
    """For all Z, c, u with 0 <= Z <= c I and Z u = c u: u^T B(Z) Z u <= rho c |u|^2."""
    return forall(Z, forall(c, forall(u, implies(TOP, psd(gap(head, rho))))))


def through_keys(head: tuple[Term, Term, Term]) -> tuple[Term, ...]:
    """V = N K, |N^T| <= n, |Q| <= q, with n, q > 0."""
    Q, K, V = head
    return eq(V, mul(N, K)), pd(n), pd(q), gram_at_most(mul(N, tp(N)), n), queries(Q)


def proportional(head: tuple[Term, Term, Term]) -> tuple[Term, ...]:
    """Q = l K with -a <= l <= a, |V^T| <= v, v > 0."""
    Q, K, V = head
    return (
        eq(Q, scale(l, K)),
        psd(minus(a, l)),
        psd(add(a, l)),
        pd(v),
        gram_at_most(mul(V, tp(V)), v),
    )


def definite_keys(head: tuple[Term, Term, Term]) -> tuple[Term, ...]:
    """K^T K >= kappa^2 I, |V^T| <= v, |Q| <= q, with kappa, v, q > 0."""
    Q, K, V = head
    wide = psd(minus(mul(tp(K), K), scale(mul(kappa, kappa), I)))
    return wide, pd(kappa), pd(v), pd(q), gram_at_most(mul(V, tp(V)), v), queries(Q)


def queries(Q: Term) -> Term:
    """|Q| <= q."""
    return gram_at_most(mul(tp(Q), Q), q)


def level(p: Builder, state: int) -> int:
    """c >= 0, as w^T (c I - Z) w + w^T Z w = c for a unit vector w; ``state`` proves TOP."""
    positive, below = p.part(state, 0), p.part(state, 1)
    spectrum = p.fact("largest-eigenvalue", p.fact("semidefinite-symmetric", positive))
    w = vec("w", d)
    found = p.part(spectrum, 1)
    both = p.assume(_applied(p[found], w))
    unit = p.part(both, 0)
    bound = p.positive(
        c,
        Summand(w, core=below),
        Summand(w, core=positive),
        by=[(unit, lambda f: scale(-1, scale(c, f)))],
    )
    return p.obtain(found, w, bound)
