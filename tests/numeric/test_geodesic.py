"""Shooting to many digits: exact cases, conserved speed, dissipation, and wrong weights noticed."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise import geodesic
from numeric.precise.geodesic import VARIANTS, dissipation, second_difference

TOKENS = [[Fraction(1, 2), Fraction(-1, 3)], [Fraction(-2, 5), Fraction(1, 4)]]
MASSES = [Fraction(2, 3), Fraction(1, 3)]
VELOCITIES = [[Fraction(1), Fraction(1, 2)], [Fraction(-1, 3), Fraction(1)]]
SCORE = [[1, Fraction(-1, 2)], [Fraction(-1, 2), Fraction(-3, 4)]]
METRIC = [[2, Fraction(1, 3)], [Fraction(1, 3), 1]]


def score(variant):
    return None if variant == "l2" else SCORE


@pytest.mark.parametrize("variant", VARIANTS)
def test_flow_dissipates_its_squared_speed(variant):
    rate, speed = dissipation(score(variant), METRIC, TOKENS, MASSES, 50, variant=variant)
    with mp.workdps(50):
        assert abs(rate - speed) < mp.mpf(10) ** -25 * abs(speed)
    assert (rate > 0) == (variant == "l2")


@pytest.mark.parametrize("variant", ["softmax", "l2"])
def test_speed_is_conserved_and_digits_help(variant):
    few, many = (
        second_difference(
            score(variant), METRIC, TOKENS, MASSES, VELOCITIES, digits, variant=variant
        )
        for digits in (40, 60)
    )
    with mp.workdps(60):
        assert many.drift < mp.mpf(10) ** -50 * many.speed
        assert mp.mpf(10) ** -45 < abs(few.second / many.second - 1) < mp.mpf(10) ** -20


def test_one_particle_on_the_line():
    """H/M = a/b + a^2 x^2/b for softmax, any mass."""
    a, b, x = Fraction(-3, 2), Fraction(4, 5), Fraction(7, 6)
    shot = second_difference([[a]], [[b]], [[x]], [Fraction(2, 7)], [[3]], 50)
    with mp.workdps(50):
        exact = mp.mpf((a / b + a**2 * x**2 / b).numerator) / (a / b + a**2 * x**2 / b).denominator
        assert abs(shot.second / shot.speed - exact) < mp.mpf(10) ** -25


@pytest.mark.parametrize("variant", ["exponential", "linear", "sigmoid"])
def test_straight_lines_in_a_constant_metric(variant):
    """The energy along a straight line, differentiated by mpmath."""
    shot = second_difference(SCORE, METRIC, TOKENS, MASSES, VELOCITIES, 50, variant=variant)
    assert shot.drift == 0 or shot.drift < mp.mpf(10) ** -50
    functions = {
        "exponential": mp.exp,
        "linear": lambda z: z**2 / 2,
        "sigmoid": lambda z: mp.log(1 + mp.exp(z)),
    }

    def energy(t):
        at = [
            [mp.mpf(p.numerator) / p.denominator + t * mp.mpf(q.numerator) / q.denominator
             for p, q in zip(row, rate, strict=True)]
            for row, rate in zip(TOKENS, VELOCITIES, strict=True)
        ]  # fmt: skip
        total = mp.zero
        for w, u in zip(MASSES, at, strict=True):
            for k, v in zip(MASSES, at, strict=True):
                z = mp.fsum(
                    u[i]
                    * v[j]
                    * Fraction(SCORE[i][j]).numerator
                    / Fraction(SCORE[i][j]).denominator
                    for i in range(2)
                    for j in range(2)
                )
                mass = w * k
                total += functions[variant](z) * mass.numerator / mass.denominator
        return total / 2

    with mp.workdps(50):
        assert abs(mp.taylor(energy, 0, 2)[2] * 2 - shot.second) < mp.mpf(10) ** -25


def test_a_weight_that_is_left_out_is_noticed(monkeypatch):
    right = second_difference(SCORE, METRIC, TOKENS, MASSES, VELOCITIES, 40)
    monkeypatch.setattr(geodesic, "TWISTED", ("l2",))
    wrong = second_difference(SCORE, METRIC, TOKENS, MASSES, VELOCITIES, 40)
    assert abs(right.second / wrong.second - 1) > mp.mpf(10) ** -3
    rate, speed = dissipation(SCORE, METRIC, TOKENS, MASSES, 40)
    assert abs(rate / speed - 1) < mp.mpf(10) ** -12  # without weights: exponential attention
    monkeypatch.setattr(geodesic._System, "scales", lambda self, x: [mp.mpf(2)] * len(x))
    rate, speed = dissipation(SCORE, METRIC, TOKENS, MASSES, 40)
    assert abs(rate / speed - 1) > mp.mpf(10) ** -1


def test_unknown_variants():
    with pytest.raises(ValueError, match="there is one for: softmax"):
        second_difference([[1]], [[1]], [[1]], [1], [[1]], variant="sinkhorn")
