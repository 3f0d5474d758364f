"""The Schroedinger system of a Gaussian measure with the kernel exp(y^T A x), and its solution."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.bridge import to_term
from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import A, V, d
from proofs.claims.gaussian_integrals import HALF, Tilt, integral_with_factor
from proofs.claims.sinkhorn_roots import E, F, I, M, Sigma, W, intertwined, shrinking_steps
from proofs.language import (
    add,
    at,
    balanced,
    det,
    eq,
    exp,
    forall,
    gaussian,
    identity,
    inv,
    lam,
    minus,
    mul,
    number,
    root,
    scale,
    tp,
    vec,
)
from proofs.terms import ONE, Term
from symbolic import notation
from symbolic.variants import lookup

alpha, x, y = vec("alpha", d), vec("x", d), vec("y", d)
#: the quadratic parts of the logarithms of the two potentials
P, R = mul(tp(A), W, E, W, A), mul(A, W, F, W, tp(A))
MEASURE = gaussian(alpha, Sigma)
XI, ETA = minus(x, alpha), minus(y, alpha)
CONSTANT = root(det(add(I, mul(W, R, W))))
QUADRATIC_X = scale(-HALF, mul(tp(XI), P, XI))
QUADRATIC_Y = scale(-HALF, mul(tp(ETA), R, ETA))
#: of the entropic plan against MEASURE x MEASURE
DENSITY = mul(CONSTANT, exp(add(mul(tp(ETA), A, XI), QUADRATIC_X, QUADRATIC_Y)))


def velocity(A: Term, V: Term, measure: Term, point: Term) -> Term:
    """Gamma_mu(x) from the table of variants."""
    expression = lookup("sinkhorn").velocity(notation.x, notation.mu, form="A")
    return to_term(expression, {"A": A, "V": V, "mu": measure, "x": point})


#: Gamma_mu(x)
VELOCITY = velocity(A, V, MEASURE, x)
#: kappa(x, y), and kappa
WEIGHT = at(VELOCITY.args[1], y).args[0]
KERNEL = WEIGHT.args[0].args[0]


def exponential_of_zero(p: Builder) -> int:
    """exp(0) = 1."""
    one = exp(number(0))
    doubled = p.fact("exponential-of-sum", r=number(0), s=number(0))
    inverse = p.fact("inverse", p.part(p.fact("definite-inverse", p.part(doubled, 1)), 0))
    cancel = p.part(inverse, 1)
    return p.algebra(
        one,
        number(1),
        (p.part(doubled, 0), lambda h: scale(-1, mul(inv(one), h))),
        (cancel, lambda h: scale(-1, mul(h, one))),
        (cancel, itself),
    )


@dataclass(frozen=True)
class Side:
    """One side of the Schroedinger system: the integral over one variable, the other one fixed.

    Attributes:
        tilt: what the density is, up to ``factor``, as a function of that variable.
        factor: what does not depend on it.
        moments: the step of :meth:`Tilt.moments`.
        inverse: step (I + W S W)^{-1} = E, or F.
        split: step exp(a + b) = exp(a) exp(b) that takes the factor out of the density.
        unit: step factor * mass = 1.
        constant: step CONSTANT > 0.
    """

    tilt: Tilt
    factor: Term
    moments: int
    inverse: int
    split: int
    unit: int
    constant: int


def side(
    p: Builder, tilt: Tilt, quadratic: Term, premises: tuple[int, int, int], left: int, same: int
) -> Side:
    """From steps psd(Sigma), S^T = S, I + W S W > 0, E (I + W S W) = I, det^{1/2} = CONSTANT > 0.

    ``quadratic`` is the exponent of the other variable; ``same`` proves CONSTANT > 0 and that it
    is det(I + W S W)^{1/2}, as a conjunction.
    """
    inverse = p.part(p.fact("one-sided-inverse", left), 1)
    E = p[inverse].args[1]
    moments = tilt.moments(p, V, premises)
    h, exact = tilt.h, p.part(moments, 2)
    determinant = root(det(tilt.precision))
    mass = p.replace(
        inverse,
        exact,
        lambda e: eq(
            tilt.mass,
            mul(inv(determinant), exp(scale(HALF, mul(tp(h), mul(W, e, W), h)))),
        ),
    )
    grows = scale(HALF, mul(tp(h), mul(W, E, W), h))
    cancels = p.part(p.fact("exponential-of-sum", r=quadratic, s=grows), 0)
    positive, equal = p.part(same, 0), p.part(same, 1)
    ratio = p.part(p.fact("inverse", p.part(p.fact("definite-inverse", positive), 0)), 1)
    factor = mul(CONSTANT, exp(quadratic))
    unit = p.algebra(
        mul(factor, tilt.mass),
        number(1),
        (mass, lambda g: mul(factor, g)),
        (equal, lambda g: scale(-1, mul(factor, inv(g), exp(grows)))),
        (cancels, lambda g: scale(-1, mul(CONSTANT, inv(CONSTANT), g))),
        (exponential_of_zero(p), lambda g: mul(CONSTANT, inv(CONSTANT), g)),
        (ratio, itself),
    )
    split = p.part(p.fact("exponential-of-sum", r=quadratic, s=tilt.exponent), 0)
    return Side(tilt, factor, moments, inverse, split, unit, positive)


def marginal(p: Builder, one: Side) -> int:
    """The density integrates to 1."""
    same = p.algebra(
        DENSITY, scale(one.factor, one.tilt.weight), (one.split, lambda h: mul(CONSTANT, h))
    )
    rest = lam(one.tilt.y, one.tilt.weight)
    out = integral_with_factor(p, MEASURE, one.tilt.y, one.factor, DENSITY, rest, same)
    return p.algebra(p[out].args[0], number(1), (out, itself), (one.unit, itself))


def equal_determinants(p: Builder, commutes: int, first: Term, second: Term) -> int:
    """det(I + W R W) = det(I + W P W): the matrices are I + (E M) M^T and I + M^T (E M)."""
    swapped = p.fact("determinant-of-products", R=mul(E, M), P=tp(M))
    left, right = (side.args[0] for side in p[swapped].args)
    same = p.algebra(left, first, (commutes, lambda h: scale(-1, mul(h, tp(M)))))
    moved = p.replace(same, swapped, lambda h: eq(det(h), det(right)))
    return p.replace(p.algebra(right, second), moved, lambda h: eq(det(first), det(h)))


def both_sides(p: Builder, positive: int) -> tuple[Side, Side]:
    """The integrals over y and over x, from a step psd(Sigma)."""
    square = p.part(p.fact("square-root", positive, M=Sigma), 1)
    first, second = shrinking_steps(p, A, tp(A), positive), shrinking_steps(p, tp(A), A, positive)
    commutes = intertwined(p, first, second, square)
    over_y = Tilt(alpha, Sigma, R, mul(A, XI), y)
    over_x = Tilt(alpha, Sigma, P, mul(tp(A), ETA), x)
    definite_y = p.positive(
        over_y.precision, Summand(I), Summand(tp(M), core=second.positive), strict=True
    )
    definite_x = p.positive(
        over_x.precision, Summand(I), Summand(M, core=first.positive), strict=True
    )
    left_y = p.algebra(
        mul(E, over_y.precision),
        I,
        positive,
        (commutes, lambda h: mul(E, h, tp(M))),
        (square, lambda h: mul(E, E, W, A, h, tp(A), W)),
        (first.half, lambda h: mul(E, tp(h))),
        (first.half, lambda h: scale(-1, mul(E, h))),
        (first.resolvent, itself),
    )
    left_x = p.algebra(
        mul(F, over_x.precision),
        I,
        (commutes, lambda h: scale(-1, mul(F, tp(M), h))),
        (square, lambda h: mul(F, W, tp(A), h, A, W, F)),
        (second.resolvent, itself),
    )
    swapped = equal_determinants(p, commutes, over_y.precision, over_x.precision)
    size = p.fact("determinant-positive", definite_y)
    rooted = p.fact("square-root", p.fact("positive-definite", size))
    constant_positive = p.fact(
        "positive-factor",
        p.part(rooted, 0),
        p.positive(
            mul(CONSTANT, CONSTANT),
            Summand(identity(ONE), core=size),
            by=[(p.part(rooted, 1), itself)],
            strict=True,
        ),
        a=CONSTANT,
        b=CONSTANT,
    )
    equal_x = p.replace(swapped, p.reflexivity(CONSTANT), lambda h: eq(CONSTANT, root(h)))
    same_y = p.conjunction(constant_positive, p.reflexivity(CONSTANT))
    same_x = p.conjunction(constant_positive, equal_x)
    return (
        side(
            p,
            over_y,
            QUADRATIC_X,
            (positive, p.algebra(tp(R), R), definite_y),
            left_y,
            same_y,
        ),
        side(
            p,
            over_x,
            QUADRATIC_Y,
            (positive, p.algebra(tp(P), P), definite_x),
            left_x,
            same_x,
        ),
    )


def quadratic(p: Builder, positive: int, S: Term, h: Term, r: Term) -> int:
    """z -> -z^T S z / 2 + h^T z + r is integrable against N(alpha, Sigma)."""
    return p.fact(
        "gaussian-quadratic-integrable", positive, a=alpha, C=Sigma, S=scale(-HALF, S), h=h, r=r
    )


def balanced_kernel(
    p: Builder, positive: int, constant_positive: int, marginals: tuple[int, int]
) -> int:
    """kappa(x, y) = DENSITY, by uniqueness: the density is u(x) exp(x^T A^T y) v(y)."""
    linear_x = minus(mul(P, alpha), mul(tp(A), alpha))
    shift_x = scale(-HALF, mul(tp(alpha), P, alpha))
    linear_y = minus(mul(R, alpha), mul(A, alpha))
    shift_y = add(scale(-HALF, mul(tp(alpha), R, alpha)), mul(tp(alpha), A, alpha))
    logarithms = [
        quadratic(p, positive, P, linear_x, shift_x),
        quadratic(p, positive, R, linear_y, shift_y),
    ]
    phi, psi = (p[step].args[1] for step in logarithms)
    score, a, b = mul(tp(x), tp(A), y), at(phi, x), at(psi, y)
    product = mul(CONSTANT, exp(a), exp(score), exp(b))
    inner = p.part(p.fact("exponential-of-sum", r=score, s=b), 0)
    outer = p.part(p.fact("exponential-of-sum", r=a, s=add(score, b)), 0)
    same = p.algebra(
        product,
        DENSITY,
        positive,
        (inner, lambda h: scale(-1, mul(CONSTANT, exp(a), h))),
        (outer, lambda h: scale(-1, mul(CONSTANT, h))),
    )
    ones = []
    for point, other, one in ((y, x, marginals[0]), (x, y, marginals[1])):
        function = p.extensionality(
            point, p.algebra(DENSITY, product, (same, lambda h: scale(-1, h)))
        )
        moved = p.replace(function, one, lambda g: eq(Term("integral", (MEASURE, g)), number(1)))
        ones.append(p.generalise(other, moved))
    unique = p.fact(
        "balanced-kernel",
        constant_positive,
        *logarithms,
        *ones,
        nu=MEASURE,
        M=tp(A),
        r=CONSTANT,
        phi=phi,
        psi=psi,
    )
    table = KERNEL.args[1]
    scores = p.extensionality(x, p.extensionality(y, p.algebra(exp(score), at(table, x, y))))
    stated = p.replace(
        scores,
        unique,
        lambda kernel: forall(x, forall(y, eq(at(balanced(MEASURE, kernel), x, y), product))),
    )
    here = p.specialise(p.specialise(stated, x), y)
    return p.algebra(WEIGHT, DENSITY, (here, itself), (same, itself))
