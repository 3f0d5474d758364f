"""Attacks on the operation ``polynomial`` and on the rule ``nonnegative``."""

import random
from fractions import Fraction
from typing import Any

import pytest
import soundness_models as models
import soundness_truth as truth
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from sympy import QQ, Poly, Rational, Symbol

from proofs import language as la
from proofs.checkers import entries, evaluation
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
P2, B4 = la.mat("P2", TWO, TWO), la.mat("B4", TWO, size(4))
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
    return la.polynomial(of, [[[Fraction(c)]] for c in coefficients])


def literal(*rows: list) -> Term:
    return la.literal(rows)


C0, C1, C2 = [[1, 2], [3, 4]], [[0, -1], [1, HALF]], [[2, 0], [-5, 1]]
CURVE = la.polynomial(t, [C0, C1, C2])
BESIDE = la.literal([[*a, *b, *c] for a, b, c in zip(C0, C1, C2, strict=True)])
TALL, ROW = literal([1], [2]), literal([1, 0])


# What is a polynomial ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        (),
        (t,),
        (t, BESIDE, BESIDE),
        (BESIDE, t),
        # columns that are no multiple of the rows
        (t, TALL),
        (t, literal([1, 2, 3], [4, 5, 6])),
        (t, literal([1, 2], [3, 4], [5, 6])),
        (t, la.mat("C", TWO, size(3))),
        # sizes that are not known
        (t, la.mat("C", d, d)),
        (t, la.mat("C", d, TWO)),
        (t, la.mat("C", TWO, d)),
        (t, la.mat("C", ONE, d)),
        (t, la.identity(d)),
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
    assert sort_of(CURVE) == P2.args[0]
    assert sort_of(numbers(1, 2, 3)) == REAL
    assert sort_of(Term("polynomial", (t, B4))) == P2.args[0]


def test_no_size_is_put_into_a_polynomial():
    """A lemma about coefficients of one size says nothing about others."""
    term = Term("polynomial", (t, B4))
    statement = Statement((), la.eq(term, term))
    lemma = Lemma(statement, Proof((step("reflexivity", term=term),)))
    good = {"t": x, "B4": la.literal([[1, 2, 3, 4], [5, 6, 7, 8]])}
    for instance in (
        {**good, "B4": BESIDE},
        {**good, "B4": P2},
        {**good, "B4": la.mat("C", d, n)},
        {**good, "t": P2},
    ):
        call = Proof((step("lemma", name="l", instance=instance),), {"l": lemma})
        with pytest.raises(KernelError):
            check(call)
    assert check(Proof((step("lemma", name="l", instance=good),), {"l": lemma}))


# Its values ----------------------------------------------------------------------------------


def powers(of: Term, *blocks: list) -> Term:
    """The same as a sum of multiples of powers."""
    terms = [la.literal(blocks[0])]
    for k, block in enumerate(blocks[1:], 1):
        power = of if k == 1 else la.mul(*[of] * k)
        terms.append(la.scale(power, la.literal(block)))
    return la.add(*terms) if len(terms) > 1 else terms[0]


def same(left: Term, right: Term, *uses: Step) -> bool:
    places = range(len(uses))
    return accepted(*uses, step("entries", *places, left=left, right=right))


def transposed(rows: list) -> list:
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    "wrong",
    [
        powers(t, C0, C2, C1),
        powers(t, C1, C0, C2),
        powers(t, C0, C1),
        powers(t, C0, C1, C2, C0),
        powers(x, C0, C1, C2),
        powers(la.scale(2, t), C0, C1, C2),
        powers(t, transposed(C0), C1, C2),
        powers(t, C0, transposed(C1), C2),
        powers(t, *map(transposed, (C0, C1, C2))),
        powers(t, C0, C1, [[2, 0], [-5, 1 + TINY]]),
        # coefficients beside each other by columns, or below each other
        la.polynomial(t, [[[1, 2], [0, -1]], [[3, 4], [1, HALF]], C2]),
        la.tp(la.polynomial(t, [C0, C1, C2])),
        la.polynomial(t, [C2, C1, C0]),
        la.polynomial(x, [C0, C1, C2]),
        la.literal(C0),
        la.zero(TWO, TWO),
    ],
)
def test_polynomials_are_not_other_ones(wrong: Term):
    assert not same(CURVE, wrong)
    assert not same(la.tr(la.mul(CURVE, P2)), la.tr(la.mul(wrong, P2)))
    rejected(step("algebra", left=CURVE, right=wrong, contexts=()), rule="algebra")


@pytest.mark.parametrize("of", [t, x, la.scale(2, t), la.tr(P2), la.inv(t), numbers(1, 2), r])
def test_polynomials_are_their_sums(of: Term):
    polynomial = la.polynomial(of, [C0, C1, C2])
    assert same(polynomial, powers(of, C0, C1, C2))
    assert same(la.tp(polynomial), la.polynomial(of, [*map(transposed, (C0, C1, C2))]))
    assert not same(la.tp(polynomial), polynomial)
    assert same(la.tr(polynomial), numbers(5, HALF, 3, of=of))
    assert not same(la.tr(polynomial), numbers(5, HALF, -3, of=of))
    assert same(polynomial, la.polynomial(of, [C0, C1, C2, [[0, 0], [0, 0]]]))


def test_coefficients_that_are_no_literal():
    left, right = (
        la.literal([[1, 0], [0, 1], [0, 0], [0, 0]]),
        la.literal([[0, 0], [0, 0], [1, 0], [0, 1]]),
    )
    polynomial = Term("polynomial", (x, B4))
    first, second = la.mul(B4, left), la.mul(B4, right)
    assert same(polynomial, la.add(first, la.scale(x, second)))
    assert not same(polynomial, la.add(second, la.scale(x, first)))
    assert not same(polynomial, la.add(first, second))
    # what is declared symmetric is the matrix, not its coefficients; and not the sum
    declared = assume(la.psd(polynomial))
    assert not same(la.tp(polynomial), polynomial, declared)
    # the time may occur in the coefficients
    moving = Term("polynomial", (t, la.scale(t, BESIDE)))
    assert same(moving, la.scale(t, CURVE))


def test_polynomials_do_not_commute():
    other = la.polynomial(t, [[[0, 1], [0, 0]], [[1, 0], [0, 2]]])
    for rule in ("entries", "algebra"):
        equation = {"left": la.mul(CURVE, other), "right": la.mul(other, CURVE)}
        rejected(step(rule, **equation), rule=rule)
    own = {"left": la.mul(CURVE, CURVE, CURVE), "right": la.mul(CURVE, la.mul(CURVE, CURVE))}
    for rule in ("entries", "algebra"):
        assert accepted(step(rule, **own))
    # numbers do
    a, b = numbers(1, 2), numbers(0, 0, 3)
    for rule in ("entries", "algebra"):
        assert accepted(step(rule, left=la.mul(a, b), right=la.mul(b, a)))


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
def constants(draw: Any, depth: int = 3) -> Term:
    """2 x 2 expressions of literals."""
    entry = st.fractions(-3, 3, max_denominator=4)
    if depth == 0:
        return la.literal([[draw(entry), draw(entry)], [draw(entry), draw(entry)]])
    inner = constants(depth=depth - 1)
    kind = draw(st.sampled_from(("polynomial", "polynomial", "add", "mul", "tp", "scale", "sum")))
    if kind == "polynomial":
        blocks = draw(st.integers(1, 3))
        rows = [[draw(entry) for _ in range(2 * blocks)] for _ in range(2)]
        beside: Term = la.literal(rows)
        if blocks == 2 and draw(st.booleans()):
            beside = la.mul(draw(inner), beside)
        return Term("polynomial", (la.tr(draw(inner)), beside))
    if kind == "sum":
        family = Term("family", (draw(inner), draw(inner)))
        return Term("sum", (family,))
    if kind == "tp":
        return la.tp(draw(inner))
    if kind == "scale":
        return la.scale(la.tr(draw(inner)), draw(inner))
    return Term(kind, (draw(inner), draw(inner)))


def as_literal(matrix: truth.Matrix) -> Term:
    return la.literal([list(row) for row in matrix])


@given(constants())
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


@given(constants(depth=2), st.integers(0, 2**20))
def test_traces_of_constants_are_numbers(term: Term, seed: int):
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
        Term("polynomial", (la.number(1), B4)),
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
        Term("polynomial", (t, B4)),
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
    """The entries as polynomials in t, by interpolation of exact values."""
    values = []
    for k in range(degree + 1):
        point = truth.Point(0, values={("var", "t"): truth.matrix([[k]])})
        values.append(point(term))
    rows, columns = len(values[0]), len(values[0][0])
    vandermonde = fmpq_mat([[k**i for i in range(degree + 1)] for k in range(degree + 1)])
    found = []
    for i in range(rows):
        for j in range(columns):
            data = [fmpq(v[i][j].numerator, v[i][j].denominator) for v in values]
            solved = vandermonde.solve(fmpq_mat(degree + 1, 1, data)).entries()
            listed = [Rational(int(c.p), int(c.q)) for c in reversed(solved)]
            found.append(Poly(listed, SYMBOL, domain=QQ))
    return found


OTHER = la.polynomial(t, [[[1, 0], [2, 0]], [[0, 0], [0, 3]], [[1, 1], [0, -1]], [[0, 1], [0, 0]]])


@pytest.mark.parametrize(
    "body",
    [
        CURVE,
        OTHER,
        la.polynomial(t, [C0]),
        la.polynomial(la.number(5), [C0, C1]),
        la.tp(CURVE),
        la.mul(CURVE, OTHER),
        la.mul(la.tp(OTHER), CURVE, OTHER),
        la.scale(numbers(1, 0, 2), OTHER),
        la.scale(la.tr(la.mul(CURVE, OTHER)), la.tp(CURVE)),
        la.minus(la.mul(t, t), la.tr(la.mul(CURVE, CURVE))),
        numbers(*range(1, 12)),
        la.mul(numbers(0, 1), numbers(0, 1), numbers(0, 1)),
    ],
)
def test_derivatives_of_polynomials(body: Term):
    values, slopes = polynomials_of(body, 14), polynomials_of(derived(body), 14)
    assert [value.diff() for value in values] == slopes


def test_wrong_derivatives():
    slope = derived(CURVE)
    assert same(slope, powers(t, C1, [[4, 0], [-10, 2]]))
    for wrong in (
        powers(t, C1, C2),
        powers(t, C0, C1),
        powers(t, [[0, -2], [2, 1]], [[6, 0], [-15, 3]]),
        powers(t, C0, [[4, 0], [-10, 2]]),
        powers(t, transposed(C1), [[4, -10], [0, 2]]),
        la.zero(TWO, TWO),
    ):
        assert not same(slope, wrong)
    assert same(derived(la.polynomial(t, [C0])), la.zero(TWO, TWO))
    assert same(derived(la.polynomial(x, [C0, C1])), la.zero(TWO, TWO))


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
        la.mul(la.at(la.time_to("f", ONE, ONE), t), la.at(la.time_to("f", ONE, ONE), t)),
        Term("sum", (PAIR,)),
        la.total(la.head("h", n), square(t)),
        la.total(la.head("h", TWO), square(la.at(PAIR, la.head("h", TWO)))),
        Term("polynomial", (t, la.mat("C", ONE, TWO))),
        numbers(0, 0, 1, of=x),
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
        la.dimension(d),
        la.dimension(TWO),
        la.inv(la.number(2)),
        la.lmax(la.identity(TWO)),
        la.integral(la.gaussian(t, la.number(1)), x, square(x)),
        # not numbers
        CURVE,
        la.mul(la.tp(CURVE), CURVE),
        la.identity(TWO),
        la.literal([[1, 2]]),
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
    ],
)
def test_nonnegative_knows_only_polynomials_in_the_time(value: Any):
    rejected(nonnegative(value), rule="nonnegative")


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
    rejected(nonnegative(square(t), end), rule="nonnegative")


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
    for value in (la.number(1), square(t), la.psd(t)):
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
        (la.tr(la.polynomial(t, [[[1, 0], [0, -2]], [[0, 5], [5, 0]]])), 1),
        (la.mul(ROW, la.polynomial(t, [[[1, 9], [9, 9]], [[-2, 0], [0, 9]]]), la.tp(ROW)), 1),
        (numbers(0, 1, of=numbers(-1, 1)), 2),
        (numbers(0, 0, 0, 1, of=la.scale(-1, t)), 1),
        (numbers(0, 0, 0, 1, of=numbers(THIRD, -1)), 1),
    ],
)
def test_negative_somewhere(value: Term, end: Any):
    rejected(nonnegative(value, end), rule="nonnegative")
    assert not is_nonnegative(value, Fraction(end))


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
        (la.tr(la.mul(la.tp(CURVE), CURVE)), 1),
        (la.total(la.head("h", TWO), t), 1),
    ],
)
def test_nonnegative_everywhere(value: Term, end: Any):
    theorem = run(nonnegative(value, end))
    assert theorem.conclusion == expected(value, Fraction(end))
    assert theorem.hypotheses == ()
    assert theorem.facts == frozenset()
    assert is_nonnegative(value, Fraction(end))


def test_high_degrees_are_kernel_errors():
    """Also where no list is long enough for the coefficients."""
    value = t
    for _ in range(36):
        value = square(value)
    assert "degree" in rejected(nonnegative(value), rule="nonnegative")
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
    value = numbers(1, -1, of=point)
    steps = (
        nonnegative(numbers(1, -1)),
        step("specialise", 0, value=point),
        step("definite", matrix=point),
        step("definite", matrix=la.minus(la.number(1), point)),
        step("conjunction", 2, 3),
        step("modus_ponens", 1, 4),
    )
    statement = Statement((), la.psd(value))
    assert establish(statement, Proof(steps)).conclusion == la.psd(value)


def is_nonnegative(value: Term, end: Fraction) -> bool:
    """By Sturm's theorem for the product of the factors of odd multiplicity."""
    (polynomial,) = polynomials_of(value, 41)
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
        assert is_nonnegative(value, end)
    # far from zero it is seen
    positive = la.add(value, la.number(Fraction(1, 50)))
    if is_nonnegative(value, end):
        assert accepted(nonnegative(positive, end))


def test_random_polynomials_agree_with_sturm():
    generator = random.Random(5)
    found = []
    for _ in range(150):
        degree = generator.randint(1, 7)
        coefficients = [Fraction(generator.randint(-4, 4), generator.randint(1, 3))]
        coefficients += [Fraction(generator.randint(-9, 9), 3) for _ in range(degree)]
        value, end = numbers(*coefficients), Fraction(generator.randint(1, 6), 2)
        seen = accepted(nonnegative(value, end))
        assert not seen or is_nonnegative(value, end)
        found.append(seen == is_nonnegative(value, end))
    assert all(found)


# In print ------------------------------------------------------------------------------------


def test_polynomials_in_print():
    assert text(CURVE) == "[[1, 2], [3, 4]] + t [[0, −1], [1, 1/2]] + t² [[2, 0], [−5, 1]]"
    assert text(la.tp(la.polynomial(t, [C0, C2]))) == "([[1, 2], [3, 4]] + t [[2, 0], [−5, 1]])ᵀ"
    assert text(la.polynomial(la.add(t, x), [C0, C2])).endswith("+ (t + x) [[2, 0], [−5, 1]]")
    assert text(la.polynomial(t, [C0])) == "[[1, 2], [3, 4]]"
    assert "+ t^2 " in latex(CURVE)
    # the coefficients are parts of another matrix
    printed = text(Term("polynomial", (t, la.mat("B", TWO, size(4)))))
    assert printed.startswith("B [[1, 0], [0, 1], [0, 0], [0, 0]] + t B [[0, 0], [0, 0], [1, 0]")
