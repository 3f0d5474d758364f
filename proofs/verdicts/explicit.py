"""Solutions that are rational functions of time, from the power series, proved by insertion."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from numeric.exact import Matrix
from numeric.rational_solutions import RationalCurve, rational_solution
from proofs import language as la
from proofs.builder import Summand
from proofs.checkers.calculus import derivative
from proofs.claims.covariance_explicit import CLAIM
from proofs.kernel import KernelError
from proofs.language import INFINITY
from proofs.terms import ONE, Term, application
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import Problem
from proofs.verdicts.workspace import Workspace

NAME = "Sigma(t) = N(t)/D(t) with polynomials N and D"
UNIT = la.identity(ONE)
#: how often a polynomial is multiplied by t + (r - t), or by 1 + t, to make its coefficients >= 0
MAX_ELEVATIONS = 40
Polynomial = Sequence[Fraction]


def explicit(problem: Problem | HeadsProblem) -> Application | None:
    """The exact blow-up time, or global existence, where such a curve is found."""
    if problem.start is None or problem.scale_squared is not None:
        return None
    heads = AsHeads.of(problem)
    start = problem.start
    assert isinstance(start, tuple)
    found = rational_solution(heads.pairs, start)
    if found is None:
        return None
    try:
        finding = _Insertion(heads, found).finding()
    except (KernelError, NotPositiveError):
        return None
    return Application(CLAIM.id, (Hypothesis(NAME, True, f"D(t) = {_show(found)}"),), (finding,))


def _show(curve: RationalCurve) -> str:
    powers = ["", " t", *(f" t^{i}" for i in range(2, len(curve.denominator)))]
    pairs = zip(curve.denominator, powers, strict=False)
    return " + ".join(f"{c}{power}" for c, power in pairs if c).replace("+ -", "- ")


class NotPositiveError(ValueError):
    """A polynomial was not seen to be positive."""


class _Insertion:
    """The proof that a rational curve solves the equation on [0, end)."""

    def __init__(self, heads: AsHeads, found: RationalCurve) -> None:
        self.heads, self.found = heads, found
        self.work = Workspace(heads.problem, {CLAIM.id: CLAIM.lemma()})
        self.p = self.work.p
        self.t = la.real("t")
        self.end = INFINITY if found.end is None else la.finite(la.number(found.end))
        self.inside = la.within(self.t, self.end)
        self.curve = la.lam(self.t, self._value())

    def _value(self) -> Term:
        return la.scale(la.inv(self._denominator()), self._numerator())

    def _denominator(self) -> Term:
        return _sum([la.scale(c, self._power(i)) for i, c in enumerate(self.found.denominator)])

    def _numerator(self) -> Term:
        listed = enumerate(self.found.numerator)
        return _sum([la.scale(self._power(i), la.literal(N)) for i, N in listed])

    def _power(self, i: int) -> Term:
        return la.number(1) if i == 0 else self.t if i == 1 else la.mul(*[self.t] * i)

    def finding(self) -> Finding:
        p, problem, found = self.p, self.heads.problem, self.found
        full = self.heads.terms
        starts = p.algebra(la.at(self.curve, la.number(0)), problem.terms["Sigma0"])
        theorem = p.lemma(
            CLAIM.id, starts, self.heads.solution(self.work), **{**full, "X": self.curve}
        )
        positive = self._positive_throughout()
        solves = self._solves(positive)
        if found.end is None:
            same = p.modus_ponens(p.part(theorem, 1), solves)
            end = p.part(same, 0)
            statement = problem.statement(p[end])
            return Finding("existence", "global", statement, p.proof(end))
        end_positive = self.work.prove(la.pd(la.number(found.end)))
        condition = p.conjunction(end_positive, solves, self._escapes(end_positive, positive))
        same = p.at(p.part(theorem, 0), la.number(found.end), condition)
        end = p.part(same, 0)
        time = (found.end, found.end)
        return Finding("existence", "blow-up", problem.statement(p[end]), p.proof(end), time=time)

    # D(t) > 0 on [0, end)

    def _positive_throughout(self) -> int:
        """The step D(t) > 0, under the assumption t in [0, end)."""
        p = self.p
        now = p.fact("within", p.assume(self.inside))
        if self.found.end is not None:
            return self._positive_before(self._denominator(), self.found.denominator, now)
        coefficients, elevations = _elevated(self.found.denominator)
        factor = self._power_of(la.add(la.number(1), self.t), elevations)
        product = p.positive(
            la.mul(self._denominator(), factor),
            *(
                Summand(UNIT, scalars=(now,) * i, coefficient=c)
                for i, c in enumerate(coefficients)
                if c
            ),
            strict=True,
        )
        one = p.positive(la.add(la.number(1), self.t), Summand(UNIT), Summand(UNIT, scalars=(now,)))
        nonnegative = p.positive(factor, Summand(UNIT, scalars=(one,) * elevations))
        return p.fact("positive-factor", nonnegative, product)

    def _power_of(self, base: Term, count: int) -> Term:
        return la.number(1) if count == 0 else base if count == 1 else la.mul(*[base] * count)

    def _before(self) -> int:
        """The step r - t > 0."""
        return self.p.fact("within-finite", self.p.assume(self.inside))

    def _positive_before(
        self, term: Term, coefficients: Polynomial, now: int, strict: bool = True
    ) -> int:
        """The step term > 0 for t in [0, r), from nonnegative coefficients in t and r - t."""
        assert self.found.end is not None
        before = self._before()
        bernstein = _bernstein(coefficients, self.found.end, strict)
        degree = len(bernstein) - 1
        return self.p.positive(
            term,
            *(
                Summand(UNIT, scalars=(now,) * i + (before,) * (degree - i), coefficient=c)
                for i, c in enumerate(bernstein)
                if c
            ),
            strict=strict,
        )

    # X' = F(X)

    def _solves(self, positive: int) -> int:
        p, t = self.p, self.t
        D, N = self._denominator(), self._numerator()
        regular, _, cancels = self._inverse(positive)
        moves = p.differentiate(
            self.end,
            self.curve,
            *([] if self._constant() else [p.for_all(t, self.inside, regular)]),
        )
        field = self.heads.field
        velocity = application(p[moves].args[2], t)
        y = la.inv(D)
        slope, rate = (derivative(term, t)[0] for term in (D, N))
        same = p.entries(la.minus(la.scale(D, rate), la.scale(slope, N)), application(field, N))
        inserted = p.algebra(
            velocity,
            application(field, application(self.curve, t)),
            (same, lambda h: la.scale(la.mul(y, y), h)),
            (cancels, lambda h: la.scale(-1, la.scale(la.mul(y, h), rate))),
        )
        return p.fact(
            "equal-velocities",
            moves,
            p.for_all(t, self.inside, inserted),
            T=self.end,
            Y=self.curve,
            G=p[moves].args[2],
            H=la.lam(t, la.at(field, la.at(self.curve, t))),
        )

    def _constant(self) -> bool:
        return len(self.found.denominator) == 1

    def _inverse(self, positive: int) -> tuple[int, int, int]:
        """Steps D invertible, 1/D > 0 and D (1/D) = 1."""
        definite = self.p.fact("definite-inverse", positive)
        regular = self.p.part(definite, 0)
        return regular, self.p.part(definite, 1), self.p.part(self.p.fact("inverse", regular), 0)

    # |X(t)| -> oo as t -> r

    def _escapes(self, end_positive: int, positive: int) -> int:
        """w^T X(t) w >= c/(r - t) for a unit vector w: w^T N(t) w >= c D(t)/(r - t)."""
        p, t, found = self.p, self.t, self.found
        assert found.end is not None
        now = p.fact("within", p.assume(self.inside))
        before = self._before()
        quotient = _divided(found.denominator, found.end)
        place, entry, c = _growing_entry(found.numerator, quotient, found.end)
        w = la.literal([[Fraction(i == place)] for i in range(len(found.numerator[0]))])
        rest = [a - c * b for a, b in _paired(entry, quotient)]
        remains = _sum([la.scale(x, self._power(i)) for i, x in enumerate(rest)])
        above = self._positive_before(remains, rest, now, strict=False)
        definite = p.fact("definite-inverse", before)
        z = p[p.part(definite, 1)].args[0]
        reduced = p.part(p.fact("inverse", p.part(definite, 0)), 1)
        _, inverse, cancels = self._inverse(positive)
        y = p[inverse].args[0]
        value = la.mul(la.tp(w), la.at(self.curve, t), w)
        # y w^T N w - c z = y rest + c (y D/(r - t) - z), and y D = 1, z (r - t) = 1
        share = _sum([la.scale(x, self._power(i)) for i, x in enumerate(quotient)])
        bound = p.positive(
            la.minus(value, la.scale(c, z)),
            Summand(UNIT, core=above, scalars=(inverse,)),
            by=[
                (cancels, lambda h: la.scale(c, la.mul(z, h))),
                (reduced, lambda h: la.scale(-c, la.mul(h, share, y))),
            ],
        )
        return p.fact(
            "unbounded-form",
            end_positive,
            self.work.prove(la.pd(la.number(c))),
            p.for_all(t, self.inside, bound),
            r=la.number(found.end),
            c=la.number(c),
            X=self.curve,
            w=w,
        )


def _sum(terms: Sequence[Term]) -> Term:
    return terms[0] if len(terms) == 1 else la.add(*terms)


def _paired(left: Polynomial, right: Polynomial) -> list[tuple[Fraction, Fraction]]:
    length = max(len(left), len(right))
    padded = [[*side, *[Fraction(0)] * (length - len(side))] for side in (left, right)]
    return list(zip(*padded, strict=True))


def _elevated(coefficients: Polynomial) -> tuple[Polynomial, int]:
    """Coefficients >= 0 of the polynomial times (1 + t)^n, and n.

    Raises:
        NotPositiveError: there are none for the n that are tried.
    """
    current = list(coefficients)
    for n in range(MAX_ELEVATIONS):
        if min(current) >= 0:
            return current, n
        current = [a + b for a, b in _paired(current, [Fraction(0), *current])]
    raise NotPositiveError("the denominator was not seen to be positive")


def _bernstein(coefficients: Polynomial, end: Fraction, strict: bool) -> list[Fraction]:
    """Numbers c_i >= 0 with p(t) = sum c_i t^i (end - t)^(n - i); c_0 > 0 when ``strict``.

    Raises:
        NotPositiveError: there are none for the n that are tried.
    """
    degree = len(coefficients) - 1
    for n in range(degree, degree + MAX_ELEVATIONS):
        # t^j = t^j ((t + (end - t)) / end)^(n - j)
        listed = [
            sum(
                (
                    a * comb(n - j, i - j) / end ** (n - j)
                    for j, a in enumerate(coefficients[: i + 1])
                ),
                Fraction(0),
            )
            for i in range(n + 1)
        ]
        if min(listed) >= 0 and (listed[0] > 0 or not strict):
            return listed
    raise NotPositiveError("a polynomial was not seen to be positive")


def _divided(coefficients: Polynomial, end: Fraction) -> list[Fraction]:
    """D(t) / (end - t), exactly."""
    quotient: list[Fraction] = []
    carried = Fraction(0)
    for a in coefficients[:-1]:
        carried = (a + carried) / end
        quotient.append(carried)
    return quotient


def _growing_entry(
    numerator: Sequence[Matrix], quotient: Polynomial, end: Fraction
) -> tuple[int, list[Fraction], Fraction]:
    """A diagonal entry n_i of N and c > 0 such that n_i - c D/(end - t) > 0 up to the end.

    Raises:
        NotPositiveError: no entry is seen to grow.
    """
    for place in range(len(numerator[0])):
        entry = [N[place][place] for N in numerator]
        for power in range(MAX_ELEVATIONS):
            c = Fraction(1, 2**power)
            try:
                _bernstein([a - c * b for a, b in _paired(entry, quotient)], end, strict=False)
            except NotPositiveError:
                continue
            return place, entry, c
    raise NotPositiveError("no entry was seen to grow")
