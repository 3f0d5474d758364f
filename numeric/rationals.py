"""Exact rationals read from JSON numbers and from strings.

A number is the rational that its float64 is (``0.1`` is ``Fraction(0.1)``, not one tenth); a
string is the rational it spells (``"1/10"``, ``"0.1"`` and ``"1e-1"`` are all one tenth). The
size of what is read is bounded, so that a short text cannot ask for a giant integer.

Standard library only.
"""

import json
import math
import re
from fractions import Fraction

MAX_DIGITS = 4000
"""Longest number accepted, in characters (below Python's own limit of 4300 for integers)."""

MAX_EXPONENT = 1000
"""Largest decimal exponent, in absolute value, that a string may have."""

_RATIO = re.compile(r"([+-]?[0-9]+)(?:/([0-9]+))?")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")


class RationalError(ValueError):
    """The value is not a rational number; ``str()`` says what it is and what was expected."""


class RejectedNumber:
    """A number literal of a JSON text that has no exact reading, with the reason.

    The JSON decoder does not know which field it is in, so that the complaint has to wait
    until the value is looked at.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason


def json_integer(literal: str) -> int | RejectedNumber:
    """Read an integer literal of a JSON text exactly (``parse_int`` of :func:`json.loads`)."""
    if len(literal) > MAX_DIGITS:
        return RejectedNumber(_too_long(literal))
    return int(literal)


def json_float(literal: str) -> float | RejectedNumber:
    """Read a decimal literal of a JSON text as a float64 (``parse_float`` of ``json.loads``)."""
    if len(literal) > MAX_DIGITS:
        return RejectedNumber(_too_long(literal))
    value = float(literal)
    if math.isinf(value):
        return RejectedNumber(f"{literal} is too large for a float64")
    mantissa = re.split("[eE]", literal)[0]
    if value == 0 and re.search("[1-9]", mantissa):
        # Turning a number that is not zero into zero could change a theorem's verdict.
        return RejectedNumber(f"{literal} is not zero but is zero as a float64")
    return value


def json_constant(literal: str) -> RejectedNumber:
    """Refuse ``NaN``, ``Infinity`` and ``-Infinity`` (``parse_constant`` of ``json.loads``)."""
    return RejectedNumber(f"{literal} is not a finite number")


def to_fraction(value: object) -> Fraction:
    """Return ``value`` as an exact rational.

    Accepts integers, finite floats, fractions, and strings ``"p/q"`` or decimal. Raises
    :class:`RationalError` for anything else, booleans included.

    >>> to_fraction(0.1) == Fraction(1, 10), to_fraction("0.1") == Fraction(1, 10)
    (False, True)
    """
    if isinstance(value, bool):
        raise RationalError(f"{json.dumps(value)} is a boolean, expected a number")
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RationalError(f"{value} is not a finite number")
        return Fraction(value)
    if isinstance(value, str):
        return _from_string(value)
    if isinstance(value, RejectedNumber):
        raise RationalError(value.reason)
    raise RationalError(f"expected a number or a string 'p/q', got {describe(value)}")


def _from_string(text: str) -> Fraction:
    stripped = text.strip()
    if len(stripped) > MAX_DIGITS:
        raise RationalError(_too_long(stripped))
    if ratio := _RATIO.fullmatch(stripped):
        numerator, denominator = ratio.groups(default="1")
        if int(denominator) == 0:
            raise RationalError(f"{quote(text)} has denominator zero")
        return Fraction(int(numerator), int(denominator))
    if decimal := _DECIMAL.fullmatch(stripped):
        exponent = decimal.group(1) or "0"
        if len(exponent) > len(str(MAX_EXPONENT)) + 1 or abs(int(exponent)) > MAX_EXPONENT:
            raise RationalError(
                f"{quote(text)} has an exponent beyond {MAX_EXPONENT} in absolute value"
            )
        return Fraction(stripped)
    raise RationalError(f"{quote(text)} is not a rational, expected 'p/q', an integer or a decimal")


def _too_long(literal: str) -> str:
    return f"{quote(literal)} is too long: {len(literal)} characters, at most {MAX_DIGITS}"


def quote(text: str) -> str:
    """Return ``text`` in double quotes on one line of ASCII, shortened when long."""
    return json.dumps(text if len(text) <= 40 else text[:37] + "...")


def describe(value: object) -> str:
    """Say in a few words what a JSON value is, for an error message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {json.dumps(value)}"
    if isinstance(value, str):
        return f"the string {quote(value)}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "an empty list" if not value else f"a list of {len(value)}"
    if isinstance(value, RejectedNumber):
        return f"a number that cannot be read ({value.reason})"
    if isinstance(value, (int, float, Fraction)):
        return "a number"
    return f"a value of type {type(value).__name__}"
