"""Set-up shared by all tests. The markers are declared in pyproject.toml."""

import json
import os
import sys
import zlib
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

#: files whose tests try one thing on each claim, fact or formula: some of them run each time, by a
#: hash of their name, and all of them in the long run
SAMPLED = (
    "tests/proofs/exports/test_latex.py",
    "tests/proofs/test_codec.py",
    "tests/proofs/test_crosschecks.py",
    "tests/proofs/test_printing.py",
    "tests/proofs/test_reports.py",
    "tests/soundness/test_claims_sound.py",
    "tests/soundness/test_polynomials.py",
    "tests/soundness/test_proof_mutants.py",
    "tests/soundness/test_statement_mutants.py",
    "tests/soundness/test_true_variants.py",
)
ONE_IN = 3


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave most of the sampled tests to `make acceptance`."""
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if file in SAMPLED and "[" in name and zlib.crc32(item.nodeid.encode()) % ONE_IN:
            item.add_marker(pytest.mark.acceptance)


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
