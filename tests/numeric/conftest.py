"""Fixtures of the tests of parameter files."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

CHECKPOINT = Path(__file__).resolve().parents[2] / ".cache" / "model" / "model.safetensors"


@pytest.fixture
def checkpoint(request):
    """The trained checkpoint; without it the test is reported as not run, by its name."""
    if not CHECKPOINT.is_file():
        pytest.skip(f"NOT RUN: {request.node.name}: no {CHECKPOINT.name}, run `make model` first")
    return CHECKPOINT


def safetensors_bytes(tensors):
    """Return a file of arrays, or of (dtype, shape, bytes), written as the format says."""
    header, data = {}, b""
    names = {"float32": "F32", "float64": "F64", "float16": "F16", "int64": "I64", "uint8": "U8"}
    for name, value in tensors.items():
        if isinstance(value, np.ndarray):
            value = names[str(value.dtype)], list(value.shape), value.tobytes()
        dtype, shape, content = value
        place = [len(data), len(data) + len(content)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": place}
        data += content
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


@pytest.fixture
def save(tmp_path):
    """Write a checkpoint, with a config.json beside it when one is given; returns the path."""

    def write(tensors, config=None, name="model.safetensors"):
        path = tmp_path / name
        path.write_bytes(tensors if isinstance(tensors, bytes) else safetensors_bytes(tensors))
        if config is not None:
            (tmp_path / "config.json").write_text(json.dumps(config))
        return path

    return write
