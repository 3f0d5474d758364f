"""Quadrature on the line against Gaussian integrals known in closed form."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from numeric.precise.obstructions import (
    gaussian_mean,
    logistic,
    masked_softmax_velocity,
    unnormalised_velocity,
)

v, a, mean, variance, x = 1.5, -0.75, 0.25, 1.25, 2


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(60):
        yield


@pytest.mark.parametrize("digits", [15, 40])
def test_moments(digits):
    third = gaussian_mean(lambda y: y**3, mean, variance, digits=digits)
    assert digits_of_agreement(third, mean**3 + 3 * mean * variance, cap=digits) == digits
    mass = gaussian_mean(lambda y: mp.exp(-20 * y), 0, "1/4", tilt=-20, digits=digits)
    assert digits_of_agreement(mass, mp.exp(50), cap=digits) == digits


def test_exponential_velocity():
    expected = v * (mean + a * variance * x) * mp.exp(a * mean * x + a**2 * variance * x**2 / 2)
    found = unnormalised_velocity(mp.exp, v, a, mean, variance, x, digits=40)
    assert digits_of_agreement(found, expected) >= 40


def test_sigmoid_velocity_at_the_origin():
    """The expansion v E y (1/2 + a x y / 4 - (a x y)^3 / 48 + ...), for a centred Gaussian."""

    def velocity(place):
        return unnormalised_velocity(logistic, v, a, 0, variance, place, digits=40)

    small = mp.mpf("1e-8")
    linear = velocity(small) / small
    assert digits_of_agreement(linear, v * a * variance / 4, cap=15) >= 14
    third = 6 * (velocity(small) - small * v * a * variance / 4) / small**3
    expected = -mp.mpf(3) / 8 * v * a**3 * variance**2
    assert digits_of_agreement(third, expected, cap=15) >= 13
    assert digits_of_agreement(velocity(x), -velocity(-x)) >= 40


def test_masked_velocity():
    """Alone it is the softmax velocity, and split into equal parts too."""
    softmax = v * (mean + a * variance * x)
    for seen in ([(2, mean, variance)], [(1, mean, variance), (Fraction(1, 3), mean, variance)]):
        found = masked_softmax_velocity(v, a, seen, x, digits=40)
        assert digits_of_agreement(found, softmax) >= 40
    between = masked_softmax_velocity(v, a, [(1, 0, 1), (1, 1, 1)], 0, digits=40)
    assert digits_of_agreement(between, v / 2) >= 40
