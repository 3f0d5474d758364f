"""L2, Sinkhorn and masked linear velocities from their definitions against closed forms."""

from fractions import Fraction

import pytest
from mpmath import mp

from numeric.precise import sinkhorn
from numeric.precise.agreement import digits_of_agreement
from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity, sinkhorn_velocity
from numeric.precise.velocity_l2 import l2_velocity
from numeric.precise.velocity_masked import masked_linear_velocity

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
V2, ALPHA2, X2 = [[1, 2], [-0.5, 3]], [0.5, -1], [1, 2]
REGULAR, SINGULAR, POINT = [[1, "1/4"], ["1/4", HALF]], [[2, 2], [2, 2]], [[0, 0], [0, 0]]
A2 = [["1/6", "-1/6"], [HALF, THIRD]]
L2 = {
    "d=1": ([[2]], [["-7/10"]], [["1/2"]], ["1/3"], [[1.5]], [1.25]),
    "d=1 sharp": ([[2]], [[-1]], [[30]], ["1/3"], [[1.5]], [10]),
    "k<d": (V2, [[HALF, 1]], [[THIRD, -1]], ALPHA2, REGULAR, X2),
    "singular": (V2, A2, [[1, -HALF], [HALF, 1]], ALPHA2, SINGULAR, X2),
    "point": (V2, A2, [[1, -HALF], [HALF, 1]], ALPHA2, POINT, X2),
}
SINKHORN = {
    "d=1": ([[2]], [["-7/10"]], ["1/3"], [[1.5]], [1.25]),
    "d=1 strong": ([[2]], [[3]], ["1/3"], [[1.5]], [2]),
    "singular": (V2, A2, ALPHA2, SINGULAR, X2),
    "point": (V2, A2, ALPHA2, POINT, X2),
}
PLANE = (V2, A2, ALPHA2, REGULAR, X2)


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(60):
        yield


def exact(value):
    rows = value if isinstance(value[0], list) else [[entry] for entry in value]
    return mp.matrix(
        [[mp.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in r] for r in rows]
    )


def l2_formula(case):
    V, Q, K, alpha, Sigma, x = map(exact, case)
    damping = mp.inverse(mp.eye(len(alpha)) + 2 * Sigma * K.T * K)
    return V * (alpha + 2 * damping * Sigma * K.T * (Q * x - K * alpha))


def sinkhorn_formula(case, wrong=0):
    """With roots by eigenvalues: B = V W E W A, E = 2 / (1 + (1 + 4 M M^T)^{1/2})."""
    V, A, alpha, Sigma, x = map(exact, case)
    W = function(Sigma, lambda v: mp.sqrt(max(v, 0)))
    M = W * A * W
    E = function(M * M.T, lambda v: 2 / (1 + mp.sqrt(1 + 4 * v)))
    return V * (alpha + (1 + wrong) * W * E * W * A * (x - alpha))


def function(symmetric, f):
    values, vectors = mp.eigsy(symmetric)
    return vectors * mp.diag([f(v) for v in values]) * vectors.T


@pytest.mark.parametrize("case", L2.values(), ids=L2)
def test_l2_velocity(case):
    assert digits_of_agreement(l2_velocity(*case, digits=50), l2_formula(case)) >= 50


@pytest.mark.parametrize("case", SINKHORN.values(), ids=SINKHORN)
def test_sinkhorn_velocity(case):
    expected = sinkhorn_formula(case)
    assert digits_of_agreement(sinkhorn_velocity(*case, digits=50), expected) >= 50
    assert digits_of_agreement(sinkhorn_gaussian_velocity(*case, digits=50), expected) >= 50


def test_sinkhorn_velocity_in_the_plane():
    expected = sinkhorn_formula(PLANE)
    assert digits_of_agreement(sinkhorn_velocity(*PLANE, digits=30), expected) >= 30
    assert digits_of_agreement(sinkhorn_gaussian_velocity(*PLANE, digits=50), expected) >= 50


def test_sinkhorn_velocity_at_the_mean():
    V, A, alpha, Sigma, _ = PLANE
    computed = sinkhorn_velocity(V, A, alpha, Sigma, alpha, digits=15)
    assert digits_of_agreement(computed, exact(V) * exact(alpha)) >= 15


@pytest.mark.acceptance
def test_sinkhorn_velocity_in_the_plane_to_50_digits():
    assert digits_of_agreement(sinkhorn_velocity(*PLANE, digits=50), sinkhorn_formula(PLANE)) >= 50


def test_alternating_gaussians_in_higher_dimension():
    V = [[1, 0, 2], [0, 1, -1], [1, 1, 0]]
    A = [[1, 2, 0], [0, -1, 1], [HALF, 0, 3]]
    Sigma = [[4, 2, -2], [2, 1, -1], [-2, -1, 3]]
    case = (V, A, [1, 0, 2], Sigma, [1, -1, 2])
    assert digits_of_agreement(sinkhorn_gaussian_velocity(*case), sinkhorn_formula(case)) >= 40


@pytest.mark.parametrize("k", [5, 15, 25])
def test_perturbed_formula_is_noticed(k):
    case = SINKHORN["d=1"]
    wrong = sinkhorn_formula(case, wrong=mp.mpf(10) ** -k)
    assert abs(digits_of_agreement(sinkhorn_velocity(*case), wrong) - k) <= 1


def test_masked_linear_velocity():
    positions = [(HALF, [1, 0], REGULAR), (2, ALPHA2, SINGULAR), ("1/3", [0, 3], POINT)]
    V, A, x = map(exact, (V2, A2, X2))
    total = mp.zeros(2)
    for index, (mass, alpha, Sigma) in enumerate(positions):
        mean = exact(alpha)
        total += exact([mass])[0] * (exact(Sigma) + mean * mean.T)
        computed = masked_linear_velocity(V2, A2, positions, index, X2, digits=40)
        assert digits_of_agreement(computed, V * total * A * x) >= 40


def test_errors(monkeypatch):
    identity = mp.eye(3)
    with pytest.raises(ValueError, match="rank 3"):
        l2_velocity(identity, identity, identity, [0] * 3, identity, [1] * 3)
    with pytest.raises(ValueError, match="rank 3"):
        sinkhorn_velocity(identity, identity, [0] * 3, identity, [1] * 3)
    monkeypatch.setattr(sinkhorn, "SWEEP_LIMIT", 3)
    for velocity in (sinkhorn_velocity, sinkhorn_gaussian_velocity):
        with pytest.raises(ArithmeticError, match="40 digits not reached after 3 sweeps"):
            velocity(*SINKHORN["d=1 strong"])
