"""The integrator for L2 attention against a solution known exactly and against quadrature."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from numeric.precise.flow import BlowUpError
from numeric.precise.flow_l2 import l2_covariance_at, l2_series
from numeric.precise.moments import linear_rate
from numeric.precise.velocity_l2 import l2_velocity

BLOW_UP = ([[0, 1]], [[1, 0]], [[0, 0], [0, 1]])
START = [[2, 1], [1, 2]]
HEAD = (
    [[Fraction(1, 2), -1], [0, Fraction(1, 3)]],
    [[Fraction(1, 3), Fraction(1, 6)], [Fraction(-1, 2), Fraction(1, 4)]],
    [[1, Fraction(-1, 2)], [Fraction(1, 3), 1]],
)


def test_a_solution_that_blows_up():
    """Sigma = [[2, y], [y, 2 y^2]] with y = 1/(1 - 2 t / 5)."""
    with mp.workdps(50):
        y = 1 / (1 - mp.mpf(2) * 2 / 5)
        expected = mp.matrix([[2, y], [y, 2 * y**2]])
        assert digits_of_agreement(l2_covariance_at([BLOW_UP], START, 2, 40), expected) >= 40


def test_past_the_blow_up_there_is_no_solution():
    with pytest.raises(BlowUpError, match=r"t = 2\.499999"):
        l2_covariance_at([BLOW_UP], START, 3, 15)


@pytest.mark.parametrize("start", [START, [[1, 2], [2, 4]]], ids=["regular", "singular"])
def test_the_rate_is_that_of_the_integrals(start):
    Q, K, V = HEAD
    with mp.workdps(40):
        rate = linear_rate(lambda x: l2_velocity(V, Q, K, [0, 0], start, x, digits=32), start)
        second = l2_series([HEAD, HEAD], start, 1)[1]
        doubled = mp.matrix([[mp.mpf(x.numerator) / x.denominator for x in row] for row in second])
        assert digits_of_agreement(doubled, 2 * rate) >= 28
