"""Exact rational matrices against fractions: equality, arithmetic, definiteness, evaluation."""

import copy
import itertools
import math
import pickle
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import soundness_truth as truth
from flint import fmpq_mat, fmpz, fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from proofs import language as la
from proofs.checkers import evaluation, rational
from proofs.checkers.constants import Constants
from proofs.kernel import KernelError, Proof, Step, Theorem, check
from proofs.terms import HASHED, MAX_DENOMINATOR_BITS, Literal, Term, TermError, size, sort_of

PRIME = evaluation.PRIME
HUGE = 2 ** (MAX_DENOMINATOR_BITS + 1)
HALF = Fraction(1, 2)

#: entries that are 0 modulo the prime, or not defined there, or longer than a machine word
SPECIAL = (Fraction(PRIME), Fraction(1, PRIME), Fraction(2**64, 3), Fraction(-1, HUGE + 1))
plain = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 4))
fractions = st.one_of(*[plain] * 5, st.sampled_from(SPECIAL))
small = st.integers(1, 3)


@st.composite
def matrices(draw: Any, rows: int | None = None, columns: int | None = None) -> truth.Matrix:
    m, n = rows or draw(small), columns or draw(small)
    return truth.matrix([[draw(fractions) for _ in range(n)] for _ in range(m)])


@st.composite
def squares(draw: Any) -> truth.Matrix:
    n = draw(small)
    return draw(matrices(n, n))


def square(entries: list[Fraction]) -> truth.Matrix:
    n = math.isqrt(len(entries))
    return truth.matrix(entries[i * n : (i + 1) * n] for i in range(n))


def literal(value: truth.Matrix) -> Literal:
    return Literal(len(value), len(value[0]), tuple(x for row in value for x in row))


def rows(value: Literal) -> truth.Matrix:
    n = value.columns
    return truth.matrix(value.entries[i * n : (i + 1) * n] for i in range(value.rows))


def over(value: truth.Matrix, factor: int = 1) -> Literal:
    """The matrix from integers over ``factor`` times a common denominator."""
    below = factor
    for x in (x for row in value for x in row):
        below *= x.denominator
    numerators = [[int(x * below) for x in row] for row in value]
    return Literal.from_integers(fmpz_mat(numerators), fmpz(below))


def term(value: Literal) -> Term:
    return Term("literal", data=value)


def run(rule: str, **args: Any) -> Theorem:
    return check(Proof((Step(rule, (), args),)))


def accepted(rule: str, **args: Any) -> bool:
    try:
        run(rule, **args)
    except KernelError:
        return False
    return True


def ways(value: truth.Matrix) -> list[Literal]:
    """The same matrix made in several ways."""
    reduced, tripled, long = literal(value), over(value, 3), over(value, HUGE)
    found = [reduced, over(value), tripled, long, Literal.from_flint(reduced.flint)]
    tripled.entries  # noqa: B018 (an entry that is computed changes nothing)
    found += [copy.copy(long), copy.deepcopy(tripled), pickle.loads(pickle.dumps(long))]
    found.append(rational.scaled(rational.scaled(tripled, Fraction(HUGE, 7)), Fraction(7, HUGE)))
    return found


# Equality ------------------------------------------------------------------------------------


wide = st.one_of(matrices(), matrices(5, 5), matrices(1, HASHED + 1))


@given(wide, st.data())
def test_equality_is_that_of_the_entries(value: truth.Matrix, data: st.DataObject):
    i = data.draw(st.integers(0, len(value) - 1))
    j = data.draw(st.integers(0, len(value[0]) - 1))
    step = data.draw(st.sampled_from((Fraction(1), Fraction(1, HUGE), Fraction(PRIME))))
    other = [list(row) for row in value]
    other[i][j] += step
    here, there = ways(value), ways(truth.matrix(other))
    for one in here:
        assert rows(one) == value
        assert one[i, j] == value[i][j]
        assert all(one == two and hash(one) == hash(two) for two in here)
        assert not any(one == two or two == one for two in there)
    assert len({*here, *there}) == 2


@given(wide, st.data())
def test_the_kernel_tells_literals_apart(value: truth.Matrix, data: st.DataObject):
    i = data.draw(st.integers(0, len(value) - 1))
    other = [list(row) for row in value]
    other[i][-1] += PRIME
    here, there = ways(value), ways(truth.matrix(other))
    for one, two in zip(here, here[::-1], strict=True):
        assert not accepted("unequal", left=term(one), right=term(two))
    for one, two in zip(here, there, strict=True):
        assert accepted("unequal", left=term(one), right=term(two))
        assert not accepted("algebra", left=term(one), right=term(two))


def test_shapes_count():
    entries = (Fraction(1),) * 36
    shapes = [Literal(m, 36 // m, entries) for m in (1, 4, 6, 9, 36)]
    assert len(set(shapes)) == 5
    assert not any(a == b for a in shapes for b in shapes if a is not b)
    assert Literal(1, 1, (Fraction(1),)) != Fraction(1)


def test_zero_has_no_sign():
    zero = Literal.from_integers(fmpz_mat([[0]]), fmpz(7))
    assert zero == literal(truth.matrix([[0]])) == over(truth.matrix([[Fraction(-0.0)]]))
    assert rational.scaled(zero, Fraction(-1)) == zero
    assert not accepted("unequal", left=term(zero), right=la.number(0))


# Immutability --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 5])
def test_nothing_that_a_literal_gives_away_changes_it(n: int):
    """Not its integers, not what it was made from; so theorems about it stay true."""
    value = truth.times(Fraction(3, 2), truth.identity(n))
    numerators, given = (
        fmpz_mat([[3 * (i == j) for j in range(n)] for i in range(n)]),
        fmpq_mat(n, n),
    )
    made = Literal.from_integers(numerators, fmpz(2))
    theorem = run("definite", matrix=term(made), strict=True)
    copied = Literal.from_flint(given)
    numerators[0, 0] = given[0, 0] = -5
    for one in (made, literal(value), over(value, 7)):
        one.integers[0][0, 0] = -5
        one.flint[0, 0] = -5
        rational.to_flint(one)[0, 0] = -5
        # what is computed next, by each of its two forms
        assert rows(rational.scaled(one, Fraction(2))) == truth.times(Fraction(2), value)
        assert rows(Literal.from_flint(one.flint)) == rows(one) == value
        assert one == made == literal(value)
        assert hash(one) == hash(made)
        assert not accepted("unequal", left=term(one), right=term(literal(value)))
    assert theorem.conclusion == la.pd(term(literal(value)))
    assert rows(copied) == truth.times(Fraction(0), value)
    assert type(made.entries) is tuple


@pytest.mark.parametrize("name", ["rows", "columns", "entries", "_entries", "_integers", "other"])
def test_literals_are_not_assigned_to(name: str):
    value = literal(truth.matrix([[1, 2]]))
    with pytest.raises(AttributeError):
        setattr(value, name, 3)
    with pytest.raises(AttributeError):
        delattr(value, name)
    assert not hasattr(value, "__dict__")
    assert rows(value) == truth.matrix([[1, 2]])


class Half(Fraction):
    """A fraction that says that it is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = Fraction.__hash__


@pytest.mark.parametrize(
    "make",
    [
        lambda: Literal(0, 1, ()),
        lambda: Literal(1, 0, ()),
        lambda: Literal(-1, -1, (Fraction(1),)),
        lambda: Literal(2, 1, (Fraction(1),)),
        lambda: Literal(1, 1, [Fraction(1)]),
        lambda: Literal(1, 1, (Half(1, 2),)),
        # integers of bounded size overflow
        lambda: Literal(1, 1, (Fraction(np.int64(2**62)),)),
        lambda: Literal(1, 1, (Fraction(1, np.int64(2)),)),
        lambda: Literal.from_integers(fmpz_mat([[1]]), fmpz(0)),
        lambda: Literal.from_integers(fmpz_mat([[1]]), fmpz(-2)),
        lambda: Literal.from_integers(fmpz_mat(0, 1), fmpz(1)),
        lambda: Literal.from_integers(fmpz_mat(1, 0), fmpz(1)),
        lambda: Literal.from_flint(fmpq_mat(0, 0)),
    ],
)
def test_what_is_no_exact_matrix(make: Any):
    with pytest.raises(TermError):
        make()


@pytest.mark.parametrize(
    ("numerators", "denominator"),
    [
        (fmpq_mat([[1]]), fmpz(1)),
        (fmpz_mat([[1]]), 0.5),
        (fmpz_mat([[1]]), HALF),
        (fmpz_mat([[1]]), None),
        ([[0.5]], fmpz(1)),
    ],
)
def test_what_is_no_ratio_of_integers(numerators: Any, denominator: Any):
    with pytest.raises((TypeError, ValueError)):
        Literal.from_integers(numerators, denominator)


class Lying(Literal):
    """A literal that is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = Literal.__hash__


def test_no_other_class_is_a_literal():
    with pytest.raises(TermError):
        term(Lying(1, 1, (Fraction(1),)))


# Arithmetic ----------------------------------------------------------------------------------


@given(st.data(), small, small, small)
def test_sums_and_products(data: st.DataObject, m: int, n: int, k: int):
    a, b = data.draw(matrices(m, n)), data.draw(matrices(m, n))
    c, factor = data.draw(matrices(n, k)), data.draw(fractions)
    for one, two in ((literal(a), literal(b)), (over(a, HUGE), over(b, 6)), (over(a), over(b, 5))):
        assert rows(rational.total(one, two)) == truth.add(a, b)
        assert rows(rational.scaled(one, factor)) == truth.times(factor, a)
        assert rows(rational.product(one, over(c, 2))) == truth.product(a, c)
        assert rows(rational.transposed(one)) == truth.transpose(a)
        assert rational.rank(one) == truth.rank(a)
        entries = [x for row in a for x in row]
        assert rational.leading(one) == next((x for x in entries if x), 0)
        assert rational.is_zero(one) == (not any(entries))
        assert rational.total(one, rational.scaled(one, Fraction(-1))) == rational.zero(m, n)


@given(st.data(), small, small, small, small)
def test_shapes_have_to_fit(data: st.DataObject, m: int, n: int, k: int, j: int):
    one, two = literal(data.draw(matrices(m, n))), literal(data.draw(matrices(k, j)))
    for fits, operation in (
        ((m, n) == (k, j), rational.total),
        (n == k, rational.product),
    ):
        if fits:
            assert isinstance(operation(one, two), Literal)
        else:
            with pytest.raises(ValueError, match="shapes"):
                operation(one, two)


@given(squares())
def test_inverses(value: truth.Matrix):
    for one in (literal(value), over(value, 6)):
        found = rational.inverted(one)
        if truth.rank(value) < len(value):
            assert found is None
        else:
            assert rows(found) == truth.inverse(value)


@given(squares(), fractions)
def test_multiples_of_the_identity(value: truth.Matrix, factor: Fraction):
    multiple = truth.times(factor, truth.identity(len(value)))
    assert rational.multiple_of_identity(over(multiple, 4)) == factor
    found = rational.multiple_of_identity(over(value))
    assert (found is None) == (value != truth.times(value[0][0], truth.identity(len(value))))
    if len(value) > 1:
        assert rational.multiple_of_identity(literal(value[:1])) is None


# Definiteness --------------------------------------------------------------------------------


@given(squares(), st.booleans(), st.integers(0, 2))
def test_definiteness_of_grams_and_others(value: truth.Matrix, strict: bool, kind: int):
    flipped = truth.transpose(value)
    matrix = (value, truth.add(value, flipped), truth.product(flipped, value))[kind]
    for one in (literal(matrix), over(matrix, 6)):
        assert rational.is_semidefinite(one, strict) == truth.semidefinite(matrix, strict)


def dominant(matrix: truth.Matrix) -> bool:
    return all(2 * row[i] > sum((abs(x) for x in row), Fraction(0)) for i, row in enumerate(matrix))


@given(st.data(), small)
def test_a_congruence_shows_what_is_positive_definite(data: st.DataObject, n: int):
    """Accepted exactly when M is symmetric and R^T M R dominant; only positive definite M are."""
    half, R = (
        data.draw(st.lists(plain, min_size=n * n, max_size=n * n).map(square)) for _ in range(2)
    )
    # the congruence that makes a Gram matrix the identity, and another one
    for frame in (truth.inverse(half), R):
        for matrix in (
            truth.product(truth.transpose(half), half),
            half,
            truth.add(half, truth.transpose(half)),
        ):
            image = truth.product(truth.transpose(frame), truth.product(matrix, frame))
            expected = matrix == truth.transpose(matrix) and dominant(image)
            assert rational.is_definite_by(over(matrix, 2), over(frame, 3)) == expected
            found = accepted(
                "definite", matrix=term(literal(matrix)), congruence=term(over(frame)), strict=True
            )
            assert found == expected
            assert truth.semidefinite(matrix, strict=True) or not found
    gram = truth.product(truth.transpose(half), half)
    if truth.rank(half) == n:
        assert rational.is_definite_by(literal(gram), literal(truth.inverse(half)))


@given(st.data(), small, small, small, small)
def test_a_congruence_has_the_size_of_the_matrix(
    data: st.DataObject, m: int, n: int, k: int, j: int
):
    M, R = data.draw(matrices(m, n)), data.draw(matrices(k, j))
    if not m == n == k == j:
        assert not rational.is_definite_by(literal(M), literal(R))


INDEFINITE = [
    [[0]],
    [[-1]],
    [[1, 2], [2, 1]],
    [[1, 0], [0, -1]],
    [[1, 0], [0, 0]],
    [[2, 1], [0, 2]],
    [[1, 1, 0], [1, 1, 0], [0, 0, 1]],
]


@given(st.sampled_from(INDEFINITE), st.data())
def test_no_congruence_shows_more(matrix: list[list[int]], data: st.DataObject):
    n = len(matrix)
    R = data.draw(st.one_of(matrices(n, n), st.just(truth.identity(n)), matrices()))
    for strict in (False, True):
        args = {"matrix": la.literal(matrix), "congruence": term(literal(R)), "strict": strict}
        assert not accepted("definite", **args)


# Expressions ---------------------------------------------------------------------------------


@st.composite
def constants(draw: Any, m: int, n: int, depth: int = 3) -> Term:
    """An expression of literals, m x n."""
    kind = draw(st.sampled_from(("literal", "add", "mul", "scale", "transpose", "special")))
    if depth == 0 or kind == "literal":
        return term(over(draw(matrices(m, n)), draw(st.integers(1, 3))))
    if kind == "special":
        one = m == n and draw(st.booleans())
        return la.identity(size(m)) if one else la.zero(size(m), size(n))
    if kind == "add":
        count = draw(st.integers(2, 3))
        return Term("add", tuple(draw(constants(m, n, depth - 1)) for _ in range(count)))
    if kind == "scale":
        return la.scale(draw(constants(1, 1, depth - 1)), draw(constants(m, n, depth - 1)))
    if kind == "transpose":
        return la.tp(draw(constants(n, m, depth - 1)))
    inner = [m, *draw(st.lists(small, min_size=1, max_size=2)), n]
    shapes = itertools.pairwise(inner)
    return Term("mul", tuple(draw(constants(a, b, depth - 1)) for a, b in shapes))


@st.composite
def expressions(draw: Any) -> Term:
    return draw(constants(draw(small), draw(small)))


@given(expressions())
def test_values_of_expressions(expression: Term):
    exact = truth.Point(0)(expression)
    value = Constants().value(expression)
    assert rows(value) == exact
    assert sort_of(term(value)) == sort_of(expression)
    assert Constants().value(la.tp(expression)) == rational.transposed(value)


@given(st.data(), small, small, small, small)
def test_products_of_transposed_products(data: st.DataObject, m: int, n: int, k: int, j: int):
    a, b, c, e = (
        term(literal(data.draw(matrices(*shape)))) for shape in ((m, n), (k, j), (j, n), (k, m))
    )
    turned = la.tp(la.mul(b, c))
    for expression in (
        la.mul(a, turned),
        la.mul(a, turned, e),
        la.mul(la.mul(a, turned), la.mul(e, a)),
        la.mul(a, la.tp(la.tp(la.mul(la.tp(c), la.tp(b)))), e),
        la.tp(la.mul(a, la.tp(la.mul(b, la.tp(la.tp(c)))), e)),
    ):
        assert rows(Constants().value(expression)) == truth.Point(0)(expression)


V, x, d = la.mat("V", size(2), size(2)), la.real("x"), la.dim("d")
M2 = la.literal([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    "expression",
    [
        V,
        la.add(M2, V),
        la.mul(M2, V, M2),
        la.scale(x, M2),
        la.tp(V),
        la.inv(M2),
        la.root(M2),
        la.pinv(M2),
        la.det(M2),
        la.tr(V),
        la.tr(la.inv(M2)),
        la.polynomial(x, [[1, 2], [3, 4]]),
        Term("polynomial", (la.number(1), V)),
        la.rank(M2),
        la.exp(la.number(0)),
        la.dimension(size(2)),
        la.identity(d),
        la.zero(size(2), d),
        la.total(la.head("i", size(2)), V),
        la.total(la.head("i", d), M2),
        la.psd(M2),
    ],
)
def test_other_terms_have_no_value(expression: Term):
    assert Constants().value(expression) is None
    square = la.add(M2, la.scale(-1, M2))
    for hidden in (expression, Term("add", (square, expression))):
        assert not accepted("definite", matrix=hidden)


def test_traces_and_sums_have_values():
    twice = la.total(la.head("i", size(2)), M2)
    for expression in (la.tr(M2), la.tr(twice), twice, la.total(la.head("i", size(2)), la.tr(M2))):
        value = Constants().value(expression)
        assert value is not None
        assert rows(value) == truth.Point(0)(expression)
    assert accepted("definite", matrix=la.minus(la.tr(M2), la.number(5)))
    assert not accepted("definite", matrix=la.minus(la.tr(M2), la.number(5)), strict=True)


@given(squares(), st.booleans(), st.data())
def test_definite_expressions(value: truth.Matrix, strict: bool, data: st.DataObject):
    """psd(R^T R + c I), written out; accepted only when it is, and then for ever."""
    n, c = len(value), data.draw(st.sampled_from((Fraction(0), HALF, Fraction(-1), SPECIAL[0])))
    R = term(over(value, 3))
    form = la.mul(la.tp(R), data.draw(constants(n, n, 1)), R)
    for expression in (
        la.add(la.mul(la.tp(R), R), la.scale(c, la.identity(size(n)))),
        form,
        la.add(form, la.tp(form)),
    ):
        exact = truth.semidefinite(truth.Point(0)(expression), strict)
        found = accepted("definite", matrix=expression, strict=strict)
        assert exact or not found
        if all(x % PRIME for x in denominators(expression)):
            assert found == exact


def denominators(expression: Term) -> list[int]:
    literals = [node.data for node in expression.walk() if node.op == "literal"]
    return [x.denominator for value in literals for x in value.entries]


@pytest.mark.parametrize(
    "matrix",
    [
        Term("add", (la.number(1), la.identity(size(2)))),
        Term("add", (la.literal([[1, 2]]), la.literal([[1], [2]]))),
        Term("add", (la.number(1),)),
        Term("add", ()),
        Term("mul", (la.literal([[1, 2]]), la.literal([[1, 2]]))),
        Term("mul", (la.number(1),)),
        Term("scale", (M2, M2)),
        Term("scale", (la.literal([[1, 2]]), la.number(1))),
        Term("scale", (la.number(1),)),
        Term("transpose", ()),
        Term("transpose", (M2, M2)),
        Term("transpose", (Term("mul", (la.number(1),)),)),
        Term("add", (la.number(1), la.number(1)), data=1),
        Term("transpose", (Term("literal"),)),
        Term("transpose", (Term("literal", (M2,), M2.data),)),
        Term("identity", (la.number(2),)),
        Term("identity", (Term("index", (size(2),), 2),)),
        Term("identity", (Term("bound", data=2),)),
        Term("identity", ()),
        Term("identity", (size(2), size(3))),
        Term("zero", (size(2),)),
        la.literal([[1, 2]]),
        la.mul(la.literal([[1], [2]]), la.literal([[1, 2, 3]])),
        la.zero(size(1), size(2)),
        la.add(la.psd(M2), la.psd(M2)),
    ],
)
@pytest.mark.parametrize("congruence", [None, la.number(1), la.literal([[1, 0], [0, 1]])])
def test_malformed_expressions_are_kernel_errors(matrix: Term, congruence: Term | None):
    args = (
        {"matrix": matrix} if congruence is None else {"matrix": matrix, "congruence": congruence}
    )
    with pytest.raises(KernelError) as info:
        run("definite", **args)
    assert info.value.rule == "definite"


@pytest.mark.parametrize(
    "wrap",
    [
        la.tp,
        lambda deep: la.mul(deep, la.number(1)),
        lambda deep: la.tp(la.mul(la.number(1), deep)),
        lambda deep: la.add(deep, la.number(0)),
        lambda deep: la.scale(deep, la.number(1)),
    ],
)
def test_deep_expressions_are_kernel_errors(wrap: Any):
    deep = la.number(1)
    for _ in range(60):
        deep = wrap(deep)
    assert accepted("definite", matrix=deep)
    for _ in range(5000):
        deep = wrap(deep)
    with pytest.raises(KernelError):
        run("definite", matrix=deep)


# Evaluation modulo the prime -----------------------------------------------------------------


def test_the_prime():
    assert fmpz(PRIME).is_prime()
    assert not any(fmpz(n).is_prime() for n in range(PRIME + 1, 2**63))


EYE, P1 = la.identity(size(2)), la.number(PRIME)
ZERO = la.zero(size(2), size(2))
RAISED = la.literal([[PRIME, 0], [0, 1]])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (P1, la.number(0)),
        (la.scale(PRIME, V), ZERO),
        (la.scale(PRIME + 1, V), V),
        (la.mul(RAISED, la.literal([[1, 0], [0, 0]])), ZERO),
        (la.mul(V, la.scale(PRIME, EYE), V), ZERO),
        (la.add(V, RAISED), la.add(V, la.literal([[0, 0], [0, 1]]))),
        (la.tr(RAISED), la.number(1)),
        (la.mul(x, P1), la.number(0)),
        (la.inv(P1), la.number(0)),
        (la.inv(RAISED), ZERO),
        (la.mul(la.inv(RAISED), RAISED), ZERO),
        (la.mul(la.inv(P1), P1), la.number(0)),
        (la.inv(la.scale(PRIME, EYE)), ZERO),
        (la.root(la.number(PRIME + 1)), la.root(la.number(1))),
        (la.exp(P1), la.exp(la.number(0))),
        (la.inv(la.add(V, la.scale(PRIME, EYE))), la.inv(V)),
        (la.pinv(la.add(V, la.scale(PRIME, EYE))), la.pinv(V)),
    ],
)
def test_what_holds_modulo_the_prime_alone_is_rejected(left: Term, right: Term):
    assert evaluation.vanishes(la.minus(left, right))
    with pytest.raises(KernelError, match="normal form") as info:
        run("algebra", left=left, right=right)
    assert info.value.rule == "algebra"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (la.scale(Fraction(1, PRIME), x), la.scale(Fraction(1, PRIME), x)),
        (la.scale(Fraction(2, PRIME), V), la.scale(HALF / PRIME, la.scale(4, V))),
        (la.mul(la.inv(P1), P1), la.number(1)),
        (la.mul(la.inv(RAISED), RAISED), EYE),
        (la.inv(la.scale(PRIME, EYE)), la.scale(Fraction(1, PRIME), EYE)),
    ],
)
def test_what_has_no_value_modulo_the_prime_is_not_confirmed(left: Term, right: Term):
    """True, and rejected in due form."""
    point = truth.Point(0)
    assert point(left) == point(right)
    with pytest.raises(KernelError) as info:
        run("algebra", left=left, right=right)
    assert info.value.rule == "algebra"


@given(matrices(2, 2), matrices(2, 2))
def test_a_difference_is_seen_unless_it_is_a_multiple_of_the_prime(
    one: truth.Matrix, two: truth.Matrix
):
    difference = truth.add(one, truth.times(Fraction(-1), two))
    entries = [x for value in (one, two) for row in value for x in row]
    if all(x.denominator % PRIME for x in entries):
        multiple = all(x.numerator % PRIME == 0 for row in difference for x in row)
        found = evaluation.vanishes(la.minus(term(over(one)), term(over(two, 3))))
        assert found == multiple


LETTERS = (V, la.tp(V), EYE, ZERO, RAISED, M2, la.scale(x, M2), la.scale(Fraction(1, PRIME), V))


@st.composite
def mixed(draw: Any, depth: int = 3) -> Term:
    """Expressions of variables and literals, 2 x 2."""
    kind = draw(st.sampled_from(("letter", "add", "mul", "mul", "scale", "tp", "inv", "trace")))
    if depth == 0 or kind == "letter":
        return draw(st.sampled_from((*LETTERS, term(literal(draw(matrices(2, 2)))))))
    inner = mixed(depth=depth - 1)
    if kind in ("add", "mul"):
        return Term(kind, (draw(inner), draw(inner)))
    if kind == "scale":
        return la.scale(draw(fractions), draw(inner))
    if kind == "trace":
        return la.scale(la.tr(draw(inner)), draw(inner))
    return (la.tp if kind == "tp" else la.inv)(draw(inner))


POINTS = [truth.Point(seed) for seed in (11, 12)]


@given(mixed(), mixed(), st.integers(-1, 1))
def test_algebra_of_literals_agrees_with_independent_evaluation(
    left: Term, other: Term, factor: int
):
    same = la.tp(la.add(la.scale(HALF, la.tp(left)), la.tp(la.scale(HALF, left))))
    off = la.add(left, la.scale(PRIME * factor, other))
    for right in (same, off, other, la.mul(other, left)):
        if accepted("algebra", left=left, right=right):
            assert all(point(left) == point(right) for point in POINTS)
    if all(x % PRIME for x in denominators(left)) and not {"inverse"} & {
        node.op for node in left.walk()
    }:
        assert accepted("algebra", left=left, right=same)


def test_equal_terms_are_evaluated_once():
    """A value that was drawn is that of every occurrence, so that V - V vanishes."""
    assert evaluation.vanishes(la.minus(la.mul(V, M2), la.mul(V, M2)))
    assert not evaluation.vanishes(la.minus(la.mul(V, M2), la.mul(M2, V)))
    generator = random.Random(0)
    many = [la.mat(f"W{generator.randrange(10**6)}", d, d) for _ in range(3)]
    assert not evaluation.vanishes(la.minus(la.mul(*many), la.mul(*many[::-1])))
