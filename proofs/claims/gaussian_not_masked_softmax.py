"""A causal mask: Gaussians at two positions stay Gaussian only where they agree.

The law has two positions, with tokens of mass p1 at the first and p2 at the second one; those at
the second position see both.  The law on pairs of positions and tokens is written by its parts:
an integral over the positions that are seen is the sum of the masses times the integrals against
the laws there.
"""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.line_velocity import (
    HALF,
    INSIDE,
    UNIT,
    a,
    b,
    c,
    cancelled,
    continuous_velocity,
    for_some,
    inverse_of,
    k,
    line_velocity,
    log_mass,
    nonzero,
    positive_exponential,
    positive_inverse,
    profile,
    profile_of,
    softmax_line,
    tilted,
    tilted_values,
    v,
    x,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    continuity,
    eq,
    exp,
    forall,
    gaussian,
    implies,
    inv,
    lam,
    minus,
    mul,
    negation,
    number,
    on_lifetime,
    pd,
    psd,
    real,
    scale,
    time_to,
    tp,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

MASSES = real("p1"), real("p2")
alpha1, alpha2 = (time_to(name, ONE, ONE) for name in ("alpha1", "alpha2"))
Sigma1, Sigma2 = (time_to(name, ONE, ONE) for name in ("Sigma1", "Sigma2"))
FIRST, SECOND = (at(alpha1, t), at(Sigma1, t)), (at(alpha2, t), at(Sigma2, t))
LAWS = tuple(lam(t, gaussian(*moments)) for moments in (FIRST, SECOND))
SEEN = tuple((mass, at(law, t)) for mass, law in zip(MASSES, LAWS, strict=True))
#: at the second position
VELOCITY = lam(t, lam(x, line_velocity("masked-softmax", SEEN)))
ZERO, UNITY = number(0), number(1)
NONZERO = negation(eq(v, ZERO)), negation(eq(a, ZERO))
POSITIVE = (
    *(pd(mass) for mass in MASSES),
    on_lifetime(T, lambda t: psd(at(Sigma1, t))),
    on_lifetime(T, lambda t: pd(at(Sigma2, t))),
)
SOLVES = continuity(T, LAWS[1], VELOCITY)
AGREE = conj(eq(FIRST[0], SECOND[0]), eq(FIRST[1], SECOND[1]))
Moments = tuple[Term, Term]


def total_mass(first: Moments, second: Moments) -> Term:
    """p1 Z1 + p2 Z2, Z_i the integral of exp(a x y) against the i-th law."""
    return add(
        *(mul(p, exp(log_mass(*law))) for p, law in zip(MASSES, (first, second), strict=True))
    )


def mixture(first: Moments, second: Moments) -> Term:
    """(p1 Z1 (v m1 + v a S1 x) + p2 Z2 (v m2 + v a S2 x)) / (p1 Z1 + p2 Z2)."""
    values = (
        mul(p, exp(log_mass(*law)), softmax_line(*law))
        for p, law in zip(MASSES, (first, second), strict=True)
    )
    return mul(inv(total_mass(first, second)), add(*values))


MASS, FORMULA = total_mass(FIRST, SECOND), mixture(FIRST, SECOND)
#: (Z1, l1) and (Z2, l2): the integrals of exp(a x y), and the velocities of unmasked softmax
WEIGHTS = tuple(exp(log_mass(*law)) for law in (FIRST, SECOND))
LINES = tuple(softmax_line(*law) for law in (FIRST, SECOND))


def velocity_formula(p: Builder, positive: tuple[int, int]) -> int:
    """velocity(t, x) = FORMULA, from psd of both variances."""
    values = tilted_values(p)
    tilts = [
        tilted(p, law, step, values) for law, step in zip((FIRST, SECOND), positive, strict=True)
    ]
    velocity = at(VELOCITY, t, x)
    below, above = velocity.args[0].args[0], velocity.args[1]
    masses = p.algebra(
        below,
        MASS,
        *((mass, lambda h, m=m: mul(m, h)) for m, (mass, _) in zip(MASSES, tilts, strict=True)),
    )
    inverses = p.replace(masses, p.reflexivity(inv(below)), lambda h: eq(inv(below), inv(h)))
    return p.algebra(
        velocity,
        FORMULA,
        (inverses, lambda h: mul(h, above)),
        *(
            (value, lambda h, m=m: mul(inv(MASS), m, h))
            for m, (_, value) in zip(MASSES, tilts, strict=True)
        ),
    )


def no_growth(
    p: Builder, formula: int, at_place: int, signs: tuple[int, ...], cancel: int, positive: int
) -> int:
    """k = 0: the velocity is a mean of two affine functions, hence at most of their size.

    ``signs`` are the steps p1 > 0, p2 > 0, Z1 > 0, Z2 > 0 and 1/(p1 Z1 + p2 Z2) > 0.
    """
    affine = [(mul(v, m), mul(v, a, s)) for m, s in (FIRST, SECOND)]
    squares = [mul(z, z) for pair in affine for z in pair]
    constant, rate = scale(HALF, add(number(2), *squares)), scale(HALF, inv(SECOND[1]))
    bound, form = add(constant, mul(number(HALF), x, x)), profile(*SECOND)

    def nonnegative(matrix: Term, sign: int) -> int:
        """bound + sign velocity, where 1 + A^2 + B^2 + x^2 + 2 sign (A + B x) is two squares."""
        summands = []
        for i, (offset, slope) in enumerate(affine):
            shares = (signs[i], signs[2 + i], signs[4])
            roots = (
                add(UNITY, scale(sign, offset)),
                add(slope, scale(sign, x)),
                UNITY,
                *affine[1 - i],
            )
            summands += [Summand(root, scalars=shares, coefficient=HALF) for root in roots]
        return p.positive(
            matrix,
            *summands,
            by=[
                (cancel, lambda h: scale(-1, mul(h, bound))),
                (at_place, lambda h: scale(-sign, h)),
                (formula, lambda h: scale(sign, h)),
            ],
        )

    sides = p.conjunction(
        nonnegative(minus(form, scale(-1, bound)), 1), nonnegative(minus(bound, form), -1)
    )
    inverse_positive = p.part(p.fact("definite-inverse", positive), 1)
    growth = p.fact(
        "exponential-growth",
        p.positive(rate, Summand(UNIT, scalars=(inverse_positive,), coefficient=HALF), strict=True),
        p.generalise(x, sides),
        r=constant,
        s=number(HALF),
        b=b,
        c=c,
        k=k,
        q=rate,
        m=SECOND[0],
    )
    return p.part(growth, 0)


def equal(p: Builder, left: Term, right: Term, square: int, one: int) -> int:
    """left = right, from steps (left - right)^2 = 0 and 1 >= 0."""
    offset = minus(left, right)
    vanishes = p.fact(
        "zero-form",
        one,
        p.algebra(mul(tp(offset), UNIT, offset), zero(ONE, ONE), (square, itself)),
        M=UNIT,
        Z=offset,
        d=ONE,
        n=ONE,
    )
    return p.algebra(left, right, (vanishes, itself))


def agreement(p: Builder, balance: int, weight: int, inverses: tuple[int, ...]) -> int:
    """Both means and both variances agree, from p1 Z1 (l1 - b x - c) + p2 Z2 (l2 - b x - c) = 0.

    Divided by Z2 it says so of Z1 / Z2 and 1: their coefficients vanish, or the exponent does.
    ``weight`` is the step Z2 > 0, ``inverses`` are the steps 1/r r = 1 for r = v, a, p1, p2.
    """
    (m1, s1), (m2, s2) = FIRST, SECOND
    linear = minus(mul(a, m1), mul(a, m2))
    square = minus(*(scale(HALF, mul(a, a, s)) for s in (s1, s2)))
    difference = add(mul(linear, x), mul(square, x, x))
    split = p.part(p.fact("exponential-of-sum", r=log_mass(*SECOND), s=difference), 0)
    cancel = positive_inverse(p, weight)
    (p1, p2), (l1, _) = MASSES, LINES
    coefficients = {
        "a": mul(p1, minus(mul(v, m1), c)),
        "b": mul(p1, minus(mul(v, a, s1), b)),
        "g": mul(p2, minus(c, mul(v, m2))),
        "h": mul(p2, minus(b, mul(v, a, s2))),
    }
    left = mul(add(coefficients["a"], mul(coefficients["b"], x)), exp(difference))
    right = add(mul(ZERO, exp(difference)), coefficients["g"], mul(coefficients["h"], x))
    inverse = inv(WEIGHTS[1])
    independent = p.algebra(
        left,
        right,
        (cancel, lambda h: scale(-1, mul(h, minus(left, right)))),
        (split, lambda h: scale(-1, mul(inverse, p1, h, minus(l1, add(mul(b, x), c))))),
        (balance, lambda h: mul(inverse, h)),
    )
    found = p.fact(
        "exponentials-independent",
        p.generalise(x, independent),
        **coefficients,
        p=linear,
        q=square,
        c=ZERO,
        r=linear,
        s=square,
    )
    others = p.modus_ponens(p.part(found, 1), p.reflexivity(ZERO))
    by_v, by_a, by_p1, by_p2 = inverses
    means = minus(m1, m2)
    spreads = minus(s1, s2)
    half = number(HALF)
    first = cancelled(p, p.part(others, 0), mul(minus(mul(v, m1), c), means), by_p1, by_a)
    second = cancelled(p, p.part(others, 2), mul(minus(c, mul(v, m2)), means), by_p2, by_a)
    third = cancelled(
        p,
        p.part(p.part(found, 0), 1),
        mul(half, minus(mul(v, a, s1), b), spreads),
        *(by_p1, by_a, by_a),
    )
    fourth = cancelled(
        p,
        p.part(others, 5),
        mul(half, minus(b, mul(v, a, s2)), spreads),
        *(by_p2, by_a, by_a),
    )

    def squared(offset: Term, one: int, two: int, scaling: int, *by: int) -> int:
        """offset^2 = 0, from two steps whose sum is a multiple of it."""
        whole = mul(*(p[step].args[0].args[1] for step in by), offset, offset)
        total = p.algebra(
            whole,
            ZERO,
            (one, lambda h: scale(scaling, h)),
            (two, lambda h: scale(scaling, h)),
        )
        return cancelled(p, total, mul(offset, offset), *by)

    one = p.positive(UNIT, Summand(UNIT))
    return p.conjunction(
        equal(p, m1, m2, squared(means, first, second, 1, by_v), one),
        equal(p, s1, s2, squared(spreads, third, fourth, 2, by_v, by_a), one),
    )


def unmasked(p: Builder, formula: int, mass_positive: int) -> int:
    """Where the laws agree the velocity is that of softmax without a mask."""
    agree, velocity = p.assume(AGREE), at(VELOCITY, t, x)
    means, spreads = p.part(agree, 0), p.part(agree, 1)
    whole = conj(eq(velocity, FORMULA), pd(MASS))
    assert whole.args == (p[formula], p[mass_positive])
    m, s = SECOND
    both = p.replace(
        means,
        p.conjunction(formula, mass_positive),
        lambda h: conj(
            eq(velocity, mixture((h, FIRST[1]), SECOND)), pd(total_mass((h, FIRST[1]), SECOND))
        ),
    )
    both = p.replace(
        spreads,
        both,
        lambda h: conj(eq(velocity, mixture((m, h), SECOND)), pd(total_mass((m, h), SECOND))),
    )
    cancel = positive_inverse(p, p.part(both, 1))
    line = softmax_line(m, s)
    same = p.algebra(velocity, line, (p.part(both, 0), itself), (cancel, lambda h: mul(h, line)))
    return p.discharge(AGREE, p.generalise(x, same))


def prove() -> Proof:
    p = Builder()
    value, score = (p.assume(h) for h in NONZERO)
    *masses, first_positive, second_positive = (p.assume(h) for h in POSITIVE)
    inside, solves = p.assume(INSIDE), p.assume(SOLVES)
    now = p.at(second_positive, t, inside)
    nonnegative = p.at(first_positive, t, inside), p.fact("positive-definite", now)
    formula = velocity_formula(p, nonnegative)

    weights = [positive_exponential(p, log_mass(*law)) for law in (FIRST, SECOND)]
    shares = [Summand(UNIT, scalars=pair) for pair in zip(masses, weights, strict=True)]
    mass_positive = p.positive(MASS, *shares, strict=True)
    inverse = p.fact("definite-inverse", mass_positive)
    exists = p.part(inverse, 0)
    is_continuous = continuous_velocity(p, VELOCITY, formula, p.generalise(x, exists))
    existence, equation = profile_of(p, solves, second_positive, inside, is_continuous)
    at_place = p.specialise(p.assume(equation), x)
    cancel = inverse_of(p, exists)
    signs = (*masses, *weights, p.part(inverse, 1))
    flat = no_growth(p, formula, at_place, signs, cancel, now)

    affine, growth = add(mul(b, x), c), profile(*SECOND).args[2].args[1]
    (p1, p2), (z1, z2), (l1, l2) = MASSES, WEIGHTS, LINES
    total = add(mul(p1, z1, l1), mul(p2, z2, l2))
    balance = p.algebra(
        add(mul(p1, z1, minus(l1, affine)), mul(p2, z2, minus(l2, affine))),
        ZERO,
        (cancel, lambda h: scale(-1, mul(h, total))),
        (formula, lambda h: scale(-1, mul(MASS, h))),
        (at_place, lambda h: mul(MASS, h)),
        (flat, lambda h: mul(MASS, h, growth)),
    )
    inverses = (
        *(nonzero(p, step) for step in (value, score)),
        *(positive_inverse(p, step) for step in masses),
    )
    agree = for_some(p, existence, equation, agreement(p, balance, weights[1], inverses))
    p.conjunction(
        p.for_all(t, INSIDE, p.generalise(x, formula)),
        p.discharge(SOLVES, p.for_all(t, INSIDE, agree)),
        p.for_all(t, INSIDE, unmasked(p, formula, mass_positive)),
    )
    return p.proof()


CLAIM = Claim(
    id="gaussian.not-masked-softmax",
    title="Masked softmax: Gaussians at two positions stay Gaussian only where they are the same",
    source="new",
    statement=Statement(
        (*NONZERO, *POSITIVE),
        conj(
            forall(t, implies(INSIDE, forall(x, eq(at(VELOCITY, t, x), FORMULA)))),
            implies(SOLVES, forall(t, implies(INSIDE, AGREE))),
            forall(
                t,
                implies(
                    INSIDE,
                    implies(AGREE, forall(x, eq(at(VELOCITY, t, x), softmax_line(*SECOND)))),
                ),
            ),
        ),
    ),
    hypotheses=(
        "V = v is not 0",
        "A = a is not 0",
        "p1 positive",
        "p2 positive",
        "Sigma1 nonnegative",
        "Sigma2 positive",
    ),
    prove=prove,
    note="Here d = 1, which settles that Gaussians are not preserved in general. The law has mass "
    "p1 and p2 at two positions; Gamma is the velocity at the later one, which sees both.",
    notation=(
        Definition("mu1", LAWS[0]),
        Definition("mu2", LAWS[1]),
        Definition("Gamma", VELOCITY),
        Definition("Z1", lam(t, lam(x, WEIGHTS[0]))),
        Definition("Z2", lam(t, lam(x, WEIGHTS[1]))),
    ),
)
