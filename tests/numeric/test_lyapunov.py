"""Certificates of linear Lyapunov functions, judged by values at exact matrices.

Nothing here is shared with the search: both sides are products and traces of fractions.
"""

import random
import warnings
from dataclasses import replace
from fractions import Fraction

import cvxpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric.enclosures import metric
from numeric.exact import multiply, negative_direction, transpose
from numeric.lyapunov import Status, decrease, growth, solving, verify_exactly


def matrix(rows):
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def identity(d):
    return matrix([[int(i == j) for j in range(d)] for i in range(d)])


def combination(*pairs):
    d = len(pairs[0][1])
    return tuple(
        tuple(sum((Fraction(c) * M[i][j] for c, M in pairs), Fraction(0)) for j in range(d))
        for i in range(d)
    )


def trace(*factors):
    product = factors[0]
    for factor in factors[1:]:
        product = multiply(product, factor)
    return sum((product[i][i] for i in range(len(product))), Fraction(0))


def random_matrix(rng, rows, columns, spread=3):
    return tuple(
        tuple(Fraction(rng.randint(-spread, spread), rng.choice((1, 2, 4))) for _ in range(columns))
        for _ in range(rows)
    )


def random_semidefinite(rng, d, rank):
    G = random_matrix(rng, d, rank)
    return multiply(G, transpose(G))


def random_skew(rng, d):
    K = random_matrix(rng, d, d)
    return combination((1, K), (-1, transpose(K)))


def random_symmetric(rng, d):
    K = random_matrix(rng, d, d)
    return combination((1, K), (1, transpose(K)))


def sides(certificate, heads, Z):
    """The form of the claim and the sum of the certificate, at a symmetric Z."""
    d = len(Z)
    P = certificate.P
    rate = 2 * sum(trace(P, V, Z, A, Z) for V, A in heads)
    level = trace(P, Z) ** 2
    if certificate.slope is not None:
        assert negative_direction(certificate.slope) is None
        level += trace(P, Z) * trace(certificate.slope, Z)
    left = {"decrease": -rate, "growth": rate - level, "slowness": level - rate}[certificate.kind]
    right = Fraction(0)
    for a, M in certificate.congruences:
        assert a > 0
        assert transpose(M) in (M, combination((-1, M)))
        right += a * trace(transpose(M), Z, M, Z)
    for b, N in certificate.squares:
        assert b > 0
        right += b * trace(N, Z) ** 2
    for c, S in certificate.variances:
        assert c > 0
        assert transpose(S) == S
        right += c * (trace(S, Z, S, Z) - trace(S, Z) ** 2 / d)
    return left, right


def assert_holds(outcome, heads, seed=0):
    assert outcome.status == Status.FOUND
    certificate = outcome.certificate
    d = len(certificate.P)
    assert transpose(certificate.P) == certificate.P
    if certificate.kind == "growth":
        # a positive eigenvalue
        assert negative_direction(combination((-1, certificate.P))) is not None
    else:
        assert negative_direction(certificate.P) is None
        # definite: the least eigenvalue of 2^k P is above one for some k
        assert any(
            negative_direction(combination((2**k, certificate.P), (-1, identity(d)))) is None
            for k in range(60)
        )
    rng = random.Random(seed)
    for _ in range(6):
        for Z in (random_symmetric(rng, d), random_semidefinite(rng, d, rng.randint(1, d))):
            left, right = sides(certificate, heads, Z)
            assert left == right
        assert left >= 0
    assert verify_exactly(certificate, heads)


def test_unequal_decay_rates_need_no_hint():
    heads = [(matrix([[1, 0], [0, 3]]), matrix([[-2, -1], [-3, -3]]))]
    assert_holds(decrease(heads), heads)


def test_a_direction_that_attention_ignores():
    heads = [(identity(2), matrix([[-1, 0], [0, 0]]))]
    assert_holds(decrease(heads), heads)


def negative_head(rng, d, rank, skew=True):
    """V > 0 symmetric, A + A^T <= 0 of a given rank."""
    V = combination((1, random_semidefinite(rng, d, d)), (Fraction(1, 4), identity(d)))
    A = combination((-1, random_semidefinite(rng, d, rank)))
    return V, combination((1, A), (1, random_skew(rng, d))) if skew else A


def in_other_coordinates(rng, heads):
    """The heads of the equation of R Z R^T, R unitriangular times unitriangular."""
    d = len(heads[0][0])

    def unitriangular():
        return matrix(
            [
                [int(i == j) or (rng.randint(-1, 1) if i < j else 0) for j in range(d)]
                for i in range(d)
            ]
        )

    def inverse(U):  # of I + N: the sum of the powers of -N
        N = combination((1, identity(d)), (-1, U))
        total = power = identity(d)
        for _ in range(d):
            power = multiply(power, N)
            total = combination((1, total), (1, power))
        return total

    U, W = unitriangular(), unitriangular()
    R = multiply(U, transpose(W))
    back = multiply(transpose(inverse(W)), inverse(U))
    assert multiply(R, back) == identity(d)
    return [
        (multiply(multiply(R, V), back), multiply(multiply(transpose(back), A), back))
        for V, A in heads
    ]


@pytest.mark.parametrize("d", [2, 3, 4, 5])
@pytest.mark.parametrize("singular", [False, True])
def test_symmetric_values_and_negative_attention_in_any_coordinates(d, singular):
    for seed in range(3):
        rng = random.Random(f"{d} {singular} {seed}")
        plain = [negative_head(rng, d, rng.randint(1, d - 1) if singular else d)]
        for heads in (plain, in_other_coordinates(rng, plain)):
            assert_holds(decrease(heads, seconds=60), heads)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_values_against_the_transpose_of_attention(d):
    """V = -P0 A^T: then -2 q_P(Z) = 2 tr(A^T Z A Z) for the inverse P of P0, for any A."""
    for seed in range(3):
        rng = random.Random(f"{d} {seed}")
        P0 = combination((1, random_semidefinite(rng, d, d)), (Fraction(1, 2), identity(d)))
        A = random_matrix(rng, d, d)
        heads = [(combination((-1, multiply(P0, transpose(A)))), A)]
        assert_holds(decrease(heads, seconds=60), heads)


def test_several_heads_in_common_coordinates():
    for seed in range(4):
        rng = random.Random(seed)
        d = rng.choice((2, 3))
        heads = [negative_head(rng, d, rng.randint(1, d)) for _ in range(3)]
        changed = in_other_coordinates(rng, heads)
        assert_holds(decrease(changed, seconds=60), changed)


def test_a_singular_value_matrix():
    heads = [
        (matrix([[1, 0, 0], [1, 0, 0], [0, 0, 2]]), matrix([[-1, 1, 0], [-1, -1, 0], [0, 0, -1]]))
    ]
    assert_holds(decrease(heads), heads)


def test_values_that_rotate():
    """V = I + rotation has the eigenvalues 1 +- i / 4."""
    quarter = Fraction(1, 4)
    heads = [(matrix([[1, quarter], [-quarter, 1]]), matrix([[-1, 0], [0, -1]]))]
    assert_holds(decrease(heads), heads)


@pytest.mark.parametrize(
    ("V", "A"),
    [
        ([[1]], [[1]]),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]]),
        ([[1, 0], [0, 1]], [[1, 0], [0, -2]]),
        ([[0, 1], [1, 0]], [[2, 1], [0, 3]]),
    ],
)
def test_nothing_is_claimed_where_some_solution_blows_up(V, A):
    heads = [(matrix(V), matrix(A))]
    outcome = decrease(heads)
    assert outcome.status == Status.INFEASIBLE
    assert outcome.certificate is None


def test_the_scalar_equation_blows_up_when_it_does():
    """z' = 2 z^2 ends at 1 / (2 z0)."""
    heads = [(identity(1), identity(1))]
    outcome = growth(heads, matrix([[3]]))
    assert_holds(outcome, heads)
    assert matrix([[2]]) == outcome.certificate.P


@pytest.mark.parametrize("d", [2, 3, 4])
def test_identities_have_the_bound_of_the_mean_eigenvalue(d):
    heads = [(identity(d), identity(d))]
    outcome = growth(heads, identity(d))
    assert_holds(outcome, heads)
    # the solution from I ends at 1/2
    assert outcome.certificate.trace_with(identity(d)) == 2


def test_a_bound_that_is_attained():
    start = matrix([[2, 1], [1, 2]])
    heads = [(matrix([[0, 0], [0, 1]]), matrix([[0, Fraction(2, 5)], [0, 0]]))]
    outcome = growth(heads, start)
    assert_holds(outcome, heads)
    assert outcome.certificate.trace_with(start) == Fraction(2, 5)


def test_the_cauchy_schwarz_terms_are_needed():
    heads = [(identity(3), matrix([[1, 0, 0], [0, 1, 0], [0, 0, -1]]))]
    assert growth(heads, identity(3), level=1).status == Status.INFEASIBLE
    outcome = growth(heads, identity(3))
    assert_holds(outcome, heads)
    assert outcome.certificate.trace_with(identity(3)) == Fraction(2, 3)
    assert outcome.certificate.variances


def test_growth_without_a_start():
    heads = [(matrix([[0, 0], [0, 1]]), matrix([[0, Fraction(2, 5)], [0, 0]]))]
    assert_holds(growth(heads), heads)
    assert growth([(identity(2), matrix([[-1, 0], [0, -1]]))]).status == Status.INFEASIBLE


def test_growth_on_a_half_space_only():
    """P is indefinite: the growth is needed, and shown, where tr(P Z) > 0."""
    start = matrix([[8, 1, 0], [1, 2, 0], [0, 0, 1]])
    heads = [
        (matrix([[4, 1, 0], [0, 2, 0], [0, 1, 1]]), matrix([[1, 0, 0], [0, -2, 1], [0, 0, -1]]))
    ]
    assert growth(heads, start).status == Status.INFEASIBLE
    outcome = growth(heads, start, level=3)
    assert outcome.level == 3
    assert_holds(outcome, heads)
    certificate = outcome.certificate
    assert negative_direction(certificate.P) is not None
    assert certificate.trace_with(start) > 0
    negative = combination((-1, certificate.slope))
    assert not verify_exactly(replace(certificate, slope=None), heads)
    assert not verify_exactly(replace(certificate, slope=negative), heads)


def test_heads_that_do_nothing():
    zero = matrix([[0, 0], [0, 0]])
    assert_holds(decrease([(zero, identity(2))]), [(zero, identity(2))])
    assert growth([(zero, identity(2))]).status == Status.INFEASIBLE


def test_units_do_not_matter():
    for size in (Fraction(1, 10**9), Fraction(10**9)):
        heads = [(matrix([[size, 0], [0, 3 * size]]), matrix([[-2, -1], [-3, -3]]))]
        assert_holds(decrease(heads), heads)
        heads = [(combination((size, identity(2))), identity(2))]
        outcome = growth(heads, identity(2))
        assert_holds(outcome, heads)
        assert outcome.certificate.trace_with(identity(2)) == 2 * size


def test_numbers_beyond_floats_are_survived():
    size = Fraction(10**400)
    heads = [(matrix([[size, 1], [0, 1]]), matrix([[-1, 0], [0, -size]]))]
    for search in (decrease, growth):
        assert search(heads, seconds=5).status in Status


def test_an_empty_budget_is_said():
    rng = random.Random(0)
    heads = in_other_coordinates(rng, [negative_head(rng, 4, 4)])
    assert decrease(heads, seconds=0).status == Status.BUDGET
    assert growth(heads, seconds=0).status == Status.BUDGET


def test_the_same_every_time_and_silent(capsys):
    rng = random.Random(1)
    heads = in_other_coordinates(rng, [negative_head(rng, 3, 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = decrease(heads), decrease(heads)
    assert first == second
    assert capsys.readouterr() == ("", "")


def test_a_search_for_coordinates_is_silent(capsys, monkeypatch):
    """Also when the solver doubts what it returns, or fails."""

    def doubt(problem, **options):
        print("iterations")
        warnings.warn("Solution may be inaccurate", stacklevel=1)
        original(problem, **options)

    def fail(problem, **options):
        raise cvxpy.SolverError

    original = cvxpy.Problem.solve
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setattr(cvxpy.Problem, "solve", doubt)
        assert metric._solve([-np.eye(2)], 1.0) == pytest.approx(np.eye(2), abs=1e-6)
        monkeypatch.setattr(cvxpy.Problem, "solve", fail)
        assert metric._solve([-np.eye(2)], 1.0) is None
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["CLARABEL", "SCS", "SDPA"])
def test_each_solver_will_do(name, monkeypatch):
    """The chain is tried in this order, each when those before it fail."""
    if name not in cvxpy.installed_solvers():
        pytest.skip(f"NOT RUN: {name} is not installed")
    names = [solver for solver, _ in solving.solvers(cvxpy, 10.0)]
    assert names == [n for n in ("CLARABEL", "SCS", "SDPA") if n in names]

    def solve_by_one(problem, solver, **options):
        if solver != name:
            raise cvxpy.SolverError
        return original(problem, solver=solver, **options)

    original = cvxpy.Problem.solve
    monkeypatch.setattr(cvxpy.Problem, "solve", solve_by_one)
    rng = random.Random(0)
    heads = in_other_coordinates(rng, [negative_head(rng, 3, 2)])
    assert_holds(decrease(heads), heads)


def test_a_changed_certificate_is_refused():
    heads = [(matrix([[1, 0], [0, 3]]), matrix([[-2, -1], [-3, -3]]))]
    certificate = decrease(heads).certificate
    (b, N), *rest = certificate.squares
    assert not verify_exactly(replace(certificate, squares=((2 * b, N), *rest)), heads)
    assert not verify_exactly(replace(certificate, squares=((-b, N), *rest)), heads)
    assert not verify_exactly(replace(certificate, kind="growth"), heads)
    negative = combination((-1, certificate.P))
    assert not verify_exactly(replace(certificate, P=negative), heads)
    assert not verify_exactly(certificate, [*heads, *heads])


small = st.integers(-3, 3).map(lambda n: Fraction(n, 2))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.tuples(small, small)] * 4), min_size=1, max_size=2))
def test_whatever_is_found_holds(rows):
    heads = [((a, b), (c, d)) for a, b, c, d in rows]
    for outcome in (decrease(heads, seconds=20), growth(heads, seconds=20)):
        if outcome.certificate is not None:
            assert_holds(outcome, heads)
