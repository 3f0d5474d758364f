"""The covariance equation of Sinkhorn attention, smooth near singular covariances too.

With the root of a matrix M = I + 4 A Z A^T Z that need not be symmetric, the linear part of the
velocity is B(Z) = 2 V Z (I + M^{1/2})^{-1} A: no root of Z is taken, which is not smooth where Z
is singular.
"""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d
from proofs.claims.multihead_equation import A, Ah, V, Vh, h
from proofs.claims.sinkhorn_roots import pull, shrinking_steps
from proofs.language import (
    add,
    at,
    identity,
    inv,
    lam,
    mat,
    maximal,
    mul,
    principal_root,
    root,
    scale,
    total,
    tp,
)
from proofs.terms import Term, sort_of, variable

Z = mat("Z", d, d)


def coupling(score: Term, covariance: Term) -> Term:
    """4 A Z A^T."""
    return scale(4, mul(score, covariance, tp(score)))


def coupled(score: Term, covariance: Term) -> Term:
    """I + 4 A Z A^T Z, without eigenvalues in (-oo, 0] for Z >= 0."""
    return add(identity(sort_of(covariance).args[0]), mul(coupling(score, covariance), covariance))


def denominator(score: Term, covariance: Term) -> Term:
    """I + (I + 4 A Z A^T Z)^{1/2}."""
    return add(identity(sort_of(covariance).args[0]), principal_root(coupled(score, covariance)))


def linear_part(value: Term, score: Term, covariance: Term) -> Term:
    """B(Z) = 2 V Z (I + (I + 4 A Z A^T Z)^{1/2})^{-1} A."""
    return scale(2, mul(value, covariance, inv(denominator(score, covariance)), score))


def congruence(linear: Term, covariance: Term) -> Term:
    """B Z + Z B^T."""
    return add(mul(linear, covariance), mul(covariance, tp(linear)))


def sinkhorn_field(value: Term, score: Term, start: Term) -> Term:
    """Z -> sum over h of B_h(Z) Z + Z B_h(Z)^T, on matrices of the shape of ``start``."""
    state = variable("Z", sort_of(start))
    index = variable("h", sort_of(value).args[0])
    linear = linear_part(at(value, index), at(score, index), state)
    return lam(state, total(index, congruence(linear, state)))


F = sinkhorn_field(V, A, Sigma0)
#: Z -> sum over h of B_h(Z)
LINEAR = lam(Z, total(h, linear_part(Vh, Ah, Z)))
SOLUTION = maximal(T, Sigma, F, Sigma0)


def regular_roots(p: Builder, score: Term, positive: int) -> tuple[int, int]:
    """Steps slit(I + 4 A Z A^T Z) and I + (...)^{1/2} invertible, from a step psd(Z)."""
    covariance = p[positive].args[0]
    N = coupling(score, covariance)
    inside = p.positive(N, Summand(tp(score), core=positive, coefficient=4))
    regular = p.fact("slit", positive, inside, M=covariance, N=N)
    return regular, p.part(p.fact("principal-root", regular), 1)


def regular_heads(p: Builder, positive: int) -> tuple[int, ...]:
    """The same for all heads."""
    return tuple(p.generalise(h, step) for step in regular_roots(p, Ah, positive))


def same_linear_part(p: Builder, value: Term, score: Term, positive: int) -> int:
    """B(Z) = V W E W A, from a step psd(Z), with W = Z^{1/2} and E as in ``sinkhorn_roots``.

    W (I + N Z)^{1/2} = (I + W N W)^{1/2} W, so that X = (I + (I + N Z)^{1/2})^{-1} and
    Y = (I + (I + W N W)^{1/2})^{-1} satisfy W X = Y W.
    """
    covariance = p[positive].args[0]
    W = root(covariance)
    N = coupling(score, covariance)
    square = p.part(p.fact("square-root", positive), 1)
    inside = p.positive(N, Summand(tp(score), core=positive, coefficient=4))
    moves = p.fact("root-intertwines", positive, inside, M=covariance, N=N)
    regular = regular_roots(p, score, positive)[1]
    steps = shrinking_steps(p, score, tp(score), positive)
    X, Y = inv(denominator(score, covariance)), inv(steps.H)
    cancels = p.part(p.fact("inverse", regular), 0)
    return p.algebra(
        linear_part(value, score, covariance),
        mul(value, pull(score, covariance)),
        (square, lambda h: scale(-2, mul(value, h, X, score))),
        (cancels, lambda h: scale(2, mul(value, W, Y, W, h, score))),
        (moves, lambda h: scale(-2, mul(value, W, Y, h, X, score))),
        (steps.cancels, lambda h: scale(-2, mul(value, W, h, W, X, score))),
    )
