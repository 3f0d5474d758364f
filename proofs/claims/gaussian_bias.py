"""Softmax attention with biases keeps Gaussian measures Gaussian."""

from __future__ import annotations

from dataclasses import dataclass, fields

from proofs.bridge import to_term
from proofs.builder import Builder, Summand, itself
from proofs.claims.affine_flow import affine_flow, equation_of, preserved
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, V, covariance_field, d, t
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    dim,
    eq,
    exp,
    gaussian,
    identity,
    integral,
    inv,
    lam,
    mat,
    maximal,
    mul,
    ode,
    psd,
    scale,
    time_to,
    tp,
    vec,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term
from symbolic import notation
from symbolic.variants import lookup

k = dim("k")
Q, K = mat("Q", k, d), mat("K", k, d)
b_q, b_k, b_v = vec("b_q", k), vec("b_k", k), vec("b_v", d)
alpha, x, y = time_to("alpha", d, ONE), vec("x", d), vec("y", d)
mean, covariance = at(alpha, t), at(Sigma, t)
LAW = lam(t, gaussian(mean, covariance))


@dataclass(frozen=True)
class BiasedHead:
    """The parameters of a head: Q, K (k x d), V (d x d), and biases of scores and values."""

    Q: Term
    K: Term
    V: Term
    b_q: Term
    b_k: Term
    b_v: Term

    def letters(self) -> dict[str, Term]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def affine(self, point: Term) -> Term:
        """V (alpha + Sigma (K^T Q x + K^T b_q)) + b_v."""
        tilt = add(mul(mul(tp(self.K), self.Q), point), mul(tp(self.K), self.b_q))
        return add(mul(self.V, add(mean, mul(covariance, tilt))), self.b_v)


def velocity(variant: str, head: BiasedHead) -> Term:
    """t -> x -> Gamma_mu(x) at mu = N(alpha, Sigma), from the table of variants."""
    expression = lookup(variant).velocity(notation.x, notation.mu, form="QK", biases=True)
    letters = {**head.letters(), "x": x, "mu": at(LAW, t)}
    return lam(t, lam(x, to_term(expression, letters)))


HEAD = BiasedHead(Q, K, V, b_q, b_k, b_v)
A = mul(tp(K), Q)
F = covariance_field(V, A)
VELOCITY = velocity("softmax", HEAD)
SOLUTION = maximal(T, Sigma, F, Sigma0)
MEAN = ode(T, alpha, lam(t, HEAD.affine(mean)))


def prove_velocity(p: Builder, positive: int, head: BiasedHead) -> int:
    """Gamma_mu(x) at mu = N(alpha, Sigma): the tilt is K^T (Q x + b_q), and b_k cancels."""
    query = add(mul(head.Q, x), head.b_q)
    tilt, constant = mul(tp(head.K), query), mul(tp(query), head.b_k)
    measure = gaussian(mean, covariance)
    moments = p.fact("gaussian-tilt", positive, a=mean, C=covariance, L=head.V, h=tilt, b=head.b_v)
    mass, moment = p.part(moments, 0), p.part(moments, 1)
    weight, factor = exp(mul(tp(tilt), y)), exp(constant)
    exponential = p.fact("exponential-of-sum", r=constant, s=mul(tp(tilt), y))
    product, factor_positive = p.part(exponential, 0), p.part(exponential, 1)
    kernel = exp(mul(tp(query), add(mul(head.K, y), head.b_k)))
    value = add(mul(head.V, y), head.b_v)

    def pulled_out(weighted: Term, body: Term, scaled: int) -> int:
        """The integral of ``weighted`` is the factor times the integral of ``body``."""
        whole = integral(measure, y, weighted)
        rewritten = p.replace(
            p.extensionality(y, scaled),
            p.reflexivity(whole),
            lambda h: eq(whole, Term("integral", (measure, h))),
        )
        out = p.fact("constant-factor", nu=measure, r=factor, f=lam(y, body))
        return p.algebra(
            whole,
            scale(factor, integral(measure, y, body)),
            (rewritten, itself),
            (out, itself),
        )

    denominator = pulled_out(
        kernel, weight, p.algebra(kernel, scale(factor, weight), (product, itself))
    )
    numerator = pulled_out(
        scale(kernel, value),
        scale(weight, value),
        p.algebra(
            scale(kernel, value),
            scale(factor, scale(weight, value)),
            (product, lambda h: scale(h, value)),
        ),
    )
    total = integral(measure, y, kernel)
    total_positive = p.positive(
        total,
        Summand(identity(ONE), scalars=(factor_positive, mass)),
        by=[(denominator, itself)],
        strict=True,
    )
    exists = p.part(p.fact("definite-inverse", total_positive), 0)
    cancel = p.part(p.fact("inverse", exists), 1)
    result = head.affine(x)
    return p.algebra(
        at(velocity("softmax", head), t, x),
        result,
        (numerator, lambda h: scale(inv(total), h)),
        (moment, lambda h: scale(mul(inv(total), factor), h)),
        (denominator, lambda h: scale(-1, scale(mul(inv(total), h), result))),
        (cancel, lambda h: scale(h, result)),
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    start, solution, mean_equation = p.assume(psd(Sigma0)), p.assume(SOLUTION), p.assume(MEAN)
    stays = p.lemma(RANK.id, start, solution, V=V, A=A, Sigma0=Sigma0, T=T, Sigma=Sigma)
    positive = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    formula = prove_velocity(p, positive, HEAD)

    linear = lam(t, mul(V, covariance, A))
    constant = lam(t, add(mul(V, add(mean, mul(covariance, tp(K), b_q))), b_v))
    solves = affine_flow(
        p,
        equation=equation_of(p, solution),
        mean=mean_equation,
        linear=linear,
        constant=constant,
        positive=positive,
        formula=formula,
        velocity=VELOCITY,
    )
    p.conjunction(p.for_all(t, within(t, T), p.generalise(x, formula)), solves)
    return p.proof()


CLAIM = Claim(
    id="gaussian.bias",
    title="Biases: Gaussians stay Gaussian, and the covariance equation is the same",
    source="new",
    statement=Statement(
        (psd(Sigma0), SOLUTION, MEAN),
        preserved(LAW, VELOCITY, x, HEAD.affine(x)),
    ),
    hypotheses=(
        "Sigma0 positive semidefinite",
        "Sigma solves the covariance equation with A = K^T Q",
        "alpha solves the mean equation",
    ),
    prove=prove,
    note="The key bias cancels. A scale multiplies Q and b_q.",
    notation=(Definition("A", A), Definition("mu", LAW), Definition("Gamma", VELOCITY)),
)
