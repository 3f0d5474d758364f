"""H and M against exact cases, differences of the energy, and each other."""

import time
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from numeric.precise.geodesic import VARIANTS, second_difference
from numeric.second_variation import second_variation

every_variant = pytest.mark.parametrize("variant", VARIANTS)


def drawn(variant, n, d, seed=0, batch=()):
    """Tokens, masses, A (None for l2) and a metric that is not the identity."""
    rng = np.random.default_rng([seed, n, d])
    x = rng.normal(size=(*batch, n, d)) / 2
    w = rng.uniform(0.2, 1.0, size=(*batch, n))
    M, N = rng.normal(size=(2, *batch, d, d)) / 2
    A = None if variant == "l2" else M + np.swapaxes(M, -1, -2)
    return x, w, A, N @ np.swapaxes(N, -1, -2) + np.eye(d)


@pytest.mark.parametrize("d", [1, 2, 3])
@every_variant
def test_geodesics_that_are_shot(variant, d):
    x, w, A, B = drawn(variant, 3, d)
    v = np.random.default_rng(1).normal(size=(3, d))
    H, M = second_variation(variant, x, w, A, B)
    shot = second_difference(A, B, x, w, v, 40, variant=variant)
    v = v.ravel()
    assert np.isclose(v @ H @ v, float(shot.second), rtol=1e-12)
    assert np.isclose(v @ M @ v, float(shot.speed), rtol=1e-12)
    assert shot.drift < mp.mpf(10) ** -20 * shot.speed


@every_variant
def test_symmetric_and_batched(variant):
    x, w, A, B = drawn(variant, 4, 3, batch=(2, 3))
    H, M = second_variation(variant, x, w, A, B)
    assert H.shape == M.shape == (2, 3, 12, 12)
    assert np.array_equal(H, np.swapaxes(H, -1, -2))
    for i in np.ndindex(2, 3):
        one = second_variation(variant, x[i], w[i], None if A is None else A[i], B[i])
        assert np.allclose(H[i], one[0], rtol=1e-12, atol=1e-14)
        assert np.allclose(M[i], one[1], rtol=1e-12, atol=1e-14)
    assert np.all(np.linalg.eigvalsh(M) > 0)
    shared = second_variation(variant, x, w, None if A is None else A[0, 0], B[0, 0])
    assert shared[0].shape == (2, 3, 12, 12)


def test_softmax_at_a_dirac_mass():
    """H/M = <A v, v>/|v|_B^2 + |A x|^2 in the norm of the inverse of B, for any mass."""
    rng = np.random.default_rng(0)
    _, _, A, B = drawn("softmax", 1, 4)
    x, v = rng.normal(size=(2, 4))
    H, M = second_variation("softmax", x[None], [0.3], A, B)
    speed = v @ B @ v
    ratio = v @ A @ v / speed + (A @ x) @ np.linalg.solve(B, A @ x)
    assert np.isclose((v @ H @ v) / (v @ M @ v), ratio, rtol=1e-12)


def test_softmax_with_a_small_mass_that_moves():
    """H/M tends to (A a)^T B^{-1} A (a + x)/2 for a mass p at x, the rest at a, as p tends to 0."""
    rng = np.random.default_rng(2)
    _, _, A, B = drawn("softmax", 1, 3)
    a, x, v = rng.normal(size=(3, 3))
    p = 1e-8
    H, M = second_variation("softmax", [a, x], [1 - p, p], A, B)
    moving = np.concatenate([np.zeros(3), v])
    limit = (A @ a) @ np.linalg.solve(B, A @ (a + x)) / 2
    assert np.isclose((moving @ H @ moving) / (moving @ M @ moving), limit, rtol=1e-5)


def test_l2_with_a_small_mass_that_moves():
    """H/M tends to |z|_B^2/2 - 1 for two points at distance z, and small mass at the one that moves
    along z."""
    _, _, _, B = drawn("l2", 1, 2)
    z, p = np.array([0.7, -0.4]), 1e-8
    H, M = second_variation("l2", [np.zeros(2), z], [1 - p, p], None, B)
    ratios = []
    for v in np.eye(2):
        moving = np.concatenate([np.zeros(2), v])
        ratios.append((moving @ H @ moving) / (moving @ M @ moving))
    assert np.allclose(ratios, z @ B @ z / 2 - 1, rtol=1e-5)


def test_l2_does_not_see_translations():
    x, w, _, B = drawn("l2", 5, 3)
    near, metric = second_variation("l2", x, w, None, B)
    far, far_metric = second_variation("l2", x + 1e3, w, None, B)
    assert np.allclose(near, far, atol=1e-11)
    assert np.allclose(metric, far_metric, atol=1e-11)


def test_linear_is_convex_for_a_semidefinite_score_matrix():
    x, w, A, B = drawn("linear", 6, 3)
    for semidefinite in (A @ A, -A @ A):
        H, _ = second_variation("linear", x, w, semidefinite, B)
        assert np.linalg.eigvalsh(H).min() > -1e-10
    H, _ = second_variation("linear", 3 * x[:1], w[:1], np.diag([1.0, -1.0, 0.0]), B)
    assert np.linalg.eigvalsh(H).min() < -1e-3


def test_sigmoid_does_not_overflow():
    x, w, A, B = drawn("sigmoid", 4, 2)
    with np.errstate(all="raise", under="ignore"):
        H, _ = second_variation("sigmoid", 100 * x, w, A, B)
    assert np.all(np.isfinite(H))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("masked-softmax", [[0.0]], [1.0], [[1.0]], [[1.0]]), "causal mask"),
        (("sinkhorn", [[0.0]], [1.0], [[1.0]], [[1.0]]), "no double integral"),
        (("softmax", [[0.0]], [1.0, 2.0], [[1.0]], [[1.0]]), "positions"),
        (("softmax", [[0.0]], [1.0], None, [[1.0]]), "no A"),
        (("l2", [[0.0]], [1.0], [[1.0]], [[1.0]]), "no A"),
        (("softmax", [[0.0, 1.0]], [1.0], [[1.0, 1.0], [0.0, 1.0]], np.eye(2)), "not symmetric"),
        (("softmax", [[0.0, 1.0]], [1.0], np.eye(3), np.eye(2)), "shape"),
    ],
)
def test_errors(arguments, why):
    with pytest.raises(ValueError, match=why):
        second_variation(*arguments)


@every_variant
def test_two_hundred_tokens_take_less_than_a_second(variant):
    x, w, A, B = drawn(variant, 200, 8)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        H, _ = second_variation(variant, x, w, A, B)
        seconds.append(time.process_time() - start)
    assert H.shape == (1600, 1600)
    assert min(seconds) < 1


def test_exact_rationals_are_welcome():
    H, M = second_variation("softmax", [[Fraction(1, 2)]], [1], [[Fraction(-1)]], [[1]])
    assert np.isclose(H / M, 0.25 - 1)
