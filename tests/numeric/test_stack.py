"""Flow and residual steps through several layers, against solutions by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from numeric.heads import FloatHead, FloatLayer
from numeric.rescaled import State
from numeric.stack import Size, evolve

I2 = np.eye(2)


def scalar_layer(rate, time, d=2):
    """Sigma' = rate Sigma^2: from s I it is I / (1/s - rate t)."""
    return FloatLayer((FloatHead(V=rate * np.eye(d), Q=np.eye(d) / 2),), time)


def factored_layer(seed, time=1.0, d=4):
    normal = np.random.default_rng(seed).standard_normal
    heads = [
        FloatHead(V=normal((2, d)), W=normal((d, 2)), Q=normal((2, d)), K=normal((2, d)))
        for _ in range(3)
    ]
    return FloatLayer(tuple(heads), time)


def test_size_of_a_covariance():
    size = Size.of(State.of(np.diag([3.0, 1.0])))
    assert 10**size.log10_trace == pytest.approx(4)
    assert 10**size.log10_largest == pytest.approx(3)
    assert size.effective_rank == pytest.approx(16 / 10)


def test_shrinking_layer_then_growing_one():
    # 1 -> 1/2 at t = 1, and from there 1 / (2 - t) ends two units later.
    layers = [scalar_layer(-1, 1.0), scalar_layer(1, 1.0), scalar_layer(1, math.inf)]
    result = evolve(layers, I2, alone=True)
    shrunk, grown, last = result.layers
    assert 10**shrunk.flow_end.log10_largest == pytest.approx(1 / 2, rel=1e-8)
    assert grown.flow_start == shrunk.flow_end
    assert 10**grown.flow_end.log10_trace == pytest.approx(2, rel=1e-8)
    assert (shrunk.flow.verdict, grown.flow.verdict) == ("reached", "reached")
    assert last.flow.verdict == "blow-up"
    assert last.flow.time == pytest.approx(1, rel=1e-6)
    assert (last.flow_end, last.residual) == (None, None)
    assert result.blow_up_layer == 2
    assert result.blow_up_time == pytest.approx(3, rel=1e-6)
    assert shrunk.alone.verdict == "converges"
    assert grown.alone.time == pytest.approx(1, rel=1e-6)
    # Residual steps: s (1 - s/2)^2 = 1/4, then s (1 + s/2)^2.
    assert 10**shrunk.residual.log10_largest == pytest.approx(1 / 4)
    assert 10**grown.residual.log10_largest == pytest.approx(81 / 256)


def test_nothing_of_the_flow_is_left_after_a_blow_up():
    result = evolve([scalar_layer(2, 1.0), scalar_layer(-1, 2.0)], I2)
    first, second = result.layers
    assert first.flow.time == result.blow_up_time == pytest.approx(1 / 2, rel=1e-6)
    assert result.blow_up_layer == 0
    assert (first.flow_end, second.flow, second.flow_start, second.flow_end) == (None,) * 4
    assert 10**first.residual.log10_largest == pytest.approx(4)
    assert 10**second.residual.log10_largest == pytest.approx(4 * 3**2)


def test_last_layer_may_settle():
    result = evolve([scalar_layer(1, 0.5), scalar_layer(-1, math.inf)], I2)
    assert result.layers[1].flow.verdict == "converges"
    assert result.layers[1].flow_end.log10_trace < -10
    assert (result.blow_up_layer, result.blow_up_time) == (None, None)


def test_residual_step_by_hand():
    # B = V Sigma A = [[3, 6], [0, 0]], and (I + B) Sigma (I + B)^T = [[140, 18], [18, 3]].
    head = FloatHead(V=np.array([[0.0, 1], [0, 0]]), Q=np.array([[0.0, 0], [1, 2]]))
    size = evolve([FloatLayer((head,))], np.diag([2.0, 3.0])).layers[0].residual
    assert 10**size.log10_trace == pytest.approx(143)
    assert 10**size.log10_largest == pytest.approx((143 + math.sqrt(137**2 + 4 * 18**2)) / 2)
    assert size.effective_rank == pytest.approx(143**2 / (140**2 + 2 * 18**2 + 3**2))


def test_residual_steps_of_several_heads_by_dense_matrices():
    layers = [factored_layer(seed, time=0.25) for seed in range(3)]
    covariance = np.diag([1.0, 2.0, 0.5, 0.0])
    result = evolve(layers, covariance)
    for layer, record in zip(layers, result.layers, strict=True):
        B = sum(h.W @ h.V @ covariance @ h.K.T @ h.Q for h in layer.heads)
        step = np.eye(4) + layer.time * B
        covariance = step @ covariance @ step.T
        assert 10**record.residual.log10_trace == pytest.approx(np.trace(covariance), rel=1e-11)
        rank = np.trace(covariance) ** 2 / np.sum(covariance**2)
        assert record.residual.effective_rank == pytest.approx(rank, rel=1e-9)


def test_residual_steps_far_beyond_floating_point():
    layers = [scalar_layer(2, 1.0, d=1)] * 12
    result = evolve(layers, [[1e3]])
    exact = Fraction(1000)
    for record in result.layers:
        exact *= (1 + exact) ** 2
        assert record.residual.log10_trace == pytest.approx(math.log10(int(exact)), rel=1e-12)
    assert result.layers[-1].residual.log10_trace > 10**6
    tiny = evolve([scalar_layer(1, 1.0)], 1e-300 * I2).layers[0]
    assert tiny.residual.log10_largest == pytest.approx(-300)
    assert tiny.flow_end.log10_largest == pytest.approx(-300)


def test_short_steps_follow_the_flow_to_second_order():
    errors = []
    for time in (0.004, 0.002, 0.001):
        record = evolve([factored_layer(7, time)], np.diag([1.0, 2.0, 3.0, 4.0])).layers[0]
        assert record.flow.verdict == "reached"
        errors.append(abs(record.flow_end.log10_trace - record.residual.log10_trace))
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert 3.5 < errors[1] / errors[2] < 4.5


def test_flow_of_one_layer_cut_in_two():
    whole, half = factored_layer(7, 0.02), factored_layer(7, 0.01)
    start = np.diag([1.0, 2.0, 3.0, 0.0])
    once = evolve([whole], start).layers[-1].flow_end
    twice = evolve([half, half], start).layers[-1].flow_end
    for name in ("log10_trace", "log10_largest", "effective_rank"):
        assert getattr(twice, name) == pytest.approx(getattr(once, name), rel=1e-8)


def test_zero_stays_zero():
    record = evolve([scalar_layer(1, 1.0)], 0 * I2, alone=True).layers[0]
    assert record.residual == record.flow_end == Size(-math.inf, -math.inf, 0.0)
    assert record.alone.verdict == "converges"


@pytest.mark.parametrize("times", [(0.0,), (-1.0,), (math.nan,), (math.inf, 1.0)])
def test_bad_times(times):
    with pytest.raises(ValueError, match="layer 0: time"):
        evolve([scalar_layer(1, time) for time in times], I2)


def test_bad_shapes():
    with pytest.raises(ValueError, match="shape"):
        evolve([scalar_layer(1, 1.0), scalar_layer(1, 1.0, d=3)], I2)
