r"""LaTeX as in a paper; amsmath and amssymb suffice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from proofs.printing.names import GREEK, is_reserved, split_index
from proofs.printing.notation import Level, Notation, Piece
from proofs.printing.propositions import Printer
from proofs.terms import Term

_LETTER_INDEX = re.compile(r"([A-Za-z]+)_([A-Za-z][A-Za-z0-9]*)")


def latex(term: Term) -> str:
    r"""The term as one formula, for math mode.

    >>> from proofs.language import dim, mat, mul, psd, tp
    >>> d = dim("d")
    >>> V, Sigma0 = mat("V", d, d), mat("Sigma0", d, d)
    >>> print(latex(psd(mul(V, Sigma0, tp(V)))))
    V \Sigma_0 V^\top \succeq 0
    """
    return Printer(LATEX, [term]).whole(term)


def inline(formula: str) -> str:
    r"""A formula for a paragraph: its words stand outside the math, so that lines can break.

    >>> print(inline(r"A\text{ is invertible}"))
    $A$ is invertible
    """
    depth, start, pieces = 0, 0, []
    for match in re.finditer(r"\\text\{([^{}]*)\}|\\left|\\right|\\begin|\\end|\\?[{}]", formula):
        token = match[0]
        if token in ("{", r"\left", r"\begin"):
            # \begin{...} has braces of its own, which cancel
            depth += 1
        elif token in ("}", r"\right", r"\end"):
            depth -= 1
        elif match[1] is not None and depth == 0:
            pieces += [_dollars(formula[start : match.start()]), match[1]]
            start = match.end()
    return "".join([*pieces, _dollars(formula[start:])])


def _dollars(formula: str) -> str:
    """The formula in math mode, with the spaces around it, and a lone parenthesis, outside."""
    spaces, body = "", formula.lstrip()
    while body.endswith((" ", "\\ ")):
        body, spaces = body.removesuffix(" ").removesuffix("\\"), " "
    return (body if body in ("", "(", ")") else f"${body}$") + spaces


class LatexNotation(Notation):
    """LaTeX in math mode."""

    symbols: ClassVar[Mapping[str, str]] = {
        "zero": "0",
        "infinity": r"\infty",
        "plus": "+",
        "minus": "-",
        "dot": r"\cdot",
        "trace": r"\operatorname{tr}",
        "det": r"\det",
        "lmax": r"\lambda_{\max}",
        "rank": r"\operatorname{rank}",
        "exp": r"\exp",
        "log": r"\log",
        "gaussian": r"\mathcal{N}",
        "atom": r"\delta",
        "integral": r"\int",
        "balanced": r"\kappa_\infty",
        "dots": r"\dots",
        "d": r"\, d",
        "mapsto": r"\mapsto",
        "to": r"\to",
        "prime": "'",
        "eq": "=",
        "ne": r"\ne",
        "le": r"\le",
        "lt": "<",
        "ge": r"\ge",
        "gt": ">",
        "le_matrix": r"\preceq",
        "lt_matrix": r"\prec",
        "ge_matrix": r"\succeq",
        "gt_matrix": r"\succ",
        "in": r"\in",
        "colon": r"\colon",
        "implies": r"\Rightarrow",
        "comma": r",\ ",
        "that": r":\ ",
        "lifetimes": r"(0, \infty]",
        "Dim": r"\mathbb{N}",
        "Ext": r"(-\infty, \infty]",
        "Prop": r"\{\text{true}, \text{false}\}",
    }
    exponents: ClassVar[Mapping[str, str]] = {"T": r"\top", "-1": "-1", "+": "+"}

    def name(self, name: str) -> str:
        if is_reserved(name):
            return _italic(name) + "'"
        parts = split_index(name)
        if parts is not None and _is_letter(parts[0]):
            return self.letter(parts[0]) + (f"_{_group(parts[1])}" if parts[1] else "")
        match = _LETTER_INDEX.fullmatch(name)
        if match is not None and _is_letter(match[1]):
            return self.subscript(self.letter(match[1]), [match[2]])
        return _italic(name)

    def letter(self, letters: str) -> str:
        """A single letter, or the name of a Greek one."""
        return rf"\{letters}" if letters in GREEK else letters

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def parentheses(self, body: str) -> str:
        tall = is_tall(body) and r"\text{" not in body
        return rf"\left({body}\right)" if tall else f"({body})"

    def norm(self, body: str) -> str:
        if is_tall(body):
            return rf"\left\lVert {body} \right\rVert"
        return rf"\lVert {body} \rVert"

    def interval(self, end: str) -> str:
        tall = is_tall(end)
        return rf"\left[0, {end}\right)" if tall else f"[0, {end})"

    def restriction(self, measure: str, end: str) -> str:
        return rf"{measure}|_{{(-\infty, {end}]}}"

    def superscript(self, base: str, exponent: str) -> str:
        exponent = self.exponents.get(exponent, exponent)
        return f"{base}^{exponent if exponent.startswith(chr(92)) else _group(exponent)}"

    def subscript(self, base: str, indices: Sequence[str]) -> str:
        """Words among the indices stand upright."""
        return f"{base}_{_group(','.join(map(_upright, indices)))}"

    def summation(self, index: str, end: str) -> str:
        return rf"\sum_{{{index}=1}}^{_group(end)}" if end else rf"\sum_{_group(index)}"

    def indices(self, numbers: Sequence[str]) -> str:
        return rf"\{{{', '.join(numbers)}\}}"

    def identity(self, size: str) -> str:
        return f"I_{{{size}}}" if size else "I"

    def root(self, piece: Piece, scalar: bool) -> Piece:
        if scalar:
            return Piece(rf"\sqrt{{{self.whole(piece)}}}", Level.POWER)
        return Piece(f"{self.at_least(piece, Level.ATOM)}^{{1/2}}", Level.POWER)

    def quotient(self, above: Piece, below: Piece) -> Piece:
        body = rf"\frac{{{self.whole(above)}}}{{{self.whole(below)}}}"
        return Piece(body, Level.PRODUCT)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        body = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"

    def space(self, rows: str, columns: str) -> str:
        if not rows and not columns:
            return r"\mathbb{R}"
        if columns:
            return rf"\mathbb{{R}}^{{{rows or 1} \times {columns}}}"
        return rf"\mathbb{{R}}^{_group(rows)}"

    def measures(self, space: str) -> str:
        return rf"\mathcal{{M}}({space})"

    def derivative(self, body: str, time: str) -> str:
        return rf"\frac{{d}}{{d{time}}} {self.parentheses(body)}"

    def continuity(self, measure: str, velocity: str) -> str:
        return rf"\partial_t {measure} + \operatorname{{div}}({measure} {velocity}) = 0"


def is_tall(body: str) -> bool:
    """Whether a formula is higher than a line."""
    return any(mark in body for mark in (r"\frac", r"\int", r"\sum", "pmatrix"))


def _is_letter(letters: str) -> bool:
    return len(letters) == 1 or letters in GREEK


def _upright(index: str) -> str:
    word = len(index) > 1 and index.isalnum() and index[0].isalpha()
    return rf"\mathrm{{{index}}}" if word else index


def _italic(name: str) -> str:
    return rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"


def _group(index: str) -> str:
    return index if len(index) == 1 else f"{{{index}}}"


LATEX = LatexNotation()
