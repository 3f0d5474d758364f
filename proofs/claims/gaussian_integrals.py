"""Integrals against a Gaussian with weights exp(quadratic), in proofs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.builder import Builder, itself
from proofs.language import (
    add,
    eq,
    exp,
    gaussian,
    identity,
    integral,
    inv,
    minus,
    mul,
    root,
    scale,
    tp,
    zero,
)
from proofs.terms import ONE, Term, sort_of

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Tilt:
    """N(a, C) weighted by w(y) = exp(h^T (y - a) - (y - a)^T S (y - a) / 2).

    With W = C^{1/2} and D = W (I + W S W)^{-1} W its mean is a + D h.
    """

    mean: Term
    covariance: Term
    S: Term
    h: Term
    y: Term

    @property
    def measure(self) -> Term:
        return gaussian(self.mean, self.covariance)

    @property
    def exponent(self) -> Term:
        centred = minus(self.y, self.mean)
        return minus(mul(tp(self.h), centred), scale(HALF, mul(tp(centred), self.S, centred)))

    @property
    def weight(self) -> Term:
        return exp(self.exponent)

    @property
    def mass(self) -> Term:
        return integral(self.measure, self.y, self.weight)

    @property
    def precision(self) -> Term:
        """I + W S W."""
        W = root(self.covariance)
        return add(identity(sort_of(W).args[0]), mul(W, self.S, W))

    @property
    def shrunk(self) -> Term:
        """D."""
        W = root(self.covariance)
        return mul(W, inv(self.precision), W)

    def moments(self, p: Builder, value: Term, premises: tuple[int, int, int]) -> int:
        """Steps psd(C), S^T = S and pd(I + W S W) to the fact, for values L y."""
        return p.fact(
            "gaussian-quadratic-tilt",
            *premises,
            a=self.mean,
            C=self.covariance,
            S=self.S,
            h=self.h,
            L=value,
            b=zero(sort_of(value).args[0], ONE),
        )


def weighted(p: Builder, tilt: Tilt, moments: int, factor: Term, body: Term, same: int) -> int:
    """The integral of ``body`` is factor * mass * L (a + D h).

    Args:
        p: the proof.
        tilt: the weight w.
        moments: what :meth:`Tilt.moments` gives.
        factor: a real that does not depend on y.
        body: of y, a column.
        same: step body = factor (w (L y + 0)).
    """
    measure, y = tilt.measure, tilt.y
    inner = p[p.part(moments, 1)].args[0].args[1]
    result = p[p.part(moments, 1)].args[1]
    out = integral_with_factor(p, measure, y, factor, body, inner, same)
    whole = integral(measure, y, body)
    return p.algebra(
        whole,
        scale(factor, result),
        (out, itself),
        (p.part(moments, 1), lambda g: scale(factor, g)),
    )


def integral_with_factor(
    p: Builder, measure: Term, y: Term, factor: Term, body: Term, rest: Term, same: int
) -> int:
    """The integral of ``body`` is factor times that of the function ``rest``.

    ``same`` is a step body = factor rest(y).
    """
    whole = integral(measure, y, body)
    rewritten = p.replace(
        p.extensionality(y, same),
        p.reflexivity(whole),
        lambda g: eq(whole, Term("integral", (measure, g))),
    )
    out = p.fact("constant-factor", nu=measure, r=factor, f=rest)
    return p.algebra(
        whole,
        scale(factor, Term("integral", (measure, rest))),
        (rewritten, itself),
        (out, itself),
    )
