r"""Long LaTeX formulas on several lines.

Lines are broken only where a reader would: outside braces and parentheses, before a relation, a
sign, an arrow, or before words.  The formula is cut, never rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from proofs.printing.names import GREEK

LINE = 78
"""Characters, as they are seen, that fit on one line."""

_TOKEN = re.compile(r"\\text\{[^{}]*\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_SIGN = re.compile(rf"\\(?:sum|prod|int)(?:[_^](?:{_GROUP}|[^{{}}]))* $")
"""The sign of a sum or an integral with its limits."""

_RELATIONS = {"=", "<", ">", r"\to", r"\le", r"\ge", r"\ne", r"\in", r"\preceq", r"\succeq"}
_RELATIONS |= {r"\prec", r"\succ", r"\Rightarrow", r"\mapsto"}
_STARTS = {"(", "[", r"\frac", r"\sqrt", r"\mathcal", r"\mathbb", r"\exp", r"\det"}
_BEFORE_OPERAND = {"", "(", "{", "[", "-", "+", ",", "^", "_"} | _RELATIONS
_OPENING = {"{", "(", "[", r"\left", r"\begin", r"\langle"}
_CLOSING = {"}", ")", "]", r"\right", r"\end", r"\rangle"}
_SEEN = {"(", "[", r"\langle", ")", "]", r"\rangle"}
_INVISIBLE = (_OPENING | _CLOSING) - _SEEN | {r"\frac", r"\operatorname", "^", "_"}
_INVISIBLE |= {r"\mathcal", r"\mathbb", r"\mathit", r"\mathrm", " ", r"\ ", r"\,"}


def width(formula: str) -> int:
    r"""About how many characters wide a formula is.

    >>> width(r"\Sigma_0^{1/2} \succeq 0")
    9
    """
    total = 0
    for token in _TOKEN.findall(formula):
        if token.startswith(r"\text{"):
            total += len(token) - len(r"\text{}")
        elif token in _RELATIONS or token in ("+", "-"):
            total += 3
        elif token not in _INVISIBLE and not (token == "\\" or token.isspace()):
            total += 1
    return total


def lines(formula: str, limit: int = LINE) -> list[str]:
    r"""The formula in pieces that fit, as far as there are places to break it; best before words.

    >>> lines(r"a = b\text{ and }c = d + e", 15)
    ['a = b', '\\text{ and }c = d + e']
    """
    cut = [formula]
    for finer in (_before_words, lambda part: pieces(part, 0), lambda part: pieces(part, 1)):
        cut = _cut_wide(cut, finer, limit)
    found: list[str] = []
    for piece in cut:
        if found and width(found[-1]) + width(piece) <= limit:
            found[-1] += piece
        else:
            found.append(piece)
    return [line.strip() for line in found]


def _cut_wide(cut: Sequence[str], finer: Callable[[str], list[str]], limit: int) -> list[str]:
    """What does not fit is cut finer."""
    return [part for piece in cut for part in (finer(piece) if width(piece) > limit else [piece])]


def _before_words(formula: str) -> list[str]:
    found: list[str] = []
    for piece in pieces(formula, 0):
        if found and not piece.startswith(r"\text{ "):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def pieces(formula: str, parentheses: int) -> list[str]:
    """Cut at the places that lie inside at most so many plain parentheses, and nothing else."""
    found, closed, plain = [""], 0, 0
    previous = ""
    for token in _TOKEN.findall(formula):
        sized = previous in (r"\left", r"\right")
        if token in ("(", "[") and not sized:
            plain += 1
        elif token in (")", "]") and not sized:
            plain -= 1
        elif token in _OPENING and not sized:
            closed += 1
        elif token in _CLOSING and not sized:
            closed -= 1
        binary = token in ("+", "-") and previous not in _BEFORE_OPERAND
        breaks = binary or token in _RELATIONS or token.startswith(r"\text{ ")
        if breaks and closed == 0 and plain <= parentheses and found[-1].strip():
            found.append("")
        found[-1] += token
        previous = token if token.strip() else previous
    return found


def factors(formula: str) -> list[str]:
    r"""Cut between factors, also inside of plain parentheses.

    >>> factors(r"V (\Sigma x)^{-1 t} \, d\mu")
    ['V ', '(\\Sigma ', 'x)^{-1 t} \\, d\\mu']
    """
    tokens = _TOKEN.findall(formula)
    found, closed = [""], 0
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if token in ("{", r"\left", r"\begin"):
            closed += 1
        elif token in ("}", r"\right", r"\end"):
            closed -= 1
        found[-1] += token
        between = _ends_factor(before) and _starts_factor(after)
        if token == " " and closed == 0 and between and not _SIGN.search(found[-1]):
            found.append("")
    return found


def parts(formula: str, limit: int) -> list[str]:
    """The formula in parts that fit, cut inside of parentheses or between factors where it must.

    Parentheses that grow with what is between them cannot be cut; they become plain ones.
    """
    if width(formula) <= limit:
        return [formula]
    formula = re.sub(r"\\(?:left|right)(?=[][()])", "", formula)
    found = [formula]
    for cut in (
        lambda part: pieces(part, 0),
        lambda part: pieces(part, 1),
        lambda part: _between_factors(part, limit),
        lambda part: pieces(part, 2),
    ):
        found = _cut_wide(found, cut, limit)
    return found


def _between_factors(formula: str, limit: int) -> list[str]:
    found: list[str] = []
    for factor in factors(formula):
        if found and width(found[-1]) + width(factor) <= limit:
            found[-1] += factor
        else:
            found.append(factor)
    return found


def outer_first(formula: str) -> str:
    r"""The formula with places where TeX may break it: the better, the fewer parentheses around.

    Of its own accord TeX breaks after relations (500) and signs (700), in parentheses or not.

    >>> print(outer_first("a (b + c d) + e f"))
    a \penalty880 (b +\penalty920 c \penalty980 d) + e \penalty880 f
    """
    written, depth = "", 0
    for number, factor in enumerate(factors(formula)):
        if number:
            written += rf"\penalty{980 if depth else 880} "
        for piece in pieces(factor, len(factor)):
            sign = _TOKEN.match(piece)
            if depth and sign and (sign[0] in _RELATIONS or sign[0] in ("+", "-")):
                piece = rf"{sign[0]}\penalty920 {piece[sign.end() :].lstrip()}"
            written += piece
            depth += sum(map(piece.count, "([")) - sum(map(piece.count, ")]"))
    return written


def clauses(formula: str) -> list[str]:
    r"""The formulas of a list, each with the comma or colon and the space after it.

    A clause that fits on no line, such as the declaration of many names, is cut after its commas.

    >>> clauses(r"V, A \in M,\ t \ge 0")
    ['V, A \\in M,\\ ', 't \\ge 0']
    """
    return [
        part
        for clause in _cut_after(formula, (",", ":"), r"\ ")
        for part in (_cut_after(clause, (",",), " ") if width(clause) > LINE else [clause])
    ]


def _cut_after(formula: str, marks: tuple[str, ...], space: str) -> list[str]:
    """Cut after marks with such a space, where these are outside of braces and parentheses."""
    found, depth = [""], 0
    tokens = _TOKEN.findall(formula)
    for before, token in zip(["", *tokens], tokens, strict=False):
        if before not in (r"\left", r"\right"):
            depth += (token in _OPENING) - (token in _CLOSING)
        found[-1] += token
        if before in marks and token == space and depth == 0:
            found.append("")
    return [part for part in found if part]


def _ends_factor(token: str) -> bool:
    return token.isalnum() or token in ("}", ")", "]", "'") or token.removeprefix("\\") in GREEK


def _starts_factor(token: str) -> bool:
    return token.isalnum() or token in _STARTS or token.removeprefix("\\") in GREEK


def display(formula: str, limit: int = LINE) -> str:
    r"""The body of a displayed formula, in ``aligned`` when it takes several lines.

    >>> print(display("a = b + c"))
    a = b + c
    >>> print(display("a = b + c", limit=7))
    \begin{aligned}
    & a = b \\
    & \quad + c
    \end{aligned}
    """
    first, *rest = lines(formula, limit)
    if not rest:
        return first
    broken = [f"& {first}", *(rf"& \quad {line}" for line in rest)]
    return "\n".join([r"\begin{aligned}", " \\\\\n".join(broken), r"\end{aligned}"])
