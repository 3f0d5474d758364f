"""L2 attention with equal queries and keys has no energy in its twisted metric."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import V, d, t
from proofs.claims.gradient_flow import B
from proofs.claims.gradient_l2 import GRAM, Q, kernel
from proofs.claims.growth import inverted
from proofs.claims.l2_equation import k as rows
from proofs.claims.l2_velocity import velocity
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.two_tokens import (
    LAW,
    POSITIVE_MASSES,
    Attention,
    Exact,
    X,
    k,
    of,
    symmetric_form,
    u,
    value_form,
    w,
    without_form,
    x,
    y,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    eq,
    forall,
    identity,
    implies,
    inv,
    lam,
    minus,
    mul,
    negation,
    number,
    pd,
    scale,
    tp,
    vec,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE

GAMMA = velocity(Q, Q, V, LAW, at(X, k, t))
ATTENTION = Attention(
    kernel,
    lambda own, other, direction: scale(2, mul(tp(minus(own, other)), GRAM, direction)),
    GAMMA.args[0].args[0],
    GAMMA,
)
HALF = Fraction(1, 2)
z = vec("z", d)
SEEN = negation(eq(mul(Q, z), zero(rows, ONE)))
NOTHING = forall(z, implies(SEEN, forall(y, eq(mul(V, y), zero(d, ONE)))))
HYPOTHESES = pd(B), ATTENTION.structure, POSITIVE_MASSES


def products(p: Builder, agree: int, symmetric: int) -> int:
    """For all u, w and y: <u, B V y> <Q y, Q w> = 0, as mixed derivatives agree at x = 0."""
    origin = zero(d, ONE)
    here = of(p, agree, origin, y, u, w)
    weight = kernel(origin, y)
    _, _, cancel = inverted(p, positive_exponential(p, weight.args[0]))
    product = mul(value_form(u, y), tp(y), GRAM, w)
    gap = minus(minus(value_form(u, w), scale(2, product)), value_form(w, u))
    step = p.algebra(
        product,
        number(0),
        (here, lambda h: scale(-HALF, mul(inv(weight), h))),
        (cancel, lambda h: scale(HALF, mul(h, gap))),
        (of(p, symmetric, u, w), lambda h: scale(HALF, h)),
    )
    for letter in (y, w, u):
        step = p.generalise(letter, step)
    return step


def nothing(p: Builder, metric: int, product: int) -> int:
    """V y = 0 for all y, if Q z is not 0 for some z."""
    seen = mul(tp(mul(Q, z)), identity(rows), mul(Q, z))
    unit = p.positive(identity(rows), Summand(identity(rows)), strict=True)
    quick = p.fact("definite-form", unit, p.assume(SEEN))
    _, _, cancel = inverted(p, quick)
    at_z = p.algebra(
        value_form(u, z),
        number(0),
        (cancel, lambda h: scale(-1, mul(h, value_form(u, z)))),
        (of(p, product, u, z, z), lambda h: mul(inv(seen), h)),
    )
    # <u, B V (z + y)> <Q (z + y), Q z> = 0 and <u, B V y> <Q y, Q z> = 0
    both, own = of(p, product, u, z, add(z, y)), of(p, product, u, z, y)
    at_y = p.algebra(
        value_form(u, y),
        number(0),
        (cancel, lambda h: scale(-1, mul(h, value_form(u, y)))),
        (both, lambda h: mul(inv(seen), h)),
        (own, lambda h: scale(-1, mul(inv(seen), h))),
        (at_z, lambda h: scale(-1, mul(inv(seen), h, tp(add(z, y)), GRAM, z))),
    )
    gone = without_form(p, metric, p.generalise(u, at_y), y)
    return p.for_all(z, SEEN, p.generalise(y, gone))


def prove() -> Proof:
    p = Builder()
    metric, structure, masses = (p.assume(h) for h in HYPOTHESES)
    agree = Exact(p, ATTENTION, structure, masses).agreement()
    for letter in (w, u, y, x):
        agree = p.generalise(letter, agree)
    nothing(p, metric, products(p, agree, symmetric_form(p, agree)))
    return p.proof()


CLAIM = Claim(
    id="gradient.none.l2",
    title="L2 attention with equal queries and keys has no energy in its twisted metric",
    source="new",
    statement=Statement(HYPOTHESES, NOTHING),
    hypotheses=("B positive definite", "E is an energy of two tokens", "the masses are positive"),
    prove=prove,
    note="The class: any function E of two tokens, whose change along every motion is the inner "
    "product with the velocity that has the weights m_k Z(X_k) and a constant matrix B. Unless "
    "Q = 0 there is none but for V = 0. The shift V y - x, with V = I, has one: gradient.l2.",
    notation=(Definition("mu", lam(X, lam(t, LAW))),),
)
