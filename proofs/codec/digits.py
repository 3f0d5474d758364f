"""Rational numbers and matrices in digits."""

from __future__ import annotations

import re
from fractions import Fraction

from proofs.codec.parts import MAX_DIGITS, CodecError, as_list, check_shape, shown
from proofs.terms import Literal

_TOO_LARGE = 10**MAX_DIGITS
_NATURAL = f"[0-9]{{1,{MAX_DIGITS}}}"
_RATIONAL = re.compile(f"-?{_NATURAL}(/{_NATURAL})?")


def format_rational(value: Fraction) -> str:
    """A rational in lowest terms, like ``-1/2``.

    Raises:
        CodecError: it has too many digits.
    """
    if max(abs(value.numerator), value.denominator) >= _TOO_LARGE:
        raise CodecError(f"a number with more than {MAX_DIGITS} digits")
    return str(value)


def format_entries(literal: Literal) -> list[str]:
    """The entries of a matrix, row by row, each as :func:`format_rational` writes it.

    Raises:
        CodecError: one has too many digits.
    """
    texts = [str(entry) for entry in literal.flint.entries()]
    for text in texts:
        if len(text) > MAX_DIGITS and max(map(len, text.lstrip("-").split("/"))) > MAX_DIGITS:
            raise CodecError(f"a number with more than {MAX_DIGITS} digits")
    return texts


def parse_rational(data: object) -> Fraction:
    """The rational that :func:`format_rational` writes so.

    Raises:
        CodecError: it writes none so.
    """
    if not isinstance(data, str) or not _RATIONAL.fullmatch(data):
        raise CodecError(f'expected a string "p/q" of bounded length, not {shown(data)}')
    numerator, _, denominator = data.partition("/")
    below = int(denominator or 1)
    if not below:
        raise CodecError(f"a denominator is zero in {shown(data)}")
    value = Fraction(int(numerator), below)
    if str(value) != data:
        raise CodecError(f"{shown(data)} is not in lowest terms")
    return value


def parse_matrix(data: object) -> Literal:
    """The matrix with these rows of digits.

    Raises:
        CodecError: there is none.
    """
    rows = [as_list(row, "a row") for row in as_list(data, "the rows of a matrix")]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise CodecError("a matrix has rows of one positive length")
    (columns,) = widths
    check_shape(len(rows), columns)
    return Literal(len(rows), columns, tuple(parse_rational(x) for row in rows for x in row))
