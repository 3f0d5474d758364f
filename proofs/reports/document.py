"""A document made of blocks, written as Markdown, as LaTeX or as HTML.

Text of blocks is the small language of ``proofs.printing.markup``.  Sections are numbered, and
statements within their section; the numbers are the same in every format.
"""

from __future__ import annotations

import os
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from proofs.kernel import Statement
from proofs.printing.abbreviations import Definition
from proofs.printing.display import display, width
from proofs.printing.markup import (
    breakable,
    cell_html,
    cell_latex,
    formula_html,
    to_html,
    to_latex,
    to_plain,
)
from proofs.printing.statement import statement_html, statement_latex, statement_markdown
from proofs.reports.article import article
from proofs.reports.page import page

GUTTER = 5
"""Characters that the space between two columns of a table is wide, about."""

_CHECK = re.compile(r"(?:^|(?<=\. ))(Checked: |The kernel proved |Derived by SymPy)")
_KIND = re.compile(r"(?P<kind>[A-Z][a-z]+)(?: \((?P<note>.*)\))?\.?")
_NAMED = re.compile(r"`(?P<name>[^`]*)`: (?P<text>.*)", re.DOTALL)


class Block(ABC):
    """A part of a document.

    The numbers of a block are passed to it where it has any, as ``2`` for a section or ``2.1``.
    """

    @abstractmethod
    def markdown(self, number: str = "") -> str: ...

    @abstractmethod
    def latex(self) -> str:
        """LaTeX counts for itself."""

    @abstractmethod
    def html(self, number: str = "") -> str: ...


@dataclass(frozen=True, slots=True)
class Heading(Block):
    """The title of a section, which begins with it."""

    title: str

    def markdown(self, number: str = "") -> str:
        return f"## {_counted(number, self.title)}"

    def latex(self) -> str:
        return rf"\section{{{to_latex(self.title)}}}"

    def html(self, number: str = "") -> str:
        return f'<h2 id="{self.anchor(number)}">{_counted(number, to_html(self.title))}</h2>'

    def anchor(self, number: str) -> str:
        """Where links to the section lead; no two sections have the same number."""
        words = re.findall("[a-z0-9]+", to_plain(self.title).lower())
        return "-".join(["section", *([number] if number else []), *words])


@dataclass(frozen=True, slots=True)
class Paragraph(Block):
    text: str

    def markdown(self, number: str = "") -> str:
        return self.text

    def latex(self) -> str:
        return to_latex(self.text)

    def html(self, number: str = "") -> str:
        return f"<p>{to_html(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Items(Block):
    """A list; a list of descriptions when every item begins with the name of something."""

    items: tuple[str, ...]

    def markdown(self, number: str = "") -> str:
        return "\n".join(f"- {item}" for item in self.items)

    def latex(self) -> str:
        named = self._named()
        if named:
            lines = [
                rf"\item[{{{to_latex(f'`{name}`')}}}] {to_latex(text)}" for name, text in named
            ]
            return "\n".join([r"\begin{description}", *lines, r"\end{description}"])
        lines = [rf"\item {breakable(to_latex(item))}" for item in self.items]
        return "\n".join([r"\begin{itemize}", *lines, r"\end{itemize}"])

    def html(self, number: str = "") -> str:
        named = self._named()
        if named:
            lines = [
                f"<dt>{to_html(f'`{name}`')}</dt>\n<dd>{to_html(text)}</dd>" for name, text in named
            ]
            return "\n".join(["<dl>", *lines, "</dl>"])
        lines = [f"<li>{to_html(item)}</li>" for item in self.items]
        return "\n".join(["<ul>", *lines, "</ul>"])

    def _named(self) -> list[tuple[str, str]]:
        matches = [_NAMED.fullmatch(item) for item in self.items]
        named = [(match["name"], match["text"]) for match in matches if match]
        return named if len(named) == len(matches) else []


@dataclass(frozen=True, slots=True)
class Formula(Block):
    """A displayed formula, broken when it is long, with a remark below it.

    The remark says why the formula holds.  What follows ``Checked:`` in it, or says that the
    kernel proved it or that SymPy derived it, is set off as the mark of how that was checked.
    """

    formula: str
    remark: str = ""

    def markdown(self, number: str = "") -> str:
        below = f"\n\n{self.remark}" if self.remark else ""
        return f"$$\n{display(self.formula)}\n$${below}"

    def latex(self) -> str:
        reason, mark = self.reason_and_mark()
        parts = [to_latex(reason)] if reason else []
        if mark:
            parts.append(rf"\checked{{{to_latex(mark)}}}")
        below = f"\n\\reason{{{' '.join(parts)}}}\n" if parts else ""
        return f"\\[\n{display(self.formula)}\n\\]{below}"

    def html(self, number: str = "") -> str:
        reason, mark = self.reason_and_mark()
        parts = [to_html(reason)] if reason else []
        if mark:
            parts.append(f'<span class="checked">{to_html(mark)}</span>')
        below = f"\n<figcaption>{' '.join(parts)}</figcaption>" if parts else ""
        return (
            f'<figure>\n<div class="formula">{formula_html(self.formula)}</div>{below}\n</figure>'
        )

    def reason_and_mark(self) -> tuple[str, str]:
        """The remark before and from the words that say how the formula was checked."""
        match = _CHECK.search(self.remark)
        if match is None:
            return self.remark, ""
        return self.remark[: match.start()].strip(), self.remark[match.start() :]


@dataclass(frozen=True, slots=True)
class Theorem(Block):
    """A checked statement under its name: a kind, and a note in parentheses."""

    name: str
    statement: Statement
    notation: tuple[Definition, ...] = ()

    def markdown(self, number: str = "") -> str:
        name = self.name
        if number:
            name = f"{self.kind} {number}{self.name.removeprefix(self.kind)}"
        return f"**{name}** {statement_markdown(self.statement, self.notation)}"

    def latex(self) -> str:
        kind = self.kind.lower()
        note = f"[{{{to_latex(self.note)}}}]" if self.note else ""
        body = breakable(statement_latex(self.statement, self.notation))
        return f"\\begin{{{kind}}}{note}\n{body}\n\\end{{{kind}}}"

    def html(self, number: str = "") -> str:
        kind = self.kind.lower()
        note = f' <span class="note">({to_html(self.note)})</span>' if self.note else ""
        name = f"{self.kind} {number}".strip()
        anchor = f' id="{kind}-{number}"' if number else ""
        body = statement_html(self.statement, self.notation)
        return (
            f'<div class="statement {kind}"{anchor}>\n'
            f'<p class="name"><strong>{name}</strong>{note}</p>\n<div>{body}</div>\n</div>'
        )

    @property
    def kind(self) -> str:
        """``Theorem``, ``Lemma``, ``Fact``: the first word of the name."""
        match = _KIND.fullmatch(self.name)
        return match["kind"] if match else "Statement"

    @property
    def note(self) -> str:
        match = _KIND.fullmatch(self.name)
        return (match["note"] or "") if match else self.name


@dataclass(frozen=True, slots=True)
class Table(Block):
    """Rows of cells, which are text, under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self, number: str = "") -> str:
        lines = [self.header, ("---",) * len(self.header), *self.rows]
        return "\n".join(
            f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
        )

    def latex(self) -> str:
        columns = "".join(
            rf">{{\raggedright\arraybackslash}}p{{\dimexpr {share:.3f}\linewidth-2\tabcolsep}}"
            for share in self._shares()
        )
        header = " & ".join(rf"\textbf{{{to_latex(cell)}}}" for cell in self.header)
        rows = [" & ".join(map(cell_latex, row)) + r" \\" for row in self.rows]
        return "\n".join(
            [
                r"{\small",
                rf"\begin{{longtable}}{{{columns}}}",
                rf"\toprule {header} \\ \midrule \endhead",
                r"\bottomrule \endlastfoot",
                "\n\\addlinespace\n".join(rows),
                r"\end{longtable}}",
            ]
        )

    def html(self, number: str = "") -> str:
        header = "".join(f'<th scope="col">{to_html(cell)}</th>' for cell in self.header)
        rows = [
            "<tr>" + "".join(f"<td>{cell_html(cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows
        ]
        label = escape(", ".join(map(to_plain, self.header)), quote=True)
        return "\n".join(
            [
                f'<div class="scroll" role="region" tabindex="0" aria-label="Table: {label}">',
                f"<table>\n<thead><tr>{header}</tr></thead>\n<tbody>",
                *rows,
                "</tbody>\n</table>\n</div>",
            ]
        )

    def _shares(self) -> list[float]:
        """The parts of the line that the columns get: by their widest cell, within bounds."""
        widest = []
        for column in zip(self.header, *self.rows, strict=True):
            longest_word = max(
                len(word) for cell in column for word in to_plain(cell).split() or [""]
            )
            widest.append(min(max(max(map(width, column)), longest_word + GUTTER), 30))
        return [each / sum(widest) for each in widest]


@dataclass(frozen=True)
class Document:
    """Blocks under a title."""

    title: str
    blocks: Sequence[Block]

    def markdown(self) -> str:
        """Markdown with formulas between dollar signs."""
        blocks = [block.markdown(number) for number, block in self._numbered()]
        return "\n\n".join([f"# {self.title}", *blocks]) + "\n"

    def latex(self) -> str:
        """A standalone LaTeX file."""
        kinds = dict.fromkeys(block.kind for block in self.blocks if isinstance(block, Theorem))
        body = "\n\n".join(block.latex() for block in self.blocks)
        return article(to_latex(self.title), to_plain(self.title), list(kinds), body)

    def html(self) -> str:
        """A standalone HTML file that refers to nothing outside of it."""
        contents, body, opened = [], [], False
        for number, block in self._numbered():
            if isinstance(block, Heading):
                anchor = block.anchor(number)
                contents.append((anchor, _counted(number, to_html(block.title))))
                body += ["</section>"] * opened + [f'<section aria-labelledby="{anchor}">']
                opened = True
            body.append(block.html(number))
        body += ["</section>"] * opened
        return page(to_html(self.title), to_plain(self.title), contents, "\n".join(body))

    def _numbered(self) -> Iterator[tuple[str, Block]]:
        """The blocks with their numbers; the counting is that of LaTeX."""
        section = statement = 0
        for block in self.blocks:
            number = ""
            if isinstance(block, Heading):
                section, statement = section + 1, 0
                number = str(section)
            elif isinstance(block, Theorem):
                statement += 1
                number = f"{section}.{statement}"
            yield number, block

    def _repr_markdown_(self) -> str:
        return self.markdown()


def _counted(number: str, title: str) -> str:
    return f"{number}. {title}" if number else title


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there in full or not at all.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
