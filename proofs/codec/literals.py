"""Literal matrices in JSON: digits, base64 of floats, the path of a parameter, or a table entry.

A matrix is written in the first of these forms that it may have:

``["parameter", path]``
    more than :data:`SMALL` entries, and equal to a matrix of :class:`Arrays`; the first path of
    those that name it.
``["listed", i]``
    its JSON in one of the forms below is longer than :data:`LONG`, and it occurs more than once
    in the statement or in the proof, lemmas included, whose table holds it as number i = 0, 1, ...
``["floats", kind, m, n, base64]``
    all entries are floats, and there are more than :data:`SMALL` of them, or more than one whose
    digits are more than twice as long as the base64.  ``kind`` is ``"float32"`` if all entries
    are float32 numbers, else ``"float64"``; the bytes are little-endian, row by row, and zero is
    +0.
``["matrix", rows]``, for one entry ``["number", digits]``
    numerators and denominators as strings, in lowest terms.

The table is in the order of the JSON of its entries.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from proofs.codec.digits import format_entries, parse_matrix, parse_rational
from proofs.codec.floats import base64_length, packed, unpacked
from proofs.codec.parts import CodecError, Json, as_list, check_shape, exactly, shown
from proofs.terms import Literal, Term

SMALL = 1024
"""Most entries of a matrix that is written where it stands, and in digits when these are short."""

LONG = 60
"""Most characters of the JSON of a matrix that is always written where it stands."""

IN_FULL = ("number", "matrix", "floats")
"""How the JSON of a literal begins that is written out."""

FORMS = (*IN_FULL, "parameter", "listed")
"""How the JSON of a literal begins."""


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
    """Writes the literals of one term, statement or proof; each is examined once.

    What :meth:`write` returns is empty until :meth:`fill` or :meth:`table` completes it.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._written: dict[Literal, tuple[list[Json], list[list[Json]]]] = {}

    def write(self, literal: Literal) -> list[Json]:
        """What will be the JSON of a literal, a new object every time.

        Raises:
            CodecError: it is too large.
        """
        if literal not in self._written:
            self._written[literal] = _form(literal, self._arrays), []
        place: list[Json] = []
        self._written[literal][1].append(place)
        return place

    def fill(self) -> None:
        """Complete the literals, each where it stands."""
        for form, places in self._written.values():
            _fill(places, form)

    def table(self) -> list[Json]:
        """Complete the literals, the long ones that are repeated out of a table, perhaps empty."""
        repeated = []
        for form, places in self._written.values():
            text = _text(form)
            if len(places) > 1 and len(text) > LONG and form[0] in IN_FULL:
                repeated.append((text, form, places))
            else:
                _fill(places, form)
        repeated.sort(key=lambda item: item[0])
        for number, (_, _, places) in enumerate(repeated):
            _fill(places, ["listed", number])
        return [form for _, form, _ in repeated]


class LiteralReader:
    """Reads the literals of one term, statement or proof; its table, if any, is read first."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._listed: list[Term] = []
        self._idle: set[int] = set()

    def read_table(self, data: object) -> None:
        """Read the table of matrices.

        Raises:
            CodecError: :meth:`LiteralWriter.table` writes none so.
        """
        entries = as_list(data, "matrices")
        if not entries:
            raise CodecError("a table of matrices is left out when it is empty")
        for number, entry in enumerate(entries):
            try:
                self._listed.append(self._read_entry(entry))
            except CodecError as error:
                raise CodecError(f"entry {number} of the table of matrices: {error}") from None
        if any(first >= second for first, second in pairwise(map(_text, entries))):
            raise CodecError("the table of matrices is not in order, every entry once")
        self._idle = set(range(len(entries)))

    def read(self, form: str, args: list[Any]) -> Term:
        """The literal whose JSON is ``[form, *args]``, ``form`` one of :data:`FORMS`.

        Entries of the table are the same object every time.

        Raises:
            CodecError: it stands for none.
        """
        if form == "floats":
            return _term(unpacked(*exactly(args, 4, form)))
        (value,) = exactly(args, 1, form)
        if form == "parameter":
            return self._arrays.at(value)
        if form == "listed":
            return self._at(value)
        if form == "number":
            return _term(Literal(1, 1, (parse_rational(value),)))
        return _term(parse_matrix(value))

    def check_used(self) -> None:
        """Refuse a table with an entry that nothing that was read refers to."""
        if self._idle:
            raise CodecError(f"nothing refers to entry {min(self._idle)} of the table of matrices")

    def _at(self, number: object) -> Term:
        if type(number) is not int or not 0 <= number < len(self._listed):
            raise CodecError(f"the table of matrices has no entry {shown(number)}")
        self._idle.discard(number)
        return self._listed[number]

    def _read_entry(self, entry: object) -> Term:
        """An entry in its only form, so that equal matrices have equal JSON."""
        if not isinstance(entry, list) or not entry or entry[0] not in IN_FULL:
            raise CodecError(f"a number or a matrix is written out, not {shown(entry)}")
        term = self.read(entry[0], entry[1:])
        assert isinstance(term.data, Literal)
        if _form(term.data, self._arrays) != entry:
            raise CodecError("the matrix has another form")
        if len(_text(entry)) <= LONG:
            raise CodecError(f"at most {LONG} characters are written where they stand")
        return term


def _form(literal: Literal, arrays: Arrays) -> list[Json]:
    """The JSON of a literal where it stands.

    Raises:
        CodecError: it is too large.
    """
    check_shape(literal.rows, literal.columns)
    path = arrays.path(literal)
    if path is not None:
        return ["parameter", path]
    if literal.rows * literal.columns > SMALL:
        return packed(literal) or _in_digits(literal, format_entries(literal))
    digits = format_entries(literal)
    if len(digits) > 1 and sum(map(len, digits)) > 2 * base64_length(4 * len(digits)):
        floats = packed(literal)
        if floats is not None and sum(map(len, digits)) > 2 * len(str(floats[-1])):
            return floats
    return _in_digits(literal, digits)


def _in_digits(literal: Literal, digits: list[str]) -> list[Json]:
    if len(digits) == 1:
        return ["number", *digits]
    starts = range(0, len(digits), literal.columns)
    return ["matrix", [[*digits[start : start + literal.columns]] for start in starts]]


def _text(form: object) -> str:
    return json.dumps(form, separators=(",", ":"))


def _fill(places: list[list[Json]], form: list[Json]) -> None:
    for place in places:
        place.extend(copy.deepcopy(form))


def _term(literal: Literal) -> Term:
    return Term("literal", data=literal)
