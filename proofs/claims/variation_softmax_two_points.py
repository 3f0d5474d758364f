"""The second variation of the softmax energy at a token and a light one that moves."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand, itself
from proofs.checkers.calculus import inverted_in
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, d, t
from proofs.claims.gradient_flow import B, kernel
from proofs.claims.gradient_softmax import MASS, mass
from proofs.claims.growth import UNIT, inverted, square_positive
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import LAW, Ui, expanded, i, mi
from proofs.claims.variation_softmax import DENSITY, RELATIVE, SECOND, tilted_mean
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    continuous,
    eq,
    exists,
    forall,
    head,
    implies,
    inv,
    lam,
    minus,
    mul,
    negation,
    number,
    pd,
    psd,
    real,
    scale,
    symmetric,
    total,
    tp,
    vec,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import (
    ONE,
    REAL,
    Term,
    function_sort,
    size,
    substitute,
    variable,
)

HALF = Fraction(1, 2)
TWO = size(2)
s, R = real("s"), variable("R", function_sort(REAL, REAL))
a, x, v = vec("a", d), vec("x", d), vec("v", d)
#: the mass of the token at x, which alone moves; that at a has the mass 1
q = mul(s, s)
k = head("k", TWO)
first, second, z = head("i", TWO), head("j", TWO), vec("z", d)


MOVING = negation(eq(s, number(0)))
HYPOTHESES = symmetric(A), pd(B), negation(eq(v, zero(d, ONE)))


def pair(first: Term, second: Term) -> Term:
    return Term("family", (first, second))


def resting(first: Term, second: Term) -> Term:
    """The family of constant curves."""
    return lam(k, lam(t, at(pair(first, second), k)))


TWO_TOKENS = {
    "n": TWO,
    "m": pair(number(1), q),
    "X": resting(a, x),
    "U": resting(zero(d, ONE), v),
}
#: the second variation, and the square of the speed in the twisted metric
VARIATION = substitute(SECOND, TWO_TOKENS)
METRIC = substitute(total(i, scale(mul(mi, MASS), mul(tp(Ui), B, Ui))), TWO_TOKENS)
VALUE = scale(HALF, mul(tp(mul(A, a)), inv(B), A, add(a, x)))

SPEED = mul(tp(v), B, v)


def seen_mass(point: Term) -> Term:
    """Z at a point."""
    return add(kernel(point, a), mul(q, kernel(point, x)))


def seen_sum(point: Term) -> Term:
    """Z times the mean of the tokens as a point sees them."""
    return add(scale(kernel(point, a), a), scale(mul(q, kernel(point, x)), x))


def seen_mean(point: Term) -> Term:
    return scale(inv(seen_mass(point)), seen_sum(point))


def force(point: Term, other: Term) -> Term:
    """<A mean, A y> in the inverse metric."""
    return mul(tp(mul(A, seen_mean(point))), inv(B), A, other)


def relative(point: Term) -> Term:
    """<A (y - mean), v>, with the mean as x sees it."""
    return mul(tp(v), A, minus(point, seen_mean(x)))


#: the second variation over s^2
SHARE = add(
    mul(kernel(x, a), add(mul(relative(a), relative(a)), scale(HALF, mul(SPEED, force(x, a))))),
    mul(
        q,
        kernel(x, x),
        add(
            mul(relative(x), relative(x)),
            mul(tp(v), A, v),
            mul(relative(x), tp(x), A, v),
            mul(SPEED, force(x, x)),
        ),
    ),
    scale(HALF, mul(kernel(a, x), SPEED, force(a, x))),
)
RATIO = mul(SHARE, inv(seen_mass(x)), inv(SPEED))


def nonnegative(p: Builder) -> int:
    """No mass is negative."""
    one = p.positive(number(1), Summand(UNIT))
    square = p.positive(q, Summand(s))
    return p.cases(lam(k, psd(at(TWO_TOKENS["m"], k))), [one, square])


def positive_mass(p: Builder, point: Term) -> int:
    """Z > 0."""
    shares = [
        Summand(UNIT, scalars=(positive_exponential(p, kernel(point, a).args[0]),)),
        Summand(s, scalars=(positive_exponential(p, kernel(point, x).args[0]),)),
    ]
    return p.positive(seen_mass(point), *shares, strict=True)


def along(ratio: Term) -> Term:
    """The variation is the ratio times the metric, for a continuous ratio with VALUE at 0.

    The metric is positive but for s = 0.
    """
    return conj(
        continuous(ratio),
        eq(at(ratio, number(0)), VALUE),
        forall(s, eq(VARIATION, mul(at(ratio, s), METRIC))),
        forall(s, implies(MOVING, pd(METRIC))),
    )


def prove() -> Proof:
    p = Builder()
    symmetric_score, metric, moves = (p.assume(h) for h in HYPOTHESES)
    inverse = p.part(p.fact("definite-inverse", metric), 1)
    quick = p.fact("definite-form", metric, moves)
    _, _, speed = inverted(p, quick)
    cancel = {}
    exists_at = {}
    for point in (a, x):
        regular, _, product = inverted(p, positive_mass(p, point))
        cancel[point], exists_at[seen_mass(point)] = product, p.generalise(s, regular)
    masses = nonnegative(p)
    variation, squares = expanded(p, masses, VARIATION), expanded(p, masses, METRIC)
    explicit = p.algebra(p[variation].args[1], mul(q, SHARE), symmetric_score, metric, inverse)
    same = p.algebra(
        VARIATION,
        mul(RATIO, METRIC),
        (variation, itself),
        (explicit, itself),
        (squares, lambda h: scale(-1, mul(RATIO, h))),
        (cancel[x], lambda h: scale(-1, mul(SHARE, h, inv(SPEED), q, SPEED))),
        (speed, lambda h: scale(-1, mul(SHARE, q, h))),
    )
    ratio = lam(s, RATIO)
    smooth = p.continuous(ratio, *(exists_at[matrix] for matrix in inverted_in(RATIO, s)))
    mass = square_positive(p, s, p.fact("nonzero-number", p.assume(MOVING)))
    square = p.positive(
        METRIC,
        Summand(UNIT, scalars=(mass, positive_mass(p, x), quick)),
        by=[(squares, itself)],
        strict=True,
    )
    parts = (
        smooth,
        at_zero(p, symmetric_score, inverse, speed),
        p.generalise(s, same),
        p.for_all(s, MOVING, square),
    )
    p.exhibit(R, along(R), ratio, p.conjunction(*parts))
    return p.proof()


def at_zero(p: Builder, symmetric_score: int, inverse: int, speed: int) -> int:
    """The ratio at s = 0, where both tokens see that at a alone."""
    here = {"s": number(0)}
    means, cancel = {}, {}
    for point in (a, x):
        weight = kernel(point, a)
        cancel[point] = inverted(p, positive_exponential(p, weight.args[0]))[2]
        mean = substitute(seen_mean(point), here)
        means[point] = p.algebra(mean, a, (cancel[point], lambda h: mul(a, h)))
    share = mul(inv(kernel(x, a)), inv(SPEED))
    step = substitute(relative(a), here)
    half = mul(number(HALF), SPEED, kernel(x, a), share)
    return p.algebra(
        substitute(RATIO, here),
        VALUE,
        symmetric_score,
        inverse,
        (means[x], lambda h: scale(-1, mul(kernel(x, a), share, step, tp(v), A, h))),
        (means[x], lambda h: mul(half, tp(mul(A, h)), inv(B), A, a)),
        (means[a], lambda h: mul(half, tp(mul(A, h)), inv(B), A, x)),
        (cancel[x], lambda h: mul(h, SPEED, inv(SPEED), VALUE)),
        (speed, lambda h: mul(h, VALUE)),
    )


CLAIM = Claim(
    id="variation.softmax-two-points",
    title="The second variation of the softmax energy at a heavy token and a light one that moves",
    source="new",
    statement=Statement(HYPOTHESES, exists(R, along(R))),
    hypotheses=("A symmetric", "B positive definite", "v is not 0"),
    prove=prove,
    note="The tokens at a and x have the masses 1 and s^2, and only that at x moves, with the "
    "velocity v. The variation is that of variation.softmax, divided by the metric it tends to "
    "<A a, A (a + x)>/2 in the inverse metric as s tends to 0, whatever v is: no bound from below "
    "or above unless A = 0.",
    notation=(
        Definition("mu", lam(s, substitute(LAW, TWO_TOKENS))),
        Definition("Z", lam(s, lam(z, substitute(mass(z), TWO_TOKENS)))),
        Definition("M", lam(s, lam(z, substitute(tilted_mean(z), TWO_TOKENS)))),
        *(
            Definition(name, lam(first, lam(second, lam(s, substitute(term, TWO_TOKENS)))))
            for name, term in (("r", RELATIVE), ("h", DENSITY))
        ),
        Definition("H", lam(s, VARIATION)),
        Definition("N", lam(s, METRIC)),
    ),
)
