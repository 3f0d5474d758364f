"""Deciding propositions about exact parameters, with a proof either way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import isqrt

from numeric.exact import negative_direction
from proofs import language as la
from proofs.builder import Builder, Summand
from proofs.checkers import rational
from proofs.kernel import KernelError, Lemma, check
from proofs.terms import ONE, Literal, Term, TermError, sort_of
from proofs.verdicts.exact import Value, evaluate
from proofs.verdicts.problem import SCALE, CovarianceProblem, Rows, to_rows

UNIT = la.identity(ONE)
#: digits of the rational enclosure of an irrational scale
SCALE_DIGITS = 24


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a proposition holds (None: not decided), why, and the step that proves it."""

    holds: bool | None
    witness: str | None = None
    step: int | None = None


def enclosed_root(square: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals on either side of the root of a number > 0, to many digits."""
    unit = Fraction(10) ** (SCALE_DIGITS - rounded(square, 6).adjusted() // 2)
    floor = isqrt(int(square * unit**2))
    return floor / unit, (floor + 1) / unit


class Workspace:
    """A proof about a problem under construction, with its assumptions at hand."""

    def __init__(
        self, problem: CovarianceProblem, lemmas: Mapping[str, Lemma] | None = None
    ) -> None:
        self.problem = problem
        self.p = Builder(lemmas)
        self._known: dict[Term, int] = {}

    def assume(self, proposition: Term) -> int:
        """An assumption, made once."""
        if proposition not in self._known:
            self._known[proposition] = self.p.assume(proposition)
        return self._known[proposition]

    def solution(self) -> int:
        return self.assume(self.problem.solution)

    def start(self) -> int:
        """Sigma0 >= 0."""
        start = self.problem.terms["Sigma0"]
        if self.problem.start is None:
            return self.p.fact("positive-definite", self.assume(la.pd(start)))
        return self.prove(la.psd(start))

    def scale_positive(self) -> int:
        return self.assume(self.problem.scale_hypotheses[0])

    def scale_square(self) -> int:
        return self.assume(self.problem.scale_hypotheses[1])

    def scale_inverse(self) -> tuple[int, int]:
        """Steps that prove 1/s > 0 and s (1/s) = 1."""
        definite = self.p.fact("definite-inverse", self.scale_positive())
        inverse = self.p.fact("inverse", self.p.part(definite, 0))
        return self.p.part(definite, 1), self.p.part(inverse, 0)

    def scale_bounds(self) -> tuple[Fraction, Fraction, int, int]:
        """Rationals lo < s < hi, and the steps that prove s - lo >= 0 and hi - s >= 0."""
        square = self.problem.scale_squared
        assert square is not None
        low, high = enclosed_root(square)
        return low, high, self._scale_gap(low, -1), self._scale_gap(high, 1)

    def _scale_gap(self, bound: Fraction, sign: int) -> int:
        """sign (bound - s) >= 0, from (bound - s)(bound + s) = bound^2 - s^2."""
        p, square = self.p, self.problem.scale_squared
        assert square is not None
        total = la.add(SCALE, la.number(bound))
        positive = p.positive(
            total,
            Summand(UNIT, scalars=(self.scale_positive(),)),
            Summand(UNIT, coefficient=bound),
            strict=True,
        )
        definite = p.fact("definite-inverse", positive)
        cancel = p.part(p.fact("inverse", p.part(definite, 0)), 0)
        gap = la.scale(sign, la.minus(la.number(bound), SCALE))
        return p.positive(
            gap,
            Summand(
                UNIT,
                scalars=(p.part(definite, 1),),
                coefficient=sign * (bound * bound - square),
            ),
            by=[
                (cancel, lambda h: la.scale(-1, la.mul(h, gap))),
                (self.scale_square(), lambda h: la.scale(-sign, la.mul(h, la.inv(total)))),
            ],
        )

    # Decisions

    def value(self, term: Term) -> Value | None:
        """The exact value, None when the term has other variables or irrational operations."""
        try:
            return evaluate(term, self.problem.scale_squared)
        except TermError:
            return None

    def core(self, term: Term) -> Literal:
        """The exact value of a term that is a literal or, with an irrational scale, s times one."""
        value = self.value(term)
        assert value is not None
        return value.plain if self.problem.scale_squared is None else value.scaled

    def decide(self, proposition: Term, name: str = "M") -> Decision:
        """Decide psd, pd or an equation of matrices, exactly; ``name`` is the matrix's own."""
        if proposition in self._known:
            return Decision(True, step=self._known[proposition])
        if proposition.op in ("psd", "pd"):
            return self._decide_positive(proposition.args[0], proposition.op == "pd", name)
        if proposition.op == "eq":
            return self._decide_equation(*proposition.args)
        return Decision(None)

    def prove(self, proposition: Term) -> int:
        """The step that proves a proposition known to hold.

        Raises:
            TermError: it was not found to hold.
        """
        decision = self.decide(proposition)
        if decision.step is None:
            raise TermError("a hypothesis was not found to hold")
        return decision.step

    def _decide_positive(self, matrix: Term, strict: bool, name: str) -> Decision:
        value = self.value(matrix)
        if value is None or not (value.is_plain or value.is_scaled):
            return Decision(None)
        core = value.plain if value.is_plain else value.scaled
        failure = _failure(core, strict, name)
        if failure is not None:
            witness, vector = failure
            if vector is not None:
                certify_not_positive(self.problem, matrix, vector, strict)
            return Decision(False, witness)
        literal = Term("literal", data=core)
        step = self.p.definite(literal, strict)
        if value.is_scaled:
            full = la.identity(sort_of(matrix).args[0])
            step = self.p.positive(
                matrix, Summand(full, core=step, scalars=(self.scale_positive(),)), strict=strict
            )
        elif literal != matrix:
            wrap = la.pd if strict else la.psd
            step = self.p.replace(self.p.algebra(literal, matrix), step, wrap)
        return Decision(True, None, step)

    def _decide_equation(self, left: Term, right: Term) -> Decision:
        first, second = self.value(left), self.value(right)
        if first is None or second is None:
            try:
                return Decision(True, step=self.p.algebra(left, right))
            except KernelError:
                return Decision(None)
        if first == second:
            return Decision(True, step=self.p.algebra(left, right))
        for one, other in ((first.plain, second.plain), (first.scaled, second.scaled)):
            for i in range(one.rows):
                for j in range(one.columns):
                    if one[i, j] != other[i, j]:
                        if first.is_plain and second.is_plain:
                            certify_not_equal(left, right, i, j)
                        return Decision(False, _difference(i, j, one[i, j], other[i, j]))
        return Decision(None)


def _failure(matrix: Literal, strict: bool, name: str) -> tuple[str, Literal | None] | None:
    """Why a matrix is not positive (semi)definite, with the vector that shows it."""
    n = matrix.rows
    for i in range(n):
        for j in range(i):
            if matrix[i, j] != matrix[j, i]:
                return (
                    f"not symmetric: entry ({i + 1}, {j + 1}) is {brief(matrix[i, j])}, "
                    f"entry ({j + 1}, {i + 1}) is {brief(matrix[j, i])}",
                    None,
                )
    direction = negative_direction(to_rows(matrix))
    if direction is not None:
        vector = Literal(n, 1, tuple(Fraction(x) for x in direction))
        image = rational.product(rational.transposed(vector), matrix)
        form = rational.product(image, vector).entries[0]
        return f"u = {_vector(vector)} gives u^T {name} u {equals(form)}", vector
    if strict and (kernel := null_vector(matrix)) is not None:
        return f"singular: {name} u = 0 for u = {_vector(kernel)}", kernel
    return None


def null_vector(matrix: Literal) -> Literal | None:
    """A nonzero rational vector in the kernel of a square matrix, None if it is invertible."""
    echelon, rank = rational.to_flint(matrix).rref()
    n = matrix.columns
    if rank == n:
        return None
    pivots = [next(j for j in range(n) if echelon[i, j] != 0) for i in range(rank)]
    free = next(j for j in range(n) if j not in pivots)
    entries = [Fraction(0)] * n
    entries[free] = Fraction(1)
    for i, j in enumerate(pivots):
        entries[j] = -Fraction(int(echelon[i, free].p), int(echelon[i, free].q))
    return Literal(n, 1, tuple(entries))


def _difference(i: int, j: int, one: Fraction, other: Fraction) -> str:
    """Why two matrices differ: both entries, or their difference when it is tiny."""
    place = f"entry ({i + 1}, {j + 1})"
    if abs(one - other) < abs(one) / 10**5:
        return f"{place} differs by {brief(one - other)}: exact arithmetic sees rounding errors"
    return f"{place}: {brief(one)} is not {brief(other)}"


def equals(number: Fraction) -> str:
    """ "= 3" or "≈ 0.123457"."""
    text = brief(number)
    return f"≈ {text[1:]}" if text.startswith("≈") else f"= {text}"


def brief(number: Fraction) -> str:
    """A number for people: exact when short, otherwise its first digits after a sign for that."""
    if number.numerator.bit_length() + number.denominator.bit_length() <= 36:
        return str(number)
    value = rounded(number, 6).normalize()
    return f"≈{value:f}" if -5 <= value.adjusted() <= 9 else f"≈{value}"


def rounded(number: Fraction, digits: int) -> Decimal:
    """A decimal with so many digits, whatever the size of the number."""
    context = Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _vector(vector: Literal) -> str:
    return "(" + ", ".join(brief(x) for x in vector.entries) + ")"


def certify_not_positive(
    problem: CovarianceProblem, matrix: Term, vector: Literal, strict: bool
) -> None:
    """Have the kernel prove that psd(M) (or pd(M)) fails, by the vector of :func:`_failure`.

    Raises:
        KernelError: the witness is wrong.
    """
    work = Workspace(problem)
    p, u = work.p, Term("literal", data=vector)
    claim = la.pd(matrix) if strict else la.psd(matrix)
    value = work.value(la.mul(la.tp(u), matrix, u))
    assert value is not None
    plain = value.is_plain
    form = (value.plain if plain else value.scaled).entries[0]
    inverse, cancel = (None, None) if plain else work.scale_inverse()
    held = p.assume(claim)
    if form < 0:
        reduced = p.positive(
            la.number(form),
            Summand(u, core=held, scalars=() if inverse is None else (inverse,)),
            by=[] if cancel is None else [(cancel, lambda h: la.scale(-1, la.scale(form, h)))],
        )
        p.contradiction(claim, reduced, p.indefinite(la.number(form), la.number(1)))
    else:
        # M u = 0 with u != 0: M has no inverse
        exists = p.part(p.fact("definite-inverse", held), 0)
        undo = p.part(p.fact("inverse", exists), 1)
        zero = la.zero_like(u)
        null = p.algebra(la.mul(matrix, u), zero)
        vanishes = p.algebra(
            u,
            zero,
            (undo, lambda h: la.scale(-1, la.mul(h, u))),
            (null, lambda h: la.mul(la.inv(matrix), h)),
        )
        index = next(i for i, x in enumerate(vector.entries) if x)
        row = la.literal([[Fraction(j == index) for j in range(vector.rows)]])
        entry = la.number(vector.entries[index])
        equal = p.algebra(entry, la.number(0), (vanishes, lambda h: la.mul(row, h)))
        p.contradiction(claim, equal, p.unequal(entry, la.number(0)))
    check(p.proof())


def certify_not_equal(left: Term, right: Term, i: int, j: int) -> None:
    """Have the kernel prove that two literal expressions differ in entry (i, j)."""
    p = Builder()
    claim = la.eq(left, right)
    held = p.assume(claim)
    rows, columns = (int(str(n.data)) for n in sort_of(left).args)
    row = la.literal([[Fraction(k == i) for k in range(rows)]])
    column = la.literal([[Fraction(k == j)] for k in range(columns)])
    first, second = (
        la.number(evaluate(la.mul(row, side, column), None).plain.entries[0])
        for side in (left, right)
    )
    equal = p.algebra(first, second, (held, lambda h: la.mul(row, h, column)))
    p.contradiction(claim, equal, p.unequal(first, second))
    check(p.proof())


def show(matrix: Rows) -> str:
    """A matrix in one line."""
    return "[" + ", ".join("[" + ", ".join(map(brief, row)) + "]" for row in matrix) + "]"
