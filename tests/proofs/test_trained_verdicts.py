"""Verdicts on a trained checkpoint, all-MiniLM-L6-v2: one head, one layer, all 72 heads.

What is proved is compared with floating point on the weights; the command runs in a process of its
own, whose memory is bounded.
"""

import json
import os
import subprocess
import sys
from fractions import Fraction
from importlib import resources

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from numeric.heads import float_layers
from numeric.loading import load_model
from proofs.cli import main

SCHEMA = json.loads(resources.files("proofs").joinpath("schemas/verify.json").read_text())
PARTS = {
    "head": ("--layer", "2", "--head", "5"),
    "layer": ("--layer", "2"),
    "all": (),
}
#: bytes: a head has 262 kB of weights in base64, the rest is for tests of small matrices
LARGEST = {"head": 6 * 10**5, "layer": 6 * 10**6, "all": 25 * 10**6}
MEMORY = 2 * 2**30
NEEDS_START = ("depends on Sigma0, which is not given", "needs a given Sigma0")


def command(*args):
    """Run the command in a process of its own; its output and its peak memory in bytes."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from proofs.cli import main; main()", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process.stdout, process.stderr:
        output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, errors
    return output, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def norms(head):
    """|V|, |A| and half of the largest eigenvalue of S, through small factors."""
    triangle = [np.linalg.qr(m)[1] for m in (head.W, head.V.T, head.K.T, head.Q.T)]
    value = np.linalg.norm(triangle[0] @ triangle[1].T, 2)
    score = np.linalg.norm(triangle[2] @ triangle[3].T, 2)
    product = head.W @ (head.V @ head.K.T) @ head.Q
    return value, score, np.linalg.eigvalsh(product + product.T)[-1] / 2


def rate(heads):
    return sum(value * score + half for value, score, half in map(norms, heads))


def check_existence(part, heads):
    """The time is proved from the bounds of the norms, and is as long as these allow."""
    assert (part["verdict"], part["for_sigma0"], part["theorem"] is None) == (
        "unknown",
        "some",
        False,
    )
    time, latest = part["time"]
    assert latest is None
    assert 1 - 1e-5 < float(Fraction(time)) * rate(heads) <= 1


def check_decided(theorems):
    """Everything that does not depend on Sigma0 is decided, and what fails says why."""
    for theorem in theorems:
        for hypothesis in theorem["hypotheses"]:
            if hypothesis["holds"] is None:
                assert hypothesis["witness"].endswith(NEEDS_START)
            if hypothesis["holds"] is False and hypothesis["name"] != "no biases":
                assert hypothesis["witness"]


def check_head(found, number, head):
    assert found["head"] == number
    check_existence(found["existence"], [head])
    check_decided(found["theorems"])
    states = {t["id"]: t["applies"] for t in found["theorems"]}
    assert {name for name, state in states.items() if state} == {
        "covariance.existence-time",
        "covariance.rank",
        "gaussian.bias",
    }
    assert {name for name, state in states.items() if state is None} == {
        "covariance.self-similar",
    }
    assert found["symmetric"]["holds"] is False
    value, score = head.W @ head.V, head.K.T @ head.Q
    drift = value @ score
    for name, M in (("A + A^T", score + score.T), ("S", drift + drift.T)):
        values = np.linalg.eigvalsh(M)
        size = np.abs(values).max()
        for end, true in (("lowest", values[0]), ("highest", values[-1])):
            low, high = (float(Fraction(x)) for x in found["eigenvalues"][name][end])
            assert low - 1e-9 * size <= true <= high + 1e-9 * size
            assert high - low <= 1e-5 * size
        assert found["ranks"][name] == np.linalg.matrix_rank(M)
    assert found["ranks"]["V"] == np.linalg.matrix_rank(value)
    assert found["ranks"]["A"] == np.linalg.matrix_rank(score)


@pytest.mark.acceptance
@pytest.mark.parametrize("part", PARTS)
def test_the_trained_model_is_verified(checkpoint, tmp_path, part):
    folder = tmp_path / "out"
    options = (*PARTS[part], "--json", "-o", folder)
    output, memory = command("verify", checkpoint, *options)
    document = json.loads(output)
    jsonschema.validate(document, SCHEMA)
    assert memory < MEMORY
    assert document["dimension"] == 384
    assert document["gaussian"] == {**document["gaussian"], "preserved": True, "status": "proved"}
    check_decided(document["theorems"])

    model = load_model(checkpoint)
    layers = float_layers(model)
    if part == "all":
        assert document["existence"]["for_sigma0"] == "some"
        assert [layer["layer"] for layer in document["layers"]] == list(range(6))
        listed = [(n, layer["heads"]) for n, layer in enumerate(document["layers"])]
        for layer, floats in zip(document["layers"], layers, strict=True):
            check_existence(layer["existence"], floats.heads)
            check_decided(layer["theorems"])
        # the first layer is not known to last for its time 1
        assert document["existence"]["time"] == document["layers"][0]["existence"]["time"]
    else:
        listed = [(2, document["by_head"])]
        chosen = layers[2].heads if part == "layer" else layers[2].heads[5:6]
        check_existence(document["existence"], chosen)
    for number, heads in listed:
        first = 5 if part == "head" else 0
        assert len(heads) == (1 if part == "head" else 12)
        for index, found in enumerate(heads, first):
            check_head(found, number=index, head=layers[number].heads[index])

    certificates = {path.name: path for path in folder.iterdir()}
    assert {"head": 1, "layer": 13, "all": 1 + 6 + 72}[part] == len(certificates)
    size = max(path.stat().st_size for path in certificates.values())
    assert size < LARGEST[part]
    rechecked = {
        "head": {"existence": "layer 2, head 5"},
        "layer": {"existence": "layer 2", "head-7": "layer 2, head 7"},
        "all": {"layer-4.existence": "layer 4", "layer-4.head-11": "layer 4, head 11"},
    }[part]
    for name, about in rechecked.items():
        path = certificates[f"{name}.certificate.json"]
        output, memory = command("recheck", path, "--parameters", checkpoint)
        assert f"{path}: proved ({about} of {checkpoint})\n" in output
        assert memory < MEMORY


@pytest.mark.acceptance
def test_a_trained_head_from_a_given_start(checkpoint, tmp_path):
    start = tmp_path / "start.json"
    start.write_text(json.dumps([[float(i == j) for j in range(384)] for i in range(384)]))
    options = ("--layer", 0, "--head", 0, "--sigma0", start, "--json")
    result = CliRunner().invoke(main, [str(a) for a in ("verify", checkpoint, *options)])
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["existence"]["for_sigma0"] == "given"
    assert {t["applies"] for t in document["theorems"]} == {True, False}
