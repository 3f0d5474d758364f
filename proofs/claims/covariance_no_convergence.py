"""Under the hypotheses of ``covariance.definite-value`` the covariance can rotate for ever."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.affine_flow import equation_of
from proofs.claims.base import Claim
from proofs.claims.covariance_definite_value import CLAIM as DEFINITE
from proofs.claims.covariance_equation import Sigma, Sigma0, T, covariance_field, d, t
from proofs.claims.growth import constant, moving, product_of, sum_of, with_velocity
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    forall,
    identity,
    lam,
    limit,
    mat,
    maximal,
    minus,
    mul,
    negation,
    number,
    ode,
    on_lifetime,
    pd,
    psd,
    scale,
    tp,
    vec,
    within,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

a, b, c = (vec(name, d) for name in "abc")
L, Z = mat("L", d, d), mat("Z", d, d)
I = identity(d)  # noqa: E741 (the identity matrix)
V = add(I, mul(c, tp(c)))
A = minus(mul(a, tp(b)), mul(b, tp(a)))
F = covariance_field(V, A)
SOLUTION = maximal(T, Sigma, F, Sigma0)
ORTHOGONAL = conj(eq(mul(tp(a), c), number(0)), eq(mul(tp(b), c), number(0)))
UNIT_LENGTH = eq(mul(tp(c), c), number(1))


def form(left: Term, matrix: Term, right: Term) -> Term:
    """x^T M y."""
    return mul(tp(left), matrix, right)


def radius(matrix: Term) -> Term:
    """(a^T M c)^2 + (b^T M c)^2."""
    first, second = form(a, matrix, c), form(b, matrix, c)
    return add(mul(first, first), mul(second, second))


NOW = at(Sigma, t)
CORE = mul(NOW, A, NOW)
START = conj(
    eq(form(a, Sigma0, a), number(1)),
    eq(form(b, Sigma0, b), number(1)),
    eq(form(a, Sigma0, b), number(0)),
)
MOVES = negation(eq(radius(Sigma0), number(0)))


class Rotation:
    """Steps about the numbers x^T Sigma y, for x, y among a, b and c, on [0, T)."""

    def __init__(self, p: Builder, solution: int, start: int, symmetric: int) -> None:
        """From steps that prove the solution, ``START`` and Sigma0^T = Sigma0."""
        self.p = p
        self.equation = equation_of(p, solution)
        self.begins = p.part(p.fact("solution", solution), 1)
        orthogonal, self.unit = p.assume(ORTHOGONAL), p.assume(UNIT_LENGTH)
        self.orthogonal = {a: p.part(orthogonal, 0), b: p.part(orthogonal, 1)}
        apart = p.part(start, 2)
        flipped = p.algebra(
            form(b, Sigma0, a),
            number(0),
            (symmetric, lambda h: scale(-1, form(b, h, a))),
            (apart, itself),
        )
        #: x^T Sigma(t) y = x^T Sigma0 y
        self.fixed = {
            (a, a): self.conserved(a, a, p.part(start, 0)),
            (b, b): self.conserved(b, b, p.part(start, 1)),
            (a, b): self.conserved(a, b, apart),
            (b, a): self.conserved(b, a, flipped),
        }
        self.radius = self.constant_radius()

    def moving(self, left: Term, right: Term) -> int:
        """The equation of x^T Sigma y."""
        p = self.p
        inner = product_of(p, moving(p, T, tp(left)), self.equation)
        return product_of(p, inner, moving(p, T, right))

    def conserved(self, left: Term, right: Term, value: int) -> int:
        """x^T Sigma(t) y is what ``value`` proves of x^T Sigma0 y, for x, y among a and b."""
        p = self.p
        still = with_velocity(
            p,
            self.moving(left, right),
            number(0),
            (self.orthogonal[left], lambda h: mul(h, form(c, CORE, right))),
            (self.orthogonal[right], lambda h: scale(-1, mul(h, form(left, CORE, c)))),
        )
        return p.algebra(
            form(left, NOW, right),
            p[value].args[1],
            (constant(p, still), itself),
            (self.begins, lambda h: form(left, h, right)),
            (value, itself),
        )

    def turning(self, vector: Term, value: Term) -> int:
        """The equation of x^T Sigma c, with the derivative ``value``, for x = a or b.

        It is -x^T Sigma A Sigma c = (x^T Sigma b) (a^T Sigma c) - (x^T Sigma a) (b^T Sigma c).
        """
        return with_velocity(
            self.p,
            self.moving(vector, c),
            value,
            (self.orthogonal[vector], lambda h: mul(h, form(c, CORE, c))),
            (self.unit, lambda h: scale(-1, mul(h, form(vector, CORE, c)))),
            (self.fixed[vector, a], lambda h: scale(-1, mul(h, form(b, NOW, c)))),
            (self.fixed[vector, b], lambda h: mul(h, form(a, NOW, c))),
        )

    def constant_radius(self) -> int:
        """(a^T Sigma(t) c)^2 + (b^T Sigma(t) c)^2 is what it is at the start."""
        p = self.p
        first = self.turning(a, scale(-1, form(b, NOW, c)))
        second = self.turning(b, form(a, NOW, c))
        squares = sum_of(p, product_of(p, first, first), product_of(p, second, second))
        still = constant(p, with_velocity(p, squares, number(0)))
        return p.algebra(radius(NOW), radius(Sigma0), (still, itself), (self.begins, radius))


def at_the_limit(p: Builder, endless: int, converges: int, rotation: Rotation) -> int:
    """radius(Sigma0) = 0, if Sigma(t) tends to L: there F(L) = 0, and what is constant is kept."""

    def kept(function: Term, value: int) -> int:
        """g(L) = g(Sigma(t)), from a step about g(Sigma(t)) at t in [0, T)."""
        always = p[value].args[1]
        everywhere = p.replace(
            endless,
            p.for_all(t, within(t, T), value),
            lambda end: on_lifetime(end, lambda t: eq(at(function, at(Sigma, t)), always)),
        )
        return p.fact(
            "constant-along",
            converges,
            p.continuous(function),
            everywhere,
            X=Sigma,
            E=L,
            g=function,
            C=always,
        )

    equation = p[rotation.equation].args
    forever = p.replace(endless, rotation.equation, lambda end: ode(end, equation[1], equation[2]))
    rests = p.fact("equilibrium", forever, p.continuous(F), converges, X=Sigma, F=F, L=L)
    fixed = {
        pair: kept(lam(Z, form(pair[0], Z, pair[1])), value)
        for pair, value in rotation.fixed.items()
    }
    core = mul(L, A, L)

    def gone(vector: Term, other: Term, sign: int) -> int:
        """other^T L c = 0, because 0 = x^T F(L) c = sign other^T L c."""
        return p.algebra(
            form(other, L, c),
            number(0),
            (rests, lambda h: scale(sign, form(vector, h, c))),
            (rotation.orthogonal[vector], lambda h: scale(-sign, mul(h, form(c, core, c)))),
            (rotation.unit, lambda h: scale(sign, mul(h, form(vector, core, c)))),
            (fixed[vector, a], lambda h: scale(sign, mul(h, form(b, L, c)))),
            (fixed[vector, b], lambda h: scale(-sign, mul(h, form(a, L, c)))),
        )

    second, first = gone(a, b, -1), gone(b, a, 1)
    return p.algebra(
        radius(Sigma0),
        number(0),
        (kept(lam(Z, radius(Z)), rotation.radius), lambda h: scale(-1, h)),
        (first, lambda h: mul(h, form(a, L, c))),
        (second, lambda h: mul(h, form(b, L, c))),
    )


def prove() -> Proof:
    p = Builder({DEFINITE.id: DEFINITE.lemma()})
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    forms, moves = p.assume(START), p.assume(MOVES)
    value = p.positive(V, Summand(I), Summand(tp(c)), strict=True)
    skew = p.algebra(add(A, tp(A)), zero(d, d))
    one = p.positive(I, Summand(I), strict=True)
    theorem = p.lemma(
        DEFINITE.id,
        one,
        p.positive(mul(I, V), Summand(I, core=value)),
        p.positive(scale(-1, add(A, tp(A)))),
        start,
        solution,
        P=I,
        V=V,
        A=A,
    )
    endless = p.part(theorem, 0)
    rotation = Rotation(p, solution, forms, p.fact("semidefinite-symmetric", start))
    converges = limit(Sigma, L)
    still = at_the_limit(p, endless, p.assume(converges), rotation)
    never = p.generalise(L, p.contradiction(converges, still, moves))
    p.conjunction(value, skew, endless, never)
    return p.proof()


CLAIM = Claim(
    id="covariance.no-convergence",
    title="V = V^T > 0 and A + A^T = 0: the covariance can rotate for ever, without a limit",
    source="new",
    statement=Statement(
        (ORTHOGONAL, UNIT_LENGTH, psd(Sigma0), START, MOVES, SOLUTION),
        conj(
            pd(V),
            eq(add(A, tp(A)), zero(d, d)),
            eq(T, INFINITY),
            forall(L, negation(limit(Sigma, L))),
        ),
    ),
    hypotheses=(
        "a and b orthogonal to c",
        "c of length 1",
        "Sigma0 positive semidefinite",
        "a^T Sigma0 a = b^T Sigma0 b = 1 and a^T Sigma0 b = 0",
        "Sigma0 c not orthogonal to a and b",
        "Sigma solves the covariance equation for V = I + c c^T, A = a b^T - b a^T",
    ),
    prove=prove,
    note="The hypotheses of covariance.definite-value hold with P = I: they bound the covariance, "
    "but do not make it converge. (a^T Sigma c, b^T Sigma c) moves on a circle.",
    notation=(Definition("V", V), Definition("A", A)),
)
