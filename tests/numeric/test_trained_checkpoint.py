"""all-MiniLM-L6-v2, as `make model` fetches it: 6 layers, d = 384, 12 heads, k = 32."""

import json
import struct
from fractions import Fraction

import numpy as np
import pytest

from numeric.covariance import trend_of_heads
from numeric.errors import ParameterError
from numeric.heads import LinearPart, float_layers
from numeric.loading import load_model
from numeric.mappings import model_from_mapping
from numeric.parameters import Parameters, load
from numeric.stack import evolve


@pytest.fixture
def model(checkpoint):
    return load_model(checkpoint)


def tensor(path, name):
    """A float32 tensor, read independently of the package."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8 : 8 + length])[name]
    start, stop = entry["data_offsets"]
    values = np.frombuffer(data[8 + length :][start:stop], "<f4")
    return values.reshape(entry["shape"])


def test_shape_of_the_trained_model(model):
    assert (model.variant, model.dimension, model.mask) == ("softmax", 384, None)
    assert [len(layer.heads) for layer in model.layers] == [12] * 6
    assert {layer.time for layer in model.layers} == {1}
    for layer in model.layers:
        assert layer.output_bias is not None
        for head in layer.heads:
            assert head.scale_squared == Fraction(1, 32)
            assert head.W is not None
            assert head.Q is not None
            assert (head.Q.shape, head.V.shape, head.W.shape) == ((32, 384), (32, 384), (384, 32))
            assert head.Q.kind == "float32"


def test_trained_weights_are_those_of_the_file(model, checkpoint):
    stem = "encoder.layer.4.attention."
    head, rows = model.layers[4].heads[7], slice(7 * 32, 8 * 32)
    query = tensor(checkpoint, stem + "self.query.weight")
    output = tensor(checkpoint, stem + "output.dense.weight")
    assert np.array_equal(head.Q.array(), query[rows])
    assert np.array_equal(head.W.array(), output[:, rows])
    assert head.Q.fractions()[3][5] == Fraction(float(query[7 * 32 + 3, 5]))
    bias = tensor(checkpoint, stem + "self.value.bias")
    assert head.b_v == tuple(map(Fraction, bias[rows].tolist()))


def test_trained_model_in_json_is_the_same_and_short(model):
    text = json.dumps(model.to_json())
    assert len(text) < 20 * 2**20
    assert model_from_mapping(json.loads(text)) == model


def test_parts_of_the_trained_model(model, checkpoint):
    assert load_model(checkpoint, layer=3) == model.select(layer=3)
    one = load_model(checkpoint, layer=3, head=11)
    assert one == model.select(layer=3, head=11)
    head = Parameters.from_model(one)
    assert (head.dimension, head.head_dimension) == (384, 32)
    with pytest.raises(ParameterError, match="has 6 layers, expected one head of one layer"):
        load(checkpoint)


def test_truncated_trained_model(checkpoint, tmp_path):
    path = tmp_path / "model.safetensors"
    with checkpoint.open("rb") as stream:
        path.write_bytes(stream.read(10**6))
    with pytest.raises(ParameterError, match=r"tensor embeddings\.\S+: truncated file"):
        load_model(path, heads=12)


def test_velocity_of_a_trained_layer(model):
    layer = float_layers(model)[2]
    G = np.random.default_rng(0).standard_normal((384, 384)) / 384**0.5
    B = sum(h.W @ h.V @ G @ G.T @ h.K.T @ h.Q for h in layer.heads)
    linear = LinearPart(layer.heads)
    np.testing.assert_allclose(np.exp(linear.log_speed) * linear(G), B @ G, rtol=0, atol=1e-10)


def test_residual_steps_and_flow_of_the_trained_model(model):
    layers = float_layers(model)[:2]
    result = evolve(layers, 0.05 * np.eye(384))
    covariance = 0.05 * np.eye(384)
    for layer, record in zip(layers, result.layers, strict=True):
        B = sum(h.W @ (h.V @ covariance @ h.K.T) @ h.Q for h in layer.heads)
        covariance = (np.eye(384) + B) @ covariance @ (np.eye(384) + B).T
        assert 10**record.residual.log10_trace == pytest.approx(np.trace(covariance), rel=1e-12)
        assert record.flow.verdict == "reached"
        size = np.log10(np.trace(covariance))
        assert record.flow_end.log10_trace == pytest.approx(size, abs=1e-3)


def test_a_trained_layer_blows_up_from_the_identity(model):
    result = trend_of_heads(float_layers(model)[2].heads, np.eye(384))
    assert result.verdict == "blow-up"
    # The same integration with a tolerance of 1e-10 and up to log tau = 40.
    assert result.time == pytest.approx(0.21301965, rel=1e-6)


@pytest.mark.acceptance
def test_every_trained_layer_blows_up_from_the_identity(model):
    result = evolve(float_layers(model), np.eye(384), alone=True)
    assert [record.alone.verdict for record in result.layers] == ["blow-up"] * 6
    assert result.blow_up_layer == 0
    assert result.blow_up_time == result.layers[0].alone.time < 1
    traces = [record.residual.log10_trace for record in result.layers]
    assert traces[2] < 4 < 30 < traces[5]
