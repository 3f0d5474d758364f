"""Heads of low rank: what moves is what the whole equation moves."""

import numpy as np
import pytest

from numeric.compression import compressed
from numeric.covariance import checked_start, follow, trend_of_heads
from numeric.heads import FloatHead


def heads(d, k, count, seed):
    random = np.random.default_rng(seed)
    shapes = {"V": (k, d), "Q": (k, d), "W": (d, k), "K": (k, d)}
    return [
        FloatHead(**{name: random.standard_normal(s) / d**0.5 for name, s in shapes.items()})
        for _ in range(count)
    ]


def velocity(listed, Sigma):
    B = sum(head.W @ (head.V @ Sigma @ head.K.T) @ head.Q for head in listed)
    return B @ Sigma + Sigma @ B.T


@pytest.mark.parametrize("seed", range(3))
def test_the_velocity_is_that_of_the_few_directions(seed):
    d, listed = 30, heads(30, 2, 1, seed)
    G = np.random.default_rng(seed + 10).standard_normal((d, d)) / d**0.5
    small, start = compressed(listed, G @ G.T)
    assert len(start) == 2 * 8
    # the nonzero eigenvalues of the velocity are those of the compressed one
    full = np.linalg.eigvalsh(velocity(listed, G @ G.T))
    inside = np.linalg.eigvalsh(velocity(small, start))
    largest = np.sort(full[np.argsort(-abs(full))[:16]])
    assert np.allclose(np.sort(inside), largest, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_blow_up_at_the_same_time(seed):
    listed = [FloatHead(V=h.V, Q=h.Q, W=h.V.T, K=h.Q) for h in heads(24, 1, 2, seed)]
    whole = follow(listed, checked_start(listed, np.eye(24)), np.inf).trend
    assert len(compressed(listed, np.eye(24))[1]) == 4
    few = trend_of_heads(listed, np.eye(24))
    assert few.verdict == whole.verdict == "blow-up"
    assert few.time == pytest.approx(whole.time, rel=1e-4)


def test_heads_of_full_rank_are_left_alone():
    listed = heads(6, 3, 2, 0)
    assert compressed(listed, np.eye(6))[0] is listed
    dense = [FloatHead(V=np.eye(30), Q=np.eye(30))]
    assert compressed(dense, np.eye(30))[0] is dense


def test_a_start_that_vanishes_and_heads_that_vanish():
    still = [
        FloatHead(V=np.zeros((1, 9)), Q=np.zeros((1, 9)), W=np.zeros((9, 1)), K=np.zeros((1, 9)))
    ]
    assert trend_of_heads(still, np.eye(9)).verdict == "converges"
    assert trend_of_heads(heads(9, 1, 1, 0), np.zeros((9, 9))).verdict == "converges"
