"""Attacks on the operation ``polynomial`` and on the rule ``nonnegative``."""

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import soundness_models as models
import soundness_truth as truth
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from sympy import QQ, LeviCivita, Poly, Rational, Symbol

from proofs import language as la
from proofs.checkers import entries, evaluation, univariate
from proofs.checkers.constants import Constants
from proofs.crosschecks.evaluate import evaluate
from proofs.kernel import KernelError, Lemma, Proof, Statement, Step, Theorem, check, establish
from proofs.printing.latex import latex
from proofs.printing.text import text
from proofs.terms import (
    ONE,
    REAL,
    Literal,
    Term,
    TermError,
    function_sort,
    index_sort,
    size,
    sort_of,
    variable,
)

d, n = la.dim("d"), la.dim("n")
TWO = size(2)
t, x, r = la.real("t"), la.real("x"), la.real("r")
P2, B3 = la.mat("P2", TWO, TWO), la.mat("B3", d, size(3))
END = la.lifetime("T")
TINY = Fraction(1, 10**30)
SYMBOL = Symbol("t")
HALF = Fraction(1, 2)


def step(rule: str, *uses: int, **args: Any) -> Step:
    return Step(rule, uses, args)


def assume(proposition: Term) -> Step:
    return step("assume", proposition=proposition)


def run(*steps: Step) -> Theorem:
    return check(Proof(steps))


def rejected(*steps: Step, rule: str) -> str:
    with pytest.raises(KernelError) as info:
        run(*steps)
    assert info.value.rule == rule
    return info.value.reason


def accepted(*steps: Step) -> bool:
    try:
        run(*steps)
    except KernelError:
        return False
    return True


def numbers(*coefficients: Any, of: Term = t) -> Term:
    """A number: a_0 + a_1 t + ..."""
    return la.polynomial(of, [[Fraction(c)] for c in coefficients])


def literal(*rows: list) -> Term:
    return la.literal(rows)


C0, C1, C2 = [1, 3], [2, HALF], [-5, 1]
CURVE = la.polynomial(t, [C0, C1, C2])
BESIDE = literal([1, 2, -5], [3, HALF, 1])
OTHER = la.polynomial(t, [[1, 2], [0, 3], [1, -1], [0, 1]])
SQUARE = literal([1, 2], [3, 4])
ROW, UNIT, OTHER_UNIT = literal([1, 0]), literal([1], [0]), literal([0], [1])


# What is a polynomial ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        (),
        (t,),
        (t, BESIDE, BESIDE),
        (BESIDE, t),
        # an unknown number of coefficients
        (t, la.mat("C", d, d)),
        (t, la.mat("C", TWO, d)),
        (t, la.mat("C", ONE, d)),
        (t, la.identity(d)),
        (t, la.zero(TWO, n)),
        # no time, no matrix
        (P2, BESIDE),
        (la.vec("u", TWO), BESIDE),
        (END, BESIDE),
        (la.head("i", TWO), BESIDE),
        (t, END),
        (t, la.psd(P2)),
        (t, la.lam(t, BESIDE)),
        (t, d),
        (TWO, BESIDE),
    ],
)
def test_malformed_polynomials(args: tuple[Term, ...]):
    term = Term("polynomial", args)
    with pytest.raises(TermError):
        sort_of(term)
    rejected(step("reflexivity", term=term), rule="reflexivity")
    for rule in ("entries", "algebra"):
        rejected(step(rule, left=term, right=term), rule=rule)
    rejected(step("nonnegative", value=term, time=t, end=la.number(1)), rule="nonnegative")
    rejected(step("definite", matrix=term), rule="definite")


def test_polynomials_carry_no_data():
    with pytest.raises(TermError):
        sort_of(Term("polynomial", (t, BESIDE), 2))


def test_sorts_of_polynomials():
    """A column for each coefficient, also where there are as many as rows, or twice as many."""
    assert sort_of(numbers(1, 2, 3)) == REAL
    column = la.vec("u", TWO).args[0]
    wide = literal([1, 2, 3, 4], [5, 6, 7, 8])
    for coefficients in (UNIT, SQUARE, BESIDE, wide, P2, la.identity(TWO)):
        assert sort_of(Term("polynomial", (t, coefficients))) == column
    assert sort_of(Term("polynomial", (t, B3))) == la.vec("u", d).args[0]


def test_no_number_of_coefficients_is_put_into_a_polynomial():
    """A lemma about three coefficients of any size says nothing about two or four."""
    term = Term("polynomial", (t, B3))
    statement = Statement((), la.eq(term, term))
    lemma = Lemma(statement, Proof((step("reflexivity", term=term),)))
    good = {"t": x, "d": TWO, "B3": BESIDE}
    for instance in (
        {**good, "B3": SQUARE},
        {**good, "B3": literal([1, 2, 3, 4], [5, 6, 7, 8])},
        {**good, "B3": la.mat("C", TWO, n)},
        {**good, "d": size(3)},
        {**good, "d": n},
        {**good, "t": P2},
    ):
        call = Proof((step("lemma", name="l", instance=instance),), {"l": lemma})
        with pytest.raises(KernelError):
            check(call)
    theorem = check(Proof((step("lemma", name="l", instance=good),), {"l": lemma}))
    moved = la.polynomial(x, [C0, C1, C2])
    assert theorem.conclusion == la.eq(moved, moved)


# Its values ----------------------------------------------------------------------------------


def column(vector: list) -> Term:
    return literal(*[[entry] for entry in vector])


def powers(of: Term, *coefficients: Term) -> Term:
    """The same as a sum of multiples of powers, of vectors or of other matrices."""
    terms = [coefficients[0]]
    for k, coefficient in enumerate(coefficients[1:], 1):
        power = of if k == 1 else la.mul(*[of] * k)
        terms.append(la.scale(power, coefficient))
    return la.add(*terms) if len(terms) > 1 else terms[0]


def sums(of: Term, *vectors: list) -> Term:
    return powers(of, *map(column, vectors))


def outer(left: Term, right: Term) -> Term:
    return la.mul(left, la.tp(right))


def same(left: Term, right: Term, *uses: Step) -> bool:
    places = range(len(uses))
    return accepted(*uses, step("entries", *places, left=left, right=right))


@pytest.mark.parametrize(
    "wrong",
    [
        sums(t, C0, C2, C1),
        sums(t, C1, C0, C2),
        sums(t, C0, C1),
        sums(t, C0, C1, C2, C0),
        sums(x, C0, C1, C2),
        sums(la.scale(2, t), C0, C1, C2),
        sums(t, C0[::-1], C1, C2),
        sums(t, C0, C1, C2[::-1]),
        sums(t, C0, C1, [-5, 1 + TINY]),
        # the entries of the matrix in another order
        la.polynomial(t, [[1, 2], [-5, 3], [HALF, 1]]),
        la.polynomial(t, [C2, C1, C0]),
        la.polynomial(x, [C0, C1, C2]),
        column(C0),
        la.zero(TWO, ONE),
    ],
)
def test_polynomials_are_not_other_ones(wrong: Term):
    assert not same(CURVE, wrong)
    assert not same(la.mul(ROW, P2, CURVE), la.mul(ROW, P2, wrong))
    rejected(step("algebra", left=CURVE, right=wrong, contexts=()), rule="algebra")


@pytest.mark.parametrize("of", [t, x, la.scale(2, t), la.tr(P2), la.inv(t), numbers(1, 2), r])
def test_polynomials_are_their_sums(of: Term):
    polynomial = la.polynomial(of, [C0, C1, C2])
    assert same(polynomial, sums(of, C0, C1, C2))
    rows = [la.tp(column(vector)) for vector in (C0, C1, C2)]
    assert same(la.tp(polynomial), powers(of, *rows))
    assert same(la.mul(literal([1, 1]), polynomial), numbers(4, 2 + HALF, -4, of=of))
    assert not same(la.mul(literal([1, 1]), polynomial), numbers(4, 2 + HALF, 4, of=of))
    assert same(polynomial, la.polynomial(of, [C0, C1, C2, [0, 0]]))


def test_coefficients_are_columns():
    """Also those of a square matrix, and of one that is twice as wide as high."""
    square = Term("polynomial", (t, SQUARE))
    assert same(square, sums(t, [1, 3], [2, 4]))
    assert not same(square, sums(t, [1, 2], [3, 4]))
    wide = Term("polynomial", (t, literal([1, 2, 3, 4], [5, 6, 7, 8])))
    assert same(wide, sums(t, [1, 5], [2, 6], [3, 7], [4, 8]))
    # what once was the first column of [[1, 2], [5, 6]] + t [[3, 4], [7, 8]]
    assert not same(wide, sums(t, [1, 5], [3, 7]))


def test_coefficients_that_are_no_literal():
    polynomial = Term("polynomial", (x, P2))
    first, second = la.mul(P2, UNIT), la.mul(P2, OTHER_UNIT)
    assert same(polynomial, la.add(first, la.scale(x, second)))
    assert not same(polynomial, la.add(second, la.scale(x, first)))
    assert not same(polynomial, la.add(first, second))
    # rows are columns where the matrix is declared symmetric
    flipped = Term("polynomial", (x, la.tp(P2)))
    assert not same(polynomial, flipped)
    assert same(polynomial, flipped, assume(la.psd(P2)))
    assert not same(polynomial, flipped, assume(la.psd(outer(polynomial, polynomial))))
    # the time may occur in the coefficients
    moving = Term("polynomial", (t, la.scale(t, BESIDE)))
    assert same(moving, la.scale(t, CURVE))
    assert not same(moving, CURVE)


def test_vectors_of_unknown_size():
    """Nothing is multiplied out, and no two of them are taken to be equal."""
    tall = la.mat("C", d, TWO)
    polynomial = Term("polynomial", (x, tall))
    first, second = la.mul(tall, UNIT), la.mul(tall, OTHER_UNIT)
    for right in (
        la.add(first, second),
        la.add(second, la.scale(x, first)),
        Term("polynomial", (t, tall)),
        Term("polynomial", (x, la.scale(2, tall))),
        la.zero(d, ONE),
    ):
        for rule in ("entries", "algebra"):
            rejected(step(rule, left=polynomial, right=right), rule=rule)
    square = la.mul(la.tp(polynomial), polynomial)
    assert accepted(step("algebra", left=square, right=la.tr(outer(polynomial, polynomial))))


def test_polynomials_do_not_commute():
    left, right = outer(CURVE, OTHER), outer(OTHER, CURVE)
    for first, second in ((left, right), (la.mul(left, right), la.mul(right, left))):
        for rule in ("entries", "algebra"):
            rejected(step(rule, left=first, right=second), rule=rule)
    for first, second in (
        (la.tp(left), right),
        (la.mul(left, right), la.mul(CURVE, la.mul(la.tp(OTHER), OTHER), la.tp(CURVE))),
        # numbers do
        (la.mul(la.tp(CURVE), OTHER), la.mul(la.tp(OTHER), CURVE)),
        (la.mul(numbers(1, 2), numbers(0, 0, 3)), la.mul(numbers(0, 0, 3), numbers(1, 2))),
    ):
        for rule in ("entries", "algebra"):
            assert accepted(step(rule, left=first, right=second))


def test_equal_at_some_times_is_not_equal():
    """Two letters of the word algebra, also where the values are equal at some times."""
    for left, right in (
        (numbers(0, 0, 1), numbers(0, 1)),
        (numbers(0, 1), numbers(0, 1, of=x)),
        (numbers(1, 1), numbers(1, 1, 1)),
    ):
        rejected(step("algebra", left=left, right=right), rule="algebra")
        rejected(step("entries", left=left, right=right), rule="entries")


@st.composite
def squares(draw: Any, depth: int = 3, times: tuple[Term, ...] = ()) -> Term:
    """2 x 2 expressions of literals, and of times."""
    entry = st.fractions(-3, 3, max_denominator=4)
    if depth == 0:
        return literal([draw(entry), draw(entry)], [draw(entry), draw(entry)])
    inner = squares(depth=depth - 1, times=times)

    def real() -> Term:
        return draw(st.sampled_from(times)) if times and draw(st.booleans()) else la.tr(draw(inner))

    def vector() -> Term:
        count = draw(st.integers(1, 3))
        beside: Term = literal(*[[draw(entry) for _ in range(count)] for _ in range(2)])
        if not times and draw(st.booleans()):
            beside = la.mul(draw(inner), beside)
        return Term("polynomial", (real(), beside))

    kind = draw(st.sampled_from(("polynomial", "polynomial", "add", "mul", "tp", "scale", "sum")))
    if kind == "polynomial":
        return outer(vector(), vector() if draw(st.booleans()) else UNIT)
    if kind == "sum":
        return Term("sum", (Term("family", (draw(inner), draw(inner))),))
    if kind == "tp":
        return la.tp(draw(inner))
    if kind == "scale":
        return la.scale(real(), draw(inner))
    return Term(kind, (draw(inner), draw(inner)))


def as_literal(matrix: truth.Matrix) -> Term:
    return la.literal([list(row) for row in matrix])


@given(squares())
def test_five_evaluations_agree(term: Term):
    """Constants, entries, modulo a prime, mpmath, and what the tests have."""
    expected = truth.Point(0)(term)
    value = Constants().value(term)
    assert value is not None
    assert [list(row) for row in expected] == [[value[i, j] for j in range(2)] for i in range(2)]
    difference = la.minus(term, as_literal(expected))
    assert entries.is_zero(difference)
    assert evaluation.vanishes(difference)
    wrong = la.add(difference, literal([0, TINY], [0, 0]))
    assert not entries.is_zero(wrong)
    assert not evaluation.vanishes(wrong)
    printed = evaluate(term, {}, 40)
    known = models.Model({}, {})(term)
    for i in range(2):
        for j in range(2):
            exact = mp.mpf(expected[i][j].numerator) / expected[i][j].denominator
            assert abs(mp.mpf(printed[i, j]) - exact) <= mp.mpf(10) ** -12 * (1 + abs(exact))
            assert abs(known[i, j] - float(exact)) <= 1e-9 * (1 + abs(float(exact)))
    for strict in (False, True):
        found = accepted(step("definite", matrix=term, strict=strict))
        assert found == truth.semidefinite(expected, strict)


@given(squares(depth=2))
def test_traces_of_constants_are_numbers(term: Term):
    value = truth.Point(0)(la.tr(term))[0][0]
    assert accepted(step("definite", matrix=la.minus(la.tr(term), la.number(value))))
    off = la.minus(la.tr(term), la.number(value + TINY))
    rejected(step("definite", matrix=off), rule="definite")
    equation = step("algebra", left=la.tr(term), right=la.number(value + TINY))
    rejected(equation, rule="algebra")
    assert accepted(step("algebra", left=la.tr(term), right=la.number(value)))


def test_constants_have_no_variables():
    unknown = variable("f", function_sort(index_sort(n), REAL))
    known = variable("f", function_sort(index_sort(TWO), REAL))
    for term in (
        numbers(1, 2),
        Term("polynomial", (la.number(1), B3)),
        Term("polynomial", (la.number(1), P2)),
        Term("sum", (unknown,)),
        Term("sum", (known,)),
        la.total(la.head("h", n), la.number(1)),
        la.tr(P2),
        la.tr(la.identity(d)),
    ):
        assert Constants().value(term) is None
        rejected(step("definite", matrix=term), rule="definite")
    # 1 + ... + 1, n times, is not 1
    ones = la.total(la.head("h", n), la.number(1))
    rejected(step("algebra", left=ones, right=la.number(1)), rule="algebra")


# Derivatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        # the chain rule is not known, nor another time, nor coefficients that move
        la.polynomial(la.scale(2, t), [C0, C1]),
        la.polynomial(la.add(t, la.number(1)), [C0, C1]),
        la.polynomial(la.mul(t, t), [C0, C1]),
        la.polynomial(numbers(0, 1), [C0, C1]),
        la.polynomial(la.tr(t), [C0, C1]),
        la.polynomial(la.inv(t), [C0, C1]),
        la.tp(la.polynomial(la.scale(-1, t), [C0, C1])),
        Term("polynomial", (t, la.scale(t, BESIDE))),
        Term("polynomial", (x, la.scale(t, BESIDE))),
        Term("polynomial", (t, B3)),
        Term("polynomial", (t, P2)),
        Term("polynomial", (t, la.scale(2, BESIDE))),
        Term("polynomial", (t, la.identity(TWO))),
        Term("polynomial", (t, la.zero(TWO, size(4)))),
        la.total(la.head("h", TWO), CURVE),
    ],
)
def test_differentiate_knows_polynomials_in_the_time_only(body: Term):
    curve = la.lam(t, body)
    rejected(step("differentiate", lifetime=END, curve=curve, time=t), rule="differentiate")


def derived(body: Term) -> Term:
    """The derivative, at t."""
    theorem = run(step("differentiate", lifetime=END, curve=la.lam(t, body), time=t))
    assert theorem.conclusion == la.ode(END, la.lam(t, body), theorem.conclusion.args[2])
    assert not theorem.hypotheses
    assert not theorem.facts
    return la.at(theorem.conclusion.args[2], t)


def polynomials_of(term: Term, degree: int) -> list[Any]:
    """The entries by rows as polynomials in t, by interpolation of exact values."""
    values = []
    for k in range(degree + 1):
        point = truth.Point(0, values={("var", "t"): truth.matrix([[k]])})
        values.append(point(term))
    count = len(values[0]) * len(values[0][0])
    data = [fmpq(x.numerator, x.denominator) for v in values for row in v for x in row]
    vandermonde = fmpq_mat([[k**i for i in range(degree + 1)] for k in range(degree + 1)])
    solved = vandermonde.solve(fmpq_mat(degree + 1, count, data)).transpose().tolist()
    listed = [[Rational(int(c.p), int(c.q)) for c in reversed(row)] for row in solved]
    return [Poly(coefficients, SYMBOL, domain=QQ) for coefficients in listed]


@pytest.mark.parametrize(
    "body",
    [
        CURVE,
        OTHER,
        Term("polynomial", (t, SQUARE)),
        la.polynomial(t, [C0]),
        la.polynomial(la.number(5), [C0, C1]),
        la.tp(CURVE),
        outer(CURVE, OTHER),
        la.mul(la.tp(OTHER), CURVE, la.tp(OTHER)),
        la.scale(numbers(1, 0, 2), OTHER),
        la.scale(la.tr(outer(CURVE, OTHER)), la.tp(CURVE)),
        la.minus(la.mul(t, t), la.tr(outer(CURVE, CURVE))),
        numbers(*range(1, 12)),
        la.mul(numbers(0, 1), numbers(0, 1), numbers(0, 1)),
    ],
)
def test_derivatives_of_polynomials(body: Term):
    values, slopes = polynomials_of(body, 14), polynomials_of(derived(body), 14)
    assert [value.diff() for value in values] == slopes


def test_wrong_derivatives():
    slope = derived(CURVE)
    assert same(slope, sums(t, C1, [-10, 2]))
    for wrong in (
        sums(t, C1, C2),
        sums(t, C0, C1),
        sums(t, [4, 1], [-15, 3]),
        sums(t, C0, [-10, 2]),
        sums(t, C1[::-1], [-10, 2]),
        la.zero(TWO, ONE),
    ):
        assert not same(slope, wrong)
    assert same(derived(la.polynomial(t, [C0])), la.zero(TWO, ONE))
    assert same(derived(la.polynomial(x, [C0, C1])), la.zero(TWO, ONE))


def test_the_state_of_a_polynomial_field():
    """No rule takes the operation to be smooth or continuous without looking at it."""
    fields = (la.lam(x, numbers(1, 2, of=x)), la.lam(x, numbers(1, 2, of=la.inv(x))))
    for field in fields:
        rejected(step("polynomial", field=field, state=r), rule="polynomial")
        rejected(step("smooth_at", function=field, point=r), rule="smooth_at")
        rejected(step("continuous", function=field, point=r), rule="continuous")


# Nonnegative on an interval ------------------------------------------------------------------


def nonnegative(value: Any, end: Any = 1, time: Any = t) -> Step:
    last = end if isinstance(end, Term) else la.number(end)
    return step("nonnegative", value=value, time=time, end=last)


def square(value: Term) -> Term:
    return la.mul(value, value)


UNDECIDED = "was not seen"
EYE = la.identity(TWO)
MATRIX = la.mat("t", TWO, TWO)
PAIR = variable("pair", function_sort(index_sort(TWO), REAL))


@pytest.mark.parametrize(
    "value",
    [
        # other variables, of the same name and another sort, behind sums, traces, families
        x,
        square(x),
        la.mul(t, t, square(x)),
        la.add(t, square(x)),
        la.add(square(t), la.scale(x, la.number(0))),
        la.tr(la.mul(la.tp(P2), P2)),
        la.tr(la.mul(la.tp(MATRIX), MATRIX)),
        la.mul(la.tp(P2), P2),
        la.mul(la.tp(MATRIX), MATRIX),
        la.scale(square(x), EYE),
        la.add(la.scale(t, EYE), la.scale(x, la.zero(TWO, TWO))),
        outer(la.polynomial(x, [C0, C1]), la.polynomial(x, [C0, C1])),
        la.mul(la.at(la.time_to("f", ONE, ONE), t), la.at(la.time_to("f", ONE, ONE), t)),
        Term("sum", (PAIR,)),
        la.total(la.head("h", n), square(t)),
        la.total(la.head("h", TWO), square(la.at(PAIR, la.head("h", TWO)))),
        la.total(la.head("h", n), EYE),
        Term("sum", (variable("A", function_sort(index_sort(n), P2.args[0])),)),
        Term("polynomial", (t, la.mat("C", ONE, TWO))),
        numbers(0, 0, 1, of=x),
        numbers(0, 0, 1, of=numbers(0, 1, of=x)),
        la.mul(numbers(0, 0, 1), numbers(0, 0, 1, of=x)),
        # operations that are not polynomial
        la.exp(t),
        la.inv(t),
        la.root(t),
        la.pinv(t),
        la.det(t),
        la.lmax(t),
        la.rank(t),
        la.mul(t, la.inv(t)),
        numbers(0, 0, 1, of=la.inv(t)),
        la.root(EYE),
        la.inv(EYE),
        la.scale(la.exp(t), EYE),
        # sizes that are not known
        la.identity(d),
        la.zero(d, d),
        la.scale(t, la.identity(d)),
        la.tr(la.identity(d)),
        la.mul(la.tp(Term("polynomial", (t, B3))), Term("polynomial", (t, B3))),
        outer(Term("polynomial", (t, B3)), Term("polynomial", (t, B3))),
        la.dimension(d),
        la.dimension(TWO),
        la.inv(la.number(2)),
        la.lmax(la.identity(TWO)),
        la.integral(la.gaussian(t, la.number(1)), x, square(x)),
        # no matrices
        la.lam(t, square(t)),
        la.psd(t),
        la.finite(t),
        d,
        TWO,
        None,
        1,
        Fraction(1),
        Term("bound", data=0),
        Term("add", (t,)),
        Term("trace", (CURVE,)),
        la.add(t, EYE),
        la.mul(CURVE, EYE),
        Term("polynomial", (EYE, BESIDE)),
    ],
)
def test_nonnegative_knows_only_polynomials_in_the_time(value: Any):
    """All but the malformed are semidefinite wherever the operations are defined."""
    assert UNDECIDED not in rejected(nonnegative(value), rule="nonnegative")


@pytest.mark.parametrize(
    "end",
    [
        0,
        -1,
        -TINY,
        t,
        x,
        la.add(la.number(1), la.number(1)),
        la.scale(2, la.number(1)),
        la.identity(ONE),
        la.zero(ONE, ONE),
        numbers(1),
        la.finite(la.number(1)),
        la.INFINITY,
        literal([1, 1]),
        literal([1], [1]),
        literal([1, 0], [0, 1]),
        la.psd(la.number(1)),
        Term("literal"),
        Term("literal", (t,), Literal(1, 1, (Fraction(1),))),
    ],
)
def test_nonnegative_ends_at_a_positive_number(end: Any):
    for value in (square(t), la.number(1), la.scale(square(t), EYE), EYE):
        rejected(nonnegative(value, end), rule="nonnegative")


@pytest.mark.parametrize(
    "time",
    [
        None,
        "t",
        la.number(1),
        la.add(t, t),
        numbers(0, 1),
        MATRIX,
        la.mat("t", d, d),
        la.vec("t", TWO),
        la.lifetime("t"),
        la.head("t", TWO),
        la.head("t", ONE),
        la.dim("t"),
        la.time_to("t", ONE, ONE),
        Term("bound", data=0),
        Term("var", (), "t"),
        Term("var", (REAL,), 3),
        Term("var", (la.number(1),), "t"),
    ],
)
def test_nonnegative_needs_a_time(time: Any):
    for value in (la.number(1), square(t), la.psd(t), EYE):
        rejected(nonnegative(value, time=time), rule="nonnegative")


def test_nonnegative_uses_nothing():
    use = assume(la.psd(t))
    rejected(use, step("nonnegative", 0, value=t, time=t, end=la.number(1)), rule="nonnegative")
    rejected(step("nonnegative", value=t, time=t), rule="nonnegative")
    rejected(step("nonnegative", value=t, end=la.number(1)), rule="nonnegative")
    rejected(step("nonnegative", time=t, end=la.number(1)), rule="nonnegative")


def expected(value: Term, end: Fraction) -> Term:
    inside = la.conj(la.psd(t), la.psd(la.minus(la.number(end), t)))
    return la.forall(t, la.implies(inside, la.psd(value)))


def shifted(value: Term, root: Fraction) -> Term:
    return la.minus(value, la.number(root))


def by_rows(*rows: list) -> Term:
    """The matrix with these numbers, or rational constants."""
    terms = []
    for (i, row), j in itertools.product(enumerate(rows), range(len(rows))):
        entry = row[j] if isinstance(row[j], Term) else la.number(row[j])
        unit = [[int((i, j) == (k, m)) for m in range(len(rows))] for k in range(len(rows))]
        terms.append(la.scale(entry, la.literal(unit)))
    return la.add(*terms)


TRIPLE = literal([1], [2], [3])
CHEBYSHEV = numbers(1, 0, -32, 0, 160, 0, -256, 0, 128)
THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("value", "end"),
    [
        # at one end only
        (la.number(-TINY), 1),
        (numbers(-TINY, 1), 1),
        (numbers(-TINY, 10**40), 1),
        (numbers(1, -1), 1 + TINY),
        (numbers(TINY, -1), 1),
        (la.mul(t, numbers(1, -1)), 1 + TINY),
        (la.scale(-1, t), 1),
        (numbers(0, -1, 1), 1),
        (numbers(*[0] * 40, -1), 1),
        # inside only: at a midpoint, near one, and far from all that are tried
        (shifted(square(shifted(t, HALF)), TINY), 1),
        (shifted(square(shifted(t, THIRD)), TINY), 1),
        (shifted(square(shifted(t, Fraction(2**20 + 1, 2**21))), TINY), 1),
        (shifted(square(shifted(t, Fraction(1, 2**13))), TINY), 1),
        (shifted(square(shifted(t, Fraction(12345, 2**14))), Fraction(1, 2**29)), 1),
        (la.mul(shifted(t, THIRD), shifted(t, THIRD + TINY)), 1),
        (la.mul(shifted(t, THIRD), shifted(t, THIRD + TINY), numbers(1, 1, 1)), 7),
        (shifted(la.add(CHEBYSHEV, la.number(1)), TINY), 1),
        (shifted(numbers(0, 0, 1, 0, -2, 0, 1), TINY), 2),
        # an odd power touches zero and goes through
        (la.mul(*[shifted(t, HALF)] * 3), 1),
        (la.mul(*[shifted(t, THIRD)] * 5), 1),
        (la.scale(-1, square(shifted(t, THIRD))), 1),
        # written otherwise
        (la.tr(la.add(outer(UNIT, UNIT), la.scale(t, literal([0, 5], [5, -2])))), 1),
        (la.mul(ROW, la.polynomial(t, [[1, 9], [-2, 9]])), 1),
        (la.mul(la.tp(CURVE), la.scale(-1, OTHER)), 1),
        (numbers(0, 1, of=numbers(-1, 1)), 2),
        (numbers(0, 0, 0, 1, of=la.scale(-1, t)), 1),
        (numbers(0, 0, 0, 1, of=numbers(THIRD, -1)), 1),
    ],
)
def test_negative_somewhere(value: Term, end: Any):
    assert UNDECIDED in rejected(nonnegative(value, end), rule="nonnegative")
    assert not is_semidefinite(value, Fraction(end))


@pytest.mark.parametrize(
    ("value", "end"),
    [
        (la.number(0), 1),
        (la.zero(ONE, ONE), 1),
        (la.number(TINY), 1),
        (t, 1),
        (t, TINY),
        (t, 10**40),
        (numbers(1, -1), 1),
        (numbers(0, 1, -1), 1),
        (square(shifted(t, HALF)), 1),
        (square(shifted(t, Fraction(3, 4))), 1),
        (la.add(square(shifted(t, THIRD)), la.number(Fraction(1, 10**6))), 1),
        (la.add(CHEBYSHEV, la.number(1 + Fraction(1, 100))), 1),
        (la.minus(t, t), 1),
        (la.scale(0, numbers(-1, -2)), 1),
        (numbers(0, 0, 0, -1, of=la.scale(-1, t)), 1),
        (numbers(1, 2, of=numbers(0, 1, -1)), 1),
        (la.mul(la.tp(CURVE), CURVE), 1),
        (la.total(la.head("h", TWO), t), 1),
        # matrices: singular at an end, at all times, or zero
        (la.zero(TWO, TWO), 1),
        (EYE, 10**40),
        (la.scale(t, EYE), TINY),
        (la.scale(t, literal([1, 2], [2, 4])), 1),
        (powers(t, literal([1, 2], [2, 4]), literal([8, -5], [-5, -3])), 1),
        (powers(t, outer(TRIPLE, TRIPLE), la.scale(-1, outer(TRIPLE, TRIPLE))), 1),
        (by_rows([0, 0, 0], [0, t, numbers(0, -1)], [0, numbers(0, -1), numbers(0, 1)]), 1),
        # indefinite Bernstein coefficients on the whole interval
        (by_rows([1, numbers(0, 4, -4)], [numbers(0, 4, -4), Fraction(101, 100)]), 1),
        (la.add(outer(CURVE, CURVE), outer(OTHER, OTHER)), 1),
        (la.add(outer(CURVE, CURVE), la.scale(Fraction(1, 10**4), EYE)), 1),
        # indefinite before 0 and after the end
        (by_rows([numbers(1, -1), 0], [0, t]), 1),
        (la.total(la.head("h", TWO), la.scale(t, EYE)), 1),
        (la.identity(size(4)), 1),
    ],
)
def test_nonnegative_everywhere(value: Term, end: Any):
    theorem = run(nonnegative(value, end))
    assert theorem.conclusion == expected(value, Fraction(end))
    assert theorem.hypotheses == ()
    assert theorem.facts == frozenset()
    assert is_semidefinite(value, Fraction(end))


BUMP = la.scale(-1, la.mul(shifted(t, THIRD), shifted(t, THIRD + TINY)))
NEAR = la.minus(la.number(1 + TINY), square(shifted(t, THIRD)))
TURNED = by_rows([1, t], [la.scale(-1, t), 1])


@pytest.mark.parametrize(
    ("value", "end"),
    [
        # constant: entries, traces, determinants, leading minors >= 0 are not enough
        (literal([1, 2], [2, 1]), 1),
        (literal([0, 0], [0, -TINY]), 1),
        (literal([-1, 0], [0, -1]), 1),
        (literal([9, 0, 0], [0, -1, 0], [0, 0, -1]), 1),
        (literal([0, TINY], [TINY, 1]), 1),
        (literal([1, 1, 0], [1, 1, TINY], [0, TINY, 1]), 1),
        # at one end only
        (la.minus(la.scale(t, EYE), la.scale(TINY, outer(UNIT, UNIT))), 1),
        (by_rows([1, 0], [0, numbers(1, -1)]), 1 + TINY),
        (powers(t, literal([1, 2], [2, 4]), literal([8, -5], [-5, -3 - TINY])), 1),
        (powers(t, literal([1, 2], [2, 4]), literal([8, -5], [-5, -3])), 1 + TINY),
        (by_rows([1, numbers(*[0] * 30, 1 + TINY)], [numbers(*[0] * 30, 1 + TINY), 1]), 1),
        # everywhere but at one end
        (by_rows([0, t], [t, 1]), TINY),
        (by_rows([1, numbers(1, -1)], [numbers(1, -1), 0]), 1),
        # everywhere but at both ends
        (by_rows([0, numbers(0, 1, -1)], [numbers(0, 1, -1), 1]), 1),
        (la.scale(numbers(0, 1, -1), literal([1, 2], [2, 1])), 1),
        # everywhere but at the ends and in the middle
        (by_rows([1, 0], [0, la.scale(-1, square(numbers(0, 1, -3, 2)))]), 1),
        # for a tiny interval inside
        (by_rows([1, NEAR], [NEAR, 1]), 1),
        (by_rows([1, 0, 0], [0, 2, NEAR], [0, NEAR, HALF]), 1),
        (la.minus(la.scale(square(shifted(t, THIRD)), EYE), la.scale(TINY, outer(UNIT, UNIT))), 1),
        (by_rows([1, shifted(t, THIRD)], [shifted(t, THIRD), la.scale(-1, BUMP)]), 1),
        # the determinant is a square: two eigenvalues change their signs together
        (la.scale(shifted(t, THIRD), EYE), 1),
        (by_rows([1, 0, 0], [0, shifted(t, THIRD), 0], [0, 0, shifted(t, THIRD)]), 1),
        (by_rows([9, 0, 0], [0, la.scale(-1, BUMP), 0], [0, 0, la.scale(-1, BUMP)]), 1),
        # the determinant is zero everywhere
        (la.scale(numbers(1, -2), literal([1, 1], [1, 1])), 1),
        (by_rows([0, 0, 0], [0, 1, numbers(0, 2)], [0, numbers(0, 2), 1]), 1),
        # written otherwise
        (la.minus(EYE, outer(la.polynomial(t, [[0, 0], [1, TINY]]), OTHER_UNIT)), 1 / TINY),
        (la.mul(la.tp(TURNED), literal([1, 0], [0, -TINY]), TURNED), 1),
        (la.minus(outer(CURVE, CURVE), la.scale(TINY, EYE)), 1),
        (la.add(outer(CURVE, OTHER), outer(OTHER, CURVE)), 1),
        (powers(numbers(0, 0, 1, of=shifted(t, THIRD)), la.scale(-TINY, EYE), EYE), 1),
    ],
)
def test_indefinite_somewhere(value: Term, end: Any):
    assert UNDECIDED in rejected(nonnegative(value, end), rule="nonnegative")
    assert not is_semidefinite(value, Fraction(end))


@pytest.mark.parametrize(
    "value",
    [
        # one eigenvalue touches zero, at a number that halving meets and at one that it does not
        by_rows([square(shifted(t, HALF)), 0], [0, 1]),
        la.scale(square(shifted(t, THIRD)), EYE),
        by_rows([1, numbers(0, 4, -4)], [numbers(0, 4, -4), 1]),
        la.mul(la.tp(TURNED), by_rows([square(shifted(t, THIRD)), 0], [0, 1]), TURNED),
        # one is zero throughout
        outer(CURVE, CURVE),
        la.scale(square(shifted(t, THIRD)), literal([1, 2], [2, 4])),
        outer(la.polynomial(t, [[1, 0, 2], [0, 1, -1]]), la.polynomial(t, [[1, 0, 2], [0, 1, -1]])),
    ],
)
def test_touching_zero(value: Term):
    """Decided or not; a little below it is wrong, a little above it is seen."""
    n = sort_of(value).args[0]
    assert is_semidefinite(value, Fraction(1))
    if not accepted(nonnegative(value)):
        assert UNDECIDED in rejected(nonnegative(value), rule="nonnegative")
    below = la.minus(value, la.scale(TINY, la.identity(n)))
    assert UNDECIDED in rejected(nonnegative(below), rule="nonnegative")
    assert accepted(nonnegative(la.add(value, la.scale(Fraction(1, 1000), la.identity(n)))))


SKEW = literal([0, 1], [-1, 0])


@pytest.mark.parametrize(
    "value",
    [
        SKEW,
        la.scale(t, SKEW),
        la.add(EYE, la.scale(TINY, SKEW)),
        by_rows([1, t], [0, 1]),
        by_rows([1, 0], [t, 1]),
        TURNED,
        # symmetric at the ends, and in the middle
        la.add(EYE, la.scale(numbers(0, 1, -3, 2), SKEW)),
        la.add(EYE, la.scale(numbers(*[0] * 30, TINY), SKEW)),
        la.add(la.scale(4, EYE), la.scale(shifted(t, THIRD), outer(UNIT, OTHER_UNIT))),
        la.add(la.scale(100, EYE), outer(CURVE, OTHER)),
        # products of two semidefinite ones
        la.mul(by_rows([1, 0], [0, numbers(1, 1)]), literal([2, 1], [1, 2])),
        la.add(la.identity(size(3)), by_rows([0, 0, t], [0, 0, 0], [numbers(0, -1), 0, 0])),
    ],
)
def test_matrices_that_are_not_symmetric(value: Term):
    """Their symmetric parts are semidefinite."""
    assert UNDECIDED in rejected(nonnegative(value), rule="nonnegative")
    assert accepted(nonnegative(la.add(value, la.tp(value))))


@pytest.mark.parametrize(
    "value",
    [
        la.zero(TWO, ONE),
        la.zero(ONE, TWO),
        la.zero(TWO, size(3)),
        literal([1, 1]),
        UNIT,
        la.scale(t, ROW),
        literal([1, 0, 0], [0, 1, 0]),
        la.polynomial(t, [[1, 1], [1, 1]]),
        la.tp(la.polynomial(t, [[1, 1], [1, 1]])),
        Term("polynomial", (la.number(1), SQUARE)),
        la.mul(literal([1, 0, 0], [0, 1, 0]), la.identity(size(3))),
    ],
)
def test_matrices_that_are_not_square(value: Term):
    rejected(nonnegative(value), rule="nonnegative")


@pytest.mark.parametrize("value", [square(t), la.scale(t, EYE), outer(CURVE, CURVE)])
def test_wrong_coefficients_are_noticed(value: Term, monkeypatch: pytest.MonkeyPatch):
    """Also where they are those of a polynomial that is positive."""
    right = univariate.coefficients(value, t)
    n = right[0].nrows()
    one = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    for wrong in ([one], [right[0] + one, *right[1:]], [*right, one], right[:-1]):
        monkeypatch.setattr(univariate, "coefficients", lambda *_, wrong=wrong: wrong)
        assert "random time" in rejected(nonnegative(value), rule="nonnegative")


def test_high_degrees_are_kernel_errors():
    """Also where no list is long enough for the coefficients."""
    value = t
    nested, matrix = t, by_rows([t, 0], [0, 1])
    for _ in range(36):
        value, nested, matrix = square(value), numbers(0, 0, 1, of=nested), square(matrix)
    for high in (
        value,
        nested,
        matrix,
        la.scale(value, EYE),
        la.minus(value, value),
        la.scale(0, value),
        la.mul(*[t] * 500),
        numbers(*[0] * 100, 1, of=numbers(*[0] * 100, 1)),
    ):
        assert "degree" in rejected(nonnegative(high), rule="nonnegative")
    assert accepted(nonnegative(numbers(*[0] * 399, 1)))
    assert "degree" in rejected(nonnegative(numbers(*[1] * 402)), rule="nonnegative")


def test_the_name_of_the_time_does_not_matter():
    first, second = (
        run(nonnegative(square(shifted(of, HALF)), time=of)).conclusion for of in (t, x)
    )
    assert first == second
    # the time is bound: what is said of another variable of that name is as before
    used = run(
        nonnegative(numbers(1, -1)),
        step("specialise", 0, value=la.number(2)),
    ).conclusion
    assert used == la.implies(
        la.conj(la.psd(la.number(2)), la.psd(la.minus(la.number(1), la.number(2)))),
        la.psd(numbers(1, -1, of=la.number(2))),
    )
    # so that 1 - 2 >= 0 does not follow
    rejected(
        nonnegative(numbers(1, -1)),
        step("specialise", 0, value=la.number(2)),
        step("definite", matrix=la.number(2)),
        step("modus_ponens", 1, 2),
        rule="modus_ponens",
    )
    rejected(step("definite", matrix=la.minus(la.number(1), la.number(2))), rule="definite")


def test_nonnegative_at_a_time_inside():
    """The way to use it, to the end."""
    point = la.number(THIRD)

    def numeric(of: Term) -> Term:
        return numbers(1, -1, of=of)

    def matrix(of: Term) -> Term:
        return powers(of, EYE, literal([-HALF, HALF], [HALF, -HALF]))

    for value in (numeric, matrix):
        steps = (
            nonnegative(value(t)),
            step("specialise", 0, value=point),
            step("definite", matrix=point),
            step("definite", matrix=la.minus(la.number(1), point)),
            step("conjunction", 2, 3),
            step("modus_ponens", 1, 4),
        )
        statement = Statement((), la.psd(value(point)))
        assert establish(statement, Proof(steps)).conclusion == la.psd(value(point))


def is_nonnegative(polynomial: Poly, end: Fraction) -> bool:
    """By Sturm's theorem for the product of the factors of odd multiplicity."""
    if polynomial.is_zero:
        return True
    _, factors = polynomial.sqf_list()
    odd = Poly(1, SYMBOL, domain=QQ)
    for factor, multiplicity in factors:
        if multiplicity % 2:
            odd *= factor
    last = Rational(end.numerator, end.denominator)
    inside = odd.count_roots(0, last) - sum(odd.eval(at) == 0 for at in (0, last))
    if inside:
        return False
    k = 2
    while not polynomial.eval(last / k):
        k += 1
    return bool(polynomial.eval(last / k) > 0)


def is_semidefinite(value: Term, end: Fraction, degree: int = 41) -> bool:
    """Symmetric, and the sums of all principal minors of each size are >= 0."""
    n = int(str(sort_of(value).args[0].data))
    listed = polynomials_of(value, degree)
    rows = [listed[i * n : (i + 1) * n] for i in range(n)]
    if rows != [list(column) for column in zip(*rows, strict=True)]:
        return False
    sums = []
    for k in range(1, n + 1):
        total = Poly(0, SYMBOL, domain=QQ)
        for chosen in itertools.combinations(range(n), k):
            for order in itertools.permutations(range(k)):
                factors = (rows[i][chosen[j]] for i, j in zip(chosen, order, strict=True))
                total += int(LeviCivita(*order)) * math.prod(factors)
        sums.append(total)
    return all(is_nonnegative(total, end) for total in sums)


@st.composite
def small_polynomials(draw: Any) -> tuple[Term, int]:
    """Products of few factors with roots that are met or avoided, a little shifted; the degree."""
    roots = (Fraction(0), HALF, THIRD, Fraction(1), Fraction(5, 8), Fraction(-1), Fraction(2, 7))
    term: Term = la.number(draw(st.sampled_from((1, 1, 1, -1))))
    degree = 0
    for _ in range(draw(st.integers(0, 4))):
        factor = shifted(t, draw(st.sampled_from(roots)))
        power = draw(st.sampled_from((1, 2, 2)))
        sign = draw(st.sampled_from((1, 1, -1)))
        if draw(st.booleans()):
            own = numbers(*[0] * power, sign, of=factor)
        else:
            own = la.scale(sign, la.mul(*[factor] * power) if power > 1 else factor)
        term, degree = la.mul(own, term), degree + power
    offset = draw(st.sampled_from((0, 0, TINY, -TINY, Fraction(1, 100), Fraction(-1, 100))))
    return la.add(term, la.number(offset)), degree


@given(small_polynomials(), st.sampled_from((THIRD, HALF, Fraction(1), Fraction(5, 2))))
def test_nonnegative_agrees_with_sturm(pair: tuple[Term, int], end: Fraction):
    value, _ = pair
    if accepted(nonnegative(value, end)):
        assert is_semidefinite(value, end)
    # far from zero it is seen
    positive = la.add(value, la.number(Fraction(1, 50)))
    if is_semidefinite(value, end):
        assert accepted(nonnegative(positive, end))


def test_random_polynomials_agree_with_sturm():
    generator = random.Random(5)
    found = []
    for _ in range(150):
        degree = generator.randint(1, 7)
        coefficients = [Fraction(generator.randint(-4, 4), generator.randint(1, 3))]
        coefficients += [Fraction(generator.randint(-9, 9), 3) for _ in range(degree)]
        value, end = numbers(*coefficients), Fraction(generator.randint(1, 6), 2)
        seen, holds = accepted(nonnegative(value, end)), is_semidefinite(value, end)
        assert not seen or holds
        found.append(seen == holds)
    assert all(found)


def test_random_matrices_near_the_lowest_eigenvalue():
    """Sizes up to 3, degrees up to 6 and squares of them, written in three ways.

    A little more than the lowest eigenvalue is taken away, which exact evaluation refutes, or a
    little less, which Sturm's theorem confirms.
    """
    generator = random.Random(11)

    def rows(n: int, columns: int) -> list[list[Fraction]]:
        return [[Fraction(generator.randint(-3, 3), 2) for _ in range(columns)] for _ in range(n)]

    for n, degree, way in itertools.product((1, 2, 3), range(7), ("sum", "columns", "square")):
        of = t if degree > 3 else generator.choice((t, numbers(1, -1), numbers(0, HALF, HALF)))
        if way == "columns":
            units = [column([int(i == j) for i in range(n)]) for j in range(n)]
            own = [Term("polynomial", (of, la.literal(rows(n, degree + 1)))) for _ in units]
            half = Term("sum", (Term("family", tuple(map(outer, own, units))),))
        else:
            half = powers(of, *(la.literal(rows(n, n)) for _ in range(degree + 1)))
        value = la.mul(la.tp(half), half) if way == "square" else la.add(half, la.tp(half))
        end = Fraction(generator.randint(1, 6), 4)

        def lowered(by: Fraction, value: Term = value, n: int = n) -> Term:
            return la.minus(value, la.scale(by, la.identity(size(n))))

        grid = [end * k / 128 for k in range(129)]
        curves = [[float(c) for c in entry.all_coeffs()] for entry in polynomials_of(value, 12)]
        values = np.array([np.polyval(curve, np.array(grid, float)) for curve in curves])
        lows = np.linalg.eigvalsh(values.T.reshape(-1, n, n))[:, 0]
        lowest, place = min(lows), grid[int(np.argmin(lows))]
        below = lowered(Fraction(math.ceil(10**6 * lowest) + 1, 10**6))
        point = truth.Point(0, values={("var", "t"): truth.matrix([[place]])})
        assert not truth.semidefinite(point(below))
        assert UNDECIDED in rejected(nonnegative(below, end), rule="nonnegative")
        above = lowered(Fraction(math.floor(20 * lowest) - 1, 20))
        assert is_semidefinite(above, end, 12)
        assert accepted(nonnegative(above, end))


@given(squares(depth=2, times=(t, numbers(1, 2), numbers(0, 0, HALF, of=numbers(0, 1, 1)))))
def test_coefficients_have_the_values(term: Term):
    """At more points than a polynomial of the degree has zeros."""
    coefficients = univariate.coefficients(term, t)
    for point in range(1, len(coefficients) + 2):
        known = truth.Point(0, values={("var", "t"): truth.matrix([[point]])})(term)
        total = sum((c * point**k for k, c in enumerate(coefficients)), fmpq_mat(2, 2))
        assert total.tolist() == [[fmpq(x.numerator, x.denominator) for x in row] for row in known]


# In print ------------------------------------------------------------------------------------


def test_polynomials_in_print():
    assert text(CURVE) == "[[1], [3]] + t [[2], [1/2]] + t² [[−5], [1]]"
    assert text(la.tp(la.polynomial(t, [C0, C2]))) == "([[1], [3]] + t [[−5], [1]])ᵀ"
    assert text(la.polynomial(la.add(t, x), [C0, C2])).endswith("+ (t + x) [[−5], [1]]")
    assert text(la.polynomial(t, [C0])) == "[[1], [3]]"
    assert text(numbers(1, 0, 3)) == "1 + t · 0 + t² · 3"
    assert "+ t^2 " in latex(CURVE)
    # the coefficients are the columns of another matrix
    assert text(Term("polynomial", (t, la.mat("B", d, TWO)))) == "B [[1], [0]] + t B [[0], [1]]"
