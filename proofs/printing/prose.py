"""Mathematics in informal words: Unicode between dollar signs, and how LaTeX sets it."""

from __future__ import annotations

import re

from proofs.printing.latex import LATEX, LatexNotation
from proofs.printing.names import GREEK

_FORMULA = re.compile(r"\$([^$]*)\$")
_LETTERS = {sign: name for name, sign in GREEK.items()}
_OPERATORS = {"exp": "exp", "tr": "trace", "det": "det", "rank": "rank", "λ_max": "lmax"}
_SIGNS = {
    **{"≤": "le", "≥": "ge", "⪯": "le_matrix", "⪰": "ge_matrix", "≻": "gt_matrix"},
    **{"−": "minus", "′": "prime", "∞": "infinity"},
}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀ", [*"0123456789-", "T"], strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_TOKEN = re.compile(
    rf"(?P<operator>{'|'.join(_OPERATORS)})|(?P<gaussian>N(?=\([^,]*,))|(?P<command>log|ker)"
    rf"|√(?P<root>\w)|‖(?P<norm>[^‖]*)‖|\|(?P<size>[^|]*)\||(?P<raised>[{''.join(_RAISED)}]+)"
    rf"|(?P<letter>[^\W\d_{''.join(_RAISED)}{''.join(_LOWERED)}])(?P<index>[{''.join(_LOWERED)}]*)"
    r"|(?P<other>.)"
)


def latex_prose(text: str, notation: LatexNotation = LATEX) -> str:
    r"""The same words with the formulas in LaTeX.

    >>> print(latex_prose("If $Zᵀ M Z = 0$ and $X₀ ⪰ 0$ on $[0, ∞)$ then $‖w‖² ≤ exp(λ_max(M))$."))
    If $Z^\top M Z = 0$ and $X_0 \succeq 0$ on $[0, \infty)$ then $\lVert w \rVert^2 \le
    \exp(\lambda_{\max}(M))$.
    """
    return _FORMULA.sub(lambda match: f"${_formula(match[1], notation)}$", text)


def _formula(formula: str, notation: LatexNotation) -> str:
    return "".join(_token(match, notation) for match in _TOKEN.finditer(formula))


def _token(match: re.Match[str], notation: LatexNotation) -> str:
    if match["operator"]:
        return notation.symbols[_OPERATORS[match["operator"]]]
    if match["gaussian"]:
        return notation.symbols["gaussian"]
    if match["command"]:
        return "\\" + match["command"]
    if match["root"]:
        return rf"\sqrt{{{match['root']}}}"
    if match["norm"]:
        return notation.norm(_formula(match["norm"], notation))
    if match["size"]:
        return rf"\lvert {_formula(match['size'], notation)} \rvert"
    if match["raised"]:
        exponent = "".join(_RAISED[sign] for sign in match["raised"])
        if exponent == "-T":
            return f"^{{-{notation.exponents['T']}}}"
        return notation.superscript("", exponent)
    if match["letter"]:
        letter = _LETTERS.get(match["letter"], match["letter"])
        index = "".join(_LOWERED[sign] for sign in match["index"])
        return notation.identity("") if letter == "I" else notation.name(letter + index)
    sign = match["other"]
    return notation.symbols[_SIGNS[sign]] if sign in _SIGNS else sign.replace("⊆", r"\subseteq")
