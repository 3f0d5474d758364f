"""Velocities that move a Gaussian on the line through Gaussians: b x + c + k / density.

What the claims share that rule such a velocity out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from proofs.bridge import to_term
from proofs.builder import Builder, itself
from proofs.claims.covariance_equation import T, t
from proofs.language import (
    add,
    at,
    continuous,
    eq,
    exists,
    exp,
    forall,
    gaussian,
    identity,
    inv,
    lam,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    real,
    scale,
    time_to,
    tp,
    within,
    zero,
)
from proofs.terms import ONE, Term, application
from symbolic import notation
from symbolic.variants import lookup

#: the value and score matrices of size 1 x 1, and a place
v, a, x = real("v"), real("a"), real("x")
alpha, Sigma = time_to("alpha", ONE, ONE), time_to("Sigma", ONE, ONE)
LAW = lam(t, gaussian(at(alpha, t), at(Sigma, t)))
POSITIVE = on_lifetime(T, lambda t: pd(at(Sigma, t)))
INSIDE = within(t, T)
#: the coefficients of a velocity
b, c, k = real("b"), real("c"), real("k")
HALF = Fraction(1, 2)
UNIT = identity(ONE)


def line_velocity(variant: str, law: Term | Sequence[tuple[Term, Term]]) -> Term:
    """Gamma(x) of a variant at a law on R, with V = v and A = a, from the table of variants.

    For masked variants it is given by the masses and the laws of the positions that x sees.
    """
    expression = lookup(variant).velocity(notation.x, notation.mu, form="A")
    letters = {"V": v, "A": a, "x": x}
    if isinstance(law, Term):
        return to_term(expression, {**letters, "mu": law})
    return to_term(expression, letters, law)


def softmax_line(mean: Term, variance: Term) -> Term:
    """v m + v a S x, the velocity of unmasked softmax attention at N(m, S)."""
    return add(mul(v, mean), mul(v, a, variance, x))


def log_mass(mean: Term, variance: Term) -> Term:
    """a m x + a^2 S x^2 / 2, the logarithm of the integral of exp(a x y) against N(m, S)."""
    return add(mul(mul(a, mean), x), mul(scale(HALF, mul(a, a, variance)), x, x))


def tilt_weight(point: Term) -> Term:
    """exp(a x y), the weight of y for x."""
    return exp(mul(tp(mul(a, x)), point))


def tilted_values(p: Builder) -> int:
    """y -> exp(a x y) (v y + 0) is y -> exp(a x y) v y."""
    y = real("y")
    weight, shifted = tilt_weight(y), add(mul(v, y), zero(ONE, ONE))
    return p.extensionality(y, p.algebra(scale(weight, shifted), mul(weight, v, y)))


def tilted(p: Builder, law: tuple[Term, Term], positive: int, values: int) -> tuple[int, int]:
    """The integrals of exp(a x y) and of exp(a x y) v y against N(m, S), from psd(S).

    They are exp(log_mass) and exp(log_mass) softmax_line; ``values`` is from `tilted_values`.
    """
    mean, variance = law
    tilt, mass_value, value = mul(a, x), exp(log_mass(*law)), softmax_line(*law)
    moments = p.fact("gaussian-tilt", positive, a=mean, C=variance, L=v, h=tilt, b=zero(ONE, ONE))
    known = p.fact("gaussian-exponential-moment", positive, a=mean, C=variance, h=tilt)
    same = p.algebra(p[known].args[0], mass_value, (known, itself))
    moment = p.part(moments, 1)
    left, right = p[moment].args
    rewritten = p.replace(values, moment, lambda h: eq(Term("integral", (left.args[0], h)), right))
    return same, p.algebra(
        p[rewritten].args[0],
        mul(mass_value, value),
        (rewritten, itself),
        (same, lambda h: mul(h, value)),
    )


def continuous_velocity(p: Builder, velocity: Term, formula: int, *invertible: int) -> int:
    """continuous(velocity(t)), from a step velocity(t, x) = ... whose right side shows it.

    ``invertible`` prove for all x that the inverses on the right side exist.
    """
    left, right = p[formula].args
    same = p.extensionality(x, p.algebra(right, left, (formula, lambda h: scale(-1, h))))
    shown = p.continuous(lam(x, right), *invertible)
    assert p[same].args[1] == at(velocity, t)
    return p.replace(same, shown, continuous)


def profile(mean: Term, variance: Term) -> Term:
    """b x + c + k exp((x - m)^2 / (2 S))."""
    offset = minus(x, mean)
    rate = scale(HALF, inv(variance))
    return add(mul(b, x), c, mul(k, exp(mul(rate, offset, offset))))


def profile_of(
    p: Builder, solves: int, positive: int, inside: int, continuous_now: int
) -> tuple[int, Term]:
    """There are b, c, k with velocity(t, x) = profile for all x; and the equation for all x.

    Args:
        p: the proof.
        solves: step continuity(T, t -> N(m(t), S(t)), velocity).
        positive: step S(t) > 0 for all t in [0, T).
        inside: step t in [0, T).
        continuous_now: step continuous(velocity(t)).
    """
    _, law, velocity = p[solves].args
    mean, variance = application(law, t).args
    existence = p.fact(
        "line-velocity",
        solves,
        positive,
        inside,
        continuous_now,
        m=lam(t, mean),
        S=lam(t, variance),
        w=velocity,
        t=t,
    )
    return existence, forall(x, eq(at(velocity, t, x), profile(mean, variance)))


def for_some(p: Builder, existence: int, equation: Term, use: int) -> int:
    """What ``use`` proves from the equation with b, c, k, because there are such numbers."""
    use = p.obtain(p.assume(exists(k, equation)), k, use)
    use = p.obtain(p.assume(exists(c, exists(k, equation))), c, use)
    return p.obtain(existence, b, use)


def inverse_of(p: Builder, invertible: int) -> int:
    """inv(r) r = 1, from a step invertible(r)."""
    return p.part(p.fact("inverse", invertible), 1)


def nonzero(p: Builder, step: int) -> int:
    """inv(r) r = 1, from a step that proves that r is not 0."""
    return inverse_of(p, p.fact("nonzero-number", step))


def positive_inverse(p: Builder, step: int) -> int:
    """inv(r) r = 1, from a step r > 0."""
    return inverse_of(p, p.part(p.fact("definite-inverse", step), 0))


def cancelled(p: Builder, product: int, rest: Term, *inverses: int) -> int:
    """rest = 0, from a step that a product is 0, equal to ``rest`` times some numbers.

    ``inverses`` are the steps inv(r) r = 1 for these numbers, at least one.
    """
    if not inverses:
        return product
    inverse, factor = p[inverses[0]].args[0].args
    vanishes = cancelled(p, product, mul(factor, rest), *inverses[1:])
    return p.algebra(
        rest,
        number(0),
        (inverses[0], lambda h: scale(-1, mul(h, rest))),
        (vanishes, lambda h: mul(inverse, h)),
    )


def positive_exponential(p: Builder, exponent: Term) -> int:
    """exp(exponent) > 0."""
    return p.part(p.fact("exponential-of-sum", r=exponent, s=number(0)), 1)
