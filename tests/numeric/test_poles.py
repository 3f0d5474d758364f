"""Poles and limits of rational solutions against exact values."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric import examples
from numeric.precise.agreement import digits_of_agreement
from numeric.precise.poles import (
    NotRationalError,
    blow_up_time,
    limit_at_infinity,
    rational_function,
    smallest_positive_root,
)

F = Fraction
IDENTITY2 = [[1, 0], [0, 1]]
SIGMA0 = [[1, F(1, 4)], [F(1, 4), 2]]


def expand(numerator, denominator, count):
    """Taylor coefficients of a quotient of polynomials, denominator(0) = 1."""
    result = []
    for n in range(count):
        value = F(numerator[n]) if n < len(numerator) else F(0)
        value -= sum(
            (F(denominator[k]) * result[n - k] for k in range(1, min(n, len(denominator) - 1) + 1)),
            F(0),
        )
        result.append(value)
    return result


@pytest.mark.parametrize(
    ("numerator", "denominator", "degree"),
    [
        ([], [1], 1),
        ([3], [1], 2),
        ([1, 2, 3], [1], 2),
        ([1], [1, -2], 1),
        ([1, 5], [1, -2, 1], 2),
        ([0, 0, F(1, 3)], [1, 0, F(2, 7)], 3),
        ([2, 0, 0, 1], [1, 1, -1], 3),
    ],
)
def test_rational_function_is_recovered(numerator, denominator, degree):
    found = rational_function(expand(numerator, denominator, 2 * degree + 6), degree)
    assert found == (numerator, denominator)


def test_common_factors_cancel():
    # (1 - t) / ((1 - t)(1 + 3 t))
    assert rational_function(expand([1, -1], [1, 2, -3], 12), 2) == ([1], [1, 3])


def test_functions_that_are_not_rational_are_refused():
    factorial = [F(1)]
    for n in range(1, 12):
        factorial.append(factorial[-1] / n)
    with pytest.raises(NotRationalError):
        rational_function(factorial, 3)
    with pytest.raises(NotRationalError):
        rational_function(expand([1], [1, 0, 0, 5], 12), 2)
    with pytest.raises(ValueError, match="needs 12"):
        rational_function(factorial[:10], 3)


def test_smallest_positive_root():
    with mp.workdps(50):
        root = smallest_positive_root([F(-2), F(0), F(1)], 40)
        assert digits_of_agreement(root, mp.sqrt(2)) >= 40
    # (t - 1/3)^2 (t + 1) (t - 5): a double root must not be missed.
    assert smallest_positive_root([F(-5, 9), F(26, 9), F(-20, 9), F(-14, 3), F(1)], 30) == F(1, 3)
    assert smallest_positive_root([F(1), F(0), F(1)], 30) is None
    assert smallest_positive_root([F(1), F(1)], 30) is None
    assert smallest_positive_root([F(1)], 30) is None
    # Two roots 10^-20 apart.
    near = 1 + F(1, 10**20)
    assert smallest_positive_root([near, -1 - near, F(1)], 40) == 1
    with pytest.raises(ValueError, match="vanishes at 0"):
        smallest_positive_root([F(0), F(1)], 10)


def test_blow_up_times_of_the_examples():
    with mp.workdps(50):
        p = examples.load("softmax-clustering-counterexample")
        assert digits_of_agreement(blow_up_time(p.V, p.A, p.Sigma0), 1) >= 40
        p = examples.load("softmax-clustering-rank-one")
        assert digits_of_agreement(blow_up_time(p.V, p.A, p.Sigma0), F(5, 22)) >= 40


@pytest.mark.parametrize("k", [5, 15, 25])
def test_blow_up_time_for_identity_value(k):
    p = examples.load("softmax-blowup")
    A = p.A_unscaled
    S = [[A[i][j] + A[j][i] for j in range(2)] for i in range(2)]
    trace, det = S[0][0] + S[1][1], S[0][0] * S[1][1] - S[0][1] * S[1][0]
    computed = blow_up_time(p.value_matrix, p.A_unscaled, IDENTITY2)
    with mp.workdps(50):
        # Sigma = (I - t S)^-1: the pole is 1 / lambda_max(S).
        half = mp.mpf(trace.numerator) / trace.denominator / 2
        largest = half + mp.sqrt(half**2 - mp.mpf(det.numerator) / det.denominator)
        assert digits_of_agreement(computed, 1 / largest) >= 40
        perturbed = (1 + mp.mpf(10) ** -k) / largest
        assert abs(digits_of_agreement(computed, perturbed) - k) <= 1


def test_no_pole_and_other_weights():
    assert blow_up_time(IDENTITY2, [[-1, 0], [0, 0]], SIGMA0) is None
    # Only the second coordinate blows up, at 1 / (2 * 2).
    diagonal = [[1, 0], [0, 2]]
    attention = [[-1, 0], [0, 1]]
    assert blow_up_time(IDENTITY2, attention, diagonal, weight=[[1, 0], [0, 0]]) is None
    assert blow_up_time(IDENTITY2, attention, diagonal, weight=[[0, 0], [0, 1]]) == 0.25
    assert blow_up_time(IDENTITY2, attention, diagonal) == 0.25


def test_limit_at_infinity():
    p = examples.load("softmax-identity")
    assert limit_at_infinity(p.value_matrix, p.A_unscaled, p.Sigma0) == [[0, 0], [0, 0]]
    # Sigma^-1 = Sigma0^-1 + 2 t e1 e1^T: the limit is 1 / (Sigma0^-1)_22 in the corner.
    limit = limit_at_infinity(IDENTITY2, [[-1, 0], [0, 0]], SIGMA0)
    assert limit == [[0, 0], [0, F(31, 16)]]
    # V = A = e1 e2^T + ...: Sigma_11 grows linearly.
    assert limit_at_infinity([[0, 1], [0, 0]], [[0, 0], [0, 1]], IDENTITY2, degree=2) is None
    with pytest.raises(ArithmeticError, match="positive time"):
        limit_at_infinity(IDENTITY2, IDENTITY2, SIGMA0)


def test_irrational_solutions_and_inexact_parameters_are_refused():
    p = examples.load("softmax-definite-value")
    identity = [[int(i == j) for j in range(3)] for i in range(3)]
    with pytest.raises(NotRationalError):
        blow_up_time(p.V, p.A, identity)
    with pytest.raises(TypeError, match="integers or fractions"):
        blow_up_time([[1.5]], [[1]], [[1]])
