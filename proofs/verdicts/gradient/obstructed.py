"""No metric makes attention a gradient of its energy: exact reasons, and the proof of each.

A reason excludes B > 0 with B V_h = c A_h for every head and A_h = A_h^T, for c = -1 or c = 1:
an asymmetric A_h, or an obstruction of :mod:`proofs.verdicts.common_metric`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from proofs import language as la
from proofs.builder import Summand, Use
from proofs.checkers import rational
from proofs.kernel import Proof, Statement
from proofs.terms import Literal, Term, size
from proofs.verdicts.common_metric import Failure, Obstruction, beside, common_metric
from proofs.verdicts.gradient.given import Given
from proofs.verdicts.gradient.problem import GradientProblem, Pair
from proofs.verdicts.workspace import brief, equals

#: longer vectors are shortened in words
MOST_ROWS = 6
#: B V = c A: steepest descent and steepest ascent
SIGNS = (-1, 1)


@dataclass(frozen=True)
class Asymmetric:
    """A_h has other entries at (row, column) and (column, row)."""

    head: int
    row: int
    column: int


Reason = Asymmetric | Obstruction


def asymmetric(problem: GradientProblem) -> Asymmetric | None:
    """The first pair of entries that differ, None when all A_h are symmetric."""
    for h, pair in enumerate(problem.pairs or ()):
        for row in range(problem.dimension):
            for column in range(row + 1, problem.dimension):
                if pair.scores[row, column] != pair.scores[column, row]:
                    return Asymmetric(h, row, column)
    return None


def metric(problem: GradientProblem, sign: int) -> Literal | Obstruction:
    """B > 0 with B V_h = c A_h / s for all heads, decided exactly."""
    pairs = problem.pairs or ()
    images = [rational.scaled(pair.scores, Fraction(sign)) for pair in pairs]
    return common_metric(beside([pair.values for pair in pairs]), beside(images))


# In words


def words(problem: GradientProblem, reason: Reason, sign: int) -> str:
    """Why there is no such metric, with the numbers that show it."""
    pairs = problem.pairs or ()
    one = len(pairs) == 1
    if isinstance(reason, Asymmetric):
        scores, i, j = pairs[reason.head].scores, reason.row, reason.column
        name = "A" if len(problem.values) == 1 else f"A of head {reason.head}"
        return (
            f"{name} is not symmetric: entry ({i + 1}, {j + 1}) is "
            f"{brief(scores[i, j])}, entry ({j + 1}, {i + 1}) is {brief(scores[j, i])}"
            + ("" if problem.scale_squared is None else " times the scale")
        )
    images, targets = Images.of(pairs, reason.u), Images.of(pairs, reason.v or reason.u)
    u = _shown(images.parts)
    V_u, A_u = ("V u", "A u") if one else ("the sum p of V_h u_h", "the sum of A_h u_h")
    if reason.failure is Failure.UNDEFINED:
        return f"{V_u} = 0 but {A_u} = {_vector(images.score)} for {u}"
    scale = "" if problem.scale_squared is None else " times the scale"
    if reason.failure is Failure.ASYMMETRIC:
        v = _shown(targets.parts, "v")
        first, second = _dot(images.value, targets.score), _dot(targets.value, images.score)
        left, right = (
            ("(V u)^T A v", "(V v)^T A u")
            if one
            else ("sum of (V_g u_g)^T A_h v_h", "sum of (V_g v_g)^T A_h u_h")
        )
        return f"{left} = {brief(first)} but {right} = {brief(second)}{scale} for {u}, {v}"
    form = sign * _dot(images.value, images.score)
    p = "p = V u" if one else "p = sum of V_h u_h"
    if problem.dimension <= MOST_ROWS:
        p += f" = {_vector(images.value)}"
    return f"p^T B p {equals(form)}{scale} for {p}, {u}"


def _vector(column: Literal) -> str:
    """The entries; a long vector along an axis is a multiple of the unit vector e_k."""
    used = [(k, x) for k, x in enumerate(column.entries, 1) if x]
    if len(used) == 1 and column.rows > MOST_ROWS:
        ((k, x),) = used
        return f"e_{k}" if x == 1 else f"{brief(x)} e_{k}"
    return "(" + ", ".join(map(brief, column.entries)) + ")"


def _shown(parts: tuple[Literal, ...], name: str = "u") -> str:
    if len(parts) == 1:
        return f"{name} = {_vector(parts[0])}"
    used = [(h, part) for h, part in enumerate(parts) if not rational.is_zero(part)]
    return ", ".join(f"{name}_{h} = {_vector(part)}" for h, part in used)


# What the vectors become


@dataclass(frozen=True)
class Images:
    """Vectors u_h, and the sums of V_h u_h and of A_h u_h (A_h / s for an irrational scale)."""

    parts: tuple[Literal, ...]
    value: Literal
    score: Literal

    @classmethod
    def of(cls, pairs: tuple[Pair, ...], stacked: Literal) -> Images:
        d = pairs[0].values.rows
        entries = stacked.entries
        parts = [Literal(d, 1, entries[h * d : (h + 1) * d]) for h in range(len(pairs))]
        value = score = rational.zero(d, 1)
        for pair, part in zip(pairs, parts, strict=True):
            value = rational.total(value, rational.product(pair.values, part))
            score = rational.total(score, rational.product(pair.scores, part))
        return cls(tuple(parts), value, score)


def _dot(left: Literal, right: Literal) -> Fraction:
    return rational.product(rational.transposed(left), right).entries[0]


def _unit(length: int, place: int) -> Literal:
    return Literal(length, 1, tuple(Fraction(i == place) for i in range(length)))


def _term(matrix: Literal) -> Term:
    return Term("literal", data=matrix)


# Proofs


def body(problem: GradientProblem, B: Term, sign: int) -> Term:
    """A_h = A_h^T, B > 0 and B V_h = c A_h."""
    return la.conj(*problem.conditions(B, sign))


def unknown_metric(problem: GradientProblem) -> Term:
    """The letter B of a metric that is looked for."""
    d = size(problem.dimension)
    return la.mat("B", d, d)


def refuted(problem: GradientProblem, reasons: Mapping[int, Reason]) -> tuple[Statement, Proof]:
    """That there is no metric for c = -1 and none for c = 1, by a reason for each."""
    given = Given(problem)
    p = given.p
    last = p.conjunction(*(_Excluded(given, sign).deny(reasons[sign]) for sign in SIGNS))
    return Statement(problem.matrices, p[last]), p.proof(last)


class _Excluded:
    """The proof that there is no metric for one c."""

    def __init__(self, given: Given, sign: int) -> None:
        self.given, self.p, self.sign = given, given.p, sign
        self.problem = given.problem
        self.pairs = given.problem.pairs or ()
        self.B = unknown_metric(self.problem)
        self.body = body(self.problem, self.B, sign)
        self.held = self.p.assume(self.body)
        self.positive = self.p.part(self.held, len(self.pairs))

    def deny(self, reason: Reason) -> int:
        if isinstance(reason, Asymmetric):
            contradiction = self.by_entries(reason)
        elif reason.failure is Failure.ASYMMETRIC:
            contradiction = self.by_symmetry(reason)
        elif reason.failure is Failure.UNDEFINED:
            contradiction = self.by_kernel(reason)
        else:
            contradiction = self.by_sign(reason)
        return self.p.deny([self.B], self.body, *contradiction)

    def moved(self, images: Images) -> int:
        """B p = c s q, for the sums p of V_h u_h and q of A_h u_h / s."""
        uses: list[Use] = []
        for h, part in enumerate(images.parts):
            uses += self.related(h, _term(part))
        right = la.scale(self.sign, self.problem.scaled(images.score))
        return self.p.algebra(la.mul(self.B, _term(images.value)), right, *uses)

    def related(self, head: int, u: Term) -> tuple[Use, Use, Use]:
        """B V_h u = c A_h u, and what V_h and A_h are."""
        pair, given = self.pairs[head], self.given
        return (
            (given.value(pair), lambda h: la.scale(-1, la.mul(self.B, h, u))),
            (self.p.part(self.held, len(self.pairs) + 1 + head), lambda h: la.mul(h, u)),
            (given.score(pair.A), lambda h: la.scale(self.sign, la.mul(h, u))),
        )

    def seen_by(self, row: Literal, moved: int, factor: int) -> Use:
        """B p = c s q times a row and a factor, divided by the scale."""
        left, divided = la.tp(_term(row)), self.given.divided
        return moved, lambda h: la.scale(factor, la.scale(divided, la.mul(left, h)))

    def differ(self, left: Fraction, right: Fraction, *uses: Use) -> tuple[int, int]:
        """left = right by algebra, and the opposite."""
        p = self.p
        first, second = la.number(left), la.number(right)
        cancel = self.given.cancel(la.number(right - left))
        equal = p.algebra(first, second, *uses, *cancel)
        return equal, p.unequal(first, second)

    def by_entries(self, reason: Asymmetric) -> tuple[int, int]:
        p, given = self.p, self.given
        pair, d = self.pairs[reason.head], self.problem.dimension
        i, j = reason.row, reason.column
        row, column = (_term(_unit(d, place)) for place in (i, j))
        symmetric = p.part(self.held, reason.head)
        stated = given.score(pair.A)

        def entry(matrix: Term, first: Term, second: Term, factor: int) -> Term:
            return la.scale(factor, la.scale(given.divided, la.mul(la.tp(first), matrix, second)))

        return self.differ(
            pair.scores[i, j],
            pair.scores[j, i],
            (stated, lambda h: entry(h, row, column, -1)),
            (stated, lambda h: entry(h, column, row, 1)),
            (symmetric, lambda h: entry(h, row, column, -1)),
        )

    def by_symmetry(self, reason: Obstruction) -> tuple[int, int]:
        """u^T V^T B V v in both orders."""
        assert reason.v is not None
        first, second = (Images.of(self.pairs, x) for x in (reason.u, reason.v))
        return self.differ(
            _dot(first.value, second.score),
            _dot(second.value, first.score),
            self.seen_by(first.value, self.moved(second), -self.sign),
            self.seen_by(second.value, self.moved(first), self.sign),
            self.positive,
        )

    def by_kernel(self, reason: Obstruction) -> tuple[int, int]:
        """B V u = 0, but A u has an entry that is not 0."""
        images = Images.of(self.pairs, reason.u)
        place = next(k for k, x in enumerate(images.score.entries) if x)
        row = _unit(self.problem.dimension, place)
        seen = self.seen_by(row, self.moved(images), -self.sign)
        return self.differ(images.score.entries[place], Fraction(0), seen)

    def by_sign(self, reason: Obstruction) -> tuple[int, int]:
        """p^T B p <= 0 at p = V u: the certificate p p^T of the inequality's dual."""
        p, given = self.p, self.given
        images = Images.of(self.pairs, reason.u)
        form = self.sign * _dot(images.value, images.score)
        value, moved = la.number(form), self.moved(images)
        if form == 0:
            return self.by_null(images.value, moved)
        reached = p.positive(
            value,
            Summand(_term(images.value), core=self.positive, scalars=given.positive),
            by=[self.seen_by(images.value, moved, -1), *given.cancel(la.number(-form))],
        )
        return reached, p.indefinite(value, la.number(1))

    def by_null(self, vector: Literal, moved: int) -> tuple[int, int]:
        """p^T B p = 0 gives B p = 0, and p = 0 as B is invertible."""
        p, B, point, nothing = self.p, self.B, _term(vector), la.number(0)
        row = la.tp(point)
        zero = la.zero_like(nothing)
        flat = p.algebra(la.mul(row, B, point), zero, (moved, lambda h: la.mul(row, h)))
        killed = p.fact("zero-form", p.fact("positive-definite", self.positive), flat)
        definite = p.fact("definite-inverse", self.positive)
        undo = p.part(p.fact("inverse", p.part(definite, 0)), 1)
        place = next(k for k, x in enumerate(vector.entries) if x)
        axis = la.tp(_term(_unit(vector.rows, place)))
        entry = la.number(vector.entries[place])
        equal = p.algebra(
            entry,
            nothing,
            (undo, lambda h: la.scale(-1, la.mul(axis, h, point))),
            (killed, lambda h: la.mul(axis, la.inv(B), h)),
        )
        return equal, p.unequal(entry, nothing)
