"""``check``, ``explain`` and ``derive``: what they show is what was checked."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from printed_documents import assert_balanced, flat
from rich.console import Console

import proofs
from proofs import check as checking
from proofs.claims.base import claim_named, ledger
from proofs.cli import main
from proofs.crosschecks.base import NoDigits
from proofs.kernel import KernelError
from proofs.language import at, number
from proofs.printing.markup import breakable
from proofs.printing.statement import statement_latex, statement_markdown, statement_text
from proofs.reports import checked, softmax
from proofs.reports import explain as explaining
from proofs.reports.derivation import FORMATS, GAUSSIAN, derive, rendered
from proofs.reports.document import Document, Formula, Heading, to_latex
from proofs.reports.explain import explain, fact_uses
from proofs.reports.ledger import document, progress, show
from proofs.reports.trust import trusted_base, trusted_lines
from symbolic.closed_forms import commuting
from symbolic.variants import names

KEYS = {
    *("id", "statement", "source", "status", "expected"),
    *("facts", "certificate", "digits", "digits_of", "seconds"),
}


def run(*arguments: str):
    return CliRunner().invoke(main, list(arguments))


# check ---------------------------------------------------------------------------------------


def test_check_as_json():
    names = ["covariance.rank", "seed.softmax-clustering"]
    answer = run("check", *names, "--json")
    assert answer.exit_code == 0
    parsed = json.loads(answer.stdout)
    assert set(parsed) == {"format", "claims"}
    assert parsed["format"] == "lemmaformer/check/1"
    assert [entry["id"] for entry in parsed["claims"]] == names
    for entry, status in zip(parsed["claims"], ("proved", "refuted"), strict=True):
        claim = claim_named(entry["id"])
        assert set(entry) == KEYS
        assert entry["statement"] == statement_text(claim.statement, claim.notation)
        assert entry["status"] == entry["expected"] == status
        assert entry["facts"] == sorted(claim.settle().facts)
        assert entry["certificate"] is None
        assert isinstance(entry["digits"], int)
        assert entry["seconds"] >= 0


def test_check_as_a_table_names_what_differs():
    (result,) = checking.check(["covariance.rank"])
    wrong = replace(result, status="open", settled=None, digits=None)
    stream = io.StringIO()
    show([result, wrong], Console(file=stream, width=100))
    printed = stream.getvalue()
    assert "✗ recorded: proved" in printed
    assert "1 proved, 1 open; not as recorded: covariance.rank." in printed
    assert document([wrong])["claims"][0]["facts"] == []


def test_no_progress_bar_without_a_terminal(capsys):
    results = list(checking.check(("covariance.rank",)))
    assert list(progress(iter(results), 1)) == results
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("command", ["check", "explain"])
def test_unknown_id(command):
    answer = run(command, "covariance.comuting")
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert len(answer.stderr.splitlines()) == 1
    assert "covariance.commuting" in answer.stderr


# explain -------------------------------------------------------------------------------------


def compared(name: str) -> NoDigits:
    """In place of the cross-checks, which have their own tests."""
    return NoDigits(name, "left out")


LONG = (
    "covariance.l2-tied",
    "covariance.commuting-every-start",
    "covariance.multihead-commuting-blowup",
    "gaussian.multihead",
    "gaussian.sinkhorn",
    "gaussian.sinkhorn-plan",
)
"""Claims with long proofs, which the acceptance run explains."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.acceptance] if name in LONG else [])
        for name in ledger()
    ],
)
def test_every_claim_explains(name, monkeypatch):
    monkeypatch.setattr(explaining, "cross_check_of", compared)
    claim = ledger()[name]
    sections = {section.title: section.lines for section in explain(claim)}
    flat = " ".join(" ".join(sections["Statement, printed from the checked term"]).split())
    assert flat == " ".join(statement_text(claim.statement, claim.notation).split())
    assert f"status   {claim.expected}, by the kernel" in "\n".join(sections["Claim"])
    (facts,) = (lines for title, lines in sections.items() if title.startswith("Facts"))
    named = {line.split(" (used")[0] for line in facts if " (used" in line}
    assert named == claim.settle().facts == set(fact_uses(claim.proof))
    steps = [title for title in sections if re.search(r"\(\d+ steps\)$", title)]
    assert steps[-1].endswith(f"({len(claim.proof.steps)} steps)")
    assert [title for title in steps if title.startswith("Lemma")] == steps[:-1]
    assert len(set(steps)) == len(steps)
    assert sections["Cross-check"] == ("no number is compared: left out",)
    assert any(f"lemmaformer check {name}" in line for line in sections["Why this can be trusted"])


def test_explain_a_refuted_claim():
    answer = run("explain", "seed.softmax-clustering", "--brief")
    assert answer.exit_code == 0
    assert "Counterexample\n  d = 2\n  V = [[1, −1], [−2, 4]]\n" in answer.stdout
    assert "proofs.kernel.refute" in answer.stdout
    assert "agrees to 50 digits with an independent computation of:" in answer.stdout
    assert "steps)" not in answer.stdout


def test_explain_a_rejected_proof():
    claim = claim_named("covariance.rank")
    broken = replace(claim, prove=claim_named("covariance.self-similar").prove)
    with pytest.raises(KernelError):
        broken.settle()
    printed = "\n".join(line for section in explain(broken) for line in section.lines)
    assert "status   open, by the kernel (recorded: proved)" in printed
    assert "rejected rule statement: the last conclusion is not the claim's" in printed
    assert "nothing is claimed" in printed


def test_trusted_base_is_measured():
    files = {file.path: file.lines for file in trusted_base()}
    root = Path(proofs.__file__).parent
    expected = {root / name for name in ("kernel.py", "terms.py", "language.py")}
    expected |= {p for part in ("checkers", "facts") for p in (root / part).glob("[a-z]*.py")}
    assert set(files) == {path.relative_to(root.parent).as_posix() for path in expected}
    for path, count in files.items():
        assert count == len((root.parent / path).read_text(encoding="utf-8").splitlines())
    assert sum(trusted_lines().values()) == sum(files.values())


# derive --------------------------------------------------------------------------------------


def test_derivation_of_softmax():
    document = derive("softmax")
    in_markdown, in_latex = (rendered(document, form) for form in ("md", "tex"))
    for name in softmax.CLAIMS:
        claim = claim_named(name)
        statement = checked.settled(name).statement
        assert statement == claim.statement
        assert flat(statement_markdown(statement, claim.notation)) in flat(in_markdown)
        assert flat(breakable(statement_latex(statement, claim.notation))) in flat(in_latex)
        assert f"`{name}`, proved by the kernel" in in_markdown
        assert re.search(rf"- `{name}`: \d+ digits", in_markdown)
        for fact in checked.settled(name).facts:
            assert f"- `{fact}`: " in in_markdown
    assert_balanced(in_latex)


def test_a_wrong_sympy_expression_is_noticed():
    """The kernel compares: a closed form with another sign is not equal to the claim's."""
    names = {"A": softmax.A, "V": softmax.V, "Sigma_0": softmax.Sigma0, "t": softmax.t}
    curve = at(softmax.closed.X, softmax.t)
    checked.agreeing(commuting().solution, names, curve)
    with pytest.raises(KernelError):
        checked.agreeing(2 * commuting().solution, names, curve)
    with pytest.raises(KernelError):
        checked.proved_equal(number(1), number(2))


def test_derive_writes_a_file_or_stdout(tmp_path, monkeypatch):
    document = Document("Title", [Heading("One"), Formula("a = b", "because `c` holds")])
    monkeypatch.setattr(softmax, "gaussian", lambda variant: document)
    path = tmp_path / "softmax.md"
    assert run("derive", "softmax", "-o", str(path)).output == ""
    assert path.read_text(encoding="utf-8") == document.markdown()
    assert list(tmp_path.iterdir()) == [path]
    assert document.markdown() == ("# Title\n\n## 1. One\n\n$$\na = b\n$$\n\nbecause `c` holds\n")
    assert run("derive", "softmax", "--format", "tex").stdout == document.latex()
    missing = run("derive", "softmax", "-o", str(tmp_path / "no" / "softmax.md"))
    assert missing.exit_code == 2
    assert len(missing.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("masked-sinkhorn",),
        ("softmacs",),
        ("masked-softmax", "--part", "gradient"),
        ("softmax", "--format", "docx"),
    ],
)
def test_what_is_not_available_is_said_in_one_line(arguments):
    answer = run("derive", *arguments)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    assert (
        "md, tex, html, pdf" in line
        if "--format" in arguments
        else "no energy" in line
        if "--part" in arguments
        else "masked sinkhorn attention is not defined" in line or "did you mean 'softmax'" in line
    )


def test_every_derivation_is_there():
    assert set(FORMATS) == {"md", "tex", "html", "pdf"}
    assert set(GAUSSIAN) >= set(names())


def test_text_as_latex():
    assert to_latex(r"a_b 5% $x_1$ `y_z` LDLᵀ <") == r"a\_b 5\% $x_1$ \texttt{y\_z} LDL$^\top$ $<$"
