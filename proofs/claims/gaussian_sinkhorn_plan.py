"""The entropic plan of a Gaussian measure with itself, from the Schroedinger system."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import A, V, d
from proofs.claims.gaussian_integrals import weighted
from proofs.claims.schroedinger_system import (
    CONSTANT,
    DENSITY,
    KERNEL,
    MEASURE,
    VELOCITY,
    WEIGHT,
    P,
    R,
    Side,
    alpha,
    balanced_kernel,
    both_sides,
    marginal,
    x,
    y,
)
from proofs.claims.sinkhorn_roots import E, F, I, M, Sigma, W, pull, shrinking_steps
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    conj,
    eq,
    forall,
    identity,
    implies,
    integral,
    inv,
    minus,
    mul,
    number,
    psd,
    real,
    root,
    scale,
    tp,
    vec,
    zero_like,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

u, w, s = vec("u", d), vec("w", d), real("s")


#: s and sqrt(1 + 4 s^2)
LARGER = root(add(number(1), scale(4, mul(s, s))))
SHRUNK = mul(scale(2, s), inv(add(number(1), LARGER)))
SINGULAR = conj(eq(mul(M, w), scale(s, u)), eq(mul(tp(M), u), scale(s, w)))


def mean_under_plan(p: Builder, one: Side, kernel: int) -> int:
    """Gamma_mu(x) = V (alpha + W E W A (x - alpha)), from kappa(x, y) = DENSITY."""
    value = add(mul(V, y), zero_like(y))
    body = scale(WEIGHT, mul(V, y))
    same = p.algebra(
        body,
        scale(one.factor, scale(one.tilt.weight, value)),
        (kernel, lambda h: scale(h, mul(V, y))),
        (one.split, lambda h: scale(mul(CONSTANT, h), mul(V, y))),
    )
    whole = weighted(p, one.tilt, one.moments, one.factor, body, same)
    result = p[whole].args[1].args[1].args[1]
    return p.algebra(
        VELOCITY,
        affine(A, V, alpha, Sigma, x),
        (whole, itself),
        (one.unit, lambda h: scale(h, result)),
        (one.inverse, lambda h: mul(V, W, h, W, one.tilt.h)),
    )


def affine(A: Term, V: Term, mean: Term, covariance: Term, point: Term) -> Term:
    """V (alpha + W E W A (x - alpha))."""
    return mul(V, add(mean, mul(pull(A, covariance), minus(point, mean))))


def singular_vectors(p: Builder, positive: int) -> int:
    """E M w = 2 s / (1 + sqrt(1 + 4 s^2)) u, where M w = s u and M^T u = s w."""
    square = p.part(p.fact("square-root", positive, M=Sigma), 1)
    steps = shrinking_steps(p, A, tp(A), positive)
    pair = p.assume(SINGULAR)
    forward, back = p.part(pair, 0), p.part(pair, 1)
    inside = LARGER.args[0]
    one = identity(ONE)
    inside_positive = p.positive(inside, Summand(one), Summand(s, coefficient=4), strict=True)
    rooted = p.fact("square-root", p.fact("positive-definite", inside_positive))
    g_square = p.part(rooted, 1)
    g_positive = p.fact(
        "positive-factor",
        p.part(rooted, 0),
        p.positive(
            mul(LARGER, LARGER),
            Summand(one, core=inside_positive),
            by=[(g_square, itself)],
            strict=True,
        ),
        a=LARGER,
        b=LARGER,
    )
    # (G + g) (G u - g u) = 0
    G, shifted = steps.G, add(steps.G, scale(LARGER, I))
    invertible = p.part(
        p.fact(
            "definite-inverse",
            p.positive(
                shifted,
                Summand(I, core=steps.root),
                Summand(I, scalars=(g_positive,)),
                strict=True,
            ),
        ),
        0,
    )
    cancel = p.part(p.fact("inverse", invertible), 1)
    eigenvector = p.algebra(
        mul(G, u),
        scale(LARGER, u),
        (cancel, lambda h: scale(-1, mul(h, minus(mul(G, u), scale(LARGER, u))))),
        (steps.square, lambda h: mul(inv(shifted), h, u)),
        (g_square, lambda h: scale(-1, scale(h, mul(inv(shifted), u)))),
        (square, lambda h: scale(-4, mul(inv(shifted), W, A, h, tp(A), W, u))),
        (back, lambda h: scale(4, mul(inv(shifted), M, h))),
        (forward, lambda h: scale(4, scale(s, mul(inv(shifted), h)))),
    )
    sum_positive = p.positive(
        add(number(1), LARGER), Summand(one), Summand(one, core=g_positive), strict=True
    )
    ratio = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", sum_positive), 0)), 1)
    q = inv(add(number(1), LARGER))
    X = inv(steps.H)
    shrunk = p.algebra(
        mul(E, M, w),
        scale(SHRUNK, u),
        (forward, lambda h: mul(E, h)),
        (ratio, lambda h: scale(-2, scale(mul(h, s), mul(X, u)))),
        (steps.cancels, lambda h: scale(2, scale(mul(s, q), mul(h, u)))),
        (eigenvector, lambda h: scale(-2, scale(mul(s, q), mul(X, h)))),
    )
    inner = p.discharge(SINGULAR, shrunk)
    for letter in (s, w, u):
        inner = p.generalise(letter, inner)
    return inner


def prove() -> Proof:
    p = Builder()
    positive = p.assume(psd(Sigma))
    over_y, over_x = both_sides(p, positive)
    marginals = marginal(p, over_y), marginal(p, over_x)
    kernel = balanced_kernel(p, positive, over_y.constant, marginals)
    mean = mean_under_plan(p, over_y, kernel)
    p.conjunction(
        p.generalise(x, marginals[0]),
        p.generalise(y, marginals[1]),
        p.generalise(x, p.generalise(y, kernel)),
        p.generalise(x, mean),
        singular_vectors(p, positive),
    )
    return p.proof()


CLAIM = Claim(
    id="gaussian.sinkhorn-plan",
    title="Sinkhorn attention of a Gaussian: potentials, marginals, mean under the plan",
    source=PAPER_ID,
    statement=Statement(
        (psd(Sigma),),
        conj(
            forall(x, eq(integral(MEASURE, y, DENSITY), number(1))),
            forall(y, eq(integral(MEASURE, x, DENSITY), number(1))),
            forall(x, forall(y, eq(WEIGHT, DENSITY))),
            forall(x, eq(VELOCITY, affine(A, V, alpha, Sigma, x))),
            forall(u, forall(w, forall(s, implies(SINGULAR, eq(mul(E, M, w), scale(SHRUNK, u)))))),
        ),
    ),
    hypotheses=("Sigma positive semidefinite",),
    prove=prove,
    note="The quotient 2 s / (1 + sqrt(1 + 4 s^2)) is (sqrt(1 + 4 s^2) - 1) / (2 s): the plan has "
    "the singular vectors of Sigma^{1/2} A Sigma^{1/2}, with these singular values. No inverse of "
    "A or Sigma is needed.",
    notation=(
        Definition("M", M),
        Definition("E", E),
        Definition("F", F),
        Definition("P", P),
        Definition("R", R),
        Definition("kappa", KERNEL),
    ),
)
