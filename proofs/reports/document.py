"""A document made of blocks, written as Markdown or as LaTeX.

Text of blocks is a small common language: ``$formula$`` and ```code```, the rest is plain.
"""

from __future__ import annotations

import os
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofs.kernel import Statement
from proofs.printing.abbreviations import Definition
from proofs.printing.display import display
from proofs.printing.statement import statement_latex, statement_markdown

PREAMBLE = r"""\documentclass{article}
\usepackage[margin=1in]{geometry}
\usepackage{amsmath,amssymb}
\allowdisplaybreaks
\setlength{\emergencystretch}{4em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5\baselineskip}
\raggedright
"""


class Block(ABC):
    """A part of a document."""

    @abstractmethod
    def markdown(self) -> str: ...

    @abstractmethod
    def latex(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Heading(Block):
    title: str

    def markdown(self) -> str:
        return f"## {self.title}"

    def latex(self) -> str:
        return rf"\section*{{{to_latex(self.title)}}}"


@dataclass(frozen=True, slots=True)
class Paragraph(Block):
    text: str

    def markdown(self) -> str:
        return self.text

    def latex(self) -> str:
        return to_latex(self.text)


@dataclass(frozen=True, slots=True)
class Items(Block):
    """A list."""

    items: tuple[str, ...]

    def markdown(self) -> str:
        return "\n".join(f"- {item}" for item in self.items)

    def latex(self) -> str:
        lines = [rf"\item {to_latex(item)}" for item in self.items]
        return "\n".join([r"\begin{itemize}", *lines, r"\end{itemize}"])


@dataclass(frozen=True, slots=True)
class Formula(Block):
    """A displayed formula, broken when it is long, with a remark below it."""

    formula: str
    remark: str = ""

    def markdown(self) -> str:
        below = f"\n\n{self.remark}" if self.remark else ""
        return f"$$\n{display(self.formula)}\n$${below}"

    def latex(self) -> str:
        below = f"\n{to_latex(self.remark)}\n" if self.remark else ""
        return f"\\[\n{display(self.formula)}\n\\]{below}"


@dataclass(frozen=True, slots=True)
class Theorem(Block):
    """A checked statement under its name."""

    name: str
    statement: Statement
    notation: tuple[Definition, ...] = ()

    def markdown(self) -> str:
        return f"**{self.name}** {statement_markdown(self.statement, self.notation)}"

    def latex(self) -> str:
        name = to_latex(self.name)
        return rf"\textbf{{{name}}} {statement_latex(self.statement, self.notation)}"


@dataclass(frozen=True, slots=True)
class Table(Block):
    """Rows of cells under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        lines = [self.header, ("---",) * len(self.header), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def latex(self) -> str:
        columns = "l" * len(self.header)
        lines = [" & ".join(map(to_latex, line)) + r" \\" for line in (self.header, *self.rows)]
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])


@dataclass(frozen=True)
class Document:
    """Blocks under a title."""

    title: str
    blocks: Sequence[Block]

    def markdown(self) -> str:
        """Markdown with formulas between dollar signs."""
        return "\n\n".join([f"# {self.title}", *(block.markdown() for block in self.blocks)]) + "\n"

    def latex(self) -> str:
        """A standalone LaTeX file."""
        body = "\n\n".join(block.latex() for block in self.blocks)
        title = to_latex(self.title)
        return (
            f"{PREAMBLE}\\title{{{title}}}\n\\date{{}}\n"
            f"\\begin{{document}}\n\\maketitle\n\n{body}\n\n\\end{{document}}\n"
        )

    def _repr_markdown_(self) -> str:
        return self.markdown()


_SPECIAL: Mapping[str, str] = {
    **{character: f"\\{character}" for character in "#%&_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "ᵀ": r"$^\top$",
    **{character: f"${character}$" for character in "<>|"},
}


def to_latex(text: str) -> str:
    r"""The text of a block as LaTeX.

    >>> print(to_latex("$A_1$ by `gaussian-tilt`, 50% & more"))
    $A_1$ by \texttt{gaussian-tilt}, 50\% \& more
    """
    pieces = []
    for part in re.split(r"(\$[^$]*\$|`[^`]*`)", text):
        if part.startswith("$"):
            pieces.append(part)
        elif part.startswith("`"):
            pieces.append(rf"\texttt{{{_escaped(part[1:-1])}}}")
        else:
            pieces.append(_escaped(part))
    return "".join(pieces)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is there in full or not at all.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
