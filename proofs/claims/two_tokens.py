"""What an energy of two tokens implies for a velocity: its mixed derivatives agree.

The energy E is any function of the positions of two tokens of masses m_1 and m_2 such that along
every motion

    E' = sum over k of m_k Z_k <B U_k, Gamma_k>,

with a constant B > 0 and the denominator Z of the attention.  For attention whose weights are
G(x, y)/Z(x) and whose values are V y, the derivatives of E in the directions u of the first token
and w of the second are then equal in both orders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs.builder import Builder, Summand, itself
from proofs.claims.covariance_equation import V, d, t
from proofs.claims.gradient_flow import B
from proofs.claims.growth import (
    UNIT,
    exponential_of,
    inverted,
    moving,
    product_of,
    same_velocity,
    sum_of,
    with_velocity,
)
from proofs.claims.line_velocity import positive_exponential
from proofs.claims.particles import expanded, rewritten
from proofs.language import (
    INFINITY,
    add,
    at,
    atoms,
    curves,
    eq,
    family,
    forall,
    head,
    identity,
    implies,
    inv,
    lam,
    literal,
    minus,
    mul,
    ode,
    pd,
    real,
    scale,
    total,
    tp,
    vec,
    zero,
)
from proofs.terms import ONE, REAL, Term, function_sort, index, matrix_sort, size, variable

TWO = size(2)
FIRST, SECOND = index(1, 2), index(2, 2)
k = head("i", TWO)
POINT = matrix_sort(d, ONE)
m = family("m", TWO, ONE, ONE)
m1, m2 = at(m, FIRST), at(m, SECOND)
X, U = curves("X", TWO, d, ONE), curves("U", TWO, d, ONE)
E = variable("E", function_sort(POINT, function_sort(POINT, REAL)))
LAW = atoms(m, lam(k, at(X, k, t)))
POSITIVE_MASSES = forall(k, pd(at(m, k)))
#: places of the two tokens, and directions in which they move
x, y, u, w = (vec(name, d) for name in "xyuw")
r = real("r")


@dataclass(frozen=True)
class Attention:
    """Attention with the weights G(x, y)/Z(x).

    Attributes:
        kernel: (x, y) -> G(x, y), an exponential.
        slope: (x, y, v) -> the derivative of log G(x, y) when y moves in the direction v.
        mass: Z at X_k(t), against LAW.
        velocity: Gamma at X_k(t), the quotient of an integral and the mass.
    """

    kernel: Callable[[Term, Term], Term]
    slope: Callable[[Term, Term, Term], Term]
    mass: Term
    velocity: Term

    @property
    def structure(self) -> Term:
        """E' is the sum of the inner products, along every motion."""
        motion = forall(k, ode(INFINITY, at(X, k), at(U, k)))
        energy = at(E, at(X, FIRST, t), at(X, SECOND, t))
        product = scale(mul(at(m, k), self.mass), mul(tp(at(U, k, t)), B, self.velocity))
        change = ode(INFINITY, lam(t, energy), lam(t, total(k, product)))
        return forall(X, forall(U, implies(motion, change)))

    def mixed(self, own: Token, other: Token) -> Term:
        """The derivative of E in both directions over m_1 m_2, that of ``own`` first."""
        weight, slope = self.kernel(own.place, other.place), self.slope
        change = scale(slope(own.place, other.place, other.direction), other.place)
        return scale(weight, mul(tp(own.direction), B, V, add(change, other.direction)))


@dataclass(frozen=True)
class Token:
    """A token: its mass, its place now, and the direction in which it moves."""

    mass: Term
    place: Term
    direction: Term

    def later(self, time: Term) -> Token:
        return Token(self.mass, add(self.place, scale(time, self.direction)), self.direction)


TOKENS = Token(m1, x, u), Token(m2, y, w)


class Exact:
    """A proof from steps of the structure of an attention, and that the masses are positive."""

    def __init__(self, p: Builder, attention: Attention, structure: int, masses: int) -> None:
        self.p, self.attention, self.structure = p, attention, structure
        self.nonnegative = p.generalise(k, p.fact("positive-definite", p.specialise(masses, k)))
        self.masses = tuple(p.specialise(masses, i) for i in (FIRST, SECOND))

    def agreement(self) -> int:
        """mixed(first, second) = mixed(second, first)."""
        p = self.p
        first, second = TOKENS
        f = lam(t, lam(r, at(E, first.later(t).place, second.later(r).place)))
        g, h = self._of_both(self._rate)
        both_p, both_q = self._of_both(self._mixed)
        steps = [self._along(False), self._along(True), self._across(False), self._across(True)]
        z = vec("z", TWO)
        place = (mul(literal([[1, 0]]), z), mul(literal([[0, 1]]), z))
        smooth = [p.continuous(lam(z, at(q, *place))) for q in (both_p, both_q)]
        found = p.fact("mixed-derivatives", *steps, *smooth, f=f, g=g, h=h, p=both_p, q=both_q)
        left, right = (self.attention.mixed(*pair) for pair in (TOKENS, TOKENS[::-1]))
        cancels = [inverted(p, positive)[2] for positive in self.masses]
        gap = minus(left, right)
        return p.algebra(
            left,
            right,
            (found, lambda h: mul(inv(m1), inv(m2), h)),
            (cancels[0], lambda h: scale(-1, mul(h, gap))),
            (cancels[1], lambda h: scale(-1, mul(inv(m1), m1, h, gap))),
        )

    def _at(self, swap: bool, time: Term, rest: Term) -> tuple[Token, Token]:
        """The token that moves, at a time, and the other one, at another time."""
        own, other = TOKENS[::-1] if swap else TOKENS
        return own.later(time), other.later(rest)

    def _rate(self, own: Token, other: Token) -> Term:
        """The derivative of E when ``own`` moves."""
        kernel = self.attention.kernel
        seen = [scale(mul(z.mass, kernel(own.place, z.place)), z.place) for z in (own, other)]
        return scale(own.mass, mul(tp(own.direction), B, V, add(*seen)))

    def _mixed(self, own: Token, other: Token) -> Term:
        return mul(own.mass, other.mass, self.attention.mixed(own, other))

    def _of_both(self, value: Callable[[Token, Token], Term]) -> list[Term]:
        """Functions of the times of the first and of the second token; each may move first."""
        return [
            lam(t, lam(r, value(*(self._at(True, r, t) if swap else self._at(False, t, r)))))
            for swap in (False, True)
        ]

    def _along(self, swap: bool) -> int:
        """For all r: ode(oo, E, rate) when one token moves, and the other is where it is at r."""
        p = self.p
        own, other = self._at(swap, t, r)
        still = zero(d, ONE)
        places = (other.place, own.place) if swap else (own.place, other.place)
        speeds = (still, own.direction) if swap else (own.direction, still)
        steps = [
            with_velocity(p, moving(p, INFINITY, place), speed)
            for place, speed in zip(places, speeds, strict=True)
        ]
        path, flow = (lam(k, lam(t, at(Term("family", z), k))) for z in (places, speeds))
        motion = p.cases(lam(k, ode(INFINITY, at(path, k), at(flow, k))), steps)
        change = p.modus_ponens(p.specialise(p.specialise(self.structure, path), flow), motion)
        whole = at(p[change].args[2], t)
        explicit = expanded(p, self.nonnegative, whole)
        sums = [
            scale(mul(z.mass, self.attention.kernel(own.place, z.place)), z.place)
            for z in (own, other)
        ]
        force = mul(own.mass, tp(own.direction), B, V, add(*sums))
        value = p.algebra(
            whole,
            self._rate(own, other),
            (explicit, itself),
            (self._cancelled(swap, own, other), lambda h: mul(h, force)),
        )
        return p.generalise(r, same_velocity(p, change, value))

    def _cancelled(self, swap: bool, own: Token, other: Token) -> int:
        """inv(Z) Z = 1 at the token that moves."""
        p = self.p
        weights = [self.attention.kernel(own.place, z.place) for z in (own, other)]
        masses = self.masses[::-1] if swap else self.masses
        shares = [
            Summand(UNIT, scalars=(mass, positive_exponential(p, weight.args[0])))
            for mass, weight in zip(masses, weights, strict=True)
        ]
        mass = add(*(mul(z.mass, q) for z, q in zip((own, other), weights, strict=True)))
        return inverted(p, p.positive(mass, *shares, strict=True))[2]

    def _across(self, swap: bool) -> int:
        """For all r: ode(oo, rate, mixed) when the token whose motion ``rate`` is about rests."""
        p = self.p
        own, other = self._at(swap, r, t)
        weight = self.attention.kernel(own.place, other.place)
        exponential = exponential_of(p, moving(p, INFINITY, weight.args[0]))
        seen = product_of(p, moving(p, INFINITY, other.place), exponential)
        row = mul(own.mass, other.mass, tp(own.direction), B, V)
        changing = product_of(p, moving(p, INFINITY, row), seen)
        itself_seen = self.attention.kernel(own.place, own.place)
        rest = scale(mul(own.mass, own.mass, itself_seen), mul(tp(own.direction), B, V, own.place))
        equation = sum_of(p, moving(p, INFINITY, rest), changing)
        value = p.algebra(at(p[equation].args[1], t), self._rate(own, other))
        equation = rewritten(p, equation, value)
        return p.generalise(r, with_velocity(p, equation, self._mixed(own, other)))


def value_form(left: Term, right: Term) -> Term:
    """<left, B V right>."""
    return mul(tp(left), B, V, right)


SYMMETRIC = forall(u, forall(w, eq(value_form(u, w), value_form(w, u))))


def of(p: Builder, step: int, *values: Term) -> int:
    """A statement for all x, y, ... at these values."""
    for value in values:
        step = p.specialise(step, value)
    return step


def symmetric_form(p: Builder, agree: int) -> int:
    """SYMMETRIC, from a step for all x, y, u, w that mixed derivatives agree, at x = y = 0."""
    origin = zero(d, ONE)
    here = of(p, agree, origin, origin, u, w)
    weight = p[here].args[0].args[0]
    _, _, cancel = inverted(p, positive_exponential(p, weight.args[0]))
    form = p.algebra(
        value_form(u, w),
        value_form(w, u),
        (here, lambda h: scale(inv(weight), h)),
        (cancel, lambda h: scale(-1, mul(h, minus(value_form(u, w), value_form(w, u))))),
    )
    return p.generalise(u, p.generalise(w, form))


def without_form(p: Builder, metric: int, form: int, point: Term) -> int:
    """V y = 0 at a point, from M > 0 and a step for all u that <u, M V y> = 0."""
    inverse = p.fact("definite-inverse", metric)
    left = p.part(p.fact("inverse", p.part(inverse, 0)), 1)
    image = mul(V, point)
    here = p.specialise(form, mul(inv(p[metric].args[0]), image))
    square = p.algebra(
        mul(tp(image), identity(d), image),
        zero(ONE, ONE),
        metric,
        (here, itself),
        (left, lambda h: scale(-1, mul(tp(image), h, image))),
    )
    unit = p.positive(identity(d), Summand(identity(d)))
    whole = p.fact("zero-form", unit, square)
    return p.algebra(image, zero(d, ONE), (whole, itself))
