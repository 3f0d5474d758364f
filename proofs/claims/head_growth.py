"""How fast one head can make the largest eigenvalue of Sigma grow."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import covariance_field, d, symmetrised
from proofs.language import (
    add,
    at,
    conj,
    eq,
    identity,
    inv,
    le,
    mat,
    minus,
    mul,
    pd,
    psd,
    real,
    root,
    scale,
    tp,
    vec,
)
from proofs.terms import Term

Z, c, u = mat("Z", d, d), real("c"), vec("u", d)
I = identity(d)  # noqa: E741 (the identity matrix)
HALF = Fraction(1, 2)
#: 0 <= Z <= c I and Z u = c u
TOP = conj(psd(Z), le(Z, scale(c, I)), eq(mul(Z, u), scale(c, u)))
LENGTH = mul(tp(u), u)


def gram_at_most(gram: Term, bound: Term) -> Term:
    """M^T M <= bound^2 I, that is |M| <= bound, for bound > 0."""
    return le(gram, scale(mul(bound, bound), I))


@dataclass(frozen=True)
class Head:
    """Matrices V, A of a head and bounds v, a > 0 of their norms.

    The other fields are steps that prove v > 0, a > 0, |V^T| <= v, |A| <= a, and what follows
    from v > 0 and a > 0: 1/v > 0, v (1/v) = 1 and the same for a.
    """

    V: Term
    A: Term
    v: Term
    a: Term
    v_positive: int
    a_positive: int
    v_bound: int
    a_bound: int
    v_inverse: int
    a_inverse: int
    v_cancels: int
    a_cancels: int

    @classmethod
    def of(
        cls, p: Builder, matrices: tuple[Term, Term, Term, Term], steps: tuple[int, int, int, int]
    ) -> Head:
        """From V, A, v, a and steps that prove v > 0, a > 0, |V^T| <= v and |A| <= a."""
        inverses, cancels = [], []
        for positive in steps[:2]:
            definite = p.fact("definite-inverse", positive)
            inverses.append(p.part(definite, 1))
            cancels.append(p.part(p.fact("inverse", p.part(definite, 0)), 0))
        return cls(*matrices, *steps, *inverses, *cancels)

    @staticmethod
    def hypotheses(V: Term, A: Term, v: Term, a: Term) -> tuple[Term, Term, Term, Term]:
        """v > 0, a > 0, |V^T| <= v and |A| <= a."""
        return pd(v), pd(a), gram_at_most(mul(V, tp(V)), v), gram_at_most(mul(tp(A), A), a)


def growth(head: Head) -> Term:
    """v a c^2 |u|^2 + c^2 u^T S u / 2 - u^T F(Z) u."""
    drift = mul(tp(u), symmetrised(head.V, head.A), u)
    square = mul(c, c)
    return minus(
        add(scale(mul(head.v, head.a), scale(square, LENGTH)), scale(HALF, scale(square, drift))),
        mul(tp(u), at(covariance_field(head.V, head.A), Z), u),
    )


def growth_bound(p: Builder, head: Head, state: int) -> int:
    """growth >= 0 where ``state`` proves TOP.

    With x = V^T u, y = A u and N = 2 Z - c I (so that |N| <= c):
    u^T F(Z) u = 2 c x^T Z y = c^2 x^T y + c x^T N y, and x^T y = u^T S u / 2.
    """
    positive, below, top = (p.part(state, i) for i in range(3))
    V, A, v, a = head.V, head.A, head.v, head.a
    W = root(Z)
    square = p.part(p.fact("square-root", positive, M=Z), 1)
    sandwich = p.algebra(
        mul(W, Z, W),
        mul(Z, Z),
        (square, lambda h: add(scale(-1, mul(W, h, W)), mul(h, W, W), mul(Z, h))),
    )
    x, y = mul(tp(V), u), mul(A, u)
    N = minus(scale(2, Z), scale(c, I))
    form = p.algebra(
        mul(tp(u), at(covariance_field(V, A), Z), u),
        scale(2, scale(c, mul(tp(x), Z, y))),
        (top, lambda h: mul(tp(u), V, Z, A, h)),
        (top, lambda h: mul(tp(h), tp(A), Z, tp(V), u)),
        positive,
    )
    cross, quadratic = mul(tp(x), N, y), mul(tp(y), N, N, y)
    ratio = mul(v, inv(a))
    by_a, by_v = (head.a_positive, head.v_inverse), (head.v_positive, head.a_inverse)
    one_v, one_a = head.v_cancels, head.a_cancels
    return p.positive(
        growth(head),
        Summand(scale(c, u), core=head.v_bound, scalars=by_a, coefficient=HALF),
        Summand(scale(c, u), core=head.a_bound, scalars=by_v, coefficient=HALF),
        Summand(mul(W, y), core=below, scalars=by_v, coefficient=2),
        Summand(minus(scale(c, x), scale(ratio, mul(N, y))), scalars=by_a, coefficient=HALF),
        by=[
            positive,
            (form, lambda h: scale(-1, h)),
            (one_v, lambda h: scale(-HALF, mul(h, a, v, c, c, LENGTH))),
            (one_a, lambda h: scale(-HALF, mul(h, a, v, c, c, LENGTH))),
            (one_v, lambda h: mul(h, a, inv(a), c, cross)),
            (one_a, lambda h: mul(h, c, cross)),
            (one_v, lambda h: scale(-HALF, mul(h, a, inv(a), ratio, quadratic))),
            (one_a, lambda h: scale(-HALF, mul(h, ratio, quadratic))),
            (square, lambda h: scale(-2, scale(mul(ratio, c), mul(tp(y), h, y)))),
            (sandwich, lambda h: scale(2, scale(ratio, mul(tp(y), h, y)))),
        ],
    )


def drift_bound(p: Builder, head: Head) -> int:
    """S <= 2 v a I."""
    product, ratio = mul(head.v, head.a), mul(head.v, inv(head.a))
    drift = symmetrised(head.V, head.A)
    by_a, by_v = (head.a_positive, head.v_inverse), (head.v_positive, head.a_inverse)
    one_v, one_a = head.v_cancels, head.a_cancels
    a, square = head.a, mul(tp(head.A), head.A)
    return p.positive(
        minus(scale(2, scale(product, I)), drift),
        Summand(I, core=head.v_bound, scalars=by_a),
        Summand(I, core=head.a_bound, scalars=by_v),
        Summand(minus(tp(head.V), scale(ratio, head.A)), scalars=by_a),
        by=[
            (one_v, lambda h: scale(-1, scale(mul(h, product), I))),
            (one_a, lambda h: scale(-1, scale(mul(h, product), I))),
            (one_v, lambda h: scale(mul(h, a, inv(a)), drift)),
            (one_a, lambda h: scale(h, drift)),
            (one_v, lambda h: scale(-1, scale(mul(h, a, inv(a), ratio), square))),
            (one_a, lambda h: scale(-1, scale(mul(h, ratio), square))),
        ],
    )
