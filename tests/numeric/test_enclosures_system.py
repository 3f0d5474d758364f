"""The covariance equation in coordinates: identities between exact matrices."""

import random
from fractions import Fraction

import numpy as np
import pytest
from enclosures_truth import (
    exact,
    forms_at,
    identity,
    jacobian_at,
    random_matrix,
    rational,
    trace,
    velocity,
)
from flint import fmpq, fmpq_mat

from numeric.enclosures.system import QuadraticSystem, float_of, floats_of, to_flint, to_rows


def low_rank(rng, d, rank):
    """A score matrix whose range and that of its transpose differ."""
    if rank == 0:
        return random_matrix(rng, d) * 0
    return random_matrix(rng, d, rank) * random_matrix(rng, rank, d)


def random_heads(rng, d, count, rank=None):
    scores = [
        random_matrix(rng, d) if rank is None else low_rank(rng, d, rank) for _ in range(count)
    ]
    return [(random_matrix(rng, d), A) for A in scores]


def random_symmetric(rng, d):
    M = random_matrix(rng, d)
    return M + M.transpose()


def system_of(heads, full=False):
    return QuadraticSystem.of([(to_rows(V), to_rows(A)) for V, A in heads], full)


def combined(system, x):
    """N(x)."""
    total = system.lifts[0] * 0
    for entry, N in zip(x, system.lifts, strict=True):
        total = total + N * entry
    return total


def independent(matrices):
    return fmpq_mat([M.entries() for M in matrices]).rank() == len(matrices)


KINDS = [
    (d, count, rank) for d in range(1, 6) for count in (1, 3) for rank in (None, 1, 0) if d < 5
]
KINDS += [(5, 1, None), (5, 2, 1), (5, 1, 2)]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("d", "count", "rank"), KINDS)
def test_coordinates_follow_the_covariance_equation(d, count, rank, full):
    rng = random.Random(f"{d} {count} {rank} {full}")
    heads = random_heads(rng, d, count, rank)
    system = system_of(heads, full)
    R = system.frame
    assert all(Q.transpose() == Q for Q in (*system.forms, *system.functionals))
    assert independent(system.functionals)
    for (V, A), own, a in zip(heads, system.values, system.scores, strict=True):
        assert own == V
        assert R * a * R.transpose() == A
    for _ in range(3):
        Sigma = random_symmetric(rng, d)  # indefinite: the identities are between polynomials
        state = system.state(to_rows(Sigma))
        x = state.entries()
        assert x == [trace(P * Sigma) for P in system.functionals]
        assert combined(system, x) == Sigma * R
        F = velocity(heads, Sigma)
        assert forms_at(system, x) == [trace(P * F) for P in system.functionals]
        assert [(state.transpose() * Q * state)[0, 0] for Q in system.forms] == forms_at(system, x)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_no_more_coordinates_than_the_velocity_depends_on(d):
    rng = random.Random(d)
    for rank in range(1, d + 1):
        u = random_matrix(rng, d, rank)
        while u.rank() < rank:
            u = random_matrix(rng, d, rank)
        heads = [(random_matrix(rng, d), u * u.transpose())]
        # a symmetric matrix has so many entries in rank columns
        assert system_of(heads).size == rank * (2 * d - rank + 1) // 2
    assert system_of(heads, full=True).size == d * (d + 1) // 2
    # the range of A + B is that of both, not of the sum
    E = rational([[int(i == j == 0) for j in range(d)] for i in range(d)])
    assert system_of([(E, E), (E, E * -1)]).frame.ncols() == 1


@pytest.mark.parametrize("d", [1, 2, 4])
def test_distances_are_nearly_those_of_matrices(d):
    """|x|^2 is between 0.98 |Sigma|^2 and |Sigma|^2, in the Frobenius norm."""
    rng = random.Random(d)
    system = system_of(random_heads(rng, d, 1), full=True)
    for _ in range(20):
        Sigma = random_symmetric(rng, d)
        square = trace(Sigma * Sigma)
        x = system.state(to_rows(Sigma)).entries()
        assert fmpq(98, 100) * square <= sum(map(_times, x, x), fmpq(0)) <= square


def test_several_heads_are_the_sum_of_each():
    rng = random.Random(5)
    heads = random_heads(rng, 3, 3)
    together = system_of(heads, full=True)
    alone = [system_of([head], full=True) for head in heads]
    for k, Q in enumerate(together.forms):
        assert alone[0].forms[k] + alone[1].forms[k] + alone[2].forms[k] == Q


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("full", [False, True])
def test_changed_coordinates(d, full):
    rng = random.Random(f"{d} {full}")
    heads = random_heads(rng, d, 2, None if full else 1)
    system = system_of(heads, full)
    n = system.size
    B, C = (random_matrix(rng, n) + identity(n) * 10 for _ in range(2))
    assert B.det() != 0 != C.det()
    other = system.changed(B)
    Sigma = random_symmetric(rng, d)
    x, y = system.state(to_rows(Sigma)), other.state(to_rows(Sigma))
    assert B * y == x
    moved = fmpq_mat([[a] for a in forms_at(other, y.entries())])
    assert B * moved == fmpq_mat([[a] for a in forms_at(system, x.entries())])
    assert combined(other, y.entries()) == combined(system, x.entries()) == Sigma * system.frame
    assert other.changed(C) == system.changed(B * C)
    assert other.changed(B.inv()) == system
    assert other.forms != system.forms


def test_floats():
    rng = random.Random(7)
    system = system_of(random_heads(rng, 3, 2))
    x = [fmpq(rng.randint(-9, 9), 7) for _ in range(system.size)]
    floats = np.array([float_of(a) for a in x])
    close = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(
        system.velocity(floats), floats_of(fmpq_mat([forms_at(system, x)]))[0], **close
    )
    np.testing.assert_allclose(
        system.jacobian(floats), floats_of(fmpq_mat(jacobian_at(system, x))), **close
    )
    # the Jacobian itself: f(x + h) - f(x) - Df(x) h = f(h) for quadratic f
    h = [fmpq(rng.randint(-9, 9), 5) for _ in range(system.size)]
    there = forms_at(system, [a + b for a, b in zip(x, h, strict=True)])
    linear = [sum(map(_times, row, h), fmpq(0)) for row in jacobian_at(system, x)]
    rest = [a - b - c for a, b, c in zip(there, forms_at(system, x), linear, strict=True)]
    assert rest == forms_at(system, h)


def _times(a, b):
    return a * b


def test_numbers_beyond_floats():
    large = fmpq(10) ** 400
    assert float_of((large + 1) / (large * 8)) == 0.125
    assert float_of(1 / large) == 0.0
    with pytest.raises(OverflowError):
        float_of(large)
    rows = [[Fraction(1, 3), Fraction(-(10**50), 7)], [Fraction(0), Fraction(2)]]
    assert to_rows(to_flint(rows)) == tuple(map(tuple, rows))
    assert exact(rows[0]) == [fmpq(1, 3), fmpq(-(10**50), 7)]
