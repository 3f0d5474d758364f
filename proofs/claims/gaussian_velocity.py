"""Attention of a Gaussian measure: the velocities of the variants' table, evaluated exactly."""

from __future__ import annotations

from proofs.bridge import to_term
from proofs.builder import Builder, itself
from proofs.claims.covariance_equation import A, V
from proofs.language import add, at, eq, exp, gaussian, integral, inv, mul, scale, tp, zero_like
from proofs.terms import Term, sort_of, variable
from symbolic import notation
from symbolic.variants import lookup


def velocity(variant: str, measure: Term, point: Term, matrices: tuple[Term, ...] = (V, A)) -> Term:
    """Gamma_mu(x) of a variant, from its definition in the table of variants.

    ``matrices`` are V and A (families of them for several heads).
    """
    expression = lookup(variant).velocity(notation.x, notation.mu, form="A")
    letters = dict(zip(("V", "A"), matrices, strict=True))
    return to_term(expression, {**letters, "mu": measure, "x": point})


def softmax_velocity(
    p: Builder,
    mean: Term,
    covariance: Term,
    point: Term,
    positive: int,
    matrices: tuple[Term, ...] = (V, A),
) -> int:
    """Gamma_mu(x) = V Sigma A x + V alpha for mu = N(alpha, Sigma), from a step psd(Sigma)."""
    value_matrix, score = matrices
    y, tilt, measure = variable("y", sort_of(point)), mul(score, point), gaussian(mean, covariance)
    moments = p.fact(
        "gaussian-tilt", positive, a=mean, C=covariance, L=value_matrix, h=tilt, b=zero_like(mean)
    )
    mass = integral(measure, y, exp(mul(tp(tilt), y)))
    exists = p.part(p.fact("definite-inverse", p.part(moments, 0)), 0)
    cancel = p.part(p.fact("inverse", exists), 1)
    # the values are V y + 0
    weight = exp(mul(tp(tilt), y))
    offset = p.extensionality(
        y,
        p.algebra(
            scale(weight, add(mul(value_matrix, y), zero_like(mean))),
            scale(weight, mul(value_matrix, y)),
        ),
    )
    moment = p.part(moments, 1)
    result = p[moment].args[1]
    tilted = p.replace(offset, moment, lambda h: eq(Term("integral", (measure, h)), result))
    return p.algebra(
        velocity("softmax", measure, point, matrices),
        add(mul(mul(value_matrix, covariance, score), point), mul(value_matrix, mean)),
        (tilted, lambda h: scale(inv(mass), h)),
        (cancel, lambda h: scale(h, mul(value_matrix, add(mean, mul(covariance, tilt))))),
    )


def linear_velocity(
    p: Builder,
    mean: Term,
    covariance: Term,
    point: Term,
    positive: int,
    matrices: tuple[Term, ...] = (V, A),
) -> int:
    """Gamma_mu(x) = V (Sigma + alpha alpha^T) A x, from a step that proves psd(Sigma)."""
    value_matrix, score = matrices
    y = variable("y", sort_of(point))
    measure = gaussian(mean, covariance)
    right = mul(score, point)
    whole = velocity("linear", measure, point, matrices)
    moment = p.fact(
        "gaussian-second-moment", positive, a=mean, C=covariance, L=value_matrix, R=right
    )
    body = whole.args[1]
    same = p.extensionality(y, p.algebra(at(body, y), mul(value_matrix, y, tp(y), right)))
    rewritten = p.replace(
        same, p.reflexivity(whole), lambda h: eq(whole, Term("integral", (measure, h)))
    )
    return p.algebra(
        whole,
        mul(value_matrix, add(covariance, mul(mean, tp(mean))), right),
        (rewritten, itself),
        (moment, itself),
    )
