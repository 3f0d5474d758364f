"""The same weights in every format and naming: the same verdicts, the same witnesses."""

import json
from importlib import resources

import jsonschema
import numpy as np
import pytest
from checkpoint_files import as_json, bert, distilbert, flat, gpt2, random_layers, timm, vit
from click.testing import CliRunner

from numeric.loading import load_model
from proofs.cli import main
from proofs.verify import verify

SCHEMA = json.loads(resources.files("proofs").joinpath("schemas/verify.json").read_text())
D, HEADS = 48, 3
CONFIG = {"num_attention_heads": HEADS, "hidden_size": D}
LAYERS = random_layers(D, 2, size=0.2)


def run(*args):
    return CliRunner().invoke(main, [str(a) for a in args])


def answer(path, **part):
    """The JSON document of what is proved, valid."""
    document = json.loads(json.dumps(verify(load_model(path, **part), trend=False).to_json()))
    jsonschema.validate(document, SCHEMA)
    return document


@pytest.fixture
def written(tmp_path):
    """A JSON parameter file of the weights, and the same as .npz."""

    def write(layers, name="model"):
        content = as_json(layers, HEADS)
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content))
        np.savez(path.with_suffix(".npz"), **flat(content))
        return path, path.with_suffix(".npz")

    return write


@pytest.mark.parametrize("part", [{}, {"layer": 1}, {"layer": 0, "head": 2}], ids=str)
def test_every_format_gives_the_same_document(written, save, part):
    plain, archive = written(LAYERS)
    expected = answer(plain, **part)
    assert answer(archive, **part) == expected
    for naming in (bert, vit, distilbert, timm):
        path = save(naming(LAYERS), CONFIG, f"{naming.__name__}.safetensors")
        assert answer(path, **part) == expected
    if not part:
        assert [len(layer["heads"]) for layer in expected["layers"]] == [HEADS, HEADS]


def test_the_command_prints_the_same_document(written, save):
    """Numerical evidence included."""
    options = ("--layer", 1, "--head", 0, "--json")
    paths = (*written(LAYERS), save(bert(LAYERS), CONFIG))
    printed = {run("verify", path, *options).stdout for path in paths}
    assert len(printed) == 1
    document = json.loads(printed.pop())
    assert document["existence"].pop("trend") is not None
    expected = answer(paths[0], layer=1, head=0)
    assert expected["existence"].pop("trend") is None
    assert document == expected


@pytest.mark.parametrize("entry", ["query", "key", "value", "output"])
def test_other_weights_give_another_document(written, entry):
    """So that equal documents say something: the largest entry of one matrix changes its sign."""
    plain, _ = written(LAYERS)
    weights, bias = LAYERS[0][entry]
    changed = weights.copy()
    place = np.unravel_index(np.abs(weights[:16, :16]).argmax(), (16, 16))
    changed[place] *= -1
    other, _ = written([{**LAYERS[0], entry: (changed, bias)}, LAYERS[1]], "other")
    assert answer(other, layer=0, head=0) != answer(plain, layer=0, head=0)


def test_certificates_are_about_the_weights_in_every_format(written, save, tmp_path):
    plain, archive = written(LAYERS)
    folder = tmp_path / "out"
    tensors = save(bert(LAYERS), CONFIG)
    assert run("verify", tensors, "-o", folder, "--layer", 0, "--head", 1).exit_code == 0
    (certificate,) = folder.iterdir()
    for path in (tensors, plain, archive):
        result = run("recheck", certificate, "--parameters", path)
        assert result.exit_code == 0, result.stderr
        assert f"{certificate}: proved (layer 0, head 1 of {path})" in result.stdout
    written([LAYERS[1], LAYERS[0]], "swapped")
    result = run("recheck", certificate, "--parameters", tmp_path / "swapped.json")
    assert result.exit_code == 0
    assert "(layer 1, head 1 of" in result.stdout


def test_causal_attention_is_not_decided_in_higher_dimension(save):
    path = save(gpt2(LAYERS), {"n_head": HEADS, "n_embd": D})
    assert load_model(path).mask == "causal"
    for options in ((), ("--layer", 0), ("--layer", 0, "--head", 1)):
        result = run("verify", path, *options, "--json")
        assert result.exit_code == 0, result.stderr
        answer = json.loads(result.stdout)
        assert (answer["gaussian"]["status"], answer["existence"]["verdict"]) == ("open", "unknown")
        theorems = {theorem["id"]: theorem["applies"] for theorem in answer["theorems"]}
        assert theorems["gaussian.not-masked-softmax"] is False
        assert set(theorems) <= {"gaussian.not-masked-softmax", "gradient.none.masked"}


@pytest.mark.acceptance
def test_a_trained_layer_in_every_format(checkpoint, tmp_path):
    model = load_model(checkpoint, layer=3)
    plain = tmp_path / "layer.json"
    plain.write_text(json.dumps(model.to_json()))
    content = {"variant": "softmax"}
    (layer,) = model.layers
    for number, head in enumerate(layer.heads):
        for name in ("Q", "K", "V", "W"):
            content[f"heads.{number}.{name}"] = getattr(head, name).array().astype("f4")
        for name in ("b_q", "b_k", "b_v"):
            content[f"heads.{number}.{name}"] = np.array([float(x) for x in getattr(head, name)])
        content[f"heads.{number}.scale"] = "1/sqrt(k)"
    content["output_bias"] = np.array([float(x) for x in layer.output_bias])
    np.savez(tmp_path / "layer.npz", **content)
    documents = [
        verify(source, trend=False).to_json() for source in (model, plain, tmp_path / "layer.npz")
    ]
    assert len(documents[0]["by_head"]) == 12
    assert documents[1] == documents[0]
    assert documents[2] == documents[0]
