"""L2 attention of a Gaussian measure is affine."""

from __future__ import annotations

from functools import cache

from proofs.bridge import to_term
from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import V, d
from proofs.claims.gaussian_integrals import Tilt, integral_with_factor, weighted
from proofs.claims.l2_equation import k, precision
from proofs.kernel import Lemma
from proofs.language import (
    add,
    at,
    gaussian,
    identity,
    inv,
    lam,
    mat,
    minus,
    mul,
    psd,
    root,
    scale,
    tp,
    vec,
    zero_like,
)
from proofs.terms import ONE, Term
from symbolic import notation
from symbolic.variants import lookup

Q, K = mat("Q", k, d), mat("K", k, d)
alpha, Sigma = vec("alpha", d), mat("Sigma", d, d)
x, y = vec("x", d), vec("y", d)
NAME = "l2-velocity"


def velocity(Q: Term, K: Term, V: Term, measure: Term, point: Term) -> Term:
    """Gamma_mu(x) from the table of variants."""
    expression = lookup("l2").velocity(notation.x, notation.mu, form="QK")
    return to_term(expression, {"Q": Q, "K": K, "V": V, "mu": measure, "x": point})


def affine(Q: Term, K: Term, V: Term, mean: Term, covariance: Term, point: Term) -> Term:
    """V (I + 2 Sigma K^T K)^{-1} (alpha + 2 Sigma K^T Q x)."""
    tilted = add(mean, scale(2, mul(covariance, tp(K), Q, point)))
    return mul(V, inv(precision(K, covariance)), tilted)


def shrunk(K: Term, covariance: Term) -> Term:
    """W (I + 2 W K^T K W)^{-1} W, W = Sigma^{1/2}: equal to (I + 2 Sigma K^T K)^{-1} Sigma."""
    W = root(covariance)
    inner = add(identity(d), scale(2, mul(W, tp(K), K, W)))
    return mul(W, inv(inner), W)


@cache
def lemma() -> Lemma:
    """psd(Sigma) implies (I + 2 Sigma K^T K)^{-1} Sigma = shrunk, and for all x Gamma = affine."""
    p = Builder()
    positive = p.assume(psd(Sigma))
    W, S = root(Sigma), scale(2, mul(tp(K), K))
    square = p.part(p.fact("square-root", positive, M=Sigma), 1)
    distance = minus(mul(Q, x), mul(K, alpha))
    tilt = Tilt(alpha, Sigma, S, scale(2, mul(tp(K), distance)), y)
    inner_positive = p.positive(
        tilt.precision, Summand(identity(d)), Summand(mul(K, W), coefficient=2), strict=True
    )
    cancel = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", inner_positive), 0)), 1)

    # (I - D S) Sigma = D, hence I - D S is the inverse of I + Sigma S
    D, I_DS = tilt.shrunk, minus(identity(d), mul(tilt.shrunk, S))
    smaller = p.algebra(
        mul(I_DS, Sigma),
        D,
        (square, lambda h: minus(mul(D, S, h), h)),
        (cancel, lambda h: scale(-1, mul(W, h, W))),
    )
    left_inverse = p.algebra(
        mul(I_DS, precision(K, Sigma)), identity(d), (smaller, lambda h: mul(h, S))
    )
    known = p.part(p.fact("one-sided-inverse", left_inverse), 1)
    shrinks = p.algebra(
        mul(inv(precision(K, Sigma)), Sigma),
        shrunk(K, Sigma),
        (known, lambda h: mul(h, Sigma)),
        (smaller, itself),
    )

    # the kernel is a factor without y times the weight of the tilt
    whole = velocity(Q, K, V, gaussian(alpha, Sigma), x)
    total, numerator = whole.args[0].args[0], whole.args[1]
    kernel = at(total.args[1], y)
    exponential = p.fact(
        "exponential-of-sum", r=scale(-1, mul(tp(distance), distance)), s=tilt.exponent
    )
    split, factor_positive = p.part(exponential, 0), p.part(exponential, 1)
    factor = p[factor_positive].args[0]
    moments = tilt.moments(p, V, (positive, p.algebra(tp(S), S), inner_positive))
    below = integral_with_factor(
        p,
        tilt.measure,
        y,
        factor,
        kernel,
        lam(y, tilt.weight),
        p.algebra(kernel, scale(factor, tilt.weight), (split, itself)),
    )
    value = add(mul(V, y), zero_like(y))
    above = weighted(
        p,
        tilt,
        moments,
        factor,
        at(numerator.args[1], y),
        p.algebra(
            at(numerator.args[1], y),
            scale(factor, scale(tilt.weight, value)),
            (split, lambda h: scale(h, mul(V, y))),
        ),
    )
    result = p[above].args[1].args[1].args[1]
    total_positive = p.positive(
        total,
        Summand(identity(ONE), scalars=(factor_positive, p.part(moments, 0))),
        by=[(below, itself)],
        strict=True,
    )
    exists = p.part(p.fact("definite-inverse", total_positive), 0)
    ratio = p.part(p.fact("inverse", exists), 1)
    answer = affine(Q, K, V, alpha, Sigma, x)
    formula = p.algebra(
        whole,
        answer,
        (above, lambda h: scale(inv(total), h)),
        (below, lambda h: scale(-1, scale(mul(inv(total), h), result))),
        (ratio, lambda h: scale(h, result)),
        (known, lambda h: scale(-1, mul(V, h, answer.args[2]))),
        (smaller, lambda h: scale(-2, mul(V, h, tp(K), Q, x))),
    )
    last = p.conjunction(shrinks, p.generalise(x, formula))
    return p.as_lemma(last, (psd(Sigma),))
