"""The affine lemma: Gaussians move with an affine velocity when mean and covariance solve ODEs."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.covariance_equation import T, t
from proofs.language import (
    add,
    at,
    conj,
    continuity,
    eq,
    forall,
    gaussian,
    implies,
    lam,
    mul,
    scale,
    tp,
    within,
)
from proofs.terms import Term, variable


def preserved(law: Term, velocity: Term, point: Term, formula: Term) -> Term:
    """velocity(t, x) = formula on [0, T), and law solves the continuity equation with it."""
    everywhere = forall(point, eq(at(velocity, t, point), formula))
    return conj(forall(t, implies(within(t, T), everywhere)), continuity(T, law, velocity))


def equation_of(p: Builder, solution: int) -> int:
    """ode(T, Sigma, F(Sigma)), from a step maximal(T, Sigma, F, Sigma0)."""
    return p.part(p.fact("solution", solution), 0)


def affine_flow(
    p: Builder,
    *,
    equation: int,
    mean: int,
    linear: Term,
    constant: Term,
    positive: int,
    formula: int,
    velocity: Term,
) -> int:
    """N(alpha(t), Sigma(t)) solves the continuity equation with the given velocity.

    Args:
        p: the proof.
        equation: step ode(T, Sigma, F) with F(t) = B(t) Sigma(t) + Sigma(t) B(t)^T.
        mean: step ode(T, alpha, G) with G(t) = B(t) alpha(t) + c(t).
        linear, constant: t -> B(t) and t -> c(t).
        positive: step psd(Sigma(t)), under the assumption t in [0, T).
        formula: step velocity(t, x) = ..., equal to B(t) x + c(t) by algebra.
        velocity: t -> x -> velocity, as it is stated.
    """
    end, covariance, covariance_velocity = p[equation].args
    _, alpha, mean_velocity = p[mean].args
    now, inside = at(covariance, t), within(t, end)

    congruence = add(mul(at(linear, t), now), mul(now, tp(at(linear, t))))
    covariance_equation = p.fact(
        "equal-velocities",
        equation,
        p.for_all(t, inside, p.algebra(at(covariance_velocity, t), congruence, positive)),
        T=end,
        Y=covariance,
        G=covariance_velocity,
        H=lam(t, congruence),
    )
    drift = add(mul(at(linear, t), at(alpha, t)), at(constant, t))
    mean_equation = p.fact(
        "equal-velocities",
        mean,
        p.for_all(t, inside, p.algebra(at(mean_velocity, t), drift)),
        T=end,
        Y=alpha,
        G=mean_velocity,
        H=lam(t, drift),
    )
    transport = p.fact(
        "affine-transport",
        mean_equation,
        covariance_equation,
        p.for_all(t, inside, positive),
        a=alpha,
        C=covariance,
        B=linear,
        c=constant,
    )
    x = variable("x", at(velocity, t).args[0])
    affine = add(mul(at(linear, t), x), at(constant, t))
    same = p.algebra(affine, at(velocity, t, x), (formula, lambda h: scale(-1, h)))
    return p.fact(
        "equal-velocity-fields",
        transport,
        p.for_all(t, inside, p.generalise(x, same)),
        mu=lam(t, gaussian(at(alpha, t), now)),
        v=lam(t, lam(x, affine)),
        w=velocity,
    )
