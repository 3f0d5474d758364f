"""The README says what is true now: its transcripts, its example and its table of facts.

``python tests/test_readme.py`` writes the current output into the README.
"""

import random
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from proofs.claims.base import ledger
from proofs.cli import main
from proofs.facts.base import all_facts
from proofs.reports.facts import table

README = Path(__file__).resolve().parent.parent / "README.md"
TRANSCRIPT = re.compile(
    r"<!-- transcript: lemmaformer (?P<args>.*?) -->\n```console\n(?P<body>.*?)```\n", re.DOTALL
)
FACTS = re.compile(r"<!-- facts -->\n(?P<table>(?:\|.*\n)*)")
#: seconds differ from run to run
SECONDS = re.compile(r" +\d+\.\d │$", re.MULTILINE)


def transcript(args):
    """What the command prints, as a shell session."""
    result = CliRunner().invoke(main, shlex.split(args))
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.output.splitlines()]
    return "\n".join([f"$ lemmaformer {args}", *lines]).rstrip() + "\n"


def without_seconds(text):
    return SECONDS.sub(" _ │", text)


def transcripts():
    return [match["args"] for match in TRANSCRIPT.finditer(README.read_text(encoding="utf-8"))]


def marked(args):
    """All claims are checked in the long run; for some of them see below."""
    return pytest.param(args, marks=[pytest.mark.acceptance] if args == "check" else [])


@pytest.mark.parametrize("args", [marked(args) for args in transcripts()])
def test_transcript_is_current(args):
    text = README.read_text(encoding="utf-8")
    (match,) = [m for m in TRANSCRIPT.finditer(text) if m["args"] == args]
    assert without_seconds(match["body"]) == without_seconds(transcript(args))


def test_a_sample_of_the_check_is_current():
    names = list(ledger())
    chosen = sorted(random.Random(5).sample(names, 6))
    rows = transcript(f"check {' '.join(chosen)}")
    text = without_seconds(README.read_text(encoding="utf-8"))
    for name in names:
        assert f"│ {name} " in text
    for row in without_seconds(rows).splitlines():
        if row.startswith("│ "):
            cells = [cell.strip() for cell in row.split("│")]
            (there,) = [line for line in text.splitlines() if line.startswith(f"│ {cells[1]} ")]
            assert [cell.strip() for cell in there.split("│")] == cells


def test_every_fact_is_in_the_table():
    rows = FACTS.search(README.read_text(encoding="utf-8"))["table"].splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(all_facts())


@pytest.mark.acceptance
def test_table_of_facts_is_current():
    match = FACTS.search(README.read_text(encoding="utf-8"))
    assert match["table"] == table() + "\n"


def test_parameter_file_of_the_readme_verifies(tmp_path):
    text = README.read_text(encoding="utf-8")
    path = tmp_path / "mine.json"
    path.write_text(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    result = CliRunner().invoke(main, ["verify", str(path)])
    assert result.exit_code == 0
    assert "global" in result.output


def update():
    text = README.read_text(encoding="utf-8")
    text = TRANSCRIPT.sub(
        lambda m: (
            f"<!-- transcript: lemmaformer {m['args']} -->\n"
            f"```console\n{transcript(m['args'])}```\n"
        ),
        text,
    )
    text = FACTS.sub(lambda _: f"<!-- facts -->\n{table()}\n", text)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update()
