"""Masked linear attention keeps the conditional laws at all positions Gaussian."""

from __future__ import annotations

from proofs.bridge import to_term
from proofs.builder import Builder, itself
from proofs.claims.affine_flow import affine_flow, preserved
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, d, t
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    eq,
    forall,
    gaussian,
    integrable,
    integral,
    lam,
    mul,
    ode,
    on_lifetime,
    past,
    psd,
    real,
    time_to,
    tp,
    vec,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, REAL, Term, function_sort, measure_sort, substitute, variable
from symbolic import notation
from symbolic.variants import lookup

s, tau = real("s"), real("tau")
V, A = time_to("V", d, d), time_to("A", d, d)
theta = variable("theta", measure_sort(ONE))
#: position -> time -> mean and covariance of the law at that position
alpha = variable("alpha", function_sort(REAL, time_to("_", d, ONE).args[0]))
Sigma = variable("Sigma", function_sort(REAL, time_to("_", d, d).args[0]))
x = vec("x", d)


def second_moment(position: Term) -> Term:
    """Sigma_tau(t) + alpha_tau(t) alpha_tau(t)^T."""
    mean = at(alpha, position, t)
    return add(at(Sigma, position, t), mul(mean, tp(mean)))


#: the law at the position s, as a curve
LAW = lam(t, gaussian(at(alpha, s, t), at(Sigma, s, t)))
LAWS = lam(s, LAW)
#: M_s, the second moment of what the position s sees
SEEN = integral(past(theta, s), tau, second_moment(tau))
LINEAR = mul(at(V, t), SEEN, at(A, t))
GROWTH = mul(LINEAR, at(Sigma, s, t))


def velocity() -> Term:
    """t -> x -> Gamma_mu(s, x), from the table of variants."""
    expression = lookup("masked-linear").velocity(notation.x, notation.mu, form="A")
    letters = {
        "V": at(V, t),
        "A": at(A, t),
        "x": x,
        "s": s,
        "mu": lam(tau, at(LAWS, tau, t)),
        "theta": theta,
    }
    return lam(t, lam(x, to_term(expression, letters)))


VELOCITY = velocity()
POSITIVE = forall(s, on_lifetime(T, lambda t: psd(at(Sigma, s, t))))
MOMENTS = forall(
    s,
    on_lifetime(
        T,
        lambda now: substitute(integrable(past(theta, s), tau, second_moment(tau)), {"t": now}),
    ),
)
EQUATION = forall(s, ode(T, at(Sigma, s), lam(t, add(GROWTH, tp(GROWTH)))))
MEAN = forall(s, ode(T, at(alpha, s), lam(t, mul(LINEAR, at(alpha, s, t)))))
CONCLUSION = forall(s, preserved(LAW, VELOCITY, x, mul(LINEAR, x)))


def prove() -> Proof:
    p = Builder()
    always, moments = p.assume(POSITIVE), p.assume(MOMENTS)
    equation, mean = p.specialise(p.assume(EQUATION), s), p.specialise(p.assume(MEAN), s)
    inside = within(t, T)
    now = p.assume(inside)

    def positive(position: Term) -> int:
        return p.at(p.specialise(always, position), t, now)

    right = mul(at(A, t), x)
    measure = past(theta, s)
    whole = at(VELOCITY, t, x)
    # against the law at the position tau
    y = vec("y", d)
    inner = at(whole.args[1], tau)
    covariance = at(Sigma, tau, t)
    moment = p.fact(
        "gaussian-second-moment",
        positive(tau),
        a=at(alpha, tau, t),
        C=covariance,
        L=at(V, t),
        R=right,
    )
    body = p.extensionality(y, p.algebra(at(inner.args[1], y), mul(at(V, t), y, tp(y), right)))
    law = inner.args[0]
    rewritten = p.replace(
        body, p.reflexivity(inner), lambda h: eq(inner, Term("integral", (law, h)))
    )
    one = p.algebra(
        inner,
        mul(at(V, t), second_moment(tau), right),
        (rewritten, itself),
        (moment, itself),
    )
    # over the positions up to s
    outer = p.replace(
        p.extensionality(tau, one),
        p.reflexivity(whole),
        lambda h: eq(whole, Term("integral", (measure, h))),
    )
    linear = p.fact(
        "linear-image-of-integral",
        p.at(p.specialise(moments, s), t, now),
        N=at(V, t),
        P=right,
    )
    formula = p.algebra(whole, mul(LINEAR, x), (outer, itself), (linear, itself))
    solves = affine_flow(
        p,
        equation=equation,
        mean=mean,
        linear=lam(t, LINEAR),
        constant=lam(t, zero(d, ONE)),
        positive=positive(s),
        formula=formula,
        velocity=VELOCITY,
    )
    everywhere = p.conjunction(p.for_all(t, inside, p.generalise(x, formula)), solves)
    p.generalise(s, everywhere)
    return p.proof()


CLAIM = Claim(
    id="gaussian.masked-linear",
    title="Masked linear attention keeps the law at each position Gaussian",
    source="new",
    statement=Statement((POSITIVE, MOMENTS, EQUATION, MEAN), CONCLUSION),
    hypotheses=(
        "Sigma_s stays positive semidefinite",
        "second moments are integrable over the positions",
        "Sigma_s solves the covariance equation",
        "alpha_s solves the mean equation",
    ),
    prove=prove,
    note="theta is the law of the positions, which do not move. V and A may depend on time.",
    notation=(Definition("M", lam(s, lam(t, SEEN))), Definition("Gamma", lam(s, VELOCITY))),
)
