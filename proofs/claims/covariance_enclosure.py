"""A curve that almost solves the covariance equation encloses the solution, which then goes on."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.head_growth import I, gram_at_most
from proofs.claims.multihead_equation import SOLUTION, Ah, F, H, Vh, h
from proofs.facts.enclosures import restarted, square, until
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    exists,
    family,
    forall,
    identity,
    lam,
    le,
    mat,
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
    tr,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term, substitute

UNIT = identity(ONE)
Y, G = time_to("Y", d, d), time_to("G", d, d)
E, Z = mat("E", d, d), mat("Z", d, d)
v, a = family("v", H, ONE, ONE), family("a", H, ONE, ONE)
vh, ah = at(v, h), at(a, h)
s, r, e, c, y, m = (real(name) for name in ("s", "r", "e", "c", "y", "m"))
M = mat("M", d, d)
#: v_h, a_h > 0 bound the norms of V_h and A_h
NORMS = forall(
    h,
    conj(pd(vh), pd(ah), gram_at_most(mul(Vh, tp(Vh)), vh), gram_at_most(mul(Ah, tp(Ah)), ah)),
)
#: l = 2 (2 y + e) sum over h of v_h a_h
SLOPE = scale(2, mul(add(scale(2, y), e), total(h, mul(vh, ah))))
REACHED = add(r, mul(add(mul(SLOPE, e), c), s))
NEAR = conj(
    until(s, symmetric(at(Y, t))),
    until(s, le(square(at(Y, t)), mul(y, y))),
    until(s, le(square(minus(at(G, t), at(F, at(Y, t)))), mul(c, c))),
)
SIZES = conj(pd(s), pd(y), pd(e), psd(r), pd(c), pd(m), pd(minus(e, REACHED)))
START = le(square(minus(Sigma0, at(Y, number(0)))), mul(r, r))
END = le(square(minus(at(Y, s), M)), mul(m, m))
RADIUS = add(REACHED, m)
#: Z = Sigma(s): near M, and the solution goes on from there
REACHES = conj(
    psd(Z),
    le(square(minus(Z, M)), mul(RADIUS, RADIUS)),
    substitute(restarted(Z), {"F": F, "X": Sigma, "T": T}),
)


@dataclass(frozen=True)
class Factor:
    """A matrix M with |M|_F <= m |E|_F: steps m > 0 and tr(M^T M) <= m^2 tr(E^T E)."""

    matrix: Term
    norm: Term
    positive: int
    bound: int


def product_bound(p: Builder, left: Factor, right: Factor) -> int:
    """2 tr(L R) <= 2 l r tr(E^T E), from tr((r L^T - l R) (r L^T - l R)^T) >= 0."""
    L, R, x, z = left.matrix, right.matrix, left.norm, right.norm
    both = mul(x, z)
    positive = p.positive(both, Summand(UNIT, scalars=(left.positive, right.positive)), strict=True)
    definite = p.fact("definite-inverse", positive)
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
    apart = minus(scale(z, tp(L)), scale(x, R))
    gram = p.fact("trace-nonnegative", p.positive(mul(apart, tp(apart)), Summand(tp(apart))))
    length, crossed = square(E), tr(mul(L, R))
    return p.positive(
        minus(scale(2, mul(both, length)), scale(2, crossed)),
        Summand(UNIT, core=gram, scalars=(inverse,)),
        Summand(z, core=left.bound, scalars=(inverse,)),
        Summand(x, core=right.bound, scalars=(inverse,)),
        by=[
            (cancels, lambda f: scale(2, mul(f, crossed))),
            (cancels, lambda f: scale(-2, mul(f, both, length))),
        ],
    )


@dataclass(frozen=True)
class Bounds:
    """Steps about one head, and the curve Y = Y(t) and E: all symmetric.

    Attributes:
        signs: v, a, y, e > 0.
        value, score: |V^T|^2 <= v^2 and |A^T|^2 <= a^2.
        centre, change: |Y|^2 <= y^2 and |E|^2 <= e^2.
        symmetric: E^T = E, Y^T = Y.
    """

    signs: tuple[int, int, int, int]
    value: int
    score: int
    centre: int
    change: int
    symmetric: tuple[int, int]

    def factor(
        self, p: Builder, matrix: Term, norm: Term, signs: tuple[int, ...], *summands: Summand
    ) -> Factor:
        """E M with |E M|_F <= m |E|_F, from ``summands`` of m^2 E E^T - E M M^T E^T."""
        full = mul(E, matrix)
        gap = minus(scale(mul(norm, norm), mul(E, tp(E))), mul(full, tp(full)))
        traced = p.fact("trace-nonnegative", p.positive(gap, *summands))
        wanted = minus(mul(mul(norm, norm), square(E)), square(full))
        bound = p.replace(p.algebra(tr(gap), wanted), traced, psd)
        scalars = tuple(self.signs[i] for i in signs)
        return Factor(
            full, norm, p.positive(norm, Summand(UNIT, scalars=scalars), strict=True), bound
        )


def head_slope(p: Builder, known: Bounds, centre: Term) -> int:
    """2 v a (2 y + e) |E|^2 - tr(E (F(Y + E) - F(Y))) >= 0 for one head."""
    half = tp(E)
    one = number(1)
    value = known.factor(p, Vh, vh, (0,), Summand(half, core=known.value))
    plain = Factor(
        E,
        one,
        p.positive(one, Summand(UNIT), strict=True),
        p.positive(minus(mul(mul(one, one), square(E)), square(E))),
    )
    through = known.factor(
        p,
        mul(Ah, centre),
        mul(ah, y),
        (1, 2),
        Summand(mul(tp(Ah), half), core=known.centre),
        Summand(scale(y, half), core=known.score),
    )
    around = known.factor(
        p,
        mul(Vh, centre, Ah),
        mul(vh, y, ah),
        (0, 2, 1),
        Summand(mul(tp(centre), tp(Vh), half), core=known.score),
        Summand(scale(ah, mul(tp(Vh), half)), core=known.centre),
        Summand(scale(mul(ah, y), half), core=known.value),
    )
    within_tube = known.factor(
        p,
        mul(Ah, E),
        mul(ah, e),
        (1, 3),
        Summand(mul(tp(Ah), half), core=known.change),
        Summand(scale(e, half), core=known.score),
    )
    products = [
        product_bound(p, left, right)
        for left, right in ((value, through), (plain, around), (value, within_tube))
    ]
    return p.positive(
        slope_gap(centre),
        *(Summand(UNIT, core=step) for step in products),
        by=list(known.symmetric),
    )


def slope_gap(centre: Term) -> Term:
    """2 v_h a_h (2 y + e) |E|^2 - tr(E (F_h(Y + E) - F_h(Y)))."""

    def field(state: Term) -> Term:
        return add(mul(Vh, state, Ah, state), mul(state, tp(Ah), state, tp(Vh)))

    change = tr(mul(E, minus(field(add(centre, E)), field(centre))))
    return minus(scale(2, mul(mul(vh, ah), add(scale(2, y), e), square(E))), change)


def gram_bound(p: Builder, matrix: Term, norm: Term, small: int) -> int:
    """norm^2 I - M M^T >= 0, from a step |M|_F^2 <= norm^2."""
    gram = p.positive(mul(matrix, tp(matrix)), Summand(tp(matrix)))
    dominated = p.fact("trace-dominates", gram)
    return p.positive(
        minus(scale(mul(norm, norm), I), mul(matrix, tp(matrix))),
        Summand(I, scalars=(small,)),
        Summand(I, core=dominated),
    )


def triangle(
    p: Builder, first: tuple[Term, Term, int, int], second: tuple[Term, Term, int, int]
) -> int:
    """|D + B|_F <= x + z, from matrices, bounds, and steps x > 0 and |D|_F^2 <= x^2 for each."""
    (D, x, x_positive, x_bound), (B, z, z_positive, z_bound) = first, second
    product = p.positive(mul(x, z), Summand(UNIT, scalars=(x_positive, z_positive)), strict=True)
    definite = p.fact("definite-inverse", product)
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
    apart = minus(scale(z, D), scale(x, B))
    gram = p.fact("trace-nonnegative", p.positive(mul(tp(apart), apart), Summand(apart)))
    crossed = tr(mul(tp(D), B))
    return p.positive(
        minus(mul(add(x, z), add(x, z)), square(add(D, B))),
        Summand(UNIT, core=x_bound),
        Summand(UNIT, core=z_bound),
        Summand(UNIT, core=gram, scalars=(inverse,)),
        Summand(z, core=x_bound, scalars=(inverse,)),
        Summand(x, core=z_bound, scalars=(inverse,)),
        by=[
            (cancels, lambda f: scale(2, mul(f, crossed))),
            (cancels, lambda f: scale(-2, mul(f, x, z))),
        ],
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    norms = p.specialise(p.assume(NORMS), h)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    moves, near, sizes = (p.assume(f) for f in (ode(INFINITY, Y, G), NEAR, SIZES))
    begins, ends = p.assume(START), p.assume(END)
    longer, positive_y, positive_e, starts, defective, rounded, room = (
        p.part(sizes, i) for i in range(7)
    )

    # the one-sided Lipschitz constant around Y(t)
    time = p.assume(conj(psd(t), psd(minus(s, t))))
    turned, small, _ = (p.at(p.part(near, i), t, time) for i in range(3))
    centre, moved = at(Y, t), add(at(Y, t), E)
    inside = p.assume(conj(symmetric(E), le(square(E), mul(e, e)), psd(moved)))
    known = Bounds(
        (p.part(norms, 0), p.part(norms, 1), positive_y, positive_e),
        p.part(norms, 2),
        p.part(norms, 3),
        gram_bound(p, centre, y, small),
        gram_bound(p, E, e, p.part(inside, 1)),
        (p.part(inside, 0), turned),
    )
    each = p.generalise(h, head_slope(p, known, centre))
    summed = p.fact("sum-nonnegative", each, f=lam(h, slope_gap(centre)))
    change = tr(mul(E, minus(at(F, moved), at(F, centre))))
    slope = p.positive(minus(mul(SLOPE, square(E)), change), Summand(UNIT, core=summed))
    slope = p.generalise(E, p.discharge(p[inside], slope))
    slope = p.generalise(t, p.discharge(p[time], slope))

    stays = p.lemma(RANK.id, start, solution)
    positive = p.for_all(t, within(t, T), p.part(p.at(stays, t, p.assume(within(t, T))), 0))
    products = p.positive(mul(vh, ah), Summand(UNIT, scalars=(p.part(norms, 0), p.part(norms, 1))))
    total_products = p.fact("sum-nonnegative", p.generalise(h, products), f=lam(h, mul(vh, ah)))
    nonnegative = p.positive(
        SLOPE,
        Summand(UNIT, scalars=(total_products, positive_y), coefficient=4),
        Summand(UNIT, scalars=(total_products, positive_e), coefficient=2),
    )
    numbers = p.conjunction(starts, p.fact("positive-definite", defective), nonnegative, room)
    reached = p.fact(
        "approximate-solution",
        p.smooth_on_cone(F),
        solution,
        positive,
        moves,
        p.part(near, 0),
        p.part(near, 2),
        slope,
        begins,
        longer,
        numbers,
        h=s,
        l=SLOPE,
    )
    radius = p.positive(
        REACHED,
        Summand(UNIT, core=starts),
        Summand(UNIT, scalars=(nonnegative, positive_e, longer)),
        Summand(UNIT, scalars=(defective, longer)),
        strict=True,
    )
    close = triangle(
        p,
        (minus(at(Sigma, s), at(Y, s)), REACHED, radius, p.part(reached, 1)),
        (minus(at(Y, s), M), m, rounded, ends),
    )
    distance = minus(at(Sigma, s), M)
    through = add(minus(at(Sigma, s), at(Y, s)), minus(at(Y, s), M))
    close = p.replace(
        p.algebra(through, distance), close, lambda f: le(square(f), mul(RADIUS, RADIUS))
    )
    again = p.fact("restart", solution, p.part(reached, 0), s=s)
    now = p.part(p.at(stays, s, p.part(reached, 0)), 0)
    both = p.conjunction(now, close, again)
    p.exhibit(Z, REACHES, at(Sigma, s), both)
    return p.proof()


CLAIM = Claim(
    id="covariance.enclosure",
    title="A curve that almost solves the covariance equation encloses the solution",
    source="textbook (a posteriori error estimate); constants new",
    statement=Statement(
        (NORMS, psd(Sigma0), SOLUTION, ode(INFINITY, Y, G), NEAR, SIZES, START, END),
        exists(Z, REACHES),
    ),
    hypotheses=(
        "v_h, a_h > 0 bound the norms of V_h and A_h",
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
        "Y is differentiable",
        "y bounds Y, and c bounds Y' - F(Y), on [0, s]",
        "the radius e of the tube leaves room",
        "r bounds Sigma0 - Y(0)",
        "m bounds Y(s) - M",
    ),
    prove=prove,
    note="Norms of matrices that depend on time are those of Frobenius. Applied to polynomials Y, "
    "step by step, from the power series.",
    notation=(Definition("F", F),),
)
