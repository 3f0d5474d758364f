"""Two heads with opposite values are no gradient for any smooth Riemannian metric, d = 1.

Two tokens at one place do not move.  Near there, at x and x + t, both move in the same direction
by c t^2 + O(t^3), where c is not 0.  So an energy is constant where the tokens agree, and its third
derivative in the directions (0, 1), (0, 1) and (1, 1) is 0; but it is 2 c (1, 1) M (1, 1)^T for the
metric M.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from proofs.builder import Builder, Context, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import t
from proofs.claims.growth import (
    UNIT,
    exponential_of,
    inverse_of,
    inverted,
    moving,
    product_of,
    sum_of,
)
from proofs.claims.line_velocity import cancelled, nonzero, positive_exponential
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    exists,
    exp,
    forall,
    gradient,
    inv,
    lam,
    literal,
    mat,
    minus,
    mul,
    negation,
    number,
    ode,
    pd,
    real,
    scale,
    smooth_at,
    time_to,
    tp,
    tr,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, size, variable

TWO = size(2)
STATE = matrix_sort(ONE, TWO)
p, q = real("p"), real("q")
MASSES = pd(p), pd(q)
FIRST, SECOND = literal([[1], [0]]), literal([[0], [1]])
E = variable("E", function_sort(STATE, REAL))
F = variable("F", function_sort(STATE, STATE))
M = variable("M", function_sort(STATE, matrix_sort(TWO, TWO)))
Z = mat("Z", ONE, TWO)
v, a, b, x, y, z = (real(name) for name in "vabxyz")
ZERO, UNITY = number(0), number(1)


def columns(first: Term, second: Term) -> Term:
    """The 1 x 2 matrix of two numbers."""
    return add(mul(first, tp(FIRST)), mul(second, tp(SECOND)))


def weight(score: Term, place: Term, other: Term) -> Term:
    """exp(a x y)."""
    return exp(mul(score, place, other))


def mass(score: Term, place: Term, one: Term, two: Term) -> Term:
    """The sum of the weights of the two tokens."""
    return add(mul(p, weight(score, place, one)), mul(q, weight(score, place, two)))


def mean(score: Term, place: Term, one: Term, two: Term) -> Term:
    """The mean of the two tokens that a head with this score sees from a place."""
    moment = add(mul(p, weight(score, place, one), one), mul(q, weight(score, place, two), two))
    return mul(inv(mass(score, place, one, two)), moment)


def velocity(place: Term, one: Term, two: Term) -> Term:
    """That of two heads with the values v and -v and the scores a and b."""
    return add(mul(v, mean(a, place, one, two)), mul(scale(-1, v), mean(b, place, one, two)))


def field(one: Term, two: Term) -> Term:
    """The row of the two velocities times the metric."""
    both = columns(velocity(one, one, two), velocity(two, one, two))
    return mul(both, at(M, columns(one, two)))


GIVEN = forall(x, forall(y, eq(at(F, columns(x, y)), field(x, y))))
METRIC = forall(Z, pd(at(M, Z)))
SMOOTH = forall(Z, smooth_at(M, Z)), forall(Z, smooth_at(F, Z))
VALUE, SCORES = negation(eq(v, ZERO)), negation(eq(minus(a, b), ZERO))
ENERGY = gradient(E, F)
HYPOTHESES = (*MASSES, GIVEN, METRIC, *SMOOTH, VALUE, SCORES)
START = columns(UNITY, UNITY)
AHEAD, TOGETHER = columns(ZERO, UNITY), columns(UNITY, UNITY)


def ray(direction: Term) -> Term:
    return add(START, scale(t, direction))


def curves(index: int, rows: Term) -> tuple[Term, Term]:
    """Letters for the derivatives along a ray."""
    return time_to(f"G{index}", rows, TWO), time_to(f"H{index}", rows, TWO)


@dataclass(frozen=True)
class Along:
    """Steps on F or M along a ray that begins where both tokens are at 1.

    ``statement`` says what G and H are, the derivatives of F along the ray; ``first`` and
    ``next`` that F' = G and G' = H.
    """

    existence: int
    letters: tuple[Term, Term]
    statement: Term
    first: int
    next: int


@dataclass(frozen=True)
class TwoHeads:
    """Steps of the proof."""

    s: Builder
    masses: tuple[int, int]
    given: int

    def derivatives(self, index: int, smooth: int, function: Term, direction: Term) -> Along:
        """The derivatives of F or M along a ray, assumed; see `for_some`."""
        s = self.s
        G, H = curves(index, ONE if function == F else TWO)
        along = s.fact("smooth-along-line", smooth, S=function, Z=START, U=direction)
        statement = conj(
            ode(INFINITY, lam(t, at(function, ray(direction))), G), ode(INFINITY, G, H)
        )
        both = s.assume(statement)
        return Along(along, (G, H), statement, s.part(both, 0), s.part(both, 1))

    def for_some(self, along: Along, use: int) -> int:
        """What ``use`` proves from the derivatives, because they exist."""
        G, H = along.letters
        inner = self.s.obtain(self.s.assume(exists(H, along.statement)), H, use)
        return self.s.obtain(along.existence, G, inner)

    def total_mass(self) -> int:
        """p + q > 0."""
        shares = (Summand(UNIT, core=m) for m in self.masses)
        return self.s.positive(add(p, q), *shares, strict=True)

    def positive_mass(self, score: Term, place: Term, one: Term, two: Term) -> int:
        shares = [
            Summand(UNIT, scalars=(m, positive_exponential(self.s, mul(score, place, other))))
            for m, other in zip(self.masses, (one, two), strict=True)
        ]
        return self.s.positive(mass(score, place, one, two), *shares, strict=True)

    def share(self, score: Term, place: Term, one: Term, two: Term) -> int:
        """The equation of exp(a z y) / N(z)."""
        s = self.s

        def moved(other: Term) -> int:
            return exponential_of(s, moving(s, INFINITY, mul(score, place, other)))

        first = product_of(s, moving(s, INFINITY, p), moved(one))
        second = product_of(s, moving(s, INFINITY, q), moved(two))
        regular = inverted(s, self.positive_mass(score, place, one, two))[0]
        return product_of(s, moved(two), inverse_of(s, sum_of(s, first, second), regular))

    def factor(self, one: Term, two: Term, metric: int) -> int:
        """The equation of X, for F = t X along the ray, where y = x + t."""
        s = self.s

        def column(place: Term, unit: Term) -> int:
            shares = [self.share(score, place, one, two) for score in (a, b)]
            opposite = product_of(s, moving(s, INFINITY, number(-1)), shares[1])
            size = moving(s, INFINITY, mul(v, q))
            scaled = product_of(s, size, sum_of(s, shares[0], opposite))
            return product_of(s, scaled, moving(s, INFINITY, tp(unit)))

        rows = sum_of(s, column(one, FIRST), column(two, SECOND))
        return product_of(s, rows, metric)

    def field_along(self, one: Term, two: Term, direction: Term) -> int:
        """F(ray) = field(x, y), with the metric at the ray."""
        s = self.s
        there = s.algebra(columns(one, two), ray(direction))
        value = s.specialise(s.specialise(self.given, one), two)
        both = columns(velocity(one, one, two), velocity(two, one, two))
        return s.replace(there, value, lambda h: eq(at(F, h), mul(both, at(M, h))))

    def apart(self, one: Term, two: Term, direction: Term, along: Along, metric: int) -> int:
        """H(0) = 2 X'(0) for a ray on which y = x + t."""
        s = self.s
        factor = self.factor(one, two, metric)
        curve, slope = s[factor].args[1], s[factor].args[2]
        value = self.field_along(one, two, direction)
        uses = []
        for place, unit in ((one, FIRST), (two, SECOND)):
            for score, sign in ((a, 1), (b, -1)):
                cancel = inverted(s, self.positive_mass(score, place, one, two))[2]
                uses.append((cancel, _inside(scale(sign, v), one, unit, direction)))
        same = s.algebra(at(F, ray(direction)), scale(t, at(curve, t)), (value, itself), *uses)
        return self.second(same, curve, slope, factor, along)

    def second(self, same: int, curve: Term, slope: Term, factor: int, along: Along) -> int:
        """H(0) = 2 X'(0), from steps that prove F = t X and the equation of X."""
        s = self.s
        G, H = along.letters
        written = s.replace(s.extensionality(t, same), along.first, lambda h: ode(INFINITY, h, G))
        return s.fact(
            "derivative-of-factor", written, along.next, factor, X=curve, G=G, H=H, J=slope
        )

    def together(self, along: Along) -> int:
        """H(0) = 2 0 for the ray on which y = x, where F is 0."""
        s = self.s
        here = add(UNITY, t)
        value = self.field_along(here, here, TOGETHER)
        uses = []
        for unit in (FIRST, SECOND):
            for score, sign in ((a, 1), (b, -1)):
                cancel = inverted(s, self.positive_mass(score, here, here, here))[2]
                uses.append((cancel, _inside(scale(sign, v), here, unit, TOGETHER)))
        nothing = zero(ONE, TWO)
        same = s.algebra(at(F, ray(TOGETHER)), scale(t, nothing), (value, itself), *uses)
        still = moving(s, INFINITY, nothing)
        curve, slope = s[still].args[1:]
        return self.second(same, curve, slope, still, along)


def _inside(factor: Term, place: Term, unit: Term, direction: Term) -> Context:
    return lambda h: mul(factor, h, place, tp(unit), at(M, ray(direction)))


MEAN = inv(add(p, q))
#: c
SIZE = mul(v, q, p, MEAN, MEAN, minus(a, b))
ONES = tp(TOGETHER)


def push(metric: Term) -> Term:
    """2 c (1, 1) M, the second derivative of F where both tokens are at 1, along rays y = x + t."""
    return scale(scale(2, SIZE), mul(TOGETHER, metric))


def pushed(
    two: TwoHeads, second: int, direction: Term, metric: Along, rates: tuple[int, int]
) -> int:
    """H(0) = 2 c (1, 1) M, from H(0) = 2 X'(0).

    ``rates`` are the derivatives of x y and of y y along the ray; those of x x and y x are less
    by 1.
    """
    s = two.s
    place = add(START, scale(ZERO, direction))
    here, drift = at(M, place), at(metric.letters[0], ZERO)
    same = s.replace(s.algebra(place, START), s.reflexivity(here), lambda h: eq(here, at(M, h)))
    whole = inverted(s, two.total_mass())[2]
    uses: list[tuple[int, Context]] = [(second, itself), (same, push)]
    for score, sign in ((a, 1), (b, -1)):
        weighted = exp(score)
        normal = scale(add(p, q), weighted)
        part = mul(weighted, inv(normal))
        cancel = inverted(s, two.positive_mass(score, UNITY, UNITY, UNITY))[2]
        share = s.algebra(
            part,
            MEAN,
            (whole, partial(_unscaled, part)),
            (cancel, lambda h: mul(MEAN, h)),
        )
        for unit, rate in zip((FIRST, SECOND), rates, strict=True):
            size = scale(2 * sign, mul(v, q))
            row = mul(tp(unit), here), mul(tp(unit), drift)
            uses += _column(share, whole, part, size, score, rate, row)
    return s.algebra(s[second].args[0], push(at(M, START)), *uses)


def _unscaled(part: Term, hole: Term) -> Term:
    return scale(-1, mul(part, hole))


def _column(
    share: int, whole: int, part: Term, size: Term, score: Term, rate: int, row: tuple[Term, Term]
) -> list[tuple[int, Context]]:
    """One token and one head in `pushed`: exp / N is 1 / (p + q), and (p + q) / (p + q) is 1."""
    metric, drift = row
    slope = mul(size, score)
    less = add(scale(rate - 1, p), scale(rate, q))
    return [
        (share, lambda h: scale(mul(size, h), drift)),
        (share, lambda h: scale(mul(number(rate), slope, h), metric)),
        (share, lambda h: scale(mul(number(-1), slope, less, h, add(part, MEAN)), metric)),
        (whole, lambda h: scale(mul(number(-rate), slope, MEAN, h), metric)),
    ]


def prove() -> Proof:
    s = Builder()
    masses = s.assume(MASSES[0]), s.assume(MASSES[1])
    given, metric = s.assume(GIVEN), s.assume(METRIC)
    smooth_metric, smooth_field = (s.assume(h) for h in SMOOTH)
    value, scores = s.assume(VALUE), s.assume(SCORES)
    two = TwoHeads(s, masses, given)
    across = add(AHEAD, TOGETHER)
    rays = [two.derivatives(i, smooth_field, F, u) for i, u in enumerate((AHEAD, TOGETHER, across))]
    metrics = [two.derivatives(i, smooth_metric, M, u) for i, u in ((3, AHEAD), (4, across))]
    third = s.fact(
        "symmetric-third-derivative",
        s.assume(ENERGY),
        s.specialise(smooth_field, START),
        *(step for along in rays for step in (along.first, along.next)),
        E=E,
        F=F,
        Z=START,
        U=AHEAD,
        W=TOGETHER,
    )
    later = add(UNITY, t)
    first = two.apart(UNITY, later, AHEAD, rays[0], metrics[0].first)
    first = pushed(two, first, AHEAD, metrics[0], (1, 2))
    last = two.apart(later, add(UNITY, scale(2, t)), across, rays[2], metrics[1].first)
    last = pushed(two, last, across, metrics[1], (3, 4))
    still = two.together(rays[1])

    form = mul(tp(ONES), at(M, START), ONES)
    same = s.entries(tr(mul(tp(mul(TOGETHER, at(M, START))), TOGETHER)), form)
    quarter = Fraction(1, 4)
    product = s.algebra(
        mul(SIZE, form),
        ZERO,
        (same, lambda h: mul(number(-1), SIZE, h)),
        (third, lambda h: scale(quarter, h)),
        (first, lambda h: scale(-2 * quarter, tr(mul(tp(h), TOGETHER)))),
        (first, lambda h: scale(-quarter, tr(mul(tp(h), AHEAD)))),
        (last, lambda h: scale(quarter, tr(mul(tp(h), AHEAD)))),
        (still, lambda h: scale(-quarter, tr(mul(tp(h), AHEAD)))),
    )
    ones, origin = literal([[1], [1]]), literal([[0], [0]])
    moves = s.replace(
        s.algebra(ones, ONES), s.unequal(ones, origin), lambda h: negation(eq(h, origin))
    )
    moves = s.replace(s.algebra(origin, zero(TWO, ONE)), moves, lambda h: negation(eq(ONES, h)))
    positive = s.fact("definite-form", s.specialise(metric, START), moves, M=at(M, START), u=ONES)
    share = inverted(s, inverted(s, two.total_mass())[1])[2]
    inverses = [inverted(s, step)[2] for step in (*masses, positive)]
    absurd = cancelled(
        s, product, UNITY, nonzero(s, value), nonzero(s, scores), share, share, *inverses
    )
    for along in (*rays, *metrics):
        absurd = two.for_some(along, absurd)
    s.contradiction(ENERGY, absurd, s.unequal(UNITY, ZERO))
    return s.proof()


CLAIM = Claim(
    id="gradient.none.opposite-heads",
    title="Two heads with opposite values are no gradient for any smooth Riemannian metric, d = 1",
    source="new",
    statement=Statement(HYPOTHESES, negation(ENERGY)),
    hypotheses=(
        "p > 0",
        "q > 0",
        "F the velocities of the two tokens times the metric M",
        "M positive definite",
        "M smooth",
        "F smooth",
        "v not 0",
        "a - b not 0",
    ),
    prove=prove,
    note="Softmax with heads of values v and -v and scores a and b; each head alone is a gradient, "
    "as d = 1. The class: all functions E of the positions of two tokens with fixed masses, and "
    "all smooth Riemannian metrics M on these positions, which may depend on both and mix them; "
    "F, and so E, is smooth then.",
    notation=(
        Definition("m", lam(a, lam(z, lam(x, lam(y, mean(a, z, x, y)))))),
        Definition("Gamma", lam(z, lam(x, lam(y, velocity(z, x, y))))),
    ),
)
