"""One L2 head in the plane with one row in K: global from every start, unless w V = a w."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import fmpq, fmpq_mat

from numeric.exact import multiply, transpose
from proofs import language as la
from proofs.builder import Summand
from proofs.checkers.rational import from_flint, is_semidefinite
from proofs.claims.covariance_l2_rank import CLAIM as RANK
from proofs.claims.covariance_two_forms import CLAIM, TOGETHER, growth
from proofs.claims.growth import inverted
from proofs.claims.l2_equation import regular
from proofs.terms import Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.enclosures.cone_end import value_of
from proofs.verdicts.enclosures.coordinates import literal
from proofs.verdicts.l2.clock import ID as ONE_ROW
from proofs.verdicts.l2.clock import Clock, Keys, compared, prove_keys
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.linear import solve
from proofs.verdicts.problem import SCALE, Rows, to_data, to_literal, to_rows
from proofs.verdicts.workspace import UNIT, Workspace

ID = CLAIM.id
NAME = "d = 2, one head, K = a w, and w V = alpha w + beta a^T Q with beta not 0"
HALF = Fraction(1, 2)
t = la.real("t")


@dataclass(frozen=True)
class _Plane:
    """w V = alpha w + beta q and q V = gamma w + delta q, for independent rows w and q = a^T Q."""

    keys: Keys
    query: Rows
    alpha: Fraction
    beta: Fraction
    gamma: Fraction
    delta: Fraction

    @property
    def sign(self) -> int:
        """Whether y a is bounded (1) or y/a (-1)."""
        return 1 if self.beta < 0 else -1

    def certificate(self) -> tuple[Fraction, fmpq_mat, Fraction]:
        """C, M and l, with M > 0 and l >= 0.

        C (1 + u) (1/2 + n u)/2 - (1 + u) (gamma u + delta x) -+ (alpha u + beta x) x, which has to
        be positive, is (1, u, x) M (1, u, x)^T + l u.
        """
        n, sign = self.keys.size, self.sign
        mixed = -(self.delta + sign * self.alpha) / 2
        eta = min(HALF, n)
        rate = Fraction(1)
        while True:
            linear = rate * (HALF + n) / 2 - self.gamma
            form = fmpq_mat(3, 3)
            entries = {
                (0, 0): rate / 4,
                (1, 1): rate * n / 2 - self.gamma,
                (2, 2): -sign * self.beta,
                (0, 2): -self.delta / 2,
                (1, 2): mixed,
            }
            for (i, j), value in entries.items():
                form[i, j] = form[j, i] = fmpq(value.numerator, value.denominator)
            enough = rate * eta >= abs(self.alpha) + self.spare / 4
            if linear >= 0 and enough and is_semidefinite(from_flint(form), strict=True):
                return rate, form, linear
            rate *= 2

    @property
    def spare(self) -> Fraction:
        """The part of |alpha| + 2 beta that is positive."""
        return max(abs(self.alpha) + 2 * self.beta, Fraction(0))


def in_plane(problem: L2Problem) -> Application:
    """Global, from every start."""
    found = _found(problem)
    if found is None:
        return Application(ID, (Hypothesis(NAME, False),))
    return Application(ID, (Hypothesis(NAME, True),), (_Proof(problem, found).finding(),))


def _found(problem: L2Problem) -> _Plane | None:
    if problem.dimension != 2 or len(problem.values) != 1:
        return None
    _, keys = compared(problem)
    if keys is None or keys.size == 0 or not any(keys.row[0]):
        return None
    query = multiply(transpose(keys.columns[0]), problem.queries[0])
    rows = (keys.row[0], query[0])
    moved = solve(to_data(transpose(rows)), to_data(transpose(multiply(rows, problem.values[0]))))
    if moved is None or rows[0][0] * rows[1][1] == rows[0][1] * rows[1][0]:
        return None
    (alpha, beta), (gamma, delta) = transpose(to_rows(moved))
    return _Plane(keys, query, alpha, beta, gamma, delta) if beta else None


class _Proof:
    """The hypotheses of the claim, for u = w Z w^T, x = w Z q^T and y = q Z q^T at any Z >= 0."""

    def __init__(self, problem: L2Problem, plane: _Plane) -> None:
        self.problem, self.plane = problem, plane
        lemmas = {ID: CLAIM.lemma(), ONE_ROW: Clock.lemma(), RANK.id: RANK.lemma()}
        self.work = Workspace(problem, lemmas)
        p = self.p = self.work.p
        self.rate, self.form, self.linear = plane.certificate()
        irrational = problem.scale_squared is not None
        self.scale = SCALE if irrational else la.number(1)
        self.scale_positive = (
            self.work.scale_positive() if irrational else p.definite(self.scale, strict=True)
        )
        self.w, self.q = to_literal(plane.keys.row), to_literal(plane.query)
        square = [multiply(transpose(row), row) for row in (plane.keys.row, plane.query)]
        self.R, self.P = map(to_literal, square)
        d = problem.terms["d"]
        self.instance = {
            **problem.terms,
            "F": problem.field,
            "R": self.R,
            "P": self.P,
            "c": la.scale(self.rate, self.scale),
        }
        self.Z = la.mat("Z", d, d)
        self.start, self.solution = self.work.start(), self.work.solution()
        self.state = p.assume(la.psd(self.Z))
        self.symmetric = p.fact("semidefinite-symmetric", self.state)
        self.u, self.x, self.y = (
            la.mul(a, self.Z, la.tp(b))
            for a, b in ((self.w, self.w), (self.w, self.q), (self.q, self.q))
        )
        self.u_above, self.y_above = self._square(self.w), self._square(self.q)
        self._relate_fields()

    def finding(self) -> Finding:
        p, full = self.p, self.instance
        ranks = p.lemma(RANK.id, self.start, self.solution, **self.problem.terms)
        inside = la.within(t, self.problem.terms["T"])
        stays = p.for_all(t, inside, p.part(p.at(ranks, t, p.assume(inside)), 0))
        theorem = p.lemma(
            ID,
            p.smooth_on_cone(self.problem.field, partial(regular, p, K=full["K"])),
            self.solution,
            stays,
            p.definite(self.R),
            p.definite(self.P),
            self.work.prove(la.pd(la.add(self.R, self.P))),
            p.positive(
                full["c"], Summand(UNIT, scalars=(self.scale_positive,), coefficient=self.rate)
            ),
            self._together(),
            **full,
        )
        sign = self.plane.sign
        endless = p.modus_ponens(p.part(theorem, 0 if sign > 0 else 1), self._growth(sign))
        by = f"{ONE_ROW}, {ID}"
        return Finding(
            "existence", "global", self.problem.statement(p[endless]), p.proof(endless), by=by
        )

    def _rate_positive(self) -> int:
        """c >= 0."""
        rate = Summand(UNIT, scalars=(self.scale_positive,), coefficient=self.rate)
        return self.p.positive(self.instance["c"], rate)

    def _square(self, row: Term) -> int:
        """r Z r^T >= 0."""
        value = la.mul(row, self.Z, la.tp(row))
        return self.p.positive(value, Summand(la.tp(row), core=self.state))

    def _relate_fields(self) -> None:
        """F(Z) = G(Z)/h for the pace h > 0 and the softmax field G."""
        p, plane = self.p, self.plane
        proved = prove_keys(self.work, plane.keys)
        full = {**self.problem.terms, **plane.keys.terms}
        theorem = p.lemma(ONE_ROW, *proved, self.start, self.solution, **full)
        same = p.at(p.part(theorem, 0), self.Z, self.state)
        self.softmax = p[same].args[0]
        self.pace, F = p[same].args[1].args
        positive = p.positive(
            self.pace,
            Summand(UNIT, coefficient=HALF),
            Summand(UNIT, core=self.u_above, coefficient=plane.keys.size),
            strict=True,
        )
        _, self.inverse, self.cancels = inverted(p, positive)
        inverse = la.inv(self.pace)
        self.divided = p.algebra(
            F,
            la.scale(inverse, self.softmax),
            (self.cancels, lambda f: la.scale(-1, la.scale(f, F))),
            (same, lambda g: la.scale(-1, la.scale(inverse, g))),
        )

    def _shown(self, summands: Sequence[Summand], value: Term) -> int:
        """psd of a polynomial in the entries of Z = Z^T that the summands add up to."""
        p = self.p
        values = [value_of(p, summand) for summand in summands]
        total = la.add(*values)
        return p.replace(
            p.entries(total, value, self.symmetric), p.positive(total, *summands), la.psd
        )

    def _for_every_state(
        self, stated: Term, bound: Term, moved: Callable[[Term], Term], summands: Sequence[Summand]
    ) -> int:
        """For all Z >= 0: what is stated, b - m(F(Z)) >= 0, from b h - m(G(Z)) as summands."""
        p, Z = self.p, self.Z
        step = self._shown(summands, la.minus(la.mul(bound, self.pace), moved(self.softmax)))
        result = p.positive(
            la.at(stated.args[0], Z).args[1].args[0],
            Summand(UNIT, core=step, scalars=(self.inverse,)),
            by=[
                (self.divided, lambda f: la.scale(-1, moved(f))),
                (self.cancels, lambda f: la.scale(-1, la.mul(bound, f))),
            ],
        )
        return p.for_all(Z, la.psd(Z), result)

    def _growth(self, sign: int) -> int:
        """a y' + sign y a' <= c a y: the difference is 2 s y times the certificate."""
        a, y = self._numbers()
        scale, above = self.scale_positive, self.y_above
        units = [la.literal([[int(i == j)] for i in range(3)]) for j in range(3)]
        vector = la.add(units[0], la.scale(self.u, units[1]), la.scale(self.x, units[2]))
        core = self.p.definite(literal(self.form))
        summands = [
            Summand(vector, core=core, scalars=(scale, above), coefficient=2),
            Summand(UNIT, scalars=(scale, above, self.u_above), coefficient=2 * self.linear),
        ]

        def moved(field: Term) -> Term:
            faster, rate = (la.tr(la.mul(letter, field)) for letter in (self.R, self.P))
            return la.add(la.mul(a, rate), la.scale(sign, la.mul(y, faster)))

        stated = substitute(growth(sign), self.instance)
        return self._for_every_state(stated, la.mul(self.instance["c"], a, y), moved, summands)

    def _together(self) -> int:
        """a a' <= c (a + y)^2.

        The difference is s times C (a + y)^2 (h - eta a) and a times
        C eta (1 + u + y)^2 - 2 alpha u x - 2 beta x^2, where 4 x^2 <= (u + y)^2.
        """
        p, plane = self.p, self.plane
        a, y = self._numbers()
        n = plane.keys.size
        eta = min(HALF, n)
        one = la.number(1)
        positive = p.positive(la.add(one, self.u), Summand(UNIT), Summand(UNIT, core=self.u_above))
        sides = [self._square(la.add(self.w, la.scale(sign, self.q))) for sign in (1, -1)]
        total = la.add(one, self.u, self.y)
        scale, u, v = self.scale_positive, self.u_above, self.y_above
        full, size, spare = self.rate * eta, abs(plane.alpha), plane.spare
        turned = la.add(self.u, la.scale(-1 if plane.alpha > 0 else 1, self.x))
        often = (scale, positive)
        summands = [
            Summand(total, scalars=(scale,), coefficient=self.rate * (HALF - eta)),
            Summand(total, scalars=(scale, u), coefficient=self.rate * (n - eta)),
            Summand(turned, scalars=often, coefficient=size),
            Summand(UNIT, scalars=(*often, *sides), coefficient=spare / 4),
            Summand(self.x, scalars=often, coefficient=spare - size - 2 * plane.beta),
            Summand(UNIT, scalars=often, coefficient=full),
            Summand(UNIT, scalars=(*often, u), coefficient=2 * full),
            Summand(UNIT, scalars=(*often, v), coefficient=2 * full),
            Summand(UNIT, scalars=(*often, u, u), coefficient=full - size - spare / 4),
            Summand(UNIT, scalars=(*often, v, v), coefficient=full - spare / 4),
            Summand(UNIT, scalars=(*often, u, v), coefficient=2 * full - spare / 2),
        ]
        whole = la.add(a, y)
        stated = substitute(TOGETHER, self.instance)
        return self._for_every_state(
            stated,
            la.mul(self.instance["c"], whole, whole),
            lambda field: la.mul(a, la.tr(la.mul(self.R, field))),
            [one for one in summands if one.coefficient],
        )

    def _numbers(self) -> tuple[Term, Term]:
        """a and y, as in the claim."""
        return (
            la.add(la.number(1), la.tr(la.mul(self.R, self.Z))),
            la.tr(la.mul(self.P, self.Z)),
        )
