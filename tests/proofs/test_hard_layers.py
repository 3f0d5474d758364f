"""Stacks, heads and files at the edges: extreme numbers, singular starts, foreign files."""

import itertools
import json

import pytest

from numeric import examples
from proofs import certificates
from proofs.reports.by_head import met_by_no_head
from proofs.verify import verify


def identity(d, entry="1"):
    return [[entry if i == j else "0" for j in range(d)] for i in range(d)]


def row_head(d, entry="1", **fields):
    return {"Q": [[entry] * d], "K": [[entry] * d], "V": [["1"] * d], "W": [["1"]] * d} | fields


def test_a_later_layer_does_not_start_at_sigma0():
    # the first layer makes Sigma full, so that diag(1, 2) does not commute with it any more
    first = {"V": identity(2), "A": [[-1, 1], [1, -2]]}
    second = {"V": [[1, 0], [0, 2]], "A": [[-1, 0], [0, -1]]}
    layers = {"variant": "softmax", "layers": [first, second], "Sigma0": identity(2)}
    found = {a.id: a.applies for a in verify(layers, trend=False).applications}
    assert found["covariance.commuting"] is None
    assert found["covariance.commuting-limit"] is None
    assert found["covariance.definite-value"] is True
    same = {**layers, "layers": [second, first]}
    # V = I commutes with every start
    found = {a.id: a.applies for a in verify(same, trend=False).applications}
    assert found["covariance.commuting"] is True


@pytest.mark.parametrize("d", [2, 33])
def test_biases_of_a_layer_are_not_those_of_a_head(d):
    heads = [row_head(d), row_head(d, b_v=["1"])]
    bias = ["1"] + ["0"] * (d - 1)
    answer = verify({"variant": "softmax", "heads": heads, "output_bias": bias}, trend=False)
    plain = [
        next(a.applies for a in head.report.applications if a.id == "gaussian.softmax")
        for head in answer.heads
    ]
    assert plain == [True, False]
    assert "gaussian.softmax" not in met_by_no_head(answer.heads)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", ["1e150", "1e200", "1e400"])
@pytest.mark.parametrize("start", [None, "1", "1e400"])
def test_large_weights_get_an_answer(size, start):
    fields = {"variant": "softmax", **row_head(33, size)}
    if start is not None:
        fields["Sigma0"] = identity(33, start)
    assert verify(fields, trend=False).existence.verdict == "unknown"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", ["1e150", "1e200", "1e400"])
@pytest.mark.parametrize("time", [None, "1"])
def test_several_small_heads_with_large_weights_get_an_answer(size, time):
    layer = {"heads": [row_head(2, size), row_head(2)]}
    fields = {"variant": "softmax", "Sigma0": identity(2)}
    fields |= layer if time is None else {"layers": [layer | {"time": time}, layer]}
    assert verify(fields, trend=False).every_head


def test_other_files_stay(tmp_path):
    names = ("layer-cake", "head-of-state", "existence.mine", "layer-1.notes")
    foreign = [tmp_path / f"{name}.certificate.json" for name in names]
    for path in foreign:
        path.write_text("{}")
    (tmp_path / "head-7.certificate.json").mkdir()
    earlier = tmp_path / "layer-2.head-11.certificate.json"
    earlier.write_text("{}")
    verify(examples.load("softmax-two-lines"), certificates_in=tmp_path, trend=False)
    assert all(path.exists() for path in foreign)
    assert (tmp_path / "existence.certificate.json").is_file()
    assert not earlier.exists()


def test_an_interrupt_leaves_what_was_there(tmp_path, monkeypatch):
    old, new = ({tmp_path / name: {"x": x} for name in ("a", "b")} for x in (0, 1))
    certificates.write_all(old)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    calls, dumps = itertools.count(), json.dumps

    def interrupted(*args, **kwargs):
        if next(calls) == 1:
            raise KeyboardInterrupt
        return dumps(*args, **kwargs)

    monkeypatch.setattr(certificates.json, "dumps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        certificates.write_all(new)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
