"""A curve that almost solves a quadratic system encloses the solution."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.quadratic_system import SOLUTION, H, Qh, T, Uh, f, h, n, t, x, x0
from proofs.facts.enclosures import square, until
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    family,
    forall,
    identity,
    lam,
    le,
    minus,
    mul,
    number,
    ode,
    pd,
    psd,
    real,
    scale,
    symmetric,
    time_to,
    total,
    tp,
    vec,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

UNIT, FULL, HALF = identity(ONE), identity(n), Fraction(1, 2)
y, v = time_to("y", n, ONE), time_to("v", n, ONE)
radius, growth = time_to("r", ONE, ONE), time_to("g", ONE, ONE)
error, M = vec("u", n), vec("M", n)
q = family("q", H, ONE, ONE)
qh = at(q, h)
s, tube, c, constant, m, end = (real(name) for name in ("s", "b", "c", "l", "m", "e"))
#: |U_h| <= 1 and -q_h I <= Q_h <= q_h I
NORMS = forall(
    h,
    conj(
        le(square(Uh), number(1)),
        symmetric(Qh),
        psd(minus(scale(qh, FULL), Qh)),
        psd(add(scale(qh, FULL), Qh)),
    ),
)


def doubled_slope(centre: Term) -> Term:
    """sum over h of U_h c^T Q_h + Q_h c U_h^T, twice the symmetric part of half the Jacobian."""
    return total(h, add(mul(Uh, tp(centre), Qh), mul(Qh, centre, tp(Uh))))


#: l + b sum over h of q_h
SLOPE = add(constant, mul(tube, total(h, qh)))
ALMOST = conj(
    until(s, le(square(minus(at(v, t), at(f, at(y, t)))), mul(c, c))),
    until(s, le(doubled_slope(at(y, t)), scale(constant, FULL))),
    until(s, le(add(mul(SLOPE, at(radius, t)), c), at(growth, t))),
)
REACHED = add(at(radius, s), m)
SIZES = conj(
    pd(s),
    psd(c),
    psd(SLOPE),
    pd(tube),
    psd(at(radius, number(0))),
    pd(minus(tube, at(radius, s))),
    pd(at(radius, s)),
    pd(m),
    psd(minus(end, REACHED)),
)
START = le(square(minus(x0, at(y, number(0)))), mul(at(radius, number(0)), at(radius, number(0))))
END = le(square(minus(at(y, s), M)), mul(m, m))
ARRIVES = conj(within(s, T), le(square(minus(at(x, s), M)), mul(end, end)))


def head_gap(centre: Term) -> Term:
    """b q |e|^2 + e^T (U c^T Q + Q c U^T) e - e^T (f(c + e) - f(c)), for one head."""

    def velocity(state: Term) -> Term:
        return scale(mul(tp(state), Qh, state), Uh)

    turned = add(mul(Uh, tp(centre), Qh), mul(Qh, centre, tp(Uh)))
    change = mul(tp(error), minus(velocity(add(centre, error)), velocity(centre)))
    return minus(add(mul(tube, qh, square(error)), mul(tp(error), turned, error)), change)


def head_slope(p: Builder, norms: int, positive: int, inside: int, centre: Term) -> int:
    """The gap is >= 0, from steps that bound U and Q, b > 0, and |e|^2 <= b^2.

    With a = e^T U and w = e^T Q e it is b q |e|^2 - a w, half of
    (b - a) (q |e|^2 + w) + (b + a) (q |e|^2 - w).
    """
    a = mul(tp(error), Uh)
    unit, below, above = (p.part(norms, i) for i in (0, 2, 3))
    dominated = p.fact("trace-dominates", p.positive(mul(Uh, tp(Uh)), Summand(tp(Uh))))
    shorter = p.positive(
        minus(mul(tube, tube), mul(a, a)),
        Summand(UNIT, core=inside),
        Summand(error, core=dominated),
        Summand(error, scalars=(unit,)),
    )
    definite = p.fact("definite-inverse", positive)
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)

    def side(sign: int) -> int:
        """b + a >= 0 or b - a >= 0, as 2 b (b + a) = (b + a)^2 + b^2 - a^2."""
        factor = add(tube, scale(sign, a))
        return p.positive(
            factor,
            Summand(factor, scalars=(inverse,), coefficient=HALF),
            Summand(UNIT, core=shorter, scalars=(inverse,), coefficient=HALF),
            by=[(cancels, lambda f: scale(-1, mul(f, factor)))],
        )

    return p.positive(
        head_gap(centre),
        Summand(error, core=above, scalars=(side(-1),), coefficient=HALF),
        Summand(error, core=below, scalars=(side(1),), coefficient=HALF),
    )


def triangle(
    p: Builder, first: tuple[Term, Term, int, int], second: tuple[Term, Term, int, int]
) -> int:
    """|a + b| <= r + m, from vectors, bounds, and steps r > 0 and |a|^2 <= r^2 for each."""
    (a, r, r_positive, r_bound), (b, s, s_positive, s_bound) = first, second
    product = p.positive(mul(r, s), Summand(UNIT, scalars=(r_positive, s_positive)), strict=True)
    definite = p.fact("definite-inverse", product)
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
    apart = minus(scale(s, a), scale(r, b))
    crossed = mul(tp(a), b)
    return p.positive(
        minus(mul(add(r, s), add(r, s)), square(add(a, b))),
        Summand(UNIT, core=r_bound),
        Summand(UNIT, core=s_bound),
        Summand(apart, scalars=(inverse,)),
        Summand(s, core=r_bound, scalars=(inverse,)),
        Summand(r, core=s_bound, scalars=(inverse,)),
        by=[
            (cancels, lambda f: scale(2, mul(f, crossed))),
            (cancels, lambda f: scale(-2, mul(f, r, s))),
        ],
    )


def prove() -> Proof:
    p = Builder()
    norms = p.specialise(p.assume(NORMS), h)
    solution = p.assume(SOLUTION)
    moves, grows = p.assume(ode(INFINITY, y, v)), p.assume(ode(INFINITY, radius, growth))
    almost, sizes = p.assume(ALMOST), p.assume(SIZES)
    begins, ends = p.assume(START), p.assume(END)
    longer, defective, slope_positive, tube_positive, starts, room, reached, rounded, enough = (
        p.part(sizes, i) for i in range(9)
    )

    # the one-sided Lipschitz constant around y(t)
    time = p.assume(conj(psd(t), psd(minus(s, t))))
    turns = p.at(p.part(almost, 1), t, time)
    centre = at(y, t)
    inside = p.assume(le(square(error), mul(tube, tube)))
    gap = p.generalise(h, head_slope(p, norms, tube_positive, inside, centre))
    summed = p.fact("sum-nonnegative", gap, f=lam(h, head_gap(centre)))
    change = mul(tp(error), minus(at(f, add(centre, error)), at(f, centre)))
    slope = p.positive(
        minus(mul(SLOPE, square(error)), change),
        Summand(UNIT, core=summed),
        Summand(error, core=turns),
    )
    slope = p.generalise(error, p.discharge(p[inside], slope))
    slope = p.generalise(t, p.discharge(p[time], slope))

    found = p.fact(
        "approximate-solution",
        p.polynomial(f),
        solution,
        moves,
        p.part(almost, 0),
        slope,
        grows,
        p.part(almost, 2),
        begins,
        p.conjunction(longer, defective, slope_positive),
        p.conjunction(starts, room),
        h=s,
        l=SLOPE,
    )
    close = triangle(
        p,
        (minus(at(x, s), at(y, s)), at(radius, s), reached, p.part(found, 1)),
        (minus(at(y, s), M), m, rounded, ends),
    )
    through = add(minus(at(x, s), at(y, s)), minus(at(y, s), M))
    distance = minus(at(x, s), M)
    close = p.replace(
        p.algebra(through, distance), close, lambda g: le(square(g), mul(REACHED, REACHED))
    )
    # e^2 - (r + m)^2 = (e - r - m)^2 + 2 (e - r - m) (r + m)
    close = p.positive(
        minus(mul(end, end), square(distance)),
        Summand(UNIT, core=close),
        Summand(minus(end, REACHED)),
        Summand(UNIT, scalars=(enough, reached), coefficient=2),
        Summand(UNIT, scalars=(enough, rounded), coefficient=2),
    )
    p.conjunction(p.part(found, 0), close)
    return p.proof()


CLAIM = Claim(
    id="covariance.enclosure",
    title="A curve that almost solves a quadratic system encloses the solution",
    source="textbook (a posteriori error estimate by the logarithmic norm); constants new",
    statement=Statement(
        (
            NORMS,
            SOLUTION,
            ode(INFINITY, y, v),
            ode(INFINITY, radius, growth),
            ALMOST,
            SIZES,
            START,
            END,
        ),
        ARRIVES,
    ),
    hypotheses=(
        "|U_h| <= 1 and -q_h I <= Q_h <= q_h I",
        "x solves x' = sum over h of (x^T Q_h x) U_h",
        "y is differentiable",
        "the radius r of the tube is differentiable",
        "|y' - f(y)| <= c, l is a one-sided Lipschitz constant of f along y, and "
        "r' >= (l + b sum over h of q_h) r + c, on [0, s]",
        "signs, r(s) < b, and r(s) + m <= e",
        "|x0 - y(0)| <= r(0)",
        "|y(s) - M| <= m",
    ),
    prove=prove,
    note="The covariance equation in coordinates is such a system; y and r are polynomials, step "
    "by step, from the power series.",
    notation=(Definition("f", f),),
)
