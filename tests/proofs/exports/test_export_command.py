"""``lemmaformer export`` as a user runs it."""

import xml.etree.ElementTree as ElementTree

import pytest
from click.testing import CliRunner

from proofs.claims.base import claim_named, ledger
from proofs.cli import main
from proofs.exports import run as exports
from proofs.exports.files import MARK
from proofs.exports.settled import Settled


def run(*args):
    return CliRunner().invoke(main, ["export", *map(str, args)])


def test_one_claim_goes_to_stdout():
    result = run("covariance.multihead-scalar")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"% {MARK}\n")
    assert r"\begin{lfclaim}{covariance.multihead-scalar}" in result.stdout


def test_a_folder_gets_all_that_a_paper_needs(tmp_path):
    result = run("gaussian.softmax", "covariance.rank", "-o", tmp_path / "new" / "folder")
    assert result.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == [
        "all.tex",
        "covariance.rank.tex",
        "facts.tex",
        "gaussian.softmax.tex",
        "macros.tex",
        "preamble.tex",
        "references.bib",
    ]


def test_our_files_are_overwritten_and_edited_notation_is_kept(tmp_path):
    run("covariance.rank", "-o", tmp_path)
    before = (tmp_path / "all.tex").read_text()
    (tmp_path / "all.tex").write_text(f"% {MARK}\nold\n")
    (tmp_path / "macros.tex").write_text("% mine\n")
    result = run("covariance.rank", "-o", tmp_path)
    assert result.exit_code == 0
    assert "macros.tex is yours and was kept" in result.stderr
    assert (tmp_path / "all.tex").read_text() == before
    assert (tmp_path / "macros.tex").read_text() == "% mine\n"


def test_nothing_is_written_over_the_files_of_others(tmp_path):
    (tmp_path / "all.tex").write_text("my thesis\n")
    result = run("covariance.rank", "-o", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "all.tex is not ours: nothing is written" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["all.tex"]
    assert (tmp_path / "all.tex").read_text() == "my thesis\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gaussian.sofmax"], "unknown claim 'gaussian.sofmax'; closest: gaussian.softmax"),
        (["covariance.rank", "--format", "word"], "format 'word' is not available"),
        (["covariance.rank", "--format", "python"], "covariance.rank has no Python functions"),
        ([], "several claims need a folder: -o DIR"),
        (["covariance.rank", "gaussian.l2"], "several claims need a folder: -o DIR"),
    ],
)
def test_wrong_calls_end_with_one_line(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"lemmaformer: {message}")
    assert result.stderr.count("\n") == 1


def test_claims_without_functions_are_left_out_with_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(
        exports,
        "settle",
        lambda claims, digits: (Settled(c, "proved", None) for c in claims),
    )
    result = run("--format", "python", "-o", tmp_path)
    assert result.exit_code == 0
    assert "no Python functions for" in result.stderr
    assert "covariance.rank" in result.stderr
    assert (tmp_path / "gaussian_masked_linear.py").exists()


def test_a_status_that_is_not_the_recorded_one_is_told(monkeypatch):
    monkeypatch.setattr(
        exports, "settle", lambda claims, digits: (Settled(c, "open", None) for c in claims)
    )
    result = run("covariance.rank")
    assert result.exit_code == 1
    assert "{open}" in result.stdout
    assert "not as recorded: covariance.rank" in result.stderr


def test_digits_are_there_when_asked_for():
    result = run("covariance.multihead-scalar", "--digits")
    assert r"\lfdigits{50 digits agree with" in result.stdout


@pytest.mark.parametrize("name", list(ledger()))
def test_mathml_is_well_formed(name):
    from proofs.exports.html import fragment

    claim = claim_named(name)
    text = fragment(Settled(claim, "proved", None))
    root = ElementTree.fromstring(text)
    maths = list(root.iter("math"))
    assert maths
    assert "\\" not in "".join(root.itertext())
