"""The symmetric roots in Sinkhorn attention of a Gaussian, and how they intertwine."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import A, d
from proofs.claims.gaussian_integrals import HALF
from proofs.language import add, identity, inv, mat, minus, mul, number, root, scale, tp, tr, zero
from proofs.terms import ONE, Term

Sigma = mat("Sigma", d, d)
I = identity(d)  # noqa: E741 (the identity matrix)


def gram(left: Term, covariance: Term, right: Term) -> Term:
    """W A Sigma A^T W = M M^T for left = A, right = A^T, where M = W A W, W = Sigma^{1/2}."""
    W = root(covariance)
    return mul(W, left, covariance, right, W)


def shrinking(left: Term, covariance: Term, right: Term) -> Term:
    """2 (I + (I + 4 B)^{1/2})^{-1} for B = W left Sigma right W."""
    inner = add(I, scale(4, gram(left, covariance, right)))
    return scale(2, inv(add(I, root(inner))))


def pull(A: Term, covariance: Term) -> Term:
    """W E W A: the mean of y, given x under the plan, is alpha + W E W A (x - alpha)."""
    W = root(covariance)
    return mul(W, shrinking(A, covariance, tp(A)), W, A)


W, E = root(Sigma), shrinking(A, Sigma, tp(A))
F = shrinking(tp(A), Sigma, A)
M = mul(W, A, W)


@dataclass(frozen=True)
class Shrinking:
    """Steps on E = 2 H^{-1}, where H = I + G and G = (I + 4 B)^{1/2}."""

    E: Term
    H: Term
    G: Term
    #: I + 4 B > 0, G >= 0, G G = I + 4 B, H^{-1} H = I
    definite: int
    root: int
    square: int
    cancels: int
    #: E > 0, E (I + B E) = I, B E = (G - I) / 2
    positive: int
    resolvent: int
    half: int


def shrinking_steps(p: Builder, left: Term, right: Term, positive: int) -> Shrinking:
    """On 2 (I + (I + 4 B)^{1/2})^{-1} for B = W left Sigma right W, from a step psd(Sigma)."""
    covariance = p[positive].args[0]
    W = root(covariance)
    B, E = gram(left, covariance, right), shrinking(left, covariance, right)
    H = E.args[1].args[0]
    G, J = H.args[1], H.args[1].args[0]
    definite = p.positive(
        J,
        Summand(I),
        Summand(mul(right, W), core=positive, coefficient=4),
        strict=True,
    )
    rooted = p.fact("square-root", p.fact("positive-definite", definite))
    square = p.part(rooted, 1)
    larger = p.positive(H, Summand(I), Summand(I, core=p.part(rooted, 0)), strict=True)
    inverse = p.fact("definite-inverse", larger)
    cancels = p.part(p.fact("inverse", p.part(inverse, 0)), 1)
    X = inv(H)
    half = p.algebra(
        mul(B, E),
        scale(HALF, minus(G, I)),
        (square, lambda h: scale(-HALF, mul(h, X))),
        (cancels, lambda h: scale(HALF, mul(G, tp(h)))),
        (cancels, lambda h: scale(-HALF, tp(h))),
    )
    return Shrinking(
        E,
        H,
        G,
        definite,
        p.part(rooted, 0),
        square,
        cancels,
        p.positive(E, Summand(I, core=p.part(inverse, 1), coefficient=2), strict=True),
        p.algebra(
            mul(E, add(I, mul(B, E))),
            I,
            (half, lambda h: mul(E, h)),
            (cancels, itself),
        ),
        half,
    )


def intertwined(p: Builder, left: Shrinking, right: Shrinking, square: int) -> int:
    """M F = E M, by the Sylvester equation G_1 X + X G_2 = 0 of X = G_1 M - M G_2."""
    X = minus(mul(left.G, M), mul(M, right.G))
    sylvester = p.algebra(
        add(mul(left.G, X), mul(X, right.G)),
        zero(d, d),
        (left.square, lambda h: mul(h, M)),
        (right.square, lambda h: scale(-1, mul(M, h))),
        # M M^T and M^T M contain W W in place of Sigma
        (square, lambda h: scale(-4, mul(W, A, h, tp(A), W, M))),
        (square, lambda h: scale(4, mul(M, W, tp(A), h, A, W))),
    )
    first, second = mul(tp(X), left.G, X), mul(X, right.G, tp(X))
    traces = [
        p.fact("trace-nonnegative", p.positive(first, Summand(X, core=left.root))),
        p.fact("trace-nonnegative", p.positive(second, Summand(tp(X), core=right.root))),
    ]
    total = p.algebra(
        add(tr(first), tr(second)),
        number(0),
        (sylvester, lambda h: tr(mul(tp(X), h))),
    )
    below = p.positive(
        minus(number(0), tr(first)),
        Summand(identity(ONE), core=traces[1]),
        by=[(total, lambda h: scale(-1, h))],
    )
    above = p.positive(minus(tr(first), number(0)), Summand(identity(ONE), core=traces[0]))
    zero_trace = p.fact("antisymmetry", below, above, a=tr(first), b=number(0))
    no_form = p.fact("zero-trace", p.positive(first, Summand(X, core=left.root)), zero_trace)
    killed = p.fact("zero-form", left.root, no_form)
    inverse = p.fact("inverse", p.part(p.fact("definite-inverse", left.definite), 0))
    J = left.G.args[0]
    vanishes = p.algebra(
        X,
        zero(d, d),
        (p.part(inverse, 1), lambda h: scale(-1, mul(h, X))),
        (left.square, lambda h: scale(-1, mul(inv(J), h, X))),
        (killed, lambda h: mul(inv(J), left.G, h)),
    )
    right_cancels = p.algebra(mul(right.H, inv(right.H)), I, (right.cancels, tp))
    return p.algebra(
        mul(M, right.E),
        mul(left.E, M),
        (vanishes, lambda h: scale(2, mul(inv(left.H), h, inv(right.H)))),
        (left.cancels, lambda h: scale(-2, mul(h, M, inv(right.H)))),
        (right_cancels, lambda h: scale(2, mul(inv(left.H), M, h))),
    )
