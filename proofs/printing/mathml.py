r"""LaTeX formulas as MathML.

The conversion is that of the library latex2mathml.  Before it, environments that the library does
not know are renamed; after it, what is an operator, a letter or a name is told apart the way
browsers need it, so that the spaces around them are those of TeX.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from html import unescape
from xml.etree.ElementTree import Element, tostring

from proofs.printing.names import GREEK

RENAMED: Mapping[str, str] = {
    r"\begin{aligned}": r"\begin{split}",
    r"\end{aligned}": r"\end{split}",
    r"\colon": ":",
    r"\mathrm": r"\text",
}
"""What the library does not know, or knows as something else."""

_UPRIGHT = {letter for letter in GREEK.values() if letter.isupper()}
_LETTERS = set("∞⊤∅ℓ")
_OPERATORS = set(":′,;‖⟨⟩")
_BEFORE_SIGN = set("([{|⟨=<>,;:+−±×⋅·∈≤≥≠≺≻⪯⪰→⇒↦∫∑∏")
_CLOSING = set(")]}|⟩")
_BARE: Mapping[str, str] = {"lspace": "0", "rspace": "0"}
_SPACING: Mapping[str, Mapping[str, str]] = {
    "/": _BARE,
    "|": {**_BARE, "stretchy": "false"},
    "‖": {**_BARE, "stretchy": "false"},
    "⟨": {**_BARE, "stretchy": "false"},
    "⟩": {**_BARE, "stretchy": "false"},
    "∂": _BARE,
    "∇": _BARE,
    ":": {"lspace": "0", "rspace": "0.2em"},
}
_LIMITS: Mapping[str, str] = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_THIN = "0.167em"


def mathml(formula: str, *, display: bool = False, continued: bool = False) -> str:
    r"""A formula in math mode as one ``math`` element.

    Args:
        formula: LaTeX, as of ``proofs.printing.latex``.
        display: with sums and fractions in the size of a displayed formula.
        continued: the formula goes on with one that stands before it.

    Raises:
        ValueError: there is something in it that cannot be converted.

    >>> print(mathml(r"\Sigma \succeq 0"))
    <math><mrow><mi mathvariant="normal">Σ</mi><mo>⪰</mo><mn>0</mn></mrow></math>
    """
    from latex2mathml.converter import Converter

    source = formula
    for command, known in RENAMED.items():
        source = source.replace(command, known)
    try:
        math = Converter(display="block" if display else "inline").convert_to_element(source)
    except Exception as error:  # the library has no common class of errors
        raise ValueError(f"not converted to MathML: {formula} ({error!r})") from error
    math.attrib.clear()
    if display:
        math.set("displaystyle", "true")
    for element in math.iter():
        _mend(element)
        if (element.text or "").strip("\u00a0 ") in ("&", "\\") or "\\" in (element.text or ""):
            raise ValueError(f"not converted to MathML: {formula}")
    for element in [*math.iter()]:
        _arrange(element)
    first = math.find("mrow/*")
    if continued and first is not None and first.text in ("+", "−"):
        first.set("form", "infix")
    return tostring(math, encoding="unicode")


def _mend(element: Element) -> None:
    """The right kind of element for its text, which the library leaves with entities in it."""
    if element.text is None:
        return
    text = element.text = unescape(element.text)
    if element.tag == "mi" and (text in _OPERATORS or _is_symbol(text)):
        element.tag = "mo"
    elif element.tag == "mo" and (text in _LETTERS or (len(text) > 1 and text[0].isalpha())):
        element.tag = "mi"
        element.attrib.clear()
    if element.tag == "mo":
        if "form" not in element.attrib:
            for name, value in _SPACING.get(text, {}).items():
                element.set(name, value)
    elif element.tag == "mi":
        element.attrib.pop("mathvariant", None)
        if text in _UPRIGHT:
            element.set("mathvariant", "normal")


def _is_symbol(text: str) -> bool:
    return len(text) == 1 and text not in _LETTERS and unicodedata.category(text) == "Sm"


def _arrange(parent: Element) -> None:
    """Limits of sums, signs that are no sums, a thin space before the name of a function."""
    if parent.tag == "mtable":
        parent.set("class", "lines" if "displaystyle" in parent.attrib else "matrix")
    if parent.tag in _LIMITS and parent[0].text in ("∑", "∏"):
        # browsers set them beside the sign where that is right
        parent.tag = _LIMITS[parent.tag]
    if parent.tag not in ("mrow", "mtd", "mstyle", "msqrt"):
        return
    before: Element | None = None
    children = []
    for child in [*parent]:
        if child.tag == "mo" and child.text in ("−", "+") and before is not None:
            if before.tag == "mtext" or _ends(before, _BEFORE_SIGN):
                child.set("form", "prefix")
        elif _is_name(child) and before is not None:
            operand = before.tag not in ("mo", "mspace", "mtext") or _ends(before, _CLOSING)
            if operand and not _ends(before, set("∫∑∏")):
                children.append(Element("mspace", {"width": _THIN}))
        children.append(child)
        before = child
    parent[:] = children


def _is_name(element: Element) -> bool:
    """Whether it begins with a name of several letters."""
    while len(element):
        element = element[0]
    return element.tag == "mi" and len(element.text or "") > 1


def _ends(element: Element, characters: set[str]) -> bool:
    """Whether an operator, with or without indices, is one of the characters."""
    if element.tag in ("msub", "msup", "msubsup", "munder", "mover", "munderover"):
        element = element[0]
    return element.tag == "mo" and element.text in characters
