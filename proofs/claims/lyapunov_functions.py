"""The function tr(P Sigma) along the multi-head covariance equation, and its velocity."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.growth import moving, product_of, with_velocity
from proofs.claims.multihead_equation import F
from proofs.language import at, forall, implies, mat, mul, psd, scale, tr, within
from proofs.terms import Term

P, Z = mat("P", d, d), mat("Z", d, d)


def value(state: Term) -> Term:
    """tr(P Z)."""
    return tr(mul(P, state))


def velocity(state: Term) -> Term:
    """tr(P F(Z)), the derivative of tr(P Sigma) where Sigma = Z."""
    return value(at(F, state))


def on_cone(body: Term) -> Term:
    """``body`` for every Z >= 0."""
    return forall(Z, implies(psd(Z), body))


def along(p: Builder, stays: int, everywhere: int) -> tuple[int, int]:
    """Sigma(t) >= 0 on [0, T), and there what ``everywhere`` proves on the cone.

    ``stays`` is a step that proves Sigma(t) >= 0 and constant rank on [0, T).
    """
    inside = within(t, T)
    now = p.part(p.at(stays, t, p.assume(inside)), 0)
    positive = p.for_all(t, inside, now)
    return positive, p.for_all(t, inside, p.at(everywhere, at(Sigma, t), now))


def equation_of_value(p: Builder, solution: int) -> tuple[int, int]:
    """Steps ode(T, t -> tr(P Sigma(t)), t -> tr(P F(Sigma(t)))) and Sigma(0) = Sigma0."""
    solves = p.fact("solution", solution)
    product = product_of(p, moving(p, T, P), p.part(solves, 0))
    traced = p.fact("derivative-of-trace", product)
    return with_velocity(p, traced, velocity(at(Sigma, t))), p.part(solves, 1)


def at_start(p: Builder, start: int) -> int:
    """tr(P Sigma0) = tr(P Sigma(0)), from a step Sigma(0) = Sigma0."""
    now = p[start].args[0]
    return p.algebra(value(Sigma0), value(now), (start, lambda h: scale(-1, value(h))))
