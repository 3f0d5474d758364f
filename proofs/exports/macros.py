r"""LaTeX in macros, so that a paper can choose its own notation in one place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from types import MappingProxyType
from typing import ClassVar

from proofs.printing.display import width
from proofs.printing.latex import LatexNotation, inline, is_tall
from proofs.printing.names import GREEK
from proofs.printing.statement import LatexSentence

PREFIX = "lf"
"""Every macro starts with this, so that none is in a paper's way."""

OPERATORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "tr": (r"\operatorname{tr}", "trace"),
        "det": (r"\det", "determinant"),
        "rank": (r"\operatorname{rank}", "rank"),
        "lmax": (r"\lambda_{\max}", "largest eigenvalue"),
        "exp": (r"\exp", "exponential"),
        "log": (r"\log", "natural logarithm"),
        "div": (r"\operatorname{div}", "divergence"),
        "diff": ("d", "differential"),
        "gaussian": (r"\mathcal{N}", "Gaussian of a mean and a covariance"),
        "atom": (r"\delta", "point mass"),
        "balanced": (r"\kappa_\infty", "kernel of Sinkhorn attention"),
        "measures": (r"\mathcal{M}", "finite measures on a space"),
        "reals": (r"\mathbb{R}", "real numbers"),
        "naturals": (r"\mathbb{N}", "sizes"),
        "identity": ("I", "identity matrix"),
        "transpose": (r"\top", "exponent of a transpose"),
        "pinv": ("+", "exponent of a Moore-Penrose inverse"),
        "succeq": (r"\succeq", "semidefinite order"),
        "succ": (r"\succ", "definite order"),
        "preceq": (r"\preceq", "semidefinite order"),
        "prec": (r"\prec", "definite order"),
    }
)
"""Macro without prefix -> what it is unless the paper says otherwise, and what it stands for."""

LONG = 40
"""Characters beyond which tall parentheses are such that lines can break between them."""


def macro(name: str) -> str:
    return rf"\{PREFIX}{name}"


class MacroNotation(LatexNotation):
    """LaTeX in which operators, and all letters but small Latin ones, are macros."""

    symbols: ClassVar[Mapping[str, str]] = {
        **LatexNotation.symbols,
        "trace": macro("tr"),
        "det": macro("det"),
        "lmax": macro("lmax"),
        "rank": macro("rank"),
        "exp": macro("exp"),
        "log": macro("log"),
        "gaussian": macro("gaussian"),
        "atom": macro("atom"),
        "balanced": macro("balanced"),
        "d": rf"\, {macro('diff')} ",
        "le_matrix": macro("preceq"),
        "lt_matrix": macro("prec"),
        "ge_matrix": macro("succeq"),
        "gt_matrix": macro("succ"),
        "Dim": macro("naturals"),
    }
    exponents: ClassVar[Mapping[str, str]] = {
        **LatexNotation.exponents,
        "T": macro("transpose"),
        "+": macro("pinv"),
    }

    def name(self, name: str) -> str:
        return super().name(name).replace(r"\mathit{", rf"{macro('word')}{{")

    def letter(self, letters: str) -> str:
        return macro(letters) if letters in GREEK or letters in ascii_uppercase else letters

    def parentheses(self, body: str) -> str:
        if is_tall(body) and width(body) > LONG and "pmatrix" not in body:
            return rf"\Bigl({body}\Bigr)"
        return super().parentheses(body)

    def norm(self, body: str) -> str:
        return rf"{macro('Norm' if is_tall(body) else 'norm')}{{{body}}}"

    def identity(self, size: str) -> str:
        return macro("identity") + (f"_{{{size}}}" if size else "")

    def space(self, rows: str, columns: str) -> str:
        return super().space(rows, columns).replace(r"\mathbb{R}", macro("reals"))

    def measures(self, space: str) -> str:
        return f"{macro('measures')}({space})"

    def derivative(self, body: str, time: str) -> str:
        d = macro("diff")
        return rf"\frac{{{d}}}{{{d} {time}}} {self.parentheses(body)}"

    def continuity(self, measure: str, velocity: str) -> str:
        return rf"\partial_t {measure} + {macro('div')}({measure} {velocity}) = 0"


MACROS = MacroNotation()


class MacroSentence(LatexSentence):
    """A statement as a paragraph of a paper: lines break after commas as well."""

    list_ends = (r"\end",)

    def formula(self, formula: str) -> str:
        return breakable(inline(formula))

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        lines = [rf"\item[({label})] {item}" for label, item in labelled]
        return "\n".join([rf"\begin{{{PREFIX}items}}", *lines, rf"\end{{{PREFIX}items}}"])

    def definitions(self, lines: Sequence[str]) -> str:
        items = [rf"\item[] {line}" for line in lines]
        return "\n".join([rf"\begin{{{PREFIX}items}}", *items, rf"\end{{{PREFIX}items}}"])


def breakable(text: str, large: bool = True) -> str:
    r"""Formulas of a text cut after commas, which TeX never does, and set large where tall.

    >>> print(breakable(r"all $A, B \in \mathbb{R},\ x = f(a, b)$: if"))
    all $A$, $B \in \mathbb{R}$, $x = f(a, b)$: if
    """

    def cut(match: re.Match[str]) -> str:
        return ", ".join(f"${_large(part) if large else part}$" for part in _parts(match[1]))

    return re.sub(r"\$([^$]*)\$", cut, text)


def _parts(formula: str) -> Iterator[str]:
    part, depth = "", 0
    for token in re.findall(r"\\[A-Za-z]+|,(?:\\ | )|\\.|.", formula, re.DOTALL):
        if token in ("{", "(", "[", r"\{", r"\left", r"\begin"):
            depth += 1
        elif token in ("}", ")", "]", r"\}", r"\right", r"\end"):
            depth -= 1
        if token.startswith(",") and len(token) > 1 and depth <= 0:
            yield part.strip()
            part = ""
        else:
            part += token
    yield part.strip()


def _large(formula: str) -> str:
    tall = is_tall(formula.replace("pmatrix", ""))
    return rf"\displaystyle {formula}" if tall else formula


def macros_tex() -> str:
    """The file of all macros; a paper that defines one before it is read keeps its own."""
    lines = [
        "% Needs amsmath and amssymb.",
        "% Notation: define any of these before this file is read, and yours is used.",
        "% What you put in place of a letter may get subscripts: braces around one that has some.",
        "",
        "% operators",
        *(
            rf"\providecommand{{{macro(name)}}}{{{body}}} % {meaning}"
            for name, (body, meaning) in OPERATORS.items()
        ),
        rf"\providecommand{{{macro('norm')}}}[1]{{\lVert #1 \rVert}}",
        rf"\providecommand{{{macro('Norm')}}}[1]{{\left\lVert #1 \right\rVert}}",
        "% names of several letters",
        rf"\providecommand{{{macro('word')}}}[1]{{\mathop{{\mathit{{#1}}}}\nolimits}}",
        "",
        "% letters",
        *(rf"\providecommand{{{macro(name)}}}{{\{name}}}" for name in GREEK),
        *(rf"\providecommand{{{macro(name)}}}{{{name}}}" for name in ascii_uppercase),
        "",
        _LAYOUT.strip(),
    ]
    return "\n".join(lines) + "\n"


_LAYOUT = r"""
% layout: \begin{lfclaim}{id}{title}{status}, its lists, its facts
\ifdefined\lfclaim\else
  \newenvironment{lfclaim}[3]{\par\medskip\noindent
    \textbf{\boldmath #2} (\texttt{#1}, #3).\par\nobreak\noindent\ignorespaces}{\par\medskip}
\fi
\ifdefined\lfitems\else
  \newenvironment{lfitems}{\begin{list}{}{\setlength{\itemsep}{2pt}\setlength{\parsep}{0pt}%
    \setlength{\topsep}{3pt}\setlength{\leftmargin}{2.5em}\setlength{\labelwidth}{2em}%
    \setlength{\lineskiplimit}{2pt}\setlength{\lineskip}{4pt}%
    \setlength{\emergencystretch}{4em}\raggedright}}{\end{list}}
\fi
\providecommand{\lfcounterexample}{\par\noindent\textit{Counterexample.} }
\providecommand{\lfnote}[1]{\par\noindent\textit{Note.} #1}
\providecommand{\lfsource}[1]{\par\noindent\textit{Source.} #1}
\providecommand{\lffacts}[1]{\par\noindent\textit{Rests on.} #1}
\providecommand{\lffactname}[1]{\mbox{\texttt{#1}}}
\providecommand{\lffact}[2]{\lffactname{#1}~(#2)}
\providecommand{\lfdigits}[1]{\par\noindent\textit{Cross-check.} #1}
"""
