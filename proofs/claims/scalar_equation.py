"""The variance of tokens on the line (d = 1) under softmax, L2 and Sinkhorn attention.

The covariance equation is s' = B(s) s + s B(s)^T for a gain B that depends on the variant.  For
L2 attention the kernel is exp(-|q x - k y|^2) and a = k q.  Everything here is about 1 x 1
matrices; the fields keep the form that they have for matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import T, along, covariance_field, t
from proofs.claims.growth import UNIT, given, positive_root, same_velocity
from proofs.language import (
    add,
    at,
    eq,
    inv,
    lam,
    mul,
    number,
    ode,
    on_lifetime,
    pd,
    real,
    root,
    scale,
    time_to,
    tp,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

v, a, k = real("v"), real("a"), real("k")
s0, s, Z = real("s0"), time_to("s", ONE, ONE), real("Z")
now = at(s, t)
square = mul(k, k)

START, POSITIVE_START = eq(at(s, number(0)), s0), pd(s0)
POSITIVE = on_lifetime(T, lambda t: pd(at(s, t)))
HYPOTHESES = (START, POSITIVE_START, POSITIVE)
HYPOTHESIS_NAMES = ("s(0) = s0", "s0 > 0", "s positive on [0, T)")


def gained(gain: Term, value: Term) -> Term:
    """B x + x B^T."""
    return add(mul(gain, value), mul(value, tp(gain)))


def score(value: Term) -> Term:
    """m = x^{1/2} a x^{1/2}."""
    return mul(root(value), a, root(value))


def sinkhorn_spread(value: Term) -> Term:
    """4 m m^T."""
    return scale(4, mul(score(value), tp(score(value))))


def sinkhorn_gain(value: Term, spread: Term) -> Term:
    """2 v x^{1/2} (1 + (1 + spread)^{1/2})^{-1} x^{1/2} a."""
    shrink = inv(add(UNIT, root(add(UNIT, spread))))
    return scale(2, mul(v, root(value), shrink, root(value), a))


L2_GAIN = lam(Z, scale(2, mul(v, inv(add(UNIT, scale(2, mul(Z, tp(k), k)))), Z, a)))
SINKHORN_GAIN = lam(Z, sinkhorn_gain(Z, sinkhorn_spread(Z)))
SOFTMAX_FIELD = covariance_field(v, a)
L2_FIELD = lam(Z, gained(at(L2_GAIN, Z), Z))
SINKHORN_FIELD = lam(Z, gained(at(SINKHORN_GAIN, Z), Z))


def widened(value: Term) -> Term:
    """1 + 2 k^2 x."""
    return add(UNIT, mul(scale(2, square), value))


def fourfold(value: Term) -> Term:
    """4 a^2 x^2."""
    return mul(scale(4, mul(a, a)), mul(value, value))


def hypotenuse(value: Term) -> Term:
    """(1 + 4 a^2 x^2)^{1/2}."""
    return root(add(UNIT, fourfold(value)))


@dataclass(frozen=True)
class Variant:
    """s' = F(s), with F(x) = 4 v a x^2 / D(x) and D(x) >= 1."""

    field: Term
    divisor: Callable[[Term], Term]

    @property
    def equation(self) -> Term:
        return ode(T, s, along(self.field, s))

    def simplified(self, value: Term) -> Term:
        return mul(number(4), v, a, value, value, inv(self.divisor(value)))


SOFTMAX = Variant(SOFTMAX_FIELD, lambda x: number(2))
L2 = Variant(L2_FIELD, widened)
SINKHORN = Variant(SINKHORN_FIELD, lambda x: add(UNIT, hypotenuse(x)))

#: Letters for printed statements.
FIELD_LETTERS = (
    Definition("F1", SOFTMAX_FIELD),
    Definition("B2", L2_GAIN),
    Definition("F2", L2_FIELD),
    Definition("m", lam(Z, score(Z))),
    Definition("B3", SINKHORN_GAIN),
    Definition("F3", SINKHORN_FIELD),
)


def simplification(p: Builder, variant: Variant, value: Term, positive: int) -> int:
    """F(x) = 4 v a x^2 / D(x), from a step x > 0."""
    left, right = at(variant.field, value), variant.simplified(value)
    if variant is not SINKHORN:
        return p.algebra(left, right)
    same = p.part(p.fact("square-root", p.fact("positive-definite", positive), M=value), 1)
    spread, plain = sinkhorn_spread(value), fourfold(value)
    middle = root(value)
    equal = p.algebra(
        spread,
        plain,
        (same, lambda h: scale(4, mul(a, a, middle, middle, h))),
        (same, lambda h: scale(4, mul(a, a, value, h))),
    )
    found = p.replace(
        equal, p.reflexivity(left), lambda h: eq(left, gained(sinkhorn_gain(value, h), value))
    )
    shared = inv(variant.divisor(value))
    return p.algebra(
        left, right, (found, itself), (same, lambda h: scale(4, mul(v, a, value, shared, h)))
    )


def simple_equation(p: Builder, variant: Variant, equation: int, positive: int) -> int:
    """s' = 4 v a s^2 / D(s), from s' = F(s) and s(t) > 0 at t in [0, T)."""
    return same_velocity(p, equation, simplification(p, variant, now, positive))


def positive_now(p: Builder, positive: int) -> int:
    """s(t) > 0 at t in [0, T), from its being so throughout."""
    return given(p, T, positive)


def divisor_positive(p: Builder, variant: Variant, value: Term, positive: int) -> int:
    """D(x) > 0, from a step x > 0."""
    if variant is SOFTMAX:
        return p.definite(number(2), strict=True)
    rest = Summand(k, scalars=(positive,), coefficient=2)
    if variant is SINKHORN:
        rest = Summand(UNIT, core=root_positive(p, value))
    return p.positive(variant.divisor(value), Summand(UNIT), rest, strict=True)


def radicand_positive(p: Builder, value: Term) -> int:
    """1 + 4 a^2 x^2 > 0."""
    rest = Summand(mul(a, value), coefficient=4)
    return p.positive(add(UNIT, fourfold(value)), Summand(UNIT), rest, strict=True)


def root_squared(p: Builder, value: Term) -> int:
    """g g = 1 + 4 a^2 x^2 for g = (1 + 4 a^2 x^2)^{1/2}."""
    inside = p.fact("positive-definite", radicand_positive(p, value))
    return p.part(p.fact("square-root", inside), 1)


def root_positive(p: Builder, value: Term) -> int:
    """(1 + 4 a^2 x^2)^{1/2} > 0."""
    return positive_root(p, radicand_positive(p, value))
