"""Rates of mean and covariance, and counted ranks, against values known in closed form."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from numeric.precise.moments import moment_rates
from numeric.precise.ranks import counted_rank

MATRIX, OFFSET, MEAN = [[1, 2], [-3, 4]], [5, -1], [Fraction(1, 2), -1]
REGULAR, SINGULAR, POINT = [[2, 1], [1, 3]], [[1, -2], [-2, 4]], [[0, 0], [0, 0]]


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(50):
        yield


@pytest.mark.parametrize("covariance", [REGULAR, SINGULAR, POINT])
def test_affine_velocity(covariance):
    def velocity(x):
        return [mp.fdot(row, x) + c for row, c in zip(MATRIX, OFFSET, strict=True)]

    mean, rate = moment_rates(velocity, MEAN, covariance, digits=30)
    B, Sigma = mp.matrix(MATRIX), mp.matrix(covariance)
    assert digits_of_agreement(mean, mp.matrix(velocity([mp.mpf(1) / 2, -1])), cap=30) == 30
    exact = B * Sigma + Sigma * B.T
    assert max(abs(entry) for entry in rate - exact) < mp.mpf(10) ** -29


def test_velocity_that_is_not_affine():
    # E x^3 = a^3 + 3 a s and Cov(x, x^3) = 3 a^2 s + 3 s^2
    mean, rate = moment_rates(lambda x: [x[0] ** 3], [2], [[3]], digits=30)
    assert digits_of_agreement(mean, [[26]], cap=30) == 30
    assert digits_of_agreement(rate, [[2 * (36 + 27)]], cap=30) == 30


def test_covariance_must_be_flat_enough():
    with pytest.raises(ValueError, match="rank 3"):
        moment_rates(lambda x: x, [0, 0, 0], mp.eye(3), digits=10)


def test_counted_rank():
    for rank, matrix in enumerate(([[1, -2], [-2, 4]], [[1, 2], [3, 4]]), start=1):
        assert digits_of_agreement(counted_rank(mp.matrix(matrix), 30), rank, cap=30) == 30
    nearly = mp.diag([1, mp.mpf(10) ** -10])
    assert digits_of_agreement(counted_rank(nearly, 30), 2, cap=30) < 30
    assert mp.nint(counted_rank(nearly, 30)) == 2
    assert digits_of_agreement(counted_rank(mp.diag([1, mp.mpf(10) ** -40]), 30), 1, cap=30) == 30
