"""One line of Unicode mathematics, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from proofs.printing.names import GREEK, is_reserved, split_index
from proofs.printing.notation import Level, Notation, Piece
from proofs.printing.propositions import Printer
from proofs.terms import Term

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def text(term: Term) -> str:
    """The term in one line.

    >>> from proofs.language import dim, mat, mul, psd, tp
    >>> d = dim("d")
    >>> V, Sigma0 = mat("V", d, d), mat("Sigma0", d, d)
    >>> text(psd(mul(V, Sigma0, tp(V))))
    'V Σ₀ Vᵀ ⪰ 0'
    """
    return Printer(TEXT, [term]).whole(term)


class TextNotation(Notation):
    """Unicode."""

    symbols: ClassVar[Mapping[str, str]] = {
        "zero": "0",
        "infinity": "∞",
        "plus": "+",
        "minus": "−",
        "dot": "·",
        "trace": "tr",
        "det": "det",
        "lmax": "λ_max",
        "rank": "rank",
        "exp": "exp",
        "log": "log",
        "gaussian": "N",
        "atom": "δ",
        "integral": "∫",
        "balanced": "κ_∞",
        "dots": "…",
        "d": "d",
        "mapsto": "↦",
        "to": "→",
        "prime": "′",
        "eq": "=",
        "ne": "≠",
        "le": "≤",
        "lt": "<",
        "ge": "≥",
        "gt": ">",
        "le_matrix": "⪯",
        "lt_matrix": "≺",
        "ge_matrix": "⪰",
        "gt_matrix": "≻",
        "in": "∈",
        "colon": ":",
        "implies": "⇒",
        "comma": ", ",
        "that": ": ",
        "lifetimes": "(0, ∞]",
        "Dim": "ℕ",
        "Ext": "(−∞, ∞]",
        "Prop": "{true, false}",
    }
    exponents: ClassVar[Mapping[str, str]] = {"T": "ᵀ", "-1": "⁻¹", "+": "⁺"}

    def name(self, name: str) -> str:
        if is_reserved(name):
            return f"{name}′"
        parts = split_index(name)
        if parts is None:
            return name
        letters, digits = parts
        return GREEK.get(letters, letters) + digits.translate(_SUBSCRIPTS)

    def words(self, text: str) -> str:
        return text

    def parentheses(self, body: str) -> str:
        return f"({body})"

    def norm(self, body: str) -> str:
        return f"|{body}|"

    def interval(self, end: str) -> str:
        return f"[0, {end})"

    def restriction(self, measure: str, end: str) -> str:
        return f"{measure}|(−∞, {end}]"

    def superscript(self, base: str, exponent: str) -> str:
        return base + (self.exponents.get(exponent) or exponent.translate(_SUPERSCRIPTS))

    def subscript(self, base: str, indices: Sequence[str]) -> str:
        return f"{base}_{_group(','.join(indices))}"

    def summation(self, index: str, end: str) -> str:
        return f"∑_{{{index}=1}}^{_group(end)}" if end else f"∑_{_group(index)}"

    def indices(self, numbers: Sequence[str]) -> str:
        return f"{{{', '.join(numbers)}}}"

    def identity(self, size: str) -> str:
        if size.isdecimal():
            return "I" + size.translate(_SUBSCRIPTS)
        return f"I_{size}" if size else "I"

    def root(self, piece: Piece, scalar: bool) -> Piece:
        return Piece(f"√{self.at_least(piece, Level.ATOM)}", Level.POWER)

    def quotient(self, above: Piece, below: Piece) -> Piece:
        body = f"{self.at_least(above, Level.PRODUCT)}/{self.at_least(below, Level.POWER)}"
        return Piece(body, Level.QUOTIENT)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]"

    def space(self, rows: str, columns: str) -> str:
        if not rows and not columns:
            return "ℝ"
        return f"ℝ^{{{rows or 1}×{columns}}}" if columns else f"ℝ^{rows}"

    def measures(self, space: str) -> str:
        return f"ℳ({space})"

    def derivative(self, body: str, time: str) -> str:
        return f"d/d{time} ({body})"

    def continuity(self, measure: str, velocity: str) -> str:
        return f"∂ₜ{measure} + div({measure} {velocity}) = 0"


def _group(index: str) -> str:
    return index if len(index) == 1 else f"{{{index}}}"


TEXT = TextNotation()
