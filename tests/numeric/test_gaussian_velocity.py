"""Velocities on Gaussians by two routes: generated from the derivations, and from factors of Sigma.

Agreement is to 12 digits of the largest term.
"""

from functools import reduce
from operator import add

import numpy as np
import pytest

from numeric import gaussian_velocity as gv
from symbolic.gaussian import reduction
from symbolic.python_code import reduction_functions

BATCH, HEADS, POSITIONS = 50, 3, 4
TOLERANCE = 1e-12
SPECTRA = {
    "regular": lambda rng, d: rng.uniform(0.5, 2.0, (BATCH, d)),
    "nearly singular": lambda rng, d: 10.0 ** rng.uniform(-14, 0, (BATCH, d)),
    "singular": lambda rng, d: rng.uniform(0.5, 2.0, (BATCH, d)) * (np.arange(d) < d // 2),
    "zero and tiny": lambda rng, d: np.resize([1.0, 0.0, 1e-14], d) * np.ones((BATCH, 1)),
    "large": lambda rng, d: 10.0 ** rng.uniform(-1, 1.3, (BATCH, d)),
}


def law(rng, spectrum, d):
    vectors = np.linalg.qr(rng.standard_normal((BATCH, d, d)))[0]
    values = SPECTRA[spectrum](rng, d)
    Sigma = vectors * values[:, None, :] @ vectors.mT
    return rng.standard_normal((BATCH, d)), (Sigma + Sigma.mT) / 2


def agree(value, expected, scale):
    """Relative to the largest entry of ``scale``, for every member of the batch."""
    axes = tuple(range(1, value.ndim))
    error, scale = np.abs(value - expected).max(axes), scale.max(axes)
    assert value.shape == expected.shape
    assert (error <= TOLERANCE * scale).all(), (error / scale).max()


def agree_in_all(made, arguments, velocity, alpha, Sigma, x):
    """Velocity and rates; scales are sums of the sizes of summands, which may cancel."""
    mean, covariance = velocity.rates(alpha, Sigma)
    linear, constant = np.abs(velocity.linear), np.abs(velocity.constant)
    for value, expected, point in (
        (made.velocity(*arguments, x), velocity(x), x),
        (made.mean_rhs(*arguments), mean, alpha),
    ):
        agree(value, expected, gv.times(linear, np.abs(point)) + constant)
    agree(made.covariance_rhs(*arguments), covariance, 2 * linear @ np.abs(Sigma))


def heads_of(rng, d, k, singular):
    V = rng.standard_normal((HEADS, d, d))
    Q, K = rng.standard_normal((2, HEADS, k, d))
    if singular:
        K[..., -1, :] = 0.0
    return V, Q, K


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("d", range(1, 7))
@pytest.mark.parametrize("name", ["softmax", "l2", "sinkhorn", "linear"])
def test_generated_functions_agree(name, d, spectrum):
    rng = np.random.default_rng([d, len(spectrum), len(name)])
    # k < d, and a score matrix of lower rank than k, where there is room
    V, Q, K = heads_of(rng, d, max(1, d - 1), singular=d > 2)
    alpha, Sigma = law(rng, spectrum, d)
    x = rng.standard_normal((BATCH, d))
    own = (V, Q, K) if name == "l2" else (V, K.mT @ Q)
    velocities = [getattr(gv, name)(*(m[h] for m in own), alpha, Sigma) for h in range(HEADS)]
    for variant, parameters, velocity in (
        (name, [m[0] for m in own], velocities[0]),
        (f"multihead-{name}", own, reduce(add, velocities)),
    ):
        made = reduction_functions(reduction(variant))
        agree_in_all(made, (*parameters, alpha, Sigma), velocity, alpha, Sigma, x)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_masked_linear(d):
    rng = np.random.default_rng(d)
    mass = rng.uniform(0.1, 1.0, POSITIONS)
    laws = [law(rng, "singular", d) for _ in range(POSITIONS)]
    alpha = np.stack([mean for mean, _ in laws], axis=1)
    Sigma = np.stack([covariance for _, covariance in laws], axis=1)
    x = rng.standard_normal((BATCH, POSITIONS, d))
    V, A = rng.standard_normal((2, d, d))
    velocity = gv.masked_linear(V, A, mass, alpha, Sigma)
    made = reduction_functions(reduction("masked-linear"))
    for s in range(POSITIONS):
        past = range(s + 1)
        M_s = sum(
            mass[p] * (Sigma[:, p] + np.einsum("bi,bj->bij", *[alpha[:, p]] * 2)) for p in past
        )
        arguments = (V, A, M_s, alpha[:, s], Sigma[:, s])
        here = gv.AffineVelocity(velocity.linear[:, s], velocity.constant[:, s])
        agree_in_all(made, arguments, here, alpha[:, s], Sigma[:, s], x[:, s])


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_sinkhorn_plan(d, spectrum):
    """B Sigma = V C; C is a covariance of two laws N(., Sigma), so that |C| <= |Sigma|."""
    rng = np.random.default_rng(d)
    alpha, Sigma = law(rng, spectrum, d)
    V, A = rng.standard_normal((2, d, d))
    C = gv.plan(A, Sigma)
    B = gv.sinkhorn(V, A, alpha, Sigma).linear
    agree(B @ Sigma, V @ C, np.abs(B) @ np.abs(Sigma))
    joint = np.block([[Sigma, C.mT], [C, Sigma]])
    assert (np.linalg.eigvalsh(joint).min(-1) >= -1e-13 * np.linalg.norm(Sigma, 2, (1, 2))).all()


def test_sinkhorn_with_small_scores_is_softmax():
    rng = np.random.default_rng(1)
    alpha, Sigma = law(rng, "regular", 3)
    V, A = rng.standard_normal((2, 3, 3))
    small = 1e-9 * A
    difference = (
        gv.sinkhorn(V, small, alpha, Sigma).linear - gv.softmax(V, small, alpha, Sigma).linear
    )
    assert np.abs(difference).max() <= 1e-15 * np.abs(small).max() * 100
    assert np.array_equal(gv.sinkhorn(V, 0 * A, alpha, Sigma).linear, np.zeros((BATCH, 3, 3)))
