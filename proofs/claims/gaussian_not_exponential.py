"""Exponential attention, softmax without its denominator, does not keep Gaussians Gaussian."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.line_velocity import (
    HALF,
    INSIDE,
    LAW,
    POSITIVE,
    Sigma,
    a,
    alpha,
    b,
    c,
    cancelled,
    continuous_velocity,
    for_some,
    k,
    line_velocity,
    log_mass,
    nonzero,
    positive_inverse,
    profile_of,
    softmax_line,
    tilted,
    tilted_values,
    v,
    x,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    continuity,
    eq,
    exp,
    forall,
    implies,
    inv,
    lam,
    mul,
    negation,
    number,
    scale,
    within,
)
from proofs.printing.abbreviations import Definition

VELOCITY = lam(t, lam(x, line_velocity("exponential", at(LAW, t))))
MEAN, VARIANCE = at(alpha, t), at(Sigma, t)
FORMULA = mul(exp(log_mass(MEAN, VARIANCE)), softmax_line(MEAN, VARIANCE))
ZERO = number(0)
NONZERO = negation(eq(v, ZERO)), negation(eq(a, ZERO))
SOLVES = continuity(T, LAW, VELOCITY)


def prove() -> Proof:
    p = Builder()
    value, score = (p.assume(h) for h in NONZERO)
    starts, positive = p.assume(within(ZERO, T)), p.assume(POSITIVE)
    inside, solves = p.assume(INSIDE), p.assume(SOLVES)
    positive_now = p.at(positive, t, inside)
    nonnegative = p.fact("positive-definite", positive_now)
    _, formula = tilted(p, (MEAN, VARIANCE), nonnegative, tilted_values(p))

    is_continuous = continuous_velocity(p, VELOCITY, formula)
    existence, equation = profile_of(p, solves, positive, inside, is_continuous)
    at_place = p.specialise(p.assume(equation), x)
    # exp((x - m)^2 / (2 S)) = exp(m^2 / (2 S)) exp(- m x / S + x^2 / (2 S))
    rate = scale(HALF, inv(VARIANCE))
    first, second = mul(a, MEAN), scale(HALF, mul(a, a, VARIANCE))
    third = scale(-2, mul(rate, MEAN))
    power, rest = mul(rate, MEAN, MEAN), add(mul(third, x), mul(rate, x, x))
    split = p.part(p.fact("exponential-of-sum", r=power, s=rest), 0)
    affine = (mul(v, MEAN), mul(v, a, VARIANCE))
    independent = p.generalise(
        x,
        p.algebra(
            mul(add(affine[0], mul(affine[1], x)), exp(log_mass(MEAN, VARIANCE))),
            add(mul(mul(k, exp(power)), exp(rest)), c, mul(b, x)),
            (formula, lambda h: scale(-1, h)),
            (at_place, itself),
            (split, lambda h: mul(k, h)),
        ),
    )
    coefficients = p.fact(
        "exponentials-independent",
        independent,
        a=affine[0],
        b=affine[1],
        p=first,
        q=second,
        c=mul(k, exp(power)),
        r=third,
        s=rate,
        g=c,
        h=b,
    )
    # v a S times a^2 S / 2 vanishes, which no factor does
    product = p.part(p.part(coefficients, 0), 1)
    v_inverse, a_inverse = nonzero(p, value), nonzero(p, score)
    spread = positive_inverse(p, positive_now)
    absurd = cancelled(
        p, product, number(HALF), v_inverse, a_inverse, a_inverse, a_inverse, spread, spread
    )
    absurd = for_some(p, existence, equation, absurd)
    absurd = p.at(p.for_all(t, INSIDE, absurd), ZERO, starts)
    never = p.contradiction(SOLVES, absurd, p.unequal(number(HALF), ZERO))
    p.conjunction(p.for_all(t, INSIDE, p.generalise(x, formula)), never)
    return p.proof()


CLAIM = Claim(
    id="gaussian.not-exponential",
    title="Exponential attention without normalisation does not keep Gaussians Gaussian",
    source="new",
    statement=Statement(
        (*NONZERO, within(ZERO, T), POSITIVE),
        conj(
            forall(t, implies(INSIDE, forall(x, eq(at(VELOCITY, t, x), FORMULA)))),
            negation(SOLVES),
        ),
    ),
    hypotheses=("V = v is not 0", "A = a is not 0", "T > 0", "Sigma positive"),
    prove=prove,
    note="Here d = 1, which settles that Gaussians are not preserved in general. For d >= 2 a "
    "velocity that is not affine is not yet a contradiction: its other part may be divergence-free "
    "against the density.",
    notation=(Definition("mu", LAW), Definition("Gamma", VELOCITY)),
)
