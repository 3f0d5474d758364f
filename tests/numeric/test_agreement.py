"""Digits of agreement: calibrated against known perturbations."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from numeric.precise.agreement import digits_of_agreement


@pytest.mark.parametrize("k", [0, 1, 5, 15, 25, 38])
def test_perturbation_gives_its_digits(k):
    with mp.workdps(50):
        for value in (mp.pi, -(mp.mpf(10) ** 30), mp.mpf("1e-200")):
            perturbed = value * (1 + mp.mpf(10) ** -k)
            assert abs(digits_of_agreement(value, perturbed) - k) <= 1
            assert digits_of_agreement(value, perturbed) == digits_of_agreement(perturbed, value)


def test_matrices_are_compared_relative_to_the_largest_entry():
    with mp.workdps(40):
        a = mp.matrix([[1000, 1], [1, 0]])
        b = mp.matrix([[1000, 1 + mp.mpf("2e-20")], [1, 0]])
        assert digits_of_agreement(a, b) == 22
        assert digits_of_agreement([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])) == 40


def test_caps_and_zeros():
    with mp.workdps(30):
        assert digits_of_agreement(Fraction(1, 3), mp.mpf(1) / 3) == 30
        assert digits_of_agreement(0, 0) == 30
        assert digits_of_agreement(0, mp.mpf("1e-29")) == 0
        assert digits_of_agreement(1, -1) == 0
        assert digits_of_agreement(1, 1, cap=7) == 7


def test_cap_below_the_digits_that_the_numbers_carry():
    with mp.workdps(60):
        a, b = mp.pi + mp.mpf("1e-40"), mp.pi + 0
    assert digits_of_agreement(a, b, cap=50) == 40


def test_errors():
    with pytest.raises(ValueError, match="shapes"):
        digits_of_agreement([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="not rectangular"):
        digits_of_agreement([[1, 2], [3]], [[1, 2], [3]])
    with pytest.raises(ValueError, match="not a finite number"):
        digits_of_agreement(mp.inf, 1)
