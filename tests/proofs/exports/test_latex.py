"""The LaTeX that papers are to read: it compiles, alone and together, and cites what it should."""

import re
import shutil
import subprocess
from string import ascii_uppercase

import pytest

from proofs.claims.base import ledger
from proofs.exports import references
from proofs.exports.files import write
from proofs.exports.latex import SUBJECTS
from proofs.exports.macros import MACROS, OPERATORS, macros_tex
from proofs.exports.run import export
from proofs.facts.base import all_facts
from proofs.printing.names import GREEK

needs_tex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="no TeX engine")
ALONE = ("facts", "gaussian.multihead", "gaussian.sinkhorn-plan", "seed.softmax-clustering")


@pytest.fixture(scope="module")
def made():
    return export([], "latex")


@pytest.fixture
def folder(made, tmp_path):
    write(tmp_path, made.files)
    return tmp_path


def compiled(folder, name):
    """The log of one run."""
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    log = (folder / f"{name}.log").read_text(encoding="latin-1")
    assert run.returncode == 0, log[-3000:]
    return log


def well_set(log):
    too_wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([0-9.]+)pt", log)]
    assert all(points <= 10 for points in too_wide)
    assert "undefined" not in log
    return True


@needs_tex
def test_the_collected_document_compiles_in_one_run(folder):
    assert well_set(compiled(folder, "all"))


@needs_tex
@pytest.mark.parametrize("name", ALONE)
def test_a_fragment_compiles_alone(folder, name):
    assert well_set(compiled(folder, name))


@needs_tex
def test_a_paper_reads_a_fragment_in_its_own_notation(folder):
    paper = folder / "paper" / "paper.tex"
    paper.parent.mkdir()
    paper.write_text(
        r"""\documentclass{amsart}
\usepackage{amssymb}
\newcommand{\lfSigma}{C}
\newcommand{\lftranspose}{{\mathsf T}}
\input{../macros.tex}
\begin{document}
\input{../gaussian.softmax.tex}
\input{../covariance.rank.tex}
\bibliographystyle{plain}
\bibliography{../references}
\end{document}
"""
    )
    assert "Output written on paper.pdf (1 page" in compiled(paper.parent, "paper")
    if shutil.which("bibtex"):
        run = subprocess.run(["bibtex", "paper"], cwd=paper.parent, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout
        compiled(paper.parent, "paper")
        assert "undefined" not in compiled(paper.parent, "paper")


def test_every_macro_is_defined(made):
    defined = set(
        re.findall(r"\\(?:providecommand|ifdefined|newcommand)\{?\\(lf\w+)", macros_tex())
    )
    defined |= {"lfend", "lfreferences", "lfcounterexample"}
    used = set()
    for name, text in made.files.items():
        if name.endswith(".tex") and name not in ("macros.tex", "preamble.tex"):
            used |= set(re.findall(r"\\(lf[A-Za-z]+)", text))
    assert used <= defined


def test_macros_have_names_of_their_own():
    assert not set(OPERATORS) & (set(GREEK) | set(ascii_uppercase))


@pytest.mark.parametrize("fact", all_facts().values(), ids=lambda fact: fact.name)
def test_every_reference_of_a_fact_is_in_the_table(fact):
    assert not references.uncovered(fact.reference)


def test_references_that_the_table_lacks_are_noticed():
    assert references.uncovered("Evans, Partial Differential Equations, 2nd ed., Section 2")
    assert references.uncovered("Hartman, Ordinary Differential Equations, 2nd ed., and Evans 2010")
    assert references.uncovered("folklore")


def test_every_key_has_an_entry(made):
    entries = set(re.findall(r"@\w+\{(\w+),", made.files["references.bib"]))
    assert entries == {source.key for source in references.SOURCES}
    cited = set(re.findall(r"\\cite(?:\[[^]]*\])?\{(\w+)\}", "".join(made.files.values())))
    assert cited <= entries


def test_places_are_taken_into_the_citation():
    text = references.cited(
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorems 8.6 and 5.10"
    )
    assert text == r"\cite[Theorems 8.6 and 5.10]{Rudin1976}"


def test_a_fragment_says_what_the_kernel_made(made):
    refuted = made.files["seed.softmax-clustering.tex"]
    assert "{refuted}" in refuted
    assert r"\lfcounterexample $d = 2$, $\lfV = \begin{pmatrix}" in refuted
    assert (
        r"\lffact{affine-transport}{\cite[Section 29]{Billingsley1995}}"
        in (made.files["gaussian.softmax.tex"])
    )
    assert {name.removesuffix(".tex") for name in made.files} >= set(ledger())


def test_every_subject_has_a_title():
    assert {name.split(".")[0] for name in ledger()} == set(SUBJECTS)


def test_names_of_several_letters_keep_their_distance():
    assert MACROS.name("low") == r"\lfword{low}"
    assert MACROS.name("H_soft") == r"\lfH_{\mathrm{soft}}"
