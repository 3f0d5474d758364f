"""LaTeX formulas as MathML, for a browser."""

from __future__ import annotations

import re

from latex2mathml.converter import convert

_OPERATORS = re.compile(r"<mi>(&#x02AB0;|&#x02AAF;|&#x0003A;|:|&#x02032;)</mi>")
"""Relations between matrices, the colon and the prime, which would be set like letters."""
_LETTERS = re.compile(r"<mo>(&#x0221E;|[a-z]{2,})</mo>")
"""Infinity and names of functions, which would be set like relations."""


def mathml(latex: str, display: bool = True) -> str:
    r"""The formula as a ``math`` element, in a line of its own or, without ``display``, in text.

    >>> mathml("V", display=False)[-30:]
    '<mrow><mi>V</mi></mrow></math>'
    """
    converted = convert(latex, display="block" if display else "inline")
    return _LETTERS.sub(r"<mi>\1</mi>", _OPERATORS.sub(r"<mo>\1</mo>", converted))
