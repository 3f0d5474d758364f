"""``derive`` in every format: what is written is well formed, complete and readable."""

import os
import re
from functools import cache
from importlib.resources import files

import pytest
from click.testing import CliRunner
from printed_documents import Page, assert_converted, needs_tex

from proofs.claims.base import claim_named, ledger
from proofs.cli import main
from proofs.facts.base import all_facts
from proofs.kernel import Statement
from proofs.printing.display import clauses, factors, outer_first, parts, width
from proofs.printing.latex import latex
from proofs.printing.markup import math_html, to_html, to_latex, to_plain
from proofs.printing.mathml import mathml
from proofs.printing.statement import statement_html
from proofs.reports import pdf, softmax
from proofs.reports.derivation import derive, rendered
from proofs.reports.document import (
    Document,
    Formula,
    Heading,
    Items,
    Paragraph,
    Table,
    Theorem,
)
from proofs.reports.pdf import TexError, compiled

STATEMENT = claim_named("covariance.rank").statement
TABLE = Table(("name", "$x$"), (("`a` | b", r"$|x| \le (A B C)^{-1} (D E + F)$"), ("c < d", "")))


@cache
def derived() -> Document:
    return derive("softmax")


@cache
def page() -> str:
    text = rendered(derived(), "html")
    assert isinstance(text, str)
    return text


def run(*arguments: str):
    return CliRunner().invoke(main, list(arguments))


# HTML ----------------------------------------------------------------------------------------


def test_page_is_well_formed_and_converted():
    html = page()
    assert html.startswith("<!DOCTYPE html>\n")
    assert_converted(html)
    assert html.count("<math") > 100


def test_page_refers_to_nothing_outside():
    html = page()
    assert not re.search(r"https?:|url\(|@import|src=", html)
    for _, attributes in Page(html).tags:
        assert (attributes.get("href") or "#").startswith("#")


def test_page_can_be_found_about_in():
    parsed = Page(page())
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("h1") == tags.count("main") == tags.count("nav") == 1
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    links = [str(attributes["href"]) for tag, attributes in parsed.tags if tag == "a"]
    headings = [block for block in derived().blocks if isinstance(block, Heading)]
    assert len(links) == len(headings) == tags.count("section")
    assert {link[1:] for link in links} <= set(ids)
    assert ("html", {"lang": "en"}) in parsed.tags
    assert any(attributes.get("name") == "viewport" for _, attributes in parsed.tags)


def test_every_step_is_marked():
    blocks = [block for block in derived().blocks if isinstance(block, Formula)]
    marked = [block for block in blocks if block.reason_and_mark()[1]]
    assert page().count('class="checked"') == len(marked)
    assert sum("Checked: " in block.remark for block in blocks) <= len(marked)
    assert Formula("a", "By 1. Checked: it.").reason_and_mark() == ("By 1.", "Checked: it.")
    assert Formula("a", "Checked: it.").reason_and_mark() == ("", "Checked: it.")
    assert Formula("a", "Known.").reason_and_mark() == ("Known.", "")


def test_colours_have_contrast():
    style = files("proofs.reports").joinpath("page.css").read_text(encoding="utf-8")
    schemes = [
        dict(re.findall(r"--(\w+): (#\w+);", part)) for part in re.findall(r":root {[^}]*}", style)
    ]
    assert len(schemes) == 3
    for colours in schemes:
        for name in ("ink", "soft", "link", "check"):
            for ground in ("paper", "box"):
                assert contrast(colours[name], colours[ground]) >= 4.5


def contrast(first: str, second: str) -> float:
    """As WCAG 2 defines it."""
    light, dark = sorted(map(luminance, (first, second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    values = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", ledger())
def test_every_claim_converts(name):
    claim = ledger()[name]
    assert_converted(f"<div>{statement_html(claim.statement, claim.notation)}</div>")


def test_every_fact_converts():
    for fact in all_facts().values():
        html = statement_html(Statement(fact.premises, fact.conclusion))
        assert_converted(f"<div>{html}</div>")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"a \preceq b", "<mi>a</mi><mo>⪯</mo><mi>b</mi>"),
        (r"\operatorname{tr}(A)", '<mi>tr</mi><mo stretchy="false">(</mo>'),
        (r"\kappa_\infty", "<msub><mi>κ</mi><mi>∞</mi></msub>"),
        (r"a\text{ < b }c", "<mtext>\N{NO-BREAK SPACE}&lt;\N{NO-BREAK SPACE}b"),
        (r"(-M)^+", '(</mo><mo form="prefix">−</mo><mi>M</mi>'),
        (r"\left( x \right)", 'form="postfix">)</mo>'),
        (r"\begin{pmatrix} 1 & -2 \\ 3 & 4 \end{pmatrix}", "<mtr><mtd><mn>3</mn></mtd>"),
        ("\\begin{aligned}\n& a \\\\\n& \\quad + b\n\\end{aligned}", '<mtable displaystyle="true"'),
        (r"\int_{\tau \le s} f", "<mi>τ</mi><mo>≤</mo><mi>s</mi>"),
        (r"\lVert x \rVert", "‖</mo><mi>x</mi>"),
        (r"H_{\mathrm{l2}}", "<msub><mi>H</mi><mrow><mtext>l2</mtext>"),
        (r"\mathit{a\_b}", "<mi>_</mi>"),
    ],
)
def test_mathml(formula, expected):
    html = mathml(formula)
    assert expected in html
    assert_converted(html)


def test_limits_of_sums():
    """Browsers set them above and below in displayed formulas only."""
    assert "<munderover><mo>∑" in mathml(r"\sum_{h=1}^{H} A_h")
    assert "<munder><mo>∑" in mathml(r"\left(\sum_h A_h\right)^{-1}", display=True)


@pytest.mark.parametrize("formula", [r"\unknowncommand x", "a^", r"\left( a", "a & b"])
def test_what_cannot_be_converted_is_no_formula(formula):
    with pytest.raises(ValueError, match="not converted"):
        mathml(formula)


# Text and lines ------------------------------------------------------------------------------


def test_text_in_every_format():
    text = "$x$, `a_b` & <c> 5%"
    assert to_latex(text) == r"$x$, \texttt{a\_b} \& $<$c$>$ 5\%"
    assert to_plain(text) == "x, a_b & <c> 5%"
    html = to_html(text)
    assert html.endswith(" <code>a_b</code> &amp; &lt;c&gt; 5%")
    # no line ends before the comma
    assert "</math>,</span>" in html
    assert to_latex("Σ₀ ≤ 2×3 – λ") == r"$\Sigma$$_0$ $\le$ 2$\times$3 -- $\lambda$"
    assert to_latex("`covariance.commuting-limit`").count(r"\allowbreak") == 2


@pytest.mark.parametrize("name", ledger())
def test_pieces_are_cut_not_rewritten(name):
    claim = ledger()[name]
    for term in (*claim.statement.hypotheses, claim.statement.conclusion):
        formula = latex(term)
        broken = re.sub(r"\\penalty\d+ ", "", outer_first(formula))
        assert "".join(broken.split()) == "".join(formula.split())
        for cut in (clauses(formula), factors(formula), parts(formula, 30)):
            # parentheses may cease to grow
            assert _plain("".join(cut)) == _plain(formula)


def _plain(formula):
    return re.sub(r"\\(?:left|right)(?=[][()])", "", formula)


def test_many_names_are_cut_after_commas():
    names = [f"V_{{{number}}}" for number in range(40)]
    declared = ", ".join(names) + r" \in \mathbb{R}"
    assert len(clauses(declared)) == len(names)
    assert clauses(declared[:20]) == [declared[:20]]


def test_an_exponent_is_no_sum():
    assert parts("(-M)^+ a + b", 1) == ["(-M)^+ a ", "+ b"]


def test_a_sum_stays_with_its_sign():
    for limit in ("H", r"{H_{\mathrm{soft}}}"):
        assert factors(rf"\sum_{{h=1}}^{limit} A B") == [rf"\sum_{{h=1}}^{limit} A ", "B"]


def test_wide_formulas_have_places_to_break():
    formula = r"= \left(\int f \, d\mu\right) (V (\alpha(t) + \Sigma(t) A x) + 0) (A B C D E F G)"
    assert max(map(width, parts(formula, 20))) <= 20
    assert math_html("a = b").count("<math>") == 1
    assert math_html("A B C D E F", narrow=4).count("<math>") == 2
    assert math_html(f"{formula} {formula}").count("<math>") >= 4


# Blocks --------------------------------------------------------------------------------------


def document() -> Document:
    return Document(
        "A & $B$",
        [
            Heading("One"),
            Theorem("Lemma (`a-b`, proved).", STATEMENT),
            Theorem("Theorem (`c`).", STATEMENT),
            Heading("Two $x$"),
            Theorem("Remark.", STATEMENT),
            Paragraph("Text."),
            Items(("`a`: first", "`b`: second")),
            Items(("first", "`b`: second")),
            TABLE,
            Formula(" + ".join(f"A_{i} B_{i} C_{i} D_{i}" for i in range(12)), "Checked: sum."),
        ],
    )


def test_numbers_are_the_same_in_every_format():
    markdown, html = document().markdown(), document().html()
    for heading in ("1. One", "2. Two"):
        assert f"## {heading}" in markdown
        assert heading in html
    for name in ("Lemma 1.1", "Theorem 1.2", "Remark 2.1"):
        assert f"**{name}" in markdown
        assert f"<strong>{name}</strong>" in html
    in_latex = document().latex()
    assert r"\begin{lemma}[{\texttt{a-b}, proved}]" in in_latex
    for kind in ("lemma", "theorem", "remark"):
        assert rf"\newtheorem{{{kind}}}[result]" in in_latex
    assert r"\theoremstyle{remark}\newtheorem{remark}" in in_latex


def test_blocks_in_html():
    html = document().html()
    assert_converted(html)
    assert "<dt><code>a</code></dt>\n<dd>first</dd>" in html
    assert "<li>first</li>" in html
    assert '<th scope="col">name</th>' in html
    assert '<span class="checked">Checked: sum.</span>' in html
    assert "<title>A &amp; B</title>" in html


def test_table_in_markdown():
    lines = TABLE.markdown().splitlines()
    assert lines[1] == "| --- | --- |"
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in lines)


# PDF -----------------------------------------------------------------------------------------


@needs_tex
@pytest.mark.parametrize("make", [document, derived], ids=["blocks", "softmax"])
def test_pdf_has_no_overfull_line(make):
    content, printed = compiled(make().latex())
    assert content.startswith(b"%PDF-")
    overfull = re.findall(r"Overfull \\hbox \((\d+\.\d+)pt", printed)
    assert all(float(points) < 10 for points in overfull), printed


@needs_tex
def test_pdf_of_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(softmax, "gaussian", lambda variant: document())
    path = tmp_path / "softmax.pdf"
    assert run("derive", "softmax", "--format", "pdf", "-o", str(path)).output == ""
    assert path.read_bytes().startswith(b"%PDF-")
    assert list(tmp_path.iterdir()) == [path]
    # stdout is no terminal here
    piped = run("derive", "softmax", "--format", "pdf")
    assert piped.exit_code == 0
    assert piped.stdout_bytes.startswith(b"%PDF-")


@needs_tex
def test_first_error_of_tex_in_one_line(tmp_path, monkeypatch):
    wrong = Document("Title", [Formula(r"\nosuchcommand")])
    monkeypatch.setattr(softmax, "gaussian", lambda variant: wrong)
    path = tmp_path / "softmax.pdf"
    answer = run("derive", "softmax", "--format", "pdf", "-o", str(path))
    assert answer.exit_code == 2
    (line,) = answer.stderr.splitlines()
    assert "Undefined control sequence" in line
    assert "(line " in line
    assert list(tmp_path.iterdir()) == []


@needs_tex
def test_time_limit_of_tex(monkeypatch):
    monkeypatch.setattr(pdf, "SECONDS", 0.01)
    with pytest.raises(TexError, match="did not end within"):
        compiled(document().latex())


def test_without_an_engine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = run("derive", "softmax", "--format", "pdf", "-o", str(tmp_path / "x.pdf"))
    assert answer.exit_code == 2
    (line,) = answer.stderr.splitlines()
    assert "apt-get install texlive-latex-base" in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="a script stands in for TeX")
def test_no_pdf_on_a_terminal(tmp_path, monkeypatch):
    script = tmp_path / "pdflatex"
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TexError, match="no PDF, exit code 3"):
        compiled("")
    monkeypatch.setattr("proofs.cli.is_terminal", lambda: True)
    answer = run("derive", "softmax", "--format", "pdf")
    assert answer.exit_code == 2
    assert "-o FILE" in answer.stderr
