"""Informal words of claims and facts, with the mathematics in them, as LaTeX."""

from __future__ import annotations

import re

from proofs.exports.macros import MACROS
from proofs.printing.names import GREEK
from proofs.printing.prose import latex_prose
from proofs.reports.document import to_latex

_LETTER = rf"(?:{'|'.join(sorted(GREEK, key=len, reverse=True))}|[A-Za-z])"
_FORMULA = re.compile(
    r"(?<![A-Za-z\\.])(?<![A-Za-z]-)(?:(?P<largest>lambda_max)|(?P<gaussian>N(?=\())|(?!L2 att)"
    rf"(?P<name>{_LETTER}(?:[0-9]+|_[A-Za-z0-9]+)|{'|'.join(GREEK)}|[A-Z]))"
    r"(?![A-Za-z-])(?P<power>\^(?:T|-1|\+|[0-9]|\{[^{}]*\}))?"
    r"|(?P<sign><=|>=)|(?P<loose>\^(?:T|-1|\+|[0-9]|\{[^{}]*\}))"
)
_SIGNS = {"<=": r"\le", ">=": r"\ge"}


def prose(text: str) -> str:
    r"""The words with their formulas.

    Outside of dollar signs, letters that have an index or a Greek name, powers and signs are
    taken for formulas too.

    >>> print(prose("V = P^T and Sigma0 >= 0"))
    $\lfV$ = $\lfP^{\lftranspose}$ and $\lfSigma_0$ $\ge$ 0
    """
    pieces = latex_prose(text, MACROS).split("$")
    pieces[::2] = [_FORMULA.sub(_formula, words) for words in pieces[::2]]
    return to_latex("$".join(pieces))


def _formula(match: re.Match[str]) -> str:
    if match["largest"] or match["gaussian"]:
        return f"${MACROS.symbols['lmax' if match['largest'] else 'gaussian']}$"
    if match["sign"]:
        return f"${_SIGNS[match['sign']]}$"
    if match["loose"]:
        return f"${_power(match['loose'])}$"
    if match["name"] == "A" and _is_article(match.string, match.start()):
        return match[0]
    letter = MACROS.identity("") if match["name"] == "I" else MACROS.name(match["name"])
    return f"${letter}{_power(match['power'] or '')}$"


def _is_article(text: str, place: int) -> bool:
    """Whether the letter there begins a sentence and a word comes after it."""
    begins = place == 0 or text[:place].endswith((". ", ": "))
    return begins and re.match(r"A [a-z]{2}", text[place:]) is not None


def _power(power: str) -> str:
    exponent = power[1:].strip("{}")
    return f"^{{{exponent.replace('T', MACROS.exponents['T'])}}}" if exponent else ""
