"""Scalar equations against their explicit solutions."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise.scalar import scalar_at
from numeric.precise.taylor import PrecisionError


@pytest.mark.parametrize("digits", [20, 60])
@pytest.mark.parametrize(
    ("rate", "solution"),
    [
        (lambda s: 3 * s, lambda s, t: s * mp.exp(3 * t)),
        (lambda s: -s * s, lambda s, t: s / (1 + s * t)),
        (lambda s: 1 + s * s, lambda s, t: mp.tan(mp.atan(s) + t)),
        (lambda s: -mp.sqrt(s), lambda s, t: (mp.sqrt(s) - t / 2) ** 2),
    ],
)
def test_explicit_solutions(rate, solution, digits):
    found = scalar_at(rate, Fraction(4, 5), "1/3", digits)
    with mp.workdps(digits + 10):
        exact = solution(mp.mpf(4) / 5, mp.mpf(1) / 3)
        assert abs(found - exact) < exact * mp.mpf(10) ** -digits


def test_no_motion():
    assert scalar_at(lambda s: s, 2, 0) == 2


def test_a_rate_that_jumps_is_out_of_reach():
    with pytest.raises(PrecisionError, match="40 digits"):
        scalar_at(lambda s: 1 if s < mp.mpf("1.3") else 2, 1, 1)
