"""The integrator for Sinkhorn attention against the scalar equation and against quadrature."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise import flow
from numeric.precise.agreement import digits_of_agreement
from numeric.precise.flow import PrecisionError
from numeric.precise.flow_sinkhorn import sinkhorn_covariance_at, sinkhorn_series
from numeric.precise.moments import moment_rates
from numeric.precise.scalar import scalar_at
from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity, sinkhorn_velocity

HEAD = (
    [[1, 2], [Fraction(-1, 2), 3]],
    [[Fraction(3, 10), 1], [Fraction(1, 2), Fraction(1, 4)]],
)
REGULAR, SINGULAR = [[2, 1], [1, 2]], [[1, "1/2"], ["1/2", "1/4"]]
FLAT = ([[0, 1], [-1, 0]], [[1, 0], [0, 0]])


def test_the_line():
    """s' = (v / a) ((1 + 4 a^2 s^2)^{1/2} - 1)."""
    value, score = 3, mp.mpf("0.5")
    expected = scalar_at(
        lambda s: value / score * (mp.sqrt(1 + (2 * score * s) ** 2) - 1), "3/4", "1/3", 40
    )
    found = sinkhorn_covariance_at([([[value]], [[score]])], [["3/4"]], "1/3", 40)
    assert digits_of_agreement(found, mp.matrix([[expected]]), cap=40) == 40


@pytest.mark.parametrize(
    ("start", "velocity"),
    [(SINGULAR, sinkhorn_velocity), (REGULAR, sinkhorn_gaussian_velocity)],
    ids=["singular", "regular"],
)
def test_the_rate_is_that_of_the_integrals(start, velocity):
    V, A = HEAD
    origin = [0, 0]
    rates = moment_rates(
        lambda x: velocity(V, A, origin, start, x, digits=14), origin, start, digits=14
    )[1]
    with mp.workdps(24):
        doubled = sinkhorn_series([HEAD, HEAD], start, 1)[1]
        assert digits_of_agreement(doubled, 2 * rates, cap=24) >= 13


def test_further_coefficients_are_derivatives_of_the_first():
    """The second one is half the derivative of the field along the first, by differences."""
    with mp.workdps(60):
        h = mp.mpf(10) ** -15
        start, slope, second = sinkhorn_series([HEAD, FLAT], REGULAR, 2)
        ahead, behind = (
            sinkhorn_series([HEAD, FLAT], start + s * h * slope, 1)[1] for s in (1, -1)
        )
        assert digits_of_agreement(second, (ahead - behind) / (4 * h), cap=40) >= 28


def test_a_time_out_of_reach(monkeypatch):
    monkeypatch.setattr(flow, "STEP_LIMIT", 3)
    with pytest.raises(PrecisionError, match="more than 3 steps"):
        sinkhorn_covariance_at([([[50]], [[1]])], [[1]], 10**3, 5)
