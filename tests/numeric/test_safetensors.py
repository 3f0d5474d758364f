"""The reader of .safetensors files: exact entries, and one clear line for every damaged file."""

import json
import os
import struct
import tracemalloc

import numpy as np
import pytest

from numeric import safetensors
from numeric.errors import FieldError, ParameterError
from numeric.loading import load_model
from numeric.safetensors import open_tensors


def raw(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype="F32", shape=(2,), place=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(place)}


def test_every_float_dtype_is_read_exactly(save):
    tensors = {
        "double": np.array([[0.1, 5e-324]]),
        "half": np.array([0.1, 6e-8], dtype="f2"),
        "brain": ("BF16", [3], struct.pack("<3H", 0x3FC0, 0xC000, 1)),
        "single": np.array([0.1, 2.0**-149], dtype="f4"),
        "none": np.zeros((0, 3)),
    }
    with open_tensors(save(tensors)) as opened:
        assert opened.read("double").tolist() == [[0.1, 5e-324]]
        for name in ("half", "single"):
            assert opened.read(name).tolist() == tensors[name].astype("f8").tolist()
        assert opened.read("brain").tolist() == [1.5, -2, 2.0**-133]
        assert opened.read("none").shape == (0, 3)


def test_only_the_tensor_asked_for_is_read(save):
    path = save({"large": np.zeros((1000, 1000)), "small": np.ones(3, dtype="f4")})
    tracemalloc.start()
    with open_tensors(path) as opened:
        assert opened.read("small").tolist() == [1, 1, 1]
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_order_in_the_file_is_free(save):
    header = {"b": entry(place=(8, 16)), "a": entry()}
    path = save(raw(header, struct.pack("<4f", 1, 2, 3, 4)))
    with open_tensors(path) as opened:
        assert opened.read("b").tolist() == [3, 4]


def test_a_header_of_2_gigabytes_in_a_kilobyte_allocates_nothing(save):
    path = save(struct.pack("<Q", 2**31) + b"{" + bytes(1000))
    tracemalloc.start()
    with pytest.raises(ParameterError, match="said to have 2147483648 bytes, but 1001 follow"):
        load_model(path)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_a_header_that_is_too_long_is_refused(save, monkeypatch):
    monkeypatch.setattr(safetensors, "MAX_HEADER_BYTES", 10)
    with pytest.raises(ParameterError, match="bytes, at most 10 are read"):
        load_model(save(raw({"a": entry()}, bytes(8))))


def test_a_file_cut_while_it_is_read_is_an_error(save):
    path = save({"a": np.ones(10**5)})
    with open_tensors(path) as opened:
        os.truncate(path, path.stat().st_size - 8)
        with pytest.raises(FieldError) as caught:
            opened.read("a")
    assert caught.value.message == "tensor a: the file has become shorter while it was read"


TWICE = b'{"a":' + json.dumps(entry()).encode() + b',"a":' + json.dumps(entry()).encode() + b"}"
FAULTS = {
    "empty": (b"", "truncated: 0 bytes are too few"),
    "short": (b"1234567", "truncated: 7 bytes are too few"),
    "length beyond 2^63": (b"\xff" * 16, "said to have 18446744073709551615 bytes, but 8 follow"),
    "JSON file": (b'{"variant": "softmax"}', "truncated, or no .safetensors file"),
    "truncated header": (raw({"a": entry()})[:-5], "truncated, or no .safetensors file"),
    "truncated data": (
        raw({"a": entry()}, bytes(4)),
        "tensor a: truncated file: it ends at byte 8 of the data, which has 4",
    ),
    "no brace": (raw(b"[1, 2, 3]"), "does not start with {"),
    "no JSON": (raw(b"{nothing}"), "header: not valid JSON at line 1, column 2"),
    "no UTF-8": (raw(b'{"\xff": 1}'), "header: not UTF-8"),
    "nested": (raw(b'{"a":' * 100_000), "nested too deeply"),
    "twice": (raw(TWICE, bytes(8)), 'header: field "a" appears twice'),
    "no object": (raw({"a": 3}), "tensor a: expected dtype, shape and data_offsets"),
    "more keys": (raw({"a": {**entry(), "x": 1}}, bytes(8)), "expected dtype, shape and"),
    "dtype": (raw({"a": {**entry(), "dtype": 3}}, bytes(8)), "tensor a: dtype: expected a string"),
    "shape": (raw({"a": entry(shape=(-2,))}, bytes(8)), "shape: expected a list of integers"),
    "float shape": (raw({"a": entry(shape=(2.0,))}, bytes(8)), "shape: expected a list"),
    "giant shape": (
        raw({"a": entry(shape=(2**62, 2**62))}, bytes(8)),
        f"8 bytes, expected {2**126} for F32",
    ),
    "shape beyond 2^63": (raw({"a": entry(shape=(2**63,))}, bytes(8)), "shape: expected a list"),
    "digits": (raw(b'{"a": {"dtype": "F32", "shape": [' + b"9" * 9999 + b'], "data_offsets": []}}'),
               "shape: expected a list"),
    "wrong size": (raw({"a": entry(shape=(3,))}, bytes(8)), "8 bytes, expected 12 for F32 of"),
    "reversed": (raw({"a": entry(place=(8, 0))}, bytes(8)), "0 <= start <= end"),
    "one offset": (raw({"a": entry(place=(8,))}, bytes(8)), "expected two integers"),
    "boolean offset": (raw({"a": entry(place=(False, 8))}, bytes(8)), "expected two integers"),
    "overlap": (
        raw({"a": entry(), "b": entry(place=(4, 12))}, bytes(12)),
        "tensor b: overlaps tensor a",
    ),
    "gap": (
        raw({"a": entry(), "b": entry(place=(12, 20))}, bytes(20)),
        "tensor b: starts at byte 12, expected 8: a gap",
    ),
    "bytes at the end": (raw({"a": entry()}, bytes(9)), "1 bytes after the last tensor"),
    "odd name": (raw({"a\n\x1b[0m" * 99: entry(place=(0, 9))}, bytes(9)), r"tensor a\n\x1b[0ma"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(save, data, message):
    path = save(data)
    with pytest.raises(ParameterError) as caught:
        load_model(path, heads=1)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert message in line
    assert line.isprintable()
    assert len(line) < 400


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (np.ones(2, dtype="int64"), "tensor a: dtype I64, expected one of F64, F32, F16, BF16"),
        (("F8_E4M3", [2], b"ab"), "dtype F8_E4M3"),
        (("F4", [2], b"a"), "dtype F4"),
        (np.array([[0, 1], [np.nan, 2]]), "tensor a: entry [1, 0] (from 0) is nan"),
        (np.array([1, -np.inf], dtype="f4"), "entry [1] (from 0) is -inf"),
        (np.array([np.inf], dtype="f2"), "entry [0] (from 0) is inf"),
        (("BF16", [1], b"\xc0\x7f"), "entry [0] (from 0) is nan"),
    ],
)
def test_tensors_that_are_no_finite_floats(save, tensor, message):
    path = save({"a": tensor, "b": np.ones(1)})
    with open_tensors(path) as opened:
        assert opened.read("b").tolist() == [1]
        with pytest.raises(FieldError) as caught:
            opened.read("a")
    assert message in caught.value.message


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ParameterError, match="no such file"):
        load_model(tmp_path / "none.safetensors")
    (tmp_path / "folder.safetensors").mkdir()
    with pytest.raises(ParameterError, match=r"a directory, expected a \.safetensors file"):
        load_model(tmp_path / "folder.safetensors")
    (tmp_path / "device.safetensors").symlink_to("/dev/zero")
    with pytest.raises(ParameterError, match="not a regular file"):
        load_model(tmp_path / "device.safetensors")
