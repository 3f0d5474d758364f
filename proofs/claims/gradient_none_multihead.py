"""Several heads of softmax attention can be a gradient in no metric at all.

Two equal tokens on the line, at 2 and 1, rest under three heads with the scores 0, log 2 and
2 log 2 and the values 2, 90 and -85.  The linearisation there turns: its eigenvalues are not real.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.bridge import to_term
from proofs.builder import Builder, Summand, itself, replaced
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import t
from proofs.claims.growth import (
    UNIT,
    exponential_of,
    inverse_of,
    moving,
    product_of,
    same_velocity,
    sum_of,
)
from proofs.claims.line_velocity import positive_exponential, positive_inverse
from proofs.claims.particles import expanded, rewritten
from proofs.claims.schroedinger_system import exponential_of_zero
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    atoms,
    continuous,
    eq,
    exp,
    forall,
    head,
    implies,
    inv,
    lam,
    literal,
    log,
    minus,
    mul,
    negation,
    number,
    ode,
    pd,
    psd,
    scale,
    time_to,
    tp,
    vec,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, size, variable
from symbolic import notation
from symbolic.variants import lookup

TWO = size(2)
PLACE, MATRIX = matrix_sort(TWO, ONE), matrix_sort(TWO, TWO)
#: the metric and the energy, functions of the positions
G = variable("G", function_sort(PLACE, MATRIX))
E = variable("E", function_sort(PLACE, REAL))
X, U = time_to("X", TWO, ONE), time_to("U", TWO, ONE)
z, u = vec("z", TWO), vec("u", TWO)
HALF = Fraction(1, 2)
UNITS = literal([[1], [0]]), literal([[0], [1]])
START = (2, 1)
P = literal([[z] for z in START])
L = log(number(2))
SCORES, VALUES = (0, 1, 2), (2, 90, -85)
HEADS = {
    "H": size(3),
    "A": Term("family", tuple(scale(n, L) for n in SCORES)),
    "V": Term("family", tuple(number(v) for v in VALUES)),
}


def part(place: Term, token: int) -> Term:
    """The position of a token."""
    return mul(tp(UNITS[token]), place)


def law(place: Term) -> Term:
    ones = Term("family", (number(1), number(1)))
    return atoms(ones, Term("family", (part(place, 0), part(place, 1))))


def velocity(place: Term, token: int) -> Term:
    """Gamma of a token, from the table of variants."""
    expression = lookup("multihead-softmax").velocity(notation.x, notation.mu, form="A")
    return to_term(expression, {**HEADS, "d": ONE, "mu": law(place), "x": part(place, token)})


def field(place: Term) -> Term:
    """The velocities of both tokens."""
    return add(*(mul(UNITS[token], velocity(place, token)) for token in (0, 1)))


STRUCTURE = forall(
    X,
    forall(
        U,
        implies(
            ode(INFINITY, X, U),
            ode(
                INFINITY,
                lam(t, at(E, at(X, t))),
                lam(t, mul(tp(at(U, t)), at(G, at(X, t)), field(at(X, t)))),
            ),
        ),
    ),
)
HYPOTHESES = continuous(G), pd(at(G, P))
#: the linearisation, J = J_0 + L J_1
CONSTANT = [[-7, 14], [-7, 14]]
SLOPE = [[Fraction(1272, 85), Fraction(-848, 85)], [Fraction(-36, 5), Fraction(0)]]
J = add(literal(CONSTANT), scale(L, literal(SLOPE)))


def entry(row: int, column: int) -> Term:
    return add(number(CONSTANT[row][column]), scale(SLOPE[row][column], L))


def column(number: int) -> Term:
    """Of J."""
    constant, slope = ([[row[number]] for row in rows] for rows in (CONSTANT, SLOPE))
    return add(literal(constant), scale(L, literal(slope)))


def weights(place: Term, token: int, score: int) -> list[Term]:
    """exp(a z_k z_j) for both tokens j."""
    own = mul(scale(score, L), part(place, token))
    return [exp(mul(own, part(place, other))) for other in (0, 1)]


def mean(place: Term, token: int, score: int) -> Term:
    """What one head sees, as a quotient of sums."""
    shares = weights(place, token, score)
    seen = add(*(mul(share, part(place, other)) for other, share in enumerate(shares)))
    return mul(seen, inv(add(*shares)))


def explicit(place: Term) -> Term:
    """The field as a sum of quotients."""
    return add(
        *(
            mul(UNITS[token], scale(value, mean(place, token, score)))
            for token in (0, 1)
            for score, value in zip(SCORES, VALUES, strict=True)
        )
    )


@dataclass(frozen=True)
class Field:
    """Steps on the field near P: powers of 2, its value and derivative there, its smoothness."""

    p: Builder

    def powers(self) -> dict[int, int]:
        """n -> exp(n L) = 2^n."""
        p = self.p
        positive = p.positive(number(2), Summand(UNIT, coefficient=2), strict=True)
        known = {0: exponential_of_zero(p)}
        known[1] = p.fact("exponential-of-logarithm", positive, r=number(2))
        for n in (2, 4, 8):
            known[n] = self._squared(n // 2, known[n // 2])
        return known

    def _squared(self, n: int, power: int) -> int:
        """exp(2 n L) = 4^n, from exp(n L) = 2^n."""
        p, half = self.p, scale(n, L)
        double = p.part(p.fact("exponential-of-sum", r=half, s=half), 0)
        return p.algebra(
            exp(scale(2 * n, L)),
            number(4**n),
            (double, itself),
            (power, lambda h: mul(exp(half), h)),
            (power, lambda h: scale(2**n, h)),
        )

    def with_powers(self, value: Term, place: Term, powers: dict[int, int]) -> int:
        """value = the same with the weights at a place that equals P as powers of 2."""
        p = self.p
        step = p.reflexivity(value)
        for token in (0, 1):
            for score in SCORES:
                for other, share in enumerate(weights(place, token, score)):
                    n = score * START[token] * START[other]
                    power = p.algebra(share, number(2**n), (powers[n], itself))
                    step = self._rewritten(step, power)
        return step

    def _rewritten(self, step: int, equation: int) -> int:
        """An equation with its right side rewritten by another one, wherever that applies."""
        left, right = self.p[step].args
        old = self.p[equation].args[0]
        return self.p.replace(equation, step, lambda h: eq(left, replaced(right, old, h)))

    def written_out(self) -> int:
        """For all z: the field at z is a sum of quotients."""
        p = self.p
        one = p.positive(number(1), Summand(UNIT))
        masses = law(z).args[0]
        k = head("k", TWO)
        nonnegative = p.cases(lam(k, psd(at(masses, k))), [one, one])
        parts = [expanded(p, nonnegative, velocity(z, token)) for token in (0, 1)]
        uses = [
            (step, lambda h, unit=unit: mul(unit, h))
            for step, unit in zip(parts, UNITS, strict=True)
        ]
        return p.generalise(z, p.algebra(field(z), explicit(z), *uses))

    def positive_mass(self, place: Term, token: int, score: int) -> int:
        """The denominator of a mean is positive."""
        p, shares = self.p, weights(place, token, score)
        summands = [
            Summand(UNIT, scalars=(positive_exponential(p, share.args[0]),)) for share in shares
        ]
        return p.positive(add(*shares), *summands, strict=True)

    def smooth(self) -> int:
        """The sum of quotients is smooth near P."""
        p = self.p
        regular = []
        for token in (0, 1):
            for score in SCORES:
                exists = p.fact("definite-inverse", self.positive_mass(z, token, score))
                regular.append(p.part(exists, 0))
        return p.specialise(p.generalise(z, p.smooth_at(lam(z, explicit(z)), z, *regular)), P)

    def moved(self) -> int:
        """ode(oo, the field at P + t u, its derivative)."""
        p, place = self.p, add(P, scale(t, u))
        whole: int | None = None
        for token in (0, 1):
            for score, value in zip(SCORES, VALUES, strict=True):
                row = moving(p, INFINITY, scale(value, UNITS[token]))
                term = product_of(p, row, self._moved_mean(place, token, score))
                whole = term if whole is None else sum_of(p, whole, term)
        assert whole is not None
        return rewritten(p, whole, p.algebra(at(p[whole].args[1], t), explicit(place)))

    def _moved_mean(self, place: Term, token: int, score: int) -> int:
        p = self.p
        shares = [
            exponential_of(p, moving(p, INFINITY, share.args[0]))
            for share in weights(place, token, score)
        ]
        parts = [moving(p, INFINITY, part(place, other)) for other in (0, 1)]
        seen = sum_of(p, *(product_of(p, *pair) for pair in zip(shares, parts, strict=True)))
        mass = sum_of(p, *shares)
        exists = p.fact("definite-inverse", self.positive_mass(place, token, score))
        return product_of(p, seen, inverse_of(p, mass, p.part(exists, 0)))


def explicit_structure(p: Builder, structure: int, same: int) -> int:
    """The structure with the field as a sum of quotients."""
    motion = p.assume(ode(INFINITY, X, U))
    change = p.modus_ponens(p.specialise(p.specialise(structure, X), U), motion)
    now = at(X, t)
    row = tp(at(U, t)), at(G, now)
    value = p.algebra(
        at(p[change].args[2], t),
        mul(*row, explicit(now)),
        (p.specialise(same, now), lambda h: mul(*row, h)),
    )
    change = p.discharge(p[motion], same_velocity(p, change, value))
    return p.generalise(X, p.generalise(U, change))


def symmetric_product(p: Builder, structure: int, smooth_metric: int) -> int:
    """(G(P) J)^T = G(P) J."""
    near = Field(p)
    powers = near.powers()
    rest = near.with_powers(explicit(P), P, powers)
    rests = p.algebra(explicit(P), zero(TWO, ONE), (rest, itself))
    moved = near.moved()
    slopes = lam(u, p[moved].args[2])
    start = near.with_powers(at(slopes, u, number(0)), add(P, scale(number(0), u)), powers)
    by_columns = add(*(scale(part(u, k), column(k)) for k in (0, 1)))
    left, right = p[start].args
    slope = p.replace(p.algebra(right, by_columns), start, lambda h: eq(left, h))
    slope = p.replace(p.entries(by_columns, mul(J, u)), slope, lambda h: eq(left, h))
    return p.fact(
        "gradient-linearisation",
        smooth_metric,
        near.smooth(),
        rests,
        p.generalise(u, moved),
        p.generalise(u, slope),
        explicit_structure(p, structure, near.written_out()),
        n=TWO,
        G=G,
        f=lam(z, explicit(z)),
        E=E,
        p=P,
        J=J,
        h=slopes,
    )


def contradiction(p: Builder, positive: int, product: int) -> int:
    """1 = 0: a multiple of the discriminant of J is a value of G(P), and is negative.

    With g the entries of G(P) and D = J_11 - J_22 the symmetry of G(P) J says that
    g_11 J_12 = g_12 D + g_22 J_21, so that g_11 (D^2 + 4 J_12 J_21) is the value of G(P) at
    (D, 2 J_21).
    """
    metric = at(G, P)
    forms = [[mul(tp(left), metric, right) for right in UNITS] for left in UNITS]
    sides = []
    for row, other in ((0, 1), (1, 0)):
        value = mul(tp(UNITS[row]), metric, J, UNITS[other])
        expansion = add(*(mul(forms[row][k], entry(k, other)) for k in (0, 1)))
        sides.append(p.entries(value, expansion))
    first, second = (p[side].args[1] for side in sides)
    equal = p.algebra(
        first,
        second,
        positive,
        (sides[0], lambda h: scale(-1, h)),
        (sides[1], itself),
        (product, lambda h: scale(-1, mul(tp(UNITS[0]), h, UNITS[1]))),
    )
    gap, below = minus(entry(0, 0), entry(1, 1)), entry(1, 0)
    discriminant = add(mul(gap, gap), scale(4, mul(entry(0, 1), below)))
    state = add(scale(gap, UNITS[0]), scale(scale(2, below), UNITS[1]))
    square = p.algebra(
        mul(tp(state), metric, state),
        mul(forms[0][0], discriminant),
        positive,
        (equal, lambda h: scale(-4, mul(below, h))),
    )
    other = p.unequal(UNITS[0], literal([[0], [0]]))
    empty = p.algebra(literal([[0], [0]]), zero(TWO, ONE))
    nonzero = p.replace(empty, other, lambda h: negation(eq(UNITS[0], h)))
    corner = p.fact("definite-form", positive, nonzero)
    nothing = p.positive(
        number(0),
        Summand(state, core=positive),
        Summand(UNIT, scalars=(corner, negative_discriminant(p, discriminant))),
        by=[(square, lambda h: scale(-1, h))],
        strict=True,
    )
    return p.algebra(number(1), number(0), (positive_inverse(p, nothing), lambda h: scale(-1, h)))


def negative_discriminant(p: Builder, discriminant: Term) -> int:
    """It is a quadratic polynomial in L = log 2, negative for 1/2 <= L <= 1."""
    two = Field(p).powers()[1]
    unit = exponential_of_zero(p)
    above = p.part(p.fact("exponential-above-tangent", r=L), 0)
    below = p.part(p.fact("exponential-above-tangent", r=scale(-1, L)), 0)
    both = p.part(p.fact("exponential-of-sum", r=L, s=scale(-1, L)), 0)
    # exp(-L) = 1/2
    inverse = exp(scale(-1, L))
    half = p.algebra(
        inverse,
        number(HALF),
        (both, lambda h: scale(-HALF, h)),
        (two, lambda h: scale(-HALF, mul(h, inverse))),
        (unit, lambda h: scale(HALF, h)),
    )
    at_most_one = p.positive(
        minus(number(1), L), Summand(UNIT, core=above), by=[(two, lambda h: scale(-1, h))]
    )
    at_least_half = p.positive(
        minus(L, number(HALF)), Summand(UNIT, core=below), by=[(half, lambda h: scale(-1, h))]
    )
    (a, b), (c, e) = CONSTANT
    (f, g), (h, k) = SLOPE
    quadratic = (f - k) ** 2 + 4 * g * h
    linear = 2 * (a - e) * (f - k) + 4 * (b * h + c * g)
    constant = (a - e) ** 2 + 4 * b * c
    # -(quadratic L^2 + linear L + constant) by (L - 1/2) (1 - L) and 1 - L
    slope = linear + 3 * HALF * quadratic
    rest = quadratic * HALF - constant - slope
    return p.positive(
        scale(-1, discriminant),
        Summand(UNIT, scalars=(at_least_half, at_most_one), coefficient=quadratic),
        Summand(UNIT, scalars=(at_most_one,), coefficient=slope),
        Summand(UNIT, coefficient=rest),
        strict=True,
    )


def prove() -> Proof:
    p = Builder()
    smooth_metric, positive = (p.assume(h) for h in HYPOTHESES)
    structure = p.assume(STRUCTURE)
    product = symmetric_product(p, structure, smooth_metric)
    absurd = contradiction(p, positive, product)
    p.contradiction(STRUCTURE, absurd, p.unequal(number(1), number(0)))
    return p.proof()


CLAIM = Claim(
    id="gradient.none.multihead",
    title="Several heads of softmax attention can be a gradient in no metric",
    source="new",
    statement=Statement(HYPOTHESES, negation(STRUCTURE)),
    hypotheses=("G continuous", "G(P) positive definite"),
    prove=prove,
    note="The class: all continuous Riemannian metrics G on the positions of two equal tokens on "
    "the line, and all functions E. The heads have the scores 0, log 2 and 2 log 2 and the values "
    "2, 90 and -85. They leave tokens at 2 and 1 at rest, and the linearisation there has "
    "eigenvalues that are not real. Heads with B V_h = c A_h for one B are not covered: open.",
    notation=(
        Definition("mu", lam(z, law(z))),
        Definition("g", lam(z, velocity(z, 0))),
        Definition("h", lam(z, velocity(z, 1))),
        Definition("Gamma", lam(z, field(z))),
    ),
)
