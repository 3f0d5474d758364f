"""HTML fragments with MathML: the statement of a claim for a web page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from proofs.exports.macros import breakable
from proofs.exports.settled import Settled
from proofs.kernel import Refutation
from proofs.printing.latex import LATEX, inline
from proofs.printing.markup import to_html
from proofs.printing.mathml import mathml
from proofs.printing.propositions import Printer
from proofs.printing.prose import latex_prose
from proofs.printing.statement import Sentence


def files(settled: Sequence[Settled]) -> dict[str, str]:
    """Name -> text, one fragment for each claim."""
    return {f"{item.claim.id}.html": fragment(item) for item in settled}


def fragment(settled: Settled) -> str:
    """One claim as an ``article`` element."""
    claim = settled.claim
    parts = [
        f'<article id="{claim.id}">',
        f"<h3>{html.escape(claim.title)}</h3>",
        f"<p><code>{claim.id}</code>, {settled.status}</p>",
        f"<div>{MathSentence(LATEX).write(settled.statement, claim.notation)}</div>",
    ]
    if isinstance(settled.result, Refutation):
        values = settled.result.instance
        named = [(LATEX.name(name), value) for name, value in sorted(values.items())]
        printed = [Printer(LATEX, [value]).definition(name, value) for name, value in named]
        parts.append(f"<p>Counterexample: {', '.join(map(in_text, printed))}.</p>")
    parts.append(f"<p>Source: {html.escape(claim.source)}.</p>")
    if claim.note:
        parts.append(f"<p>Note: {html.escape(claim.note)}</p>")
    if settled.facts:
        cited = [
            f"<li><code>{fact.name}</code>: {to_html(latex_prose(fact.reference))}</li>"
            for fact in settled.facts
        ]
        parts.append("\n".join(["<p>Rests on:</p>", "<ul>", *cited, "</ul>"]))
    if settled.digits:
        parts.append(f"<p>Cross-check: {html.escape(settled.digits)}</p>")
    return "\n".join([*parts, "</article>"]) + "\n"


def in_text(formula: str) -> str:
    """A formula in a paragraph: MathML, and words outside of it."""
    pieces = re.split(r"\$([^$]*)\$", breakable(inline(formula), large=False))
    return "".join(
        mathml(piece, display=False) if number % 2 else html.escape(piece)
        for number, piece in enumerate(pieces)
    )


class MathSentence(Sentence):
    """A statement with formulas in MathML and lists of HTML."""

    list_ends = ("</ul>",)

    def formula(self, formula: str) -> str:
        return in_text(formula)

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        return _list(f"({label}) {item}" for label, item in labelled)

    def definitions(self, lines: Sequence[str]) -> str:
        return _list(lines)


def _list(items: Iterable[str]) -> str:
    lines = [f"<li>{item}</li>" for item in items]
    return "\n".join(['<ul style="list-style: none">', *lines, "</ul>"])
