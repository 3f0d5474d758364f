"""The small language of running text: ``$formula$`` and ```code```, the rest is plain."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape

from proofs.printing.display import clauses, factors, outer_first, parts, pieces, width
from proofs.printing.latex import inline
from proofs.printing.mathml import mathml
from proofs.printing.names import GREEK

LONG_CODE = 20
"""Characters of code that stay on one line in LaTeX."""

SHORT = 28
"""Characters of a formula, as they are seen, that always stay on one line on a screen."""

LARGE = 12
"""Characters of a formula in running text above which fractions are not made small."""

NARROW = 32
"""Characters of a formula, as they are seen, that fit on the line of a narrow screen."""

LONG = 60
"""Characters of a formula in a paragraph of LaTeX above which it is broken anywhere."""

CELL = 18
"""The same in the column of a table."""

_PART = re.compile(r"(\$[^$]*\$|`[^`]*`)")
_PUNCTUATION = re.compile(r"[,.;:)]*")

_SPECIAL: Mapping[str, str] = {
    **{character: f"\\{character}" for character in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    **{"ö": r"{\"o}", "é": r"{\'e}"},
    "~": r"\textasciitilde{}",
    "ᵀ": r"$^\top$",
    "⁻": "$^-$",
    **{character: f"${character}$" for character in "<>|"},
    **{letter: rf"$\{name}$" for name, letter in GREEK.items()},
    **{digit: f"$_{number}$" for number, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{digit: f"$^{number}$" for number, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{
        sign: rf"$\{name}$"
        for sign, name in {
            **{"≤": "le", "≥": "ge", "≠": "ne", "∈": "in", "→": "to", "∞": "infty"},
            **{"×": "times", "·": "cdot", "±": "pm", "∂": "partial", "∇": "nabla", "∫": "int"},
            **{"⪰": "succeq", "⪯": "preceq", "≻": "succ", "≺": "prec", "⇒": "Rightarrow"},
        }.items()
    },
    "−": "$-$",
    "–": "--",
    "—": "---",
    "’": "'",
    "“": "``",
    "”": "''",
}


def to_latex(text: str) -> str:
    r"""Running text as LaTeX.

    >>> print(to_latex("$A_1$ by `gaussian-tilt`, 50% & more"))
    $A_1$ by \texttt{gaussian-tilt}, 50\% \& more
    """
    return _written(text, lambda formula: f"${formula}$")


def cell_latex(text: str) -> str:
    r"""The same for a narrow column: formulas may be broken between any two factors.

    >>> print(cell_latex("$A B$"))
    $A \allowbreak B$
    """
    return _written(text, lambda formula: "$" + r"\allowbreak ".join(factors(formula)) + "$")


def breakable(latex: str) -> str:
    r"""LaTeX text whose formulas may be broken after commas, long ones between factors too.

    Fractions are set large, but for a lone one in a short formula.

    >>> print(breakable(r"for $A,\ B$"))
    for $A,\ \allowbreak B$
    """

    def cut(match: re.Match[str]) -> str:
        formula = match[0][1:-1]
        cuts = clauses(formula)
        if width(formula) > LONG:
            cuts = [outer_first(clause) for clause in cuts]
        fractions = formula.count(r"\frac")
        tall = fractions > 1 or (fractions and width(formula) > LARGE)
        large = r"\displaystyle " if tall else ""
        return "$" + large + r"\allowbreak ".join(cuts) + "$"

    return re.sub(r"\$[^$]*\$", cut, latex)


def _written(text: str, formula: Callable[[str], str]) -> str:
    written = []
    for part in _PART.split(text):
        if part.startswith("$") and part.endswith("$") and len(part) > 1:
            written.append(formula(part[1:-1]))
        elif part.startswith("`") and part.endswith("`") and len(part) > 1:
            written.append(rf"\texttt{{{_code(part[1:-1])}}}")
        else:
            written.append(_escaped(part))
    return "".join(written)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _code(text: str) -> str:
    """Long code may be broken at its signs."""
    if len(text) <= LONG_CODE:
        return _escaped(text)
    pieces_of_code = re.split(r"(?<=[-./_])", text)
    return r"\allowbreak{}".join(map(_escaped, pieces_of_code))


def to_html(text: str, *, display: bool = False, narrow: int = NARROW) -> str:
    """Running text as HTML, formulas as MathML, in pieces that are ``narrow`` where possible.

    >>> print(to_html("$x$ by `a-b` & more"))
    <math><mrow><mi>x</mi></mrow></math> by <code>a-b</code> &amp; more
    """
    printed = []
    found = _PART.split(text)
    for number, part in enumerate(found):
        if part.startswith("$") and part.endswith("$") and len(part) > 1:
            after = found[number + 1]
            mark = _PUNCTUATION.match(after)
            end = mark[0] if mark else ""
            found[number + 1] = after.removeprefix(end)
            printed.append(math_html(part[1:-1], end, display=display, narrow=narrow))
        elif part.startswith("`") and part.endswith("`") and len(part) > 1:
            printed.append(f"<code>{escape(part[1:-1])}</code>")
        else:
            printed.append(escape(part))
    return "".join(printed)


def to_plain(text: str) -> str:
    """Running text without its marks, for where there can be no formulas."""
    return re.sub(r"[$`]", "", text)


def formula_html(formula: str) -> str:
    """A displayed formula: its words are text, so that lines can break."""
    return to_html(inline(formula), display=True)


def cell_html(text: str) -> str:
    """Running text for a narrow column."""
    return to_html(text, narrow=CELL)


def math_html(formula: str, end: str = "", *, display: bool = False, narrow: int = NARROW) -> str:
    """A formula as MathML in pieces, between which a line may end.

    Short clauses are broken only in narrow columns.  Pieces that are too wide for a narrow screen
    are cut finer, in boxes of their own: these are broken only where the piece as a whole does not
    fit.  The punctuation at the ``end`` stays on the line of the last piece.
    """
    large = display or (r"\frac" in formula and width(formula) > LARGE)
    cut = [
        piece
        for clause in clauses(formula)
        for piece in (pieces(clause, 0) if width(clause) > SHORT else [clause])
    ]
    printed = []
    for number, piece in enumerate(cut):
        finer = parts(piece, narrow)
        inner = []
        for place, part in enumerate(finer):
            element = mathml(part, display=large, continued=number + place > 0)
            wide = width(part) > NARROW
            inner.append(f'<span class="wide">{element}</span>' if wide else element)
        if end and number == len(cut) - 1:
            inner[-1] = f'<span class="ended">{inner[-1]}{end}</span>'
        whole = "".join(inner)
        several = len(inner) > 1
        printed.append(f'<span class="piece"><span>{whole}</span></span>' if several else whole)
    return "".join(printed)
