"""Closed forms in dimension 1, for softmax, L2 and Sinkhorn attention."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.growth import (
    UNIT,
    constant,
    curve_at,
    exponential,
    exponential_of,
    inverse_of,
    inverted,
    moving,
    product_of,
    root_of,
    square_positive,
    sum_of,
    throughout,
    velocity_at,
    with_velocity,
)
from proofs.claims.scalar_equation import (
    FIELD_LETTERS,
    HYPOTHESES,
    HYPOTHESIS_NAMES,
    L2,
    SINKHORN,
    SOFTMAX,
    Z,
    a,
    divisor_positive,
    hypotenuse,
    k,
    now,
    positive_now,
    radicand_positive,
    root_positive,
    s,
    s0,
    simple_equation,
    square,
    v,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    exp,
    forall,
    implies,
    inv,
    invertible,
    lam,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    scale,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

DENOMINATOR = minus(UNIT, scale(2, mul(v, a, s0, t)))


def lambert(value: Term) -> Term:
    """z exp(z) with z = 1/(2 k^2 x)."""
    z = inv(mul(scale(2, square), value))
    return mul(z, exp(z))


def sinkhorn_invariant(value: Term) -> Term:
    """(2 a x + g) exp(-(1 + g)/(2 a x)) with g = (1 + 4 a^2 x^2)^{1/2}."""
    double, g = mul(scale(2, a), value), hypotenuse(value)
    return mul(add(double, g), exp(mul(scale(-1, add(UNIT, g)), inv(double))))


Y, E = lam(Z, lambert(Z)), lam(Z, sinkhorn_invariant(Z))
L2_RATE = scale(-2, mul(v, a, inv(square)))
SINKHORN_RATE = scale(2, v)


def grows(invariant: Term, rate: Term) -> Term:
    """I(s(t)) = I(s0) exp(rate t) on [0, T)."""
    return on_lifetime(
        T, lambda t: eq(at(invariant, at(s, t)), mul(at(invariant, s0), exp(mul(rate, t))))
    )


SOFTMAX_FORM = forall(
    t,
    implies(within(t, T), conj(pd(DENOMINATOR), eq(now, mul(s0, inv(DENOMINATOR))))),
)
L2_HYPOTHESES = conj(invertible(k), L2.equation)
SINKHORN_HYPOTHESES = conj(invertible(a), SINKHORN.equation)


def softmax_line(p: Builder, equation: int, positive: int, start: int, positive_start: int) -> int:
    """1 - 2 v a s0 t = s0/s(t) at t in [0, T), as 1/s + 2 v a t does not change.

    Args:
        p: the proof.
        equation: step s' = 4 v a s^2 / 2.
        positive: step s(t) > 0, under the assumption t in [0, T).
        start, positive_start: steps s(0) = s0 and s0 > 0.
    """
    regular, _, cancel = inverted(p, positive)
    precision = inverse_of(p, equation, regular)
    drift = scale(2, mul(v, a))
    whole = sum_of(p, precision, moving(p, T, mul(drift, t)))
    turn = mul(drift, add(UNIT, mul(inv(now), now)))
    still = with_velocity(
        p,
        whole,
        mul(number(0), curve_at(p, whole)),
        (cancel, lambda h: scale(-1, mul(turn, h))),
    )
    same = constant(p, still)
    same = p.replace(
        start,
        same,
        lambda h: eq(curve_at(p, whole), add(inv(h), mul(drift, number(0)))),
    )

    unit = inverted(p, positive_start)[2]
    return p.algebra(
        DENOMINATOR,
        mul(s0, inv(now)),
        (same, lambda h: scale(-1, mul(s0, h))),
        (unit, lambda h: scale(-1, h)),
    )


def softmax(p: Builder, start: int, positive_start: int, everywhere: int) -> int:
    """s(t) = s0/(1 - 2 v a s0 t), where the denominator is s0/s(t) > 0."""
    positive = positive_now(p, everywhere)
    equation = simple_equation(p, SOFTMAX, p.assume(SOFTMAX.equation), positive)
    exact = softmax_line(p, equation, positive, start, positive_start)
    _, inverse_positive, cancel = inverted(p, positive)
    unit = inverted(p, positive_start)[2]
    denominator = p.positive(
        DENOMINATOR,
        Summand(UNIT, scalars=(positive_start, inverse_positive)),
        by=[(exact, itself)],
        strict=True,
    )
    candidate = mul(now, inv(s0))
    left = p.algebra(
        mul(candidate, DENOMINATOR),
        UNIT,
        (exact, lambda h: mul(candidate, h)),
        (unit, lambda h: mul(now, h, inv(now))),
        (cancel, itself),
    )
    inverse = p.part(p.fact("one-sided-inverse", left, N=candidate, M=DENOMINATOR), 1)
    value = p.algebra(
        now,
        mul(s0, inv(DENOMINATOR)),
        (inverse, lambda h: scale(-1, mul(s0, h))),
        (unit, lambda h: scale(-1, mul(now, h))),
    )
    result = throughout(p, T, p.conjunction(denominator, value))
    return p.discharge(SOFTMAX.equation, result)


def l2(p: Builder, start: int, everywhere: int) -> int:
    """y = z exp(z) solves y' = -(2 v a/k^2) y."""
    assumption = p.assume(L2_HYPOTHESES)
    key, positive = p.part(assumption, 0), positive_now(p, everywhere)
    equation = simple_equation(p, L2, p.part(assumption, 1), positive)
    key_positive = square_positive(p, k, key)
    double = mul(scale(2, square), now)
    area = Summand(UNIT, scalars=(key_positive, positive), coefficient=2)
    regular, _, unit = inverted(p, p.positive(double, area, strict=True))
    _, _, cancel = inverted(p, divisor_positive(p, L2, now, positive))
    _, _, key_cancel = inverted(p, key_positive)
    inverse = inverse_of(p, product_of(p, moving(p, T, scale(2, square)), equation), regular)
    whole = product_of(p, inverse, exponential_of(p, inverse))

    # with w = 2 k^2 s z, equal to 1: (1 + z)/D = z, as D z = z + w
    z = inv(double)
    one, shared = mul(z, double), mul(inv(L2.divisor(now)), exp(z))
    speed = scale(2, mul(v, a, inv(square)))
    target = mul(L2_RATE, curve_at(p, whole))
    growing = with_velocity(
        p,
        whole,
        target,
        (key_cancel, lambda h: scale(-1, mul(h, velocity_at(p, whole)))),
        (unit, lambda h: scale(-1, mul(speed, add(UNIT, z), shared, h, add(UNIT, one)))),
        (unit, lambda h: mul(speed, shared, h)),
        (cancel, lambda h: scale(-1, mul(speed, exp(z), z, h))),
    )
    return conclude(p, start, growing, Y, L2_RATE, L2_HYPOTHESES)


def sinkhorn(p: Builder, start: int, everywhere: int) -> int:
    """E = (2 a s + g) exp(-(1 + g)/(2 a s)) solves E' = 2 v E."""
    assumption = p.assume(SINKHORN_HYPOTHESES)
    score, positive = p.part(assumption, 0), positive_now(p, everywhere)
    equation = simple_equation(p, SINKHORN, p.part(assumption, 1), positive)
    double, g = mul(scale(2, a), now), hypotenuse(now)
    root_equation = root_of(
        p,
        sum_of(
            p,
            moving(p, T, UNIT),
            product_of(p, moving(p, T, scale(4, mul(a, a))), product_of(p, equation, equation)),
        ),
        radicand_positive(p, now),
    )
    score_cancel, cancel = p.part(p.fact("inverse", score), 1), inverted(p, positive)[2]
    candidate = scale(Fraction(1, 2), mul(inv(a), inv(now)))
    left = p.algebra(
        mul(candidate, double),
        UNIT,
        (score_cancel, lambda h: mul(h, inv(now), now)),
        (cancel, itself),
    )
    regular = p.part(p.fact("one-sided-inverse", left, N=candidate, M=double), 0)
    unit = p.part(p.fact("inverse", regular), 1)
    double_equation = product_of(p, moving(p, T, scale(2, a)), equation)
    front = sum_of(p, double_equation, root_equation)
    exponent = product_of(
        p,
        product_of(p, moving(p, T, number(-1)), sum_of(p, moving(p, T, UNIT), root_equation)),
        inverse_of(p, double_equation, regular),
    )
    whole = product_of(p, front, exponential_of(p, exponent))

    _, _, divisor_cancel = inverted(p, divisor_positive(p, SINKHORN, now, positive))
    twice = scale(2, g)
    doubled = Summand(UNIT, scalars=(root_positive(p, now),), coefficient=2)
    root_cancel = inverted(p, p.positive(twice, doubled, strict=True))[2]
    # what comes from g' = 4 a^2 s s'/g cancels against (2 a s)'; the rest is 2 v E
    i, factor, slope = inv(double), exp(curve_at(p, exponent)), SINKHORN.simplified(now)
    target = mul(SINKHORN_RATE, curve_at(p, whole))
    spread = scale(4, mul(a, a, now, slope))
    one, final = mul(i, double), scale(2, mul(v, add(double, g), factor))
    growing = with_velocity(
        p,
        whole,
        target,
        (divisor_cancel, lambda h: mul(final, one, one, h)),
        (unit, lambda h: mul(final, h, add(UNIT, one))),
        (unit, lambda h: scale(-2, mul(spread, inv(twice), factor, h))),
        (root_cancel, lambda h: scale(-1, mul(spread, i, factor, h))),
        (unit, lambda h: scale(-2, mul(a, slope, factor, h))),
    )
    return conclude(p, start, growing, E, SINKHORN_RATE, SINKHORN_HYPOTHESES)


def conclude(
    p: Builder, start: int, equation: int, invariant: Term, rate: Term, hypotheses: Term
) -> int:
    """I(s(t)) = I(s0) exp(rate t), for the curve I(s) of ``equation``."""
    solved = exponential(p, equation, rate)
    factor = exp(mul(rate, t))
    begun = at(s, number(0))
    stated = p.algebra(at(invariant, now), mul(at(invariant, begun), factor), (solved, itself))
    value = p.replace(
        start, stated, lambda h: eq(at(invariant, now), mul(at(invariant, h), factor))
    )
    return p.discharge(hypotheses, throughout(p, T, value))


def prove() -> Proof:
    p = Builder()
    start, positive_start, everywhere = (p.assume(h) for h in HYPOTHESES)
    p.conjunction(
        softmax(p, start, positive_start, everywhere),
        l2(p, start, everywhere),
        sinkhorn(p, start, everywhere),
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.scalar",
    title="The variance on the line: closed forms for softmax, L2 and Sinkhorn attention",
    source="new",
    statement=Statement(
        HYPOTHESES,
        conj(
            implies(SOFTMAX.equation, SOFTMAX_FORM),
            implies(L2_HYPOTHESES, grows(Y, L2_RATE)),
            implies(SINKHORN_HYPOTHESES, grows(E, SINKHORN_RATE)),
        ),
    ),
    hypotheses=HYPOTHESIS_NAMES,
    prove=prove,
    note="(a) softmax; (b) L2, with key k and a = k q, where z = 1/(2 k^2 s) is the Lambert W "
    "function of Y(s); (c) Sinkhorn.  Y and E are one-to-one on the positive numbers.",
    notation=(
        *FIELD_LETTERS,
        Definition("Y", Y),
        Definition("E", E),
    ),
)
