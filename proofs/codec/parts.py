"""What encoding and decoding share: the limits, the error, and checks of small parts.

Every check raises :class:`CodecError`.
"""

from __future__ import annotations

import re
import reprlib
from typing import Any, TypeAlias

from proofs.terms import SIGNATURES, Term, TermError, sort_of

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH = 150
"""Nesting of terms and of step arguments."""
MAX_LEMMA_DEPTH = 10
MAX_DIGITS = 4000
"""Digits of a numerator or a denominator."""
MAX_SIZE = 4096
"""Rows and columns of a matrix.

So no matrix has more than 2^24 entries, not even one that no literal writes out: a column times a
row of variables is evaluated at random points by the kernel, and takes a line to write.
"""
MAX_MEMBERS = 1024
"""Members of a family."""
MAX_INTEGER = 10**9
MAX_STRING = 200

_OPERATIONS = frozenset({*SIGNATURES, "identity", "zero", "dimension", "apply"})
SIMPLE_SORTS = ("Dim", "Ext", "Prop")
COMPOUND_SORTS = ("Mat", "Index", "Measure", "Fun")
MARKERS = ({"term"}, {"rational"}, {"map"})
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")


class CodecError(ValueError):
    """Data that stands for no term, statement or proof; one line says what was expected."""


def shown(data: object) -> str:
    """A short form of unexpected data, for messages."""
    try:
        return reprlib.repr(data)
    except ValueError:
        return "an integer with too many digits"


def check_depth(depth: int) -> None:
    """Refuse what is nested too deeply."""
    if depth > MAX_DEPTH:
        raise CodecError(f"nested more than {MAX_DEPTH} deep")


def check_sorted(term: Term) -> None:
    """Refuse a term that has no sort."""
    try:
        sort_of(term)
    except TermError as error:
        raise CodecError(str(error)) from None
    except RecursionError:
        raise CodecError(f"nested more than {MAX_DEPTH} deep") from None


def check_operation(op: str, args: tuple[Term, ...]) -> None:
    """Refuse an unknown operation, and a node that construction reduces."""
    if op not in _OPERATIONS:
        raise CodecError(f"there is no operation {shown(op)}")
    if op == "apply" and args and args[0].op == "lambda":
        raise CodecError("a function applied to an argument must be written out")
    if op == "apply" and [argument.op for argument in args] == ["family", "index"]:
        raise CodecError("a member of a family must be written out")
    if op == "family":
        check_members(len(args))


def check_index_sort(sort: Term) -> None:
    """Refuse the sort of the indices of a family that is too large."""
    if sort.op == "Index" and isinstance(sort.args[0].data, int):
        check_members(sort.args[0].data)


def check_name(data: object) -> str:
    """The name of a variable."""
    if not isinstance(data, str) or not NAME.fullmatch(data):
        raise CodecError(
            f"a name consists of at most 40 letters, digits and underscores, not {shown(data)}"
        )
    return data


def check_string(data: object) -> str:
    """A string of a step, or its name."""
    if not isinstance(data, str) or len(data) > MAX_STRING or not data.isprintable():
        raise CodecError(f"expected a short printable string, not {shown(data)}")
    return data


def check_use(data: object) -> int:
    """The index of an earlier step."""
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= MAX_INTEGER:
        raise CodecError(f"expected the index of an earlier step, not {shown(data)}")
    return data


def check_plain(data: object) -> bool | int | str | None:
    """An argument of a step that is as in JSON."""
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, int):
        if abs(data) > MAX_INTEGER:
            raise CodecError("an integer is too large")
        return data
    if isinstance(data, str):
        return check_string(data)
    raise CodecError(f"an argument of a step cannot be {shown(data)}")


def check_size(value: int) -> int:
    """A number of rows or columns."""
    if not 1 <= value <= MAX_SIZE:
        raise CodecError(f"a size is between 1 and {MAX_SIZE}")
    return value


def check_members(count: int) -> int:
    """A number of members of a family."""
    if not 1 <= count <= MAX_MEMBERS:
        raise CodecError(f"a family has between 1 and {MAX_MEMBERS} members")
    return count


def check_shape(rows: object, columns: object) -> tuple[int, int]:
    """The shape of a matrix that is not too large."""
    if type(rows) is not int or type(columns) is not int:
        raise CodecError(f"the shape of a matrix is two sizes, not {shown((rows, columns))}")
    return check_size(rows), check_size(columns)


def check_index(number: object, count: object) -> tuple[int, int]:
    """The number i of 1, ..., n, with n."""
    values = (number, count)
    if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
        raise CodecError(f"an index is a number among 1, ..., n, not {shown(values)}")
    assert isinstance(number, int)
    assert isinstance(count, int)
    if not 1 <= number <= check_members(count):
        raise CodecError(f"an index is a number among 1, ..., n, not {shown(values)}")
    return number, count


def exactly(args: list[Any], count: int, op: str) -> list[Any]:
    """The ``count`` items after the operation ``op``."""
    if len(args) != count:
        raise CodecError(f"{op} is followed by {count} items, not {len(args)}")
    return args


def as_list(data: object, what: str) -> list[Any]:
    """``data``, which is a list."""
    if not isinstance(data, list):
        raise CodecError(f"{what}: expected a list, not {shown(data)}")
    return data


def as_object(data: object, what: str) -> dict[str, Any]:
    """``data``, which is an object."""
    if not isinstance(data, dict):
        raise CodecError(f"{what}: expected an object, not {shown(data)}")
    return data


def as_fields(
    data: object, what: str, required: set[str], optional: set[str] | None = None
) -> dict[str, Any]:
    """``data``, which is an object with the required fields and no others but the optional."""
    fields = as_object(data, what)
    if missing := sorted(required - fields.keys()):
        raise CodecError(f"{what} lacks {', '.join(missing)}")
    if unknown := fields.keys() - required - (optional or set()):
        raise CodecError(f"{what} has no field {', '.join(map(shown, unknown))}")
    return fields
