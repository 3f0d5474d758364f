"""The command as a user runs it: output, exit codes, and one line for each mistake."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from proofs.cli import main


def run(*args):
    return CliRunner().invoke(main, [str(a) for a in args])


def test_verify_prints_the_verdict():
    result = run("verify", "--example", "softmax-clustering-rank-one")
    assert result.exit_code == 0
    assert "blow-up from the given Σ₀ at t* = 5/22" in result.output
    assert "proved (covariance.self-similar)" in result.output


def test_verify_json_is_one_document():
    result = run("verify", "--example", "softmax-clustering-counterexample", "--json")
    document = json.loads(result.stdout)
    assert document["existence"]["time"] == ["1", "1"]
    assert document["existence"]["certificate"] is None


def test_certificates_are_written_and_recheck(tmp_path):
    folder = tmp_path / "out"
    run("verify", "--example", "softmax-to-line", "-o", folder)
    files = sorted(folder.iterdir())
    names = ["existence", "gradient-flow", "limit"]
    assert [f.name for f in files] == [f"{name}.certificate.json" for name in names]
    result = run("recheck", *files)
    assert result.exit_code == 0
    assert result.output.count(": proved") == 3
    assert "T = ∞" in result.output


def test_recheck_rejects_with_exit_code_one(tmp_path):
    run("verify", "--example", "softmax-identity", "-o", tmp_path)
    path = tmp_path / "existence.certificate.json"
    path.write_text(path.read_text().replace('"-1"', '"1"'))
    result = run("recheck", path)
    assert result.exit_code == 1
    assert "rejected" in result.stderr


def test_recheck_compares_with_a_parameter_file(tmp_path):
    run("verify", "--example", "softmax-identity", "-o", tmp_path)
    mine = tmp_path / "mine.json"
    mine.write_text('{"variant": "softmax", "V": [[1, 0], [0, 1]], "A": [[-1, 0], [0, -2]]}')
    result = run("recheck", tmp_path / "limit.certificate.json", "--parameters", mine)
    assert result.exit_code == 1
    assert "other parameters" in result.stderr


def test_a_stale_certificate_is_removed(tmp_path):
    run("verify", "--example", "softmax-identity", "-o", tmp_path)
    assert (tmp_path / "limit.certificate.json").exists()
    run("verify", "--example", "softmax-two-lines", "--budget", "0", "-o", tmp_path)
    assert not (tmp_path / "limit.certificate.json").exists()


def test_a_variant_without_certificates_leaves_none_of_an_earlier_run(tmp_path):
    folder, file = tmp_path / "out", tmp_path / "sigmoid.json"
    run("verify", "--example", "softmax-identity", "-o", folder)
    file.write_text('{"variant": "sigmoid", "V": [[1]], "Q": [[1]], "K": [[1]], "b_v": [1]}')
    assert run("verify", file, "-o", folder).exit_code == 0
    assert list(folder.iterdir()) == []


def test_sigma0_is_not_for_a_mask(tmp_path):
    file, start = tmp_path / "masked.json", tmp_path / "start.json"
    file.write_text('{"variant": "linear", "V": [[1]], "A": [[1]], "mask": "causal"}')
    start.write_text("[[2]]")
    result = run("verify", file, "--sigma0", start)
    assert result.exit_code == 2
    assert "mask" in result.stderr


def test_sigma0_replaces_the_start(tmp_path):
    start = tmp_path / "start.json"
    start.write_text("[[2, 0], [0, 2]]")
    result = run("verify", "--example", "softmax-identity", "--sigma0", start, "--json")
    assert json.loads(result.stdout)["limit"]["rank"] == 0


GOOD = {"variant": "softmax", "V": [[1, 0], [0, 1]], "A": [[-1, 0], [0, -1]]}
BAD = {
    "truncated": '{"variant": "softmax", "V": [[1, 0], [0',
    "empty": "",
    "not an object": "[1, 2]",
    "no variant": json.dumps({k: v for k, v in GOOD.items() if k != "variant"}),
    "unknown variant": json.dumps({**GOOD, "variant": "softmx"}),
    "no V": json.dumps({k: v for k, v in GOOD.items() if k != "V"}),
    "no scores": json.dumps({k: v for k, v in GOOD.items() if k != "A"}),
    "unknown field": json.dumps({**GOOD, "Sigma": [[1, 0], [0, 1]]}),
    "ragged": json.dumps({**GOOD, "V": [[1, 0], [0]]}),
    "wrong shape": json.dumps({**GOOD, "A": [[1]]}),
    "not square": json.dumps({**GOOD, "V": [[1, 0, 0], [0, 1, 0]]}),
    "NaN": json.dumps({**GOOD, "V": [[float("nan"), 0], [0, 1]]}),
    "infinite": json.dumps({**GOOD, "V": [[float("inf"), 0], [0, 1]]}),
    "too large": json.dumps(GOOD).replace("-1", "1e999"),
    "not symmetric": json.dumps({**GOOD, "Sigma0": [[1, 1], [0, 1]]}),
    "not positive": json.dumps({**GOOD, "Sigma0": [[1, 2], [2, 1]]}),
    "boolean": json.dumps({**GOOD, "V": [[True, 0], [0, 1]]}),
    "word": json.dumps({**GOOD, "V": [["one", 0], [0, 1]]}),
    "zero denominator": json.dumps({**GOOD, "V": [["1/0", 0], [0, 1]]}),
    "both A and Q": json.dumps({**GOOD, "Q": [[1, 0]], "K": [[1, 0]]}),
    "scale with A": json.dumps({**GOOD, "scale": 2}),
    "negative scale": json.dumps(
        {"variant": "softmax", "V": [[1]], "Q": [[1]], "K": [[1]], "scale": -1}
    ),
    "duplicate key": '{"variant": "softmax", "variant": "softmax", "V": [[1]], "A": [[1]]}',
    "wrong mean": json.dumps({**GOOD, "alpha0": [1, 2, 3]}),
    "empty matrix": json.dumps({**GOOD, "V": []}),
    "heads": json.dumps({**GOOD, "heads": [GOOD]}),
    "deep": "[" * 20000,
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_parameter_files_end_in_one_line(tmp_path, kind):
    path, folder = tmp_path / "bad.json", tmp_path / "out"
    path.write_text(BAD[kind])
    result = run("verify", path, "-o", folder)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("lemmaformer: ")
    assert result.stderr.count("\n") == 1
    assert str(path) in result.stderr
    assert not folder.exists()


def test_missing_file_and_bad_calls():
    for args in (
        ("verify", "no-such-file.json"),
        ("verify",),
        ("verify", "a.json", "--example", "softmax-identity"),
        ("verify", "--example", "softmax-identty"),
        ("check", "no.such.claim"),
    ):
        result = run(*args)
        assert result.exit_code == 2, args
        assert result.stderr.count("\n") == 1


def test_examples_are_listed_in_the_help():
    result = run("verify", "--help")
    assert "softmax-to-line" in result.output


def test_check_of_one_claim():
    result = run("check", "covariance.rank", "--json")
    (claim,) = json.loads(result.stdout)["claims"]
    assert (claim["status"], claim["expected"]) == ("proved", "proved")
    assert "congruence-flow" in claim["facts"]


def test_recheck_needs_no_heavy_library(tmp_path):
    """The kernel's own command loads neither SymPy, NumPy, SciPy, mpmath nor CVXPY."""
    run("verify", "--example", "softmax-identity", "-o", tmp_path)
    script = f"""
import atexit, sys
HEAVY = {{"sympy", "numpy", "scipy", "mpmath", "cvxpy"}}
atexit.register(lambda: print("loaded:", sorted(HEAVY & set(sys.modules))))
from proofs.cli import main
main(["recheck", {str(tmp_path / "limit.certificate.json")!r}])
"""
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0
    assert finished.stdout.rstrip().endswith("loaded: []")
