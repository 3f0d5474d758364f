r"""The LaTeX article around a document; the packages are those of a small TeX installation."""

from __future__ import annotations

from collections.abc import Sequence

PREAMBLE = r"""\documentclass{article}
\usepackage[margin=1in]{geometry}
\usepackage{amsmath,amssymb,amsthm}
\usepackage{array,booktabs,longtable}
\usepackage[hidelinks]{hyperref}
\allowdisplaybreaks
\setlength{\emergencystretch}{4em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5\baselineskip}
\postdisplaypenalty=10000
\raggedright
\makeatletter
\def\@listi{\leftmargin\leftmargini \topsep=2pt \parsep=0pt \itemsep=3pt}
\makeatother
\newcommand{\reason}[1]{{\small #1\par}\smallskip}
\newcommand{\checked}[1]{$\checkmark$~\emph{#1}}
"""
r"""``\reason`` stands below a formula, ``\checked`` in it says how the formula was checked."""

STYLES = {"Fact": "definition", "Definition": "definition", "Remark": "remark"}
"""Kinds of statements that are not set like theorems."""


def article(title: str, plain_title: str, kinds: Sequence[str], body: str) -> str:
    """The whole file, which begins with its preamble.

    Args:
        title: as LaTeX.
        plain_title: for the properties of the file.
        kinds: of statements, ``Theorem``, ``Lemma``, ..., which are counted together.
        body: as LaTeX.
    """
    metadata = "".join(c for c in plain_title if c.isalnum() or c in " ,.:;()'-")
    return "\n".join(
        [
            PREAMBLE + _environments(kinds),
            rf"\hypersetup{{pdftitle={{{metadata}}},pdflang={{en}}}}",
            rf"\title{{{title}}}",
            r"\author{}\date{}",
            r"\begin{document}",
            r"\maketitle",
            "",
            body,
            "",
            r"\end{document}",
            "",
        ]
    )


def _environments(kinds: Sequence[str]) -> str:
    lines = [r"\newcounter{result}[section]"]
    lines += [r"\renewcommand{\theresult}{\thesection.\arabic{result}}"]
    for kind in kinds:
        style = STYLES.get(kind, "plain")
        lines.append(rf"\theoremstyle{{{style}}}\newtheorem{{{kind.lower()}}}[result]{{{kind}}}")
    return "\n".join(lines)
