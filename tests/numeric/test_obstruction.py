"""Velocities that are not affine, and the cumulants that grow: against integrals known otherwise.

For a Gaussian, int (xi^2 - s) v = s^2 int v'' and int (xi^3 - 3 s xi) v = s^3 int v''' (s the
variance), which gives the rates for v in closed form.
"""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from numeric.precise.balls import ball, midpoint
from numeric.precise.line import expectation
from numeric.precise.obstruction import (
    cumulant_rates,
    exponential_cumulant_rates,
    masked_softmax_cumulant_rates,
    sigmoid_cumulant_rates,
)
from numeric.precise.velocity_line import (
    exponential_velocity,
    masked_softmax_velocity,
    sigmoid_velocity,
)

V, A, ALPHA, S = 2, Fraction(-1, 2), Fraction(1, 3), Fraction(3, 2)
POSITIONS = [(1, 0, 1), (Fraction(1, 2), 1, 2)]


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(40):
        yield


def mpf(value):
    return mp.mpf(Fraction(value).numerator) / Fraction(value).denominator


def test_expectation():
    values = expectation(lambda z: [z**6, z.cos(), 1 / (1 + z**2)], digits=30)
    erfc = mp.sqrt(mp.pi / 2) * mp.exp(0.5) * mp.erfc(mp.sqrt(0.5))
    assert digits_of_agreement(values, [mp.mpf(15), mp.exp(-0.5), erfc], cap=40) >= 30
    shifted = expectation(lambda z: [(30 * z).exp()], digits=30, center=30)
    assert digits_of_agreement(shifted, [mp.exp(450)], cap=40) >= 30


def test_expectation_of_a_kink_is_given_up():
    with pytest.raises(ArithmeticError, match="20 digits not reached"):
        expectation(lambda z: [abs(z)], digits=20)


def test_exponential_velocity():
    a, alpha, s, x = map(mpf, (A, ALPHA, S, Fraction(7, 4)))
    expected = V * (alpha + s * a * x) * mp.exp(a * x * alpha + s * (a * x) ** 2 / 2)
    assert digits_of_agreement(exponential_velocity(V, A, ALPHA, S, x), expected, cap=40) >= 38


def test_masked_softmax_velocity():
    a, x = mpf(A), mpf(Fraction(7, 4))
    mass, moment = mp.zero, mp.zero
    for index, (w, alpha, s) in enumerate(POSITIONS):
        weight = mpf(w) * mp.exp(a * x * alpha + s * (a * x) ** 2 / 2)
        mass, moment = mass + weight, moment + weight * (alpha + s * a * x)
        computed = masked_softmax_velocity(V, A, POSITIONS, index, x)
        assert digits_of_agreement(computed, V * moment / mass, cap=40) >= 38


@pytest.mark.parametrize(("v", "a", "s"), [(1, 1, 1), (2, "-1/2", 3)])
def test_third_derivative_of_the_sigmoid_velocity(v, a, s):
    """-(3/8) V a^3 sigma^4 at 0, by a central difference."""

    def velocity(x):
        return sigmoid_velocity(v, a, 0, s, x, digits=60)

    with mp.workdps(70):
        h = mp.mpf(10) ** -10
        third = (velocity(2 * h) - 2 * velocity(h) + 2 * velocity(-h) - velocity(-2 * h)) / (
            2 * h**3
        )
        expected = -3 * mpf(v) * mpf(a) ** 3 * mpf(s) ** 2 / 8
        assert digits_of_agreement(third, expected, cap=40) >= 17


def test_rates_of_polynomial_velocities():
    # v = x^3: v'' = 6 x, v''' = 6
    third, fourth = cumulant_rates(lambda x, _: x**3, 2, 3, digits=20, bounded=True)
    assert digits_of_agreement([third, fourth], [3 * 9 * 12, 4 * 27 * 6], cap=30) >= 20
    affine = cumulant_rates(lambda x, _: 5 * x - 1, 2, 3, digits=20)
    assert max(map(abs, affine)) < mp.mpf(10) ** -18


def test_exponential_attention():
    """All moments of (alpha + s a x) exp(a alpha x + s a^2 x^2 / 2) are Gaussian integrals."""
    a, alpha, s = map(mpf, (A, ALPHA, S))
    third, fourth = exponential_cumulant_rates(V, A, ALPHA, S)

    # Under density times exp, xi is N(m, p) with p = s / (1 - (s a)^2), times a constant.
    q = 1 - (s * a) ** 2
    slope = a * alpha + s * a**2 * alpha
    p, m = s / q, s * slope / q
    constant = mp.exp(a * alpha**2 + s * (a * alpha) ** 2 / 2 + slope**2 * s / (2 * q)) / mp.sqrt(q)
    raw = [1, m, m**2 + p, m**3 + 3 * m * p, m**4 + 6 * m**2 * p + 3 * p**2]

    def mean(polynomial):  # of polynomial (ascending) times alpha + s a (alpha + xi)
        return sum(
            c * ((alpha + s * a * alpha) * raw[i] + s * a * raw[i + 1])
            for i, c in enumerate(polynomial)
        )

    expected = [
        3 * V * constant * mean([-s, 0, 1]),
        4 * V * constant * mean([0, -3 * s, 0, 1]),
    ]
    assert digits_of_agreement([third, fourth], expected, cap=30) >= 18
    assert abs(third) > 1
    assert abs(fourth) > 1
    with pytest.raises(ValueError, match="no moments"):
        exponential_cumulant_rates(1, 2, 0, 1)


def test_masked_softmax_attention():
    """The first position sees one Gaussian; the second a mixture, and stops being Gaussian."""
    first = masked_softmax_cumulant_rates(V, A, POSITIONS, 0)
    assert max(map(abs, first)) < mp.mpf(10) ** -18
    third, fourth = masked_softmax_cumulant_rates(V, A, POSITIONS, 1)

    def closed_form(x):
        a = mpf(A)
        parts = [
            (mpf(w) * mp.exp(a * x * alpha + s * (a * x) ** 2 / 2), alpha + s * a * x)
            for w, alpha, s in POSITIONS
        ]
        return V * sum(w * y for w, y in parts) / sum(w for w, _ in parts)

    expected = cumulant_rates(lambda x, _: closed_form(x), 1, 2, digits=25)
    assert digits_of_agreement([third, fourth], expected, cap=30) >= 18
    assert min(abs(third), abs(fourth)) > 1


@pytest.mark.parametrize("digits", [8, pytest.param(20, marks=pytest.mark.acceptance)])
def test_sigmoid_attention(digits):
    third, fourth = sigmoid_cumulant_rates(1, 1, 0, 1, digits=digits)
    assert abs(third) < mp.mpf(10) ** -digits  # the velocity is odd up to its mean

    def inner(x):
        """The third derivative of the velocity, from that of the logistic function."""
        x = midpoint(x)

        def integrand(y):
            value = 1 / (1 + (-ball(x) * y).exp())
            bell = value * (1 - value)
            return [y**4 * bell * (1 - 6 * bell)]

        return [ball(v) for v in expectation(integrand, digits=digits)]

    expected = 4 * expectation(inner, digits=digits)[0]
    assert digits_of_agreement(fourth, expected, cap=30) >= digits
    assert fourth < -0.3


@pytest.mark.acceptance
def test_sigmoid_attention_without_symmetry():
    third, fourth = sigmoid_cumulant_rates(2, "3/4", "1/3", "3/2", digits=15)
    again = sigmoid_cumulant_rates(2, "3/4", "1/3", "3/2", digits=20)
    assert digits_of_agreement([third, fourth], again, cap=25) >= 15
    assert min(abs(third), abs(fourth)) > 0.1
