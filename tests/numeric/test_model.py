"""Models of several heads and layers: reading JSON, selecting, normal form, faults."""

import json
from fractions import Fraction

import numpy as np
import pytest

from numeric.errors import ParameterError
from numeric.loading import load_covariance, load_model
from numeric.mappings import model_from_mapping
from numeric.parameters import Parameters, from_mapping, load

V = [[1, 0], [0, 1]]
HEAD = {"Q": [[1, 2]], "K": [[3, "1/2"]], "V": [[5, 6]], "W": [[7], [8]], "scale": "1/sqrt(3)"}
OTHER = {"A": [[1, 2], [3, 4]], "V": V}
HEADS = {"variant": "softmax", "heads": [HEAD, OTHER], "output_bias": ["1/3", 2]}
LAYERS = {
    "variant": "softmax",
    "layers": [{"heads": [HEAD, OTHER]}, {**OTHER, "time": "3/2"}, {**HEAD, "time": "inf"}],
    "Sigma0": [[2, 1], [1, 2]],
    "alpha0": [1, "1/7"],
}
POSITION = {"mass": "1/3", "alpha": [0, 1], "Sigma": V}
MASKED = {"variant": "softmax", **HEAD, "mask": "causal", "positions": [POSITION, POSITION]}


def write(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("content", [{"variant": "l2", **HEAD}, HEADS, LAYERS, MASKED])
def test_normal_form_reloads_to_an_equal_object(tmp_path, content):
    model = load_model(write(tmp_path, content))
    again = load_model(write(tmp_path, model.to_json()))
    assert again == model
    assert hash(again) == hash(model)
    assert again.to_json() == model.to_json()


def test_layers_and_heads_are_read_in_order():
    model = model_from_mapping(LAYERS)
    assert model.dimension == 2
    assert [layer.time for layer in model.layers] == [1, Fraction(3, 2), None]
    assert [layer.index for layer in model.layers] == [0, 1, 2]
    assert [len(layer.heads) for layer in model.layers] == [2, 1, 1]
    first, second = model.layers[0].heads
    assert (first.head_dimension, second.head_dimension) == (1, None)
    assert (first.scale_squared, first.scale, second.scale) == (Fraction(1, 3), None, 1)
    assert model.alpha0 == (1, Fraction(1, 7))
    assert not model.has_bias
    assert model_from_mapping(HEADS).has_bias


def test_a_scale_holds_for_the_heads_below_that_have_none():
    plain = {name: HEAD[name] for name in ("Q", "K", "V", "W")}
    content = {
        "variant": "softmax",
        "scale": 3,
        "layers": [{"heads": [plain, HEAD], "scale": 5}, plain],
    }
    model = model_from_mapping(content)
    scales = [head.scale_squared for layer in model.layers for head in layer.heads]
    assert scales == [25, Fraction(1, 3), 9]


def test_one_layer_for_ever_is_the_default():
    assert model_from_mapping(HEADS).layers[0].time is None
    assert model_from_mapping({"variant": "softmax", "layers": [HEAD]}).layers[0].time == 1
    endless = {"variant": "softmax", "layers": [{**HEAD, "time": "inf"}]}
    assert model_from_mapping(endless) == model_from_mapping({"variant": "softmax", **HEAD})


def test_masked():
    model = model_from_mapping(MASKED)
    assert model.mask == "causal"
    assert model.positions is not None
    assert model.positions[0].mass == Fraction(1, 3)
    assert model.positions[1].Sigma.fractions() == ((1, 0), (0, 1))
    anyone = model_from_mapping({"variant": "softmax", **HEAD, "mask": "causal"})
    assert anyone.positions is None
    assert model_from_mapping(anyone.to_json()) == anyone


def test_selection(tmp_path):
    path = write(tmp_path, LAYERS)
    model = load_model(path)
    layer = load_model(path, layer=1)
    assert layer.layers[0].heads == model.layers[1].heads
    assert (layer.layers[0].index, layer.layers[0].time) == (1, None)
    assert load_model(path, layer=0, head=1).layers[0].heads == model.layers[0].heads[1:]
    assert load_model(path, head=0).layers[0].heads == model.layers[0].heads[:1]
    both = model_from_mapping(HEADS)
    assert both.layers[0].output_bias == (Fraction(1, 3), 2)
    assert both.select(layer=0).layers == both.layers
    assert both.select(head=1).layers[0].output_bias is None


@pytest.mark.parametrize(
    ("selected", "message"),
    [
        ({"layer": 3}, "no layer 3, expected layers 0 to 2"),
        ({"layer": -1}, "no layer -1, expected layers 0 to 2"),
        ({"layer": True}, "no layer True"),
        ({"layer": 0, "head": 2}, "no head 2, expected heads 0 to 1"),
        ({"layer": 1, "head": 1}, "no head 1, expected head 0 only"),
        ({"head": 1}, "no head 1, expected head 0 only"),
        ({"heads": 2}, "for .safetensors files only"),
    ],
)
def test_bad_selections(tmp_path, selected, message):
    path = write(tmp_path, LAYERS)
    with pytest.raises(ParameterError) as caught:
        load_model(path, **selected)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_parameters_of_one_head_of_a_model():
    model = model_from_mapping(LAYERS)
    one = Parameters.from_model(model, layer=2)
    alone = {"variant": "softmax", **HEAD, "Sigma0": LAYERS["Sigma0"], "alpha0": LAYERS["alpha0"]}
    assert one == from_mapping(alone)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADS, "has 2 heads, expected one head of one layer"),
        (LAYERS, "has 3 layers, expected one head of one layer"),
        (MASKED, "field mask: not supported here"),
        ({"variant": "softmax", "layers": [HEAD]}, "field layers: the layer has a finite time"),
        ({"variant": "softmax", **HEAD, "output_bias": [1, 1]}, "field output_bias: not supported"),
    ],
)
def test_load_is_for_one_head_alone(tmp_path, content, message):
    path = write(tmp_path, content)
    load_model(path)
    with pytest.raises(ParameterError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def layers(*items):
    return {"variant": "softmax", "layers": list(items)}


def heads(*items):
    return {"variant": "softmax", "heads": list(items)}


SMALLER = {"A": [[1]], "V": [[1]]}
BAD = {
    "no layers": (layers(), "layers", "empty, expected at least one"),
    "layers no list": ({"variant": "l2", "layers": {}}, "layers", "expected a list, got an object"),
    "layer no object": (layers(OTHER, 3), "layers[1]", "expected an object with the fields of a"),
    "heads no list": ({"variant": "l2", "heads": 2}, "heads", "expected a list, got a number"),
    "head no object": (heads(OTHER, [1]), "heads[1]", "expected an object with the fields of a"),
    "no heads": (layers(OTHER, {"heads": []}), "layers[1].heads", "empty"),
    "nested fault": (
        layers({"heads": [HEAD, {**HEAD, "Q": [[1]]}]}),
        "layers[0].heads[1].Q",
        "wrong shape 1 x 1, expected 1 x 2",
    ),
    "unknown in a head": (heads({**HEAD, "bq": [1]}), "heads[0]", 'did you mean "b_q"?'),
    "variant in a head": (heads({**HEAD, "variant": "l2"}), "heads[0]", 'unknown field "variant"'),
    "Sigma0 in a layer": (layers({**OTHER, "Sigma0": V}), "layers[0]", 'unknown field "Sigma0"'),
    "time at the top": ({**HEADS, "time": 1}, "time", 'allowed only inside "layers"'),
    "time zero": (layers({**OTHER, "time": 0}), "layers[0].time", "zero, expected a positive"),
    "time negative": (layers({**OTHER, "time": "-1/2"}), "layers[0].time", "negative"),
    "time not a number": (layers({**OTHER, "time": "1s"}), "layers[0].time", 'or "inf"'),
    "endless first": (layers({**OTHER, "time": "inf"}, OTHER), "layers[0].time", "last layer only"),
    "fields beside layers": ({**layers(OTHER), "V": V}, "V", "given together with layers"),
    "heads beside layers": ({**layers(OTHER), "heads": []}, "heads", "given together with layers"),
    "fields beside heads": ({**HEADS, "Q": [[1, 2]]}, "Q", "given together with heads"),
    "dimensions of heads": (heads(OTHER, SMALLER), "heads[1].V", "expected 2 columns, as the"),
    "dimensions of layers": (layers(OTHER, SMALLER), "layers[1].V", "expected 2 columns, as the"),
    "output bias": ({**HEADS, "output_bias": [1]}, "output_bias", "has 1 entry, expected 2"),
    "scale above A": ({**HEADS, "scale": 2}, "heads[1].scale", "not allowed with A"),
    "unknown mask": ({**HEADS, "mask": "local"}, "mask", 'expected "causal", got the string'),
    "mask not a string": ({**HEADS, "mask": True}, "mask", "got the boolean true"),
    "positions alone": ({**HEADS, "positions": []}, "positions", "allowed only with"),
    "no positions": ({**MASKED, "positions": []}, "positions", "empty"),
    "Sigma0 with a mask": ({**MASKED, "Sigma0": V}, "Sigma0", "not allowed with a mask"),
    "alpha0 with a mask": ({**MASKED, "alpha0": [0, 0]}, "alpha0", "not allowed with a mask"),
    "mass zero": (
        {**MASKED, "positions": [{**POSITION, "mass": 0}]},
        "positions[0].mass",
        "zero, expected a positive number",
    ),
    "no mass": (
        {**MASKED, "positions": [POSITION, {"alpha": [0, 0], "Sigma": V}]},
        "positions[1].mass",
        "missing",
    ),
    "indefinite position": (
        {**MASKED, "positions": [{**POSITION, "Sigma": [[0, 1], [1, 0]]}]},
        "positions[0].Sigma",
        "not positive semidefinite",
    ),
    "misspelt position": (
        {**MASKED, "positions": [{**POSITION, "sigma": V}]},
        "positions[0]",
        'did you mean "Sigma"?',
    ),
    "index of a sharded checkpoint": (
        {"metadata": {}, "weight_map": {}},
        "weight_map",
        "expected one file",
    ),
}


@pytest.mark.parametrize(("content", "field", "message"), BAD.values(), ids=BAD)
def test_bad_models(content, field, message):
    with pytest.raises(ParameterError) as caught:
        model_from_mapping(content, source="some file.json")
    line = str(caught.value)
    prefix = f"some file.json: field {field}: "
    assert line.startswith(prefix)
    assert message in line[len(prefix) :]
    assert line.isprintable()
    assert line.isascii()
    assert len(line) < 300


@pytest.mark.parametrize("name", ["a.bin", "b.PT", "c.h5", "d.gguf", "e.npy"])
def test_other_kinds_of_files_are_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(ParameterError, match=r"expected \.json, \.npz or \.safetensors"):
        load_model(tmp_path / name)


def test_covariances_from_files(tmp_path):
    identity = np.eye(200)
    plain = load_covariance(write(tmp_path, identity.tolist()))
    assert load_covariance(write(tmp_path, plain.to_json()), dimension=200) == plain
    assert load_covariance(write(tmp_path, {"Sigma0": plain.to_json()})) == plain
    with pytest.raises(ParameterError, match="wrong shape 200 x 200, expected 3 x 3"):
        load_covariance(tmp_path / "model.json", dimension=3)
