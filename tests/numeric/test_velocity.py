"""Quadrature of the attention velocity against moments of Gaussians known in closed form."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from numeric.precise.velocity import gaussian_factor, linear_velocity, softmax_velocity

V2, A2 = [[1, 2], [-0.5, 3]], [["3/10", -1], [0.5, 0.25]]
ALPHA2, X2 = [0.5, -1], [1, 2]
REGULAR, SINGULAR = [[2, 0.5], [0.5, 1]], [[2, 2], [2, 2]]
CASES = {
    "d=1": ([[2]], [["-7/10"]], ["1/3"], [[1.5]], [1.25]),
    "d=1 strong tilt": ([[-1]], [[30]], [0.25], [[1.5]], [12]),
    "d=1 narrow": ([[1]], [[3]], [0.25], [["1e-20"]], [2]),
    "d=2": (V2, A2, ALPHA2, REGULAR, X2),
    "d=2 singular": (V2, A2, ALPHA2, SINGULAR, X2),
    "d=2 point": (V2, A2, ALPHA2, [[0, 0], [0, 0]], X2),
    "d=3 rank 1": (
        [[1, 2, 0], [0, 1, 1], [3, 0, 1]],
        [[0, 1, 0], [1, 0, 2], [0, 0, -1]],
        [1, 0, 2],
        [[4, 2, -2], [2, 1, -1], [-2, -1, 1]],
        [1, -1, 2],
    ),
}


def exact(value):
    return mp.matrix(
        [[mp.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in row] for row in value]
    )


def parts(case):
    V, A, alpha, Sigma, x = case
    return exact(V), exact(A), exact([[c] for c in alpha]), exact(Sigma), exact([[c] for c in x])


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(60):
        yield


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("digits", [20, 40])
def test_softmax_velocity(case, digits):
    V, A, alpha, Sigma, x = parts(case)
    expected = V * (alpha + Sigma * A * x)
    assert digits_of_agreement(softmax_velocity(*case, digits=digits), expected) >= digits


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_linear_velocity(case):
    V, A, alpha, Sigma, x = parts(case)
    expected = V * (Sigma + alpha * alpha.T) * A * x
    assert digits_of_agreement(linear_velocity(*case, digits=40), expected) >= 40


def test_biases():
    case = CASES["d=1"]
    V, A, alpha, Sigma, x = parts(case)
    expected = V * (alpha + Sigma * (A * x + exact([["2/7"]]))) + exact([[3]])
    computed = softmax_velocity(*case, tilt=["2/7"], value_bias=[3])
    assert digits_of_agreement(computed, expected) >= 40


@pytest.mark.parametrize("k", [5, 15, 25])
def test_perturbed_formula_is_noticed(k):
    case = CASES["d=1"]
    V, A, alpha, Sigma, x = parts(case)
    wrong = V * (alpha + (1 + mp.mpf(10) ** -k) * Sigma * A * x)
    assert abs(digits_of_agreement(softmax_velocity(*case), wrong) - k) <= 1


def test_factor_of_a_singular_covariance_has_as_many_columns_as_its_rank():
    for Sigma, rank in ((REGULAR, 2), (SINGULAR, 1), ([[0, 0], [0, 5]], 1), ([[0]], 0)):
        factor = gaussian_factor(Sigma)
        assert {len(row) for row in factor} == {rank}
        if rank:
            G = mp.matrix(factor)
            assert digits_of_agreement(G * G.T, exact(Sigma)) >= 55


def test_errors():
    with pytest.raises(ValueError, match="not positive semidefinite"):
        gaussian_factor([[1, 2], [2, 1]])
    with pytest.raises(ValueError, match="not symmetric"):
        gaussian_factor([[1, 2], [0, 1]])
    identity = mp.eye(3)
    with pytest.raises(ValueError, match="rank 3"):
        softmax_velocity(identity, identity, [0] * 3, identity, [1] * 3)
