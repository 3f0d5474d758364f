"""The linear part of the velocity, by factors and by dense matrices."""

import math
from dataclasses import replace

import numpy as np
import pytest

from numeric.heads import FloatHead, LinearPart, float_head, float_layers
from numeric.mappings import model_from_mapping


def dense(head):
    """The value matrix and the attention matrix."""
    value = head.V if head.W is None else head.W @ head.V
    return value, head.Q if head.K is None else head.K.T @ head.Q


def linear_part(heads, covariance):
    return sum(V @ covariance @ A for V, A in map(dense, heads))


def assorted_heads(d, seed=0):
    """Heads of every kind: dense and factored, two of a shape, one that does nothing."""
    normal = np.random.default_rng(seed).standard_normal
    heads = [
        FloatHead(V=normal((2, d)), W=normal((d, 2)), Q=normal((3, d)), K=normal((3, d)))
        for _ in range(2)
    ]
    heads += [
        FloatHead(V=normal((d, d)), Q=normal((d, d))),
        FloatHead(V=normal((d, d)), Q=normal((d, d))),
        FloatHead(V=normal((d, d)), Q=normal((2, d)), K=normal((2, d))),
        FloatHead(V=normal((1, d)), W=normal((d, 1)), Q=normal((d, d))),
        FloatHead(V=normal((1, d)), W=normal((d, 1)), Q=np.zeros((d, d))),
    ]
    return heads


@pytest.mark.parametrize("count", range(1, 8))
def test_linear_part_is_the_sum_over_the_heads(count):
    heads = assorted_heads(5)[-count:]
    G = np.random.default_rng(1).standard_normal((5, 4))
    linear = LinearPart(heads)
    expected = linear_part(heads, G @ G.T) @ G
    np.testing.assert_allclose(np.exp(linear.log_speed) * linear(G), expected, rtol=0, atol=1e-11)


def test_speed_is_the_sum_of_the_products_of_norms():
    heads = assorted_heads(4)
    speed = sum(np.linalg.norm(V, 2) * np.linalg.norm(A, 2) for V, A in map(dense, heads))
    assert LinearPart(heads).log_speed == pytest.approx(math.log(speed), rel=1e-14)


def test_factors_out_of_range_when_multiplied():
    head = FloatHead(*(np.array([[x]]) for x in (1e-200, 1e200, 1e300, 1e-300)))
    other = FloatHead(*(np.array([[x]]) for x in (1e300, 1e200)))
    linear = LinearPart([head, other])
    assert linear.log_speed == pytest.approx(math.log(1e300) + math.log(1e200), rel=1e-15)
    assert linear(np.ones((1, 1))) == pytest.approx(1)
    assert math.exp(LinearPart([head]).log_speed) == pytest.approx(1, rel=1e-12)


def test_nothing_moves_without_a_value_or_an_attention_matrix():
    zero, one = np.zeros((2, 2)), np.eye(2)
    for factors in ((zero, one), (one, zero), (one, one, zero), (one, one, one, zero)):
        linear = LinearPart([FloatHead(*factors)])
        assert linear.log_speed == -np.inf
        assert not linear(one).any()


def test_operations_of_low_rank_grow_like_the_square_of_the_dimension():
    factor = np.ones((2, 40))
    low = LinearPart([FloatHead(V=factor, W=factor.T, Q=factor, K=factor)])
    full = LinearPart([FloatHead(V=np.eye(40), Q=np.eye(40))])
    assert low.operations(40) == 2 * 40 * (4 * 80 + 2 * 2 * 2)
    assert full.operations(40) == 8 * 40**3


def test_bad_shapes_and_numbers():
    head = assorted_heads(4)[0]
    head.check(4)
    for name, bad in (("V", np.eye(3)), ("Q", np.eye(2)), ("W", np.eye(3)), ("K", np.eye(3))):
        with pytest.raises(ValueError, match="shape"):
            replace(head, **{name: bad}).check(4)
    with pytest.raises(ValueError, match="K: not a finite number"):
        replace(head, K=np.full((3, 4), np.inf)).check(4)


SCALE = "1/sqrt(2)"
MODEL = {
    "variant": "softmax",
    "layers": [
        {
            "heads": [
                {"Q": [[1, 2]], "K": [["1/4", 3]], "V": [[1, 0]], "W": [[1], [5]], "scale": SCALE},
                {"A": [[1, 2], [3, 4]], "V": [[0, 1], [1, 0]]},
            ],
            "time": "1/2",
        },
        {"A": [[1, 0], [0, 1]], "V": [[1, 0], [0, 1]], "time": "inf"},
    ],
}


def test_exact_heads_in_floating_point():
    model = model_from_mapping(MODEL)
    first, second = float_layers(model)
    assert (first.time, second.time) == (0.5, math.inf)
    low, full = first.heads
    assert np.array_equal(low.Q, np.array([[1, 2]]) * math.sqrt(0.5))
    assert np.array_equal(low.K, [[0.25, 3]])
    assert np.array_equal(low.V, [[1, 0]])
    assert np.array_equal(low.W, [[1], [5]])
    assert (full.W, full.K) == (None, None)
    assert np.array_equal(full.Q, [[1, 2], [3, 4]])
    exact = model.layers[0].heads[0]
    expected = math.sqrt(exact.scale_squared) * exact.K.array().T @ exact.Q.array()
    np.testing.assert_allclose(dense(float_head(exact))[1], expected, rtol=1e-15)


def test_models_with_other_equations_are_refused():
    model = model_from_mapping(MODEL)
    with pytest.raises(ValueError, match="l2"):
        float_layers(replace(model, variant="l2"))
    with pytest.raises(ValueError, match="causal mask"):
        float_layers(replace(model, mask="causal"))
