"""Literal matrices in JSON: digits, base64 of floats, or the path of a matrix of the parameters.

A matrix is written in the first of these forms that it may have:

``["parameter", path]``
    more than :data:`SMALL` entries, and equal to a matrix of :class:`Arrays`; the first path of
    those that name it.
``["floats", kind, m, n, base64]``
    all entries are floats, and there are more than :data:`SMALL` of them, or more than one whose
    digits are more than twice as long as the base64.  ``kind`` is ``"float32"`` if all entries
    are float32 numbers, else ``"float64"``; the bytes are little-endian, row by row, and zero is
    +0.
``["matrix", rows]``, for one entry ``["number", digits]``
    numerators and denominators as strings, in lowest terms.

NumPy is imported only where floats are.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpz, fmpz_mat

from proofs.codec.parts import (
    MAX_DIGITS,
    CodecError,
    Json,
    as_list,
    check_shape,
    exactly,
    shown,
)
from proofs.terms import Literal, Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMALL = 1024
"""Most entries of a matrix that is written where it stands, and in digits when these are short."""

FLOATS = {"float32": ("<f4", "<u4", 4), "float64": ("<f8", "<u8", 8)}
"""Kind -> types of the numbers and of their bits, bytes of an entry."""

FORMS = ("number", "matrix", "floats", "parameter")
"""How the JSON of a literal begins."""

_TOO_LARGE = 10**MAX_DIGITS
_NATURAL = f"[0-9]{{1,{MAX_DIGITS}}}"
_RATIONAL = re.compile(f"-?{_NATURAL}(/{_NATURAL})?")


class Arrays:
    """The large matrices that stand elsewhere in the document, by path.

    Args:
        literals: path -> matrix, in the order of the document.  Those with at most
            :data:`SMALL` entries do not count.
    """

    def __init__(self, literals: Mapping[str, Literal]) -> None:
        self._terms: dict[str, Term] = {}
        self._paths: dict[Literal, str] = {}
        for path, literal in literals.items():
            if literal.rows * literal.columns > SMALL:
                self._terms[path] = _term(literal)
                self._paths.setdefault(literal, path)

    def items(self) -> Iterable[tuple[str, Term]]:
        """Paths and matrices, in the order of the document."""
        return self._terms.items()

    def path(self, literal: Literal) -> str | None:
        """The first path of a matrix, None when it stands nowhere."""
        if not self._paths or literal.rows * literal.columns <= SMALL:
            return None
        return self._paths.get(literal)

    def at(self, path: object) -> Term:
        """The matrix at a path, the same object every time.

        Raises:
            CodecError: there is none.
        """
        if not isinstance(path, str) or path not in self._terms:
            raise CodecError(f"there is no large matrix at {shown(path)}")
        return self._terms[path]


NO_ARRAYS = Arrays({})


class LiteralWriter:
    """Writes literals; one that it has met is not examined again."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        # by identity; the literal is kept, so that no other takes its place
        self._known: dict[int, tuple[Literal, list[Json] | None]] = {}

    def write(self, literal: Literal) -> Json:
        """The JSON of a literal, a new object every time.

        Raises:
            CodecError: it is too large.
        """
        known = self._known.get(id(literal))
        if known is None:
            known = self._known[id(literal)] = literal, self._in_one_string(literal)
        return _digits(literal) if known[1] is None else list(known[1])

    def _in_one_string(self, literal: Literal) -> list[Json] | None:
        """As a path or as base64, None when it is written in digits."""
        check_shape(literal.rows, literal.columns)
        path = self._arrays.path(literal)
        return _base64(literal) if path is None else ["parameter", path]


class LiteralReader:
    """Reads literals; base64 that it has met is not read again."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._known: dict[tuple[str, str, int, int], Term] = {}

    def read(self, form: str, args: list[Any]) -> Term:
        """The literal whose JSON is ``[form, *args]``, ``form`` one of :data:`FORMS`.

        Raises:
            CodecError: it stands for none.
        """
        if form == "floats":
            return self._floats(*exactly(args, 4, form))
        (value,) = exactly(args, 1, form)
        if form == "parameter":
            return self._arrays.at(value)
        if form == "number":
            return _term(Literal(1, 1, (parse_rational(value),)))
        return _term(_parse_matrix(value))

    def _floats(self, kind: object, rows: object, columns: object, text: object) -> Term:
        if not isinstance(kind, str) or kind not in FLOATS:
            raise CodecError(f'expected "float32" or "float64", not {shown(kind)}')
        if not isinstance(text, str):
            raise CodecError(f"expected a string in base64, not {shown(text)}")
        m, n = check_shape(rows, columns)
        key = text, kind, m, n
        if key not in self._known:
            self._known[key] = _term(_parse_floats(*key))
        return self._known[key]


def float_literal(kind: str, rows: int, columns: int, data: bytes) -> Literal:
    """The exact matrix of little-endian finite floats, row by row; ``kind`` is one of FLOATS."""
    import numpy as np

    values = np.frombuffer(data, dtype=FLOATS[kind][0])
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    denominator = max(below for _, below in ratios)  # all are powers of 2
    numerators = [above * (denominator // below) for above, below in ratios]
    return Literal.from_integers(fmpz_mat(rows, columns, numerators), fmpz(denominator))


def literal_floats(literal: Literal) -> tuple[str, bytes] | None:
    """Kind and bytes of a matrix of floats, float32 when they are; None when some entry is none."""
    import numpy as np

    floats = []
    for entry in literal.entries:
        above, below = entry.numerator, entry.denominator
        if below & (below - 1):
            return None
        try:
            nearest = above / below
        except OverflowError:
            return None
        if nearest.as_integer_ratio() != (above, below):
            return None
        floats.append(nearest)
    wide = np.array(floats, dtype="<f8")
    narrow = _as_float32(wide)
    return ("float64", wide.tobytes()) if narrow is None else ("float32", narrow.tobytes())


def _as_float32(wide: NDArray[np.float64]) -> NDArray[np.float32] | None:
    """The same numbers, None when some is no float32; compared by bits, with no mode of the FPU."""
    import numpy as np

    with np.errstate(all="ignore"):
        narrow = wide.astype("<f4")
        back = narrow.astype("<f8")
    return narrow if np.array_equal(back.view("<u8"), wide.view("<u8")) else None


def _base64(literal: Literal) -> list[Json] | None:
    """As floats, None when it is written in digits."""
    count = literal.rows * literal.columns
    floats = literal_floats(literal) if count > 1 else None
    if floats is None:
        return None
    kind, data = floats
    if count <= SMALL:
        digits = sum(len(str(entry)) for entry in literal.entries)
        if digits <= 2 * _base64_length(len(data)):
            return None
    return ["floats", kind, literal.rows, literal.columns, base64.b64encode(data).decode("ascii")]


def _digits(literal: Literal) -> Json:
    entries = [format_rational(entry) for entry in literal.entries]
    if len(entries) == 1:
        return ["number", *entries]
    starts = range(0, len(entries), literal.columns)
    return ["matrix", [[*entries[start : start + literal.columns]] for start in starts]]


def _base64_length(size: int) -> int:
    return 4 * -(-size // 3)


def _parse_floats(text: str, kind: str, m: int, n: int) -> Literal:
    """A matrix of floats; nothing is allocated before the length of the base64 fits the shape."""
    import numpy as np

    number, bits, width = FLOATS[kind]
    if len(text) != _base64_length(m * n * width):
        raise CodecError(f"{len(text)} characters of base64 do not fit {m} x {n} numbers {kind}")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    # spare bits at the end may hold anything
    if len(data) != m * n * width or base64.b64encode(data).decode("ascii") != text:
        raise CodecError(f"{shown(text)} is not base64 of {m} x {n} numbers {kind}")
    values = np.frombuffer(data, dtype=number)
    if not np.isfinite(values).all():
        raise CodecError("a float is not a finite number")
    if (values.view(bits) == 1 << (8 * width - 1)).any():
        raise CodecError("a float is -0, which is written 0")
    if kind == "float64" and _as_float32(values) is not None:
        raise CodecError("all floats are float32 numbers, which are written as such")
    return float_literal(kind, m, n, data)


def _parse_matrix(data: object) -> Literal:
    rows = [as_list(row, "a row") for row in as_list(data, "the rows of a matrix")]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise CodecError("a matrix has rows of one positive length")
    (columns,) = widths
    check_shape(len(rows), columns)
    return Literal(len(rows), columns, tuple(parse_rational(x) for row in rows for x in row))


def format_rational(value: Fraction) -> str:
    """A rational in lowest terms, like ``-1/2``.

    Raises:
        CodecError: it has too many digits.
    """
    if max(abs(value.numerator), value.denominator) >= _TOO_LARGE:
        raise CodecError(f"a number with more than {MAX_DIGITS} digits")
    return str(value)


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


def _term(literal: Literal) -> Term:
    return Term("literal", data=literal)
