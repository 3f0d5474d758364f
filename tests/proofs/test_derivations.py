"""``derive`` for every variant: statements are the claims', in every format."""

import re
from functools import cache

import pytest
from printed_documents import assert_balanced, assert_converted, flat, needs_tex

from proofs.claims.base import ledger
from proofs.printing.markup import breakable
from proofs.printing.statement import statement_latex, statement_markdown
from proofs.reports import variants_table
from proofs.reports.derivation import GAUSSIAN, derive
from proofs.reports.document import Document, Formula, Table, Theorem
from proofs.reports.pdf import compiled
from symbolic.variants import lookup

SAMPLE = ("exponential", "linear", "masked-linear")
"""Derivations with quick cross-checks; the others are in the acceptance run."""
VARIANTS = [
    pytest.param(name, marks=[] if name in SAMPLE else [pytest.mark.acceptance])
    for name in GAUSSIAN
]
every_variant = pytest.mark.parametrize("variant", VARIANTS)


@cache
def derived(variant: str) -> Document:
    return derive(variant)


@every_variant
def test_statements_are_those_of_the_claims(variant):
    document = derived(variant)
    markdown, latex = document.markdown(), document.latex()
    shown = [claim for name, claim in ledger().items() if f"(`{name}`, proved by" in markdown]
    assert shown
    statements = [block.statement for block in document.blocks if isinstance(block, Theorem)]
    for claim in shown:
        assert claim.statement in statements
        assert flat(statement_markdown(claim.statement, claim.notation)) in flat(markdown)
        assert flat(breakable(statement_latex(claim.statement, claim.notation))) in flat(latex)
        for fact in claim.settle().facts:
            assert f"- `{fact}`: " in markdown
        assert re.search(rf"- `{re.escape(claim.id)}`: \d+ digits", markdown)


@every_variant
def test_formats_are_well_formed(variant):
    document = derived(variant)
    assert_balanced(document.latex())
    assert_converted(document.html())


@needs_tex
@every_variant
def test_pdf_has_no_overfull_line(variant):
    _, log = compiled(derived(variant).latex())
    overfull = [float(points) for points in re.findall(r"Overfull \\hbox \((\d+\.\d+)pt", log)]
    assert all(points < 10 for points in overfull)


@every_variant
def test_every_step_says_how_it_was_checked(variant):
    marks = ("Checked:", "The kernel proved", "Derived by SymPy", "From the table")
    for block in derived(variant).blocks:
        if isinstance(block, Formula):
            assert any(mark in block.remark for mark in marks), block.formula


def test_the_table_has_every_plain_variant():
    tables = [block for block in variants_table.all_variants() if isinstance(block, Table)]
    named = {row[0] for table in tables for row in table.rows}
    assert {"softmax", "l2", "sinkhorn", "linear", "sigmoid", "exponential"} < named
    assert all("(proved)" in row[-1] for table in tables for row in table.rows)


def test_derivations_are_about_known_variants():
    for name in GAUSSIAN:
        assert lookup(name).name == name


@pytest.mark.parametrize(
    "variant", ["multihead-exponential", "masked-l2", "masked-multihead-linear"]
)
def test_what_is_open_is_said(variant):
    document = derived(variant)
    assert "Open: no claim of the ledger" in document.markdown()
    assert_balanced(document.latex())
    assert_converted(document.html())
