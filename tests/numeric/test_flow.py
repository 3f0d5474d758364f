"""The Taylor integrator against solutions known exactly and against another integrator."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric import examples
from numeric.precise.agreement import digits_of_agreement
from numeric.precise.flow import (
    BlowUpError,
    covariance_at,
    covariance_of_heads_at,
    mean_and_covariance_at,
    propagator_at,
    series,
    series_of_heads,
)
from numeric.precise.propagator import rank_check

IDENTITY = [[1, 0], [0, 1]]
A = [[-1, Fraction(1, 3)], [Fraction(1, 2), -2]]
SIGMA0 = [[1, Fraction(1, 4)], [Fraction(1, 4), 2]]
ODD = ([[1, -2], ["1/2", 1]], [[-1, 1], ["-1/3", 0.25]], [[1, "1/4"], ["1/4", 2]])


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(60):
        yield


def to_mp(matrix):
    return mp.matrix([[mp.mpf(x.numerator) / x.denominator for x in row] for row in matrix])


def inverse_solution(t):
    """For V = I: (Sigma^-1)' = -(A + A^T)."""
    a = to_mp(A)
    return (to_mp(SIGMA0) ** -1 - t * (a + a.T)) ** -1


@pytest.mark.parametrize("t", ["1/100", 1, 50, "-1/20"])
def test_covariance_for_identity_value(t):
    expected = inverse_solution(mp.mpf(1) * Fraction(t).numerator / Fraction(t).denominator)
    assert digits_of_agreement(covariance_at(IDENTITY, A, SIGMA0, t), expected) >= 40


def test_self_similar_solution_near_its_blow_up():
    p = examples.load("softmax-clustering-counterexample")
    t = Fraction(999, 1000)
    expected = 1000 * to_mp(p.Sigma0)
    assert digits_of_agreement(covariance_at(p.V, p.A, p.Sigma0, t), expected) >= 40


def test_past_the_blow_up_there_is_no_solution():
    p = examples.load("softmax-clustering-counterexample")
    with pytest.raises(BlowUpError, match=r"t = (1\.0|0\.99999)"):
        covariance_at(p.V, p.A, p.Sigma0, 2, digits=15)


def test_against_mpmath_odefun():
    V, attention, start = (to_mp([[Fraction(x) for x in row] for row in m]) for m in ODD)

    def derivative(_, state):
        sigma = mp.matrix([[state[0], state[1]], [state[1], state[2]]])
        alpha = mp.matrix(state[3:])
        half = V * sigma * attention * sigma
        change = half + half.T
        drift = V * (alpha + sigma * attention * alpha)
        return [change[0, 0], change[0, 1], change[1, 1], drift[0], drift[1]]

    t = mp.mpf("0.75")
    with mp.workdps(30):
        state = mp.odefun(derivative, 0, [start[0, 0], start[0, 1], start[1, 1], 1, -2])(t)
    mean, covariance = mean_and_covariance_at(*ODD, [1, -2], t)
    assert digits_of_agreement(mean, mp.matrix(state[3:])) >= 28
    expected = mp.matrix([[state[0], state[1]], [state[1], state[2]]])
    assert digits_of_agreement(covariance, expected) >= 28


def test_mean_in_one_dimension():
    # s' = -2 s^2 and m' = (1 - s) m give s = 1 / (1 + 2 t), m = e^t / sqrt(1 + 2 t).
    mean, covariance = mean_and_covariance_at([[1]], [[-1]], [[1]], [1], 3)
    assert digits_of_agreement(covariance[0], mp.mpf(1) / 7) >= 40
    assert digits_of_agreement(mean[0], mp.exp(3) / mp.sqrt(7)) >= 40


@pytest.mark.parametrize("k", [5, 15, 25])
def test_perturbed_formula_is_noticed(k):
    wrong = inverse_solution(mp.mpf(1)) * (1 + mp.mpf(10) ** -k)
    assert abs(digits_of_agreement(covariance_at(IDENTITY, A, SIGMA0, 1), wrong) - k) <= 1


def test_extreme_sizes_and_trivial_parameters():
    # s' = 2 v a s^2 with v a s0 = -1: s(t) = s0 / (1 + 2 t).
    computed = covariance_at([["1e150"]], [["-1e-120"]], [["1e-30"]], 4)[0]
    assert digits_of_agreement(computed, mp.mpf("1e-30") / 9) >= 40
    assert covariance_at([[0]], [[1]], [[3]], 100)[0] == 3
    assert covariance_at([[1]], [[1]], [[0]], 100)[0] == 0
    assert covariance_at(IDENTITY, A, SIGMA0, 0) == to_mp(SIGMA0)
    mean, _ = mean_and_covariance_at([[1]], [[1]], [[0]], [2], 5)
    assert digits_of_agreement(mean[0], 2 * mp.exp(5)) >= 40


def test_series_is_exact_and_sums_to_the_solution():
    coefficients = series(IDENTITY, A, SIGMA0, 30)
    assert coefficients[1] == [
        [sum(SIGMA0[i][k] * (A[k][m] + A[m][k]) * SIGMA0[m][j] for k in (0, 1) for m in (0, 1))
         for j in (0, 1)]
        for i in (0, 1)
    ]  # fmt: skip
    total = mp.matrix(2, 2)
    for n, c in enumerate(coefficients):
        total += to_mp(c) * mp.mpf(10) ** (-2 * n)
    assert digits_of_agreement(total, inverse_solution(mp.mpf("0.01"))) >= 30
    rounded = series(*ODD, 5)
    again = series(*([[Fraction(x) for x in row] for row in m] for m in ODD), 5)
    assert isinstance(again[5][0][0], Fraction)
    assert digits_of_agreement(rounded[5], again[5]) >= 55


def test_propagator_of_scalar_equation():
    # phi' = a s phi with s = s0 / (1 - 2 a s0 t): phi = (1 - 2 a s0 t)^(-1/2).
    phi, _ = propagator_at([[1]], [[-2]], [[3]], 1)
    assert digits_of_agreement(phi[0], 1 / mp.sqrt(13)) >= 40


def test_rank_is_kept():
    p = examples.load("softmax-clustering-rank-one")
    check = rank_check(p.V, p.A, p.Sigma0, Fraction(1, 5), 1)
    # Sigma0 / (1 - 22 t / 5) = (25 / 3) Sigma0, whose nonzero eigenvalue is 5.
    assert digits_of_agreement(check.singular_values[0], mp.mpf(125) / 3) >= 40
    assert check.kept == 1
    assert check.lost < mp.mpf(10) ** -40
    assert check.digits == 40


def test_rank_check_tells_a_higher_rank():
    check = rank_check(*ODD, "1/2", 1, digits=25)
    assert check.lost > mp.mpf(10) ** -5
    assert rank_check(*ODD, "1/2", 2, digits=25).lost == 0


def test_heads_of_one_value_are_one_head():
    """V Sigma A_1 Sigma + V Sigma A_2 Sigma = V Sigma (A_1 + A_2) Sigma; the same with V_1, V_2."""
    first, second, start = [[1, 2], [-1, 3]], [[0, -1], [2, 1]], [[2, 1], [1, 3]]
    total = [
        [a + b for a, b in zip(*lines, strict=True)] for lines in zip(first, second, strict=True)
    ]
    single = [[1, -1], [2, 1]]
    t = Fraction(1, 100)
    for heads, head in (
        (([single, single], [first, second]), (single, total)),
        (([first, second], [single, single]), (total, single)),
    ):
        assert series_of_heads(*heads, start, 8) == series(*head, start, 8)
        computed = covariance_of_heads_at(*heads, start, t)
        assert digits_of_agreement(computed, covariance_at(*head, start, t)) >= 40
