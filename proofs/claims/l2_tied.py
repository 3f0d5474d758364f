"""Steps on L2 attention with K_h = -Q_h and V_h = I, and on the softmax heads with its limit.

R is the root of Sigma0, and N = 4 R M(Sigma0) R.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_commuting_limit import CLAIM as COMMUTING
from proofs.claims.covariance_equation import S, Sigma, Sigma0, T, d, t
from proofs.claims.gaussian_integrals import HALF
from proofs.claims.l2_equation import (
    F,
    Kh,
    Qh,
    Resolvent,
    Vh,
    gram,
    h,
    linear_part,
    regular,
)
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    forall,
    identity,
    inv,
    lam,
    limit,
    mat,
    minus,
    mul,
    number,
    ode,
    pinv,
    psd,
    root,
    scale,
    total,
    tp,
    tr,
    within,
    zero,
    zero_like,
)
from proofs.terms import Term, substitute

I, Y, Z = identity(d), mat("Y", d, d), mat("Z", d, d)  # noqa: E741 (the identity matrix)
TIED = forall(h, conj(eq(Kh, scale(-1, Qh)), eq(Vh, I)))


def damping(covariance: Term) -> Term:
    """Q_h^T (I + 2 K_h Z K_h^T)^{-1} Q_h."""
    return mul(tp(Qh), inv(gram(Kh, covariance)), Qh)


def dampings(covariance: Term) -> Term:
    """M(Z), the sum over h."""
    return total(h, damping(covariance))


def transported(family: Term) -> Term:
    """The sum over h of Q_h^T f_h Q_h."""
    return total(h, mul(tp(Qh), at(family, h), Qh))


#: A = -2 M(Sigma0): softmax attention with V = I and these scores has the same limit
SCORE = scale(-2, dampings(Sigma0))
_SOFTMAX = {"V": I, "A": SCORE}
SOFTMAX, SOFTMAX_LIMIT, SOFTMAX_RANK, _ = (
    substitute(part, _SOFTMAX) for part in COMMUTING.statement.conclusion.args
)
DRIFT = substitute(S, _SOFTMAX)
#: psd(N) with N = 4 R M(Sigma0) R
NEGATIVE = substitute(COMMUTING.statement.hypotheses[-1], _SOFTMAX)
X = SOFTMAX.args[1]
LIMIT, N, R = SOFTMAX_LIMIT.args[1], NEGATIVE.args[0], root(Sigma0)
SUPPORT = mul(pinv(N), N)
PROJECTOR = minus(I, SUPPORT)
#: the limit, in a form that is symmetric for the eye
LOW = mul(tp(mul(PROJECTOR, R)), mul(PROJECTOR, R))
NOW = at(Sigma, t)


def unseen(factor: Term) -> Term:
    """Q_h R Y = 0 for all h."""
    image = mul(Qh, R, factor)
    return forall(h, eq(image, zero_like(image)))


@dataclass(frozen=True)
class State:
    """Steps about a state Z >= 0.

    Attributes:
        positive: Z >= 0.
        resolvent: about J_h^{-1} = (I + 2 K_h Z K_h^T)^{-1}.
        symmetric: J_h^{-T} = J_h^{-1} for all h.
        field: F(Z) = -4 Z M(Z) Z.
        damping: M(Z) >= 0.
    """

    positive: int
    resolvent: Resolvent
    symmetric: int
    field: int
    damping: int

    @classmethod
    def of(cls, p: Builder, tied: int, covariance: Term, positive: int) -> State:
        """From steps that prove K_h = -Q_h, V_h = I, and psd(Z)."""
        one = Resolvent.of(p, Kh, covariance, positive)
        keys, value = p.part(tied, 0), p.part(tied, 1)
        rest = mul(one.Ji, Qh)
        linear = p.algebra(
            linear_part(Qh, Kh, Vh, covariance),
            scale(-2, mul(covariance, damping(covariance))),
            (one.simplified(p, Qh, Vh), itself),
            (value, lambda f: scale(2, mul(f, covariance, tp(Kh), rest))),
            (keys, lambda f: scale(2, mul(covariance, tp(f), rest))),
        )
        families = p.extensionality(h, linear)
        symmetric = p.extensionality(h, p.algebra(tp(one.Ji), one.Ji, positive))
        field = p.algebra(
            at(F, covariance),
            scale(-4, mul(covariance, dampings(covariance), covariance)),
            (families, lambda f: total(h, mul(at(f, h), covariance))),
            (families, lambda f: total(h, mul(covariance, tp(at(f, h))))),
            (symmetric, lambda f: scale(-2, mul(covariance, transported(f), covariance))),
            positive,
        )
        each = p.generalise(
            h, p.positive(damping(covariance), Summand(Qh, core=one.inverse_definite))
        )
        summed = p.fact("sum-nonnegative", each, f=lam(h, damping(covariance)))
        return cls(positive, one, symmetric, field, summed)


def difference(p: Builder, left: int, right: int) -> int:
    """The equation of x - y, from those of x and y."""
    end, curve, slope = p[right].args
    opposite = scale(-1, identity(d))
    factor = p.differentiate(end, lam(t, opposite))
    turned = p.fact("derivative-of-product", factor, right)
    summed = p.fact("derivative-of-sum", left, turned)
    _, first, first_slope = p[left].args
    _, whole, whole_slope = p[summed].args
    gap = minus(at(first, t), at(curve, t))
    rate = minus(at(first_slope, t), at(slope, t))
    same_rate = p.for_all(t, within(t, end), p.algebra(at(whole_slope, t), rate))
    moved = p.fact("equal-velocities", summed, same_rate, Y=whole, G=whole_slope, H=lam(t, rate))
    same_curve = p.extensionality(t, p.algebra(at(whole, t), gap))
    return p.replace(same_curve, moved, lambda curve: ode(end, curve, lam(t, rate)))


def stays_nonnegative(p: Builder, equation: int, linear: int, start: int, gap: int) -> int:
    """x(t) >= 0 on [0, oo), as x' = g >= B x + (B x)^T.

    From steps: the equation, B piecewise continuous, x(0) >= 0 and the inequality at t.
    """
    return p.fact(
        "linear-inequality",
        linear,
        equation,
        start,
        p.for_all(t, within(t, INFINITY), gap),
    )


def excess(p: Builder, equation: int, linear: int) -> Term:
    """g - B x - (B x)^T at t, from steps x' = g and that B is piecewise continuous."""
    _, curve, slope = p[equation].args
    product = mul(at(p[linear].args[1], t), at(curve, t))
    return minus(at(slope, t), add(product, tp(product)))


def product_piecewise(p: Builder, left: int, right: Term) -> int:
    """x(t) times a fixed matrix, from a step that x is piecewise continuous."""
    constant = p.fact("solution-piecewise", p.differentiate(INFINITY, lam(t, right)))
    return p.fact("product-piecewise", left, constant)


def null_of_form(p: Builder, initial: State) -> int:
    """For all Y with N Y = 0: Q_h R Y = 0, as Y^T N Y is a sum of nonnegative forms."""
    null = eq(mul(N, Y), zero(d, d))
    one = initial.resolvent
    flat, image = mul(R, Y), mul(Qh, R, Y)
    form = mul(tp(image), one.Ji, image)
    nonnegative = p.positive(form, Summand(image, core=one.inverse_definite))
    each = p.generalise(h, p.fact("trace-nonnegative", nonnegative))
    none = p.algebra(
        total(h, tr(form)),
        number(0),
        (p.assume(null), lambda f: scale(HALF / 2, tr(mul(tp(Y), f)))),
        (initial.symmetric, lambda f: scale(-HALF, tr(mul(tp(flat), transported(f), flat)))),
        initial.positive,
    )
    single = p.fact("sum-of-nonnegative-zero", each, none, f=lam(h, tr(form)))
    vanishing = p.fact("zero-trace", nonnegative, p.specialise(single, h))
    semidefinite = p.fact("positive-definite", one.inverse_definite)
    killed = p.fact("zero-form", semidefinite, vanishing, M=one.Ji, Z=image)
    same = p.algebra(
        image,
        zero_like(image),
        (one.right, lambda f: scale(-1, mul(f, image))),
        (killed, lambda f: mul(gram(Kh, Sigma0), f)),
    )
    return p.for_all(Y, null, same)


def stronger_damping(p: Builder, initial: State, state: State, below: int) -> int:
    """M(Sigma) - M(Sigma0) >= 0, from a step Sigma0 - Sigma >= 0."""
    one, other = state.resolvent, initial.resolvent
    J, J0, Ji, J0i = gram(Kh, NOW), gram(Kh, Sigma0), one.Ji, other.Ji
    D = minus(J0, J)

    def form(middle: Term) -> Term:
        return mul(tp(Qh), middle, Qh)

    single = p.positive(
        minus(damping(NOW), damping(Sigma0)),
        Summand(mul(tp(Kh), J0i, Qh), core=below, coefficient=2),
        Summand(mul(D, J0i, Qh), core=one.inverse_definite),
        by=[
            state.positive,
            initial.positive,
            (other.left, lambda f: form(mul(f, J0i))),
            (other.left, lambda f: scale(-1, form(mul(f, Ji, J0, J0i)))),
            (other.right, lambda f: scale(-1, form(mul(Ji, f)))),
            (one.left, lambda f: form(mul(J0i, J0, f, J0i))),
            (one.right, lambda f: form(mul(J0i, f, D, J0i))),
        ],
    )
    gap = lam(h, minus(damping(NOW), damping(Sigma0)))
    return p.fact("sum-nonnegative", p.generalise(h, single), f=gap)


def weaker_damping(p: Builder, state: State) -> int:
    """sum of Q_h^T Q_h - M(Sigma) >= 0."""
    one = state.resolvent
    Ji, seen = one.Ji, mul(Kh, NOW, tp(Kh))
    single = p.positive(
        minus(mul(tp(Qh), Qh), damping(NOW)),
        Summand(mul(tp(Kh), Ji, Qh), core=state.positive, coefficient=2),
        Summand(mul(seen, Ji, Qh), coefficient=4),
        by=[
            state.positive,
            (one.right, lambda f: scale(-2, mul(tp(Qh), Ji, seen, f, Qh))),
            (one.left, lambda f: scale(-1, mul(tp(Qh), f, Qh))),
        ],
    )
    gap = lam(h, minus(mul(tp(Qh), Qh), damping(NOW)))
    return p.fact("sum-nonnegative", p.generalise(h, single), f=gap)


def falls(p: Builder, state: State) -> int:
    """F(Z) <= 0."""
    Z = p[state.positive].args[0]
    return p.positive(
        minus(zero(d, d), at(F, Z)),
        Summand(Z, core=state.damping, coefficient=4),
        by=[state.positive, (state.field, lambda f: scale(-1, f))],
    )


def bounded_forever(p: Builder, solution: int, positive: int, everywhere: int) -> int:
    """T = oo, as tr Sigma does not grow."""
    now = p.at(everywhere, NOW, p.part(p.at(positive, t, p.assume(within(t, T))), 0))
    trace = p.fact("trace-nonnegative", now)
    rate = minus(number(0), tr(mul(I, at(F, NOW))))
    trace = p.replace(p.algebra(p[trace].args[0], rate), trace, psd)
    bound = p.fact(
        "decreasing-form", solution, p.for_all(t, within(t, T), trace), X=Sigma, F=F, P=I
    )
    stays = p.part(p.at(positive, t, p.assume(within(t, T))), 0)
    return p.fact(
        "bounded-solution",
        p.smooth_on_cone(F, partial(regular, p)),
        solution,
        p.for_all(t, within(t, T), stays),
        p.positive(I, Summand(I), strict=True),
        p.continuous(lam(t, tr(mul(I, Sigma0)))),
        bound,
        X=Sigma,
    )


def fixes_unseen(p: Builder, initial: State) -> int:
    """Pi Y = Y when Q_h R Y = 0 for all h."""
    nothing = p.assume(unseen(Y))
    images = p.extensionality(h, p.specialise(nothing, h))
    Ji = initial.resolvent.Ji
    null = p.algebra(
        mul(N, Y),
        zero(d, d),
        (images, lambda f: total(h, scale(4, mul(R, tp(Qh), Ji, at(f, h))))),
        (initial.symmetric, lambda f: scale(2, mul(R, transported(f), R, Y))),
        initial.positive,
    )
    same = p.algebra(mul(PROJECTOR, Y), Y, (null, lambda f: scale(-1, mul(pinv(N), f))))
    return p.for_all(Y, unseen(Y), same)


def squeezed(p: Builder, initial: State, over: int, above: int, same: int, keeps: int) -> int:
    """Sigma(t) tends to R Pi R: 0 <= Sigma - R Pi R <= R (I + t N)^{-1} N^+ N R, which tends to 0.

    From steps Sigma >= LOW, Sigma <= X at t, LOW = R Pi R, and N N^+ N = N.
    """
    negative = p.positive(
        N,
        Summand(R, core=initial.damping, coefficient=4),
        by=[initial.positive, (initial.symmetric, lambda f: scale(2, mul(R, transported(f), R)))],
    )
    resolvent = p.fact("resolvent-limit", negative, N=N)
    curve, value = p[resolvent].args
    right = mul(SUPPORT, R)
    ceiling = p.fact("limit-of-product", resolvent, curve=curve, Y=value, L=R, R=right)
    none = p.algebra(
        p[ceiling].args[1], zero(d, d), (keeps, lambda f: scale(-1, mul(R, pinv(N), f, R)))
    )
    bound = p[ceiling].args[0]
    ceiling = p.replace(none, ceiling, lambda end: limit(bound, end))

    # R (I + t N)^{-1} N^+ N R = X - R Pi R
    later = p.fact("within", p.assume(within(t, INFINITY)))
    pencil = add(I, scale(t, N))
    W = inv(pencil)
    positive = p.positive(
        pencil, Summand(I), Summand(I, core=negative, scalars=(later,)), strict=True
    )
    left = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", positive), 0)), 1)
    gap = minus(NOW, LOW)
    below = p.positive(
        minus(at(bound, t), gap),
        Summand(I, core=above),
        by=[
            (left, lambda f: scale(-1, mul(R, f, PROJECTOR, R))),
            (keeps, lambda f: scale(-1, scale(t, mul(R, W, f, R)))),
            (same, itself),
        ],
    )
    none = p.fact(
        "squeezed-limit",
        p.for_all(t, within(t, INFINITY), over),
        p.for_all(t, within(t, INFINITY), below),
        ceiling,
        M=lam(t, gap),
        N=bound,
    )
    converges = p.fact("limit-by-difference", none, X=Sigma, E=LOW)
    return p.replace(same, converges, lambda low: limit(Sigma, low))
