"""Set-up shared by all tests. The markers are declared in pyproject.toml."""

import json
import os
import sys
from pathlib import Path

# pytest-xdist already keeps every core busy: one thread each for linear algebra, set before
# anything imports NumPy.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Makes the helpers beside this file importable by name.
sys.path.append(str(Path(__file__).parent))

import pytest
from checkpoint_files import safetensors_bytes
from hypothesis import settings

# The same examples on every run and machine, however slow.
settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")

CHECKPOINT = Path(__file__).resolve().parents[1] / ".cache" / "model" / "model.safetensors"


@pytest.fixture
def checkpoint(request):
    """The trained checkpoint; without it the test is reported as not run, by its name."""
    if not CHECKPOINT.is_file():
        pytest.skip(f"NOT RUN: {request.node.name}: no {CHECKPOINT.name}, run `make model` first")
    return CHECKPOINT


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
