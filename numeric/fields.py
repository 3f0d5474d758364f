"""Fields of a parameter file: matrices, vectors, covariances and scales, validated and exact.

A matrix is a list of rows, a NumPy array, or float weights as an object of JSON

    {"float32": "base64 of little-endian floats, row by row", "shape": [m, n]}

or the same with ``"float64"``; a vector has the shape ``[n]`` there.

All readers raise :class:`numeric.errors.FieldError`. Standard library only, but for NumPy where
floats come as bytes or arrays.
"""

import base64
import binascii
import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from numeric.errors import FieldError
from numeric.exact import Vector
from numeric.matrices import ITEM_BYTES, ExactMatrix
from numeric.rationals import RationalError, describe, quote, to_fraction
from numeric.semidefinite import UndecidedError, negative_direction

LONGEST = 120
"""Longest witness, in characters, that an error quotes."""


def read_scale_squared(value: object, k: int, d: int) -> Fraction:
    """Return the square of a scale given as a rational or as a root."""
    alternatives = ', or "1/sqrt(k)" or "1/sqrt(d)"'
    if isinstance(value, str):
        text = re.sub(r"\s", "", value)
        if text == "1/sqrt(k)":
            return Fraction(1, k)
        if text == "1/sqrt(d)":
            return Fraction(1, d)
        if root := re.fullmatch(r"(1/)?sqrt\((.*)\)", text):
            square = read_positive(root.group(2), "scale", alternatives)
            return 1 / square if root.group(1) else square
    return read_positive(value, "scale", alternatives) ** 2


def read_positive(value: object, name: str, alternatives: str = "") -> Fraction:
    """Read a rational > 0; ``alternatives`` says what else may stand there."""
    try:
        number = to_fraction(value)
    except RationalError as error:
        raise FieldError(name, f"{error}{alternatives}") from None
    if number <= 0:
        sign = "zero" if number == 0 else "negative"
        raise FieldError(name, f"{sign}, expected a positive number{alternatives}")
    return number


def read_list(value: object, name: str) -> Sequence[object]:
    """Read a list of anything."""
    listed = _as_list(value)
    if listed is None:
        raise FieldError(name, f"expected a list, got {describe(value)}")
    return listed


def read_covariance(value: object, dimension: int | None, name: str = "Sigma0") -> ExactMatrix:
    """Read a covariance, of shape d x d, symmetric and positive semidefinite."""
    matrix = read_matrix(value, name)
    rows, columns = matrix.shape
    if dimension is not None:
        expect_shape(matrix, name, (dimension, dimension), f"as d is {dimension}")
    elif rows != columns:
        raise FieldError(name, f"not square: shape {rows} x {columns}, expected d x d")
    _expect_symmetric(matrix, name)
    try:
        witness = negative_direction(matrix)
    except UndecidedError as error:
        reason = f"positive semidefinite or not is beyond what is decided at d = {rows}: {error}"
        raise FieldError(name, reason) from None
    if witness is not None:
        form = _quadratic_form(matrix, witness)
        vector = "(" + ", ".join(str(entry) for entry in witness) + ")"
        if len(vector) > LONGEST:
            vector = f"an integer vector of length {rows}"
        raise FieldError(
            name, f"not positive semidefinite: u = {vector} gives u^T {name} u = {_short(form)} < 0"
        )
    return matrix


def _expect_symmetric(matrix: ExactMatrix, name: str) -> None:
    rows, _ = matrix.integers()
    for i, (row, column) in enumerate(zip(rows, zip(*rows, strict=True), strict=True)):
        if tuple(row) != column:
            j = next(j for j, (a, b) in enumerate(zip(row, column, strict=True)) if a != b)
            entries = matrix.fractions()
            raise FieldError(
                name,
                f"not symmetric: row {i + 1}, column {j + 1} is {_short(entries[i][j])} but "
                f"row {j + 1}, column {i + 1} is {_short(entries[j][i])}",
            )


def _quadratic_form(matrix: ExactMatrix, witness: Vector) -> Fraction:
    """Return u^T M u for a vector u of integers."""
    rows, denominator = matrix.integers()
    vector = [int(entry) for entry in witness]
    images = (sum(map(int.__mul__, row, vector)) for row in rows)
    return Fraction(sum(map(int.__mul__, images, vector)), denominator)


def read_matrix(value: object, name: str) -> ExactMatrix:
    """Read a rectangular matrix with at least one row and one column."""
    if isinstance(value, ExactMatrix):
        return value
    if isinstance(value, Mapping):
        kind, data, shape = _blob(value, name, 2)
        return _from_floats(lambda: ExactMatrix.from_bytes(kind, data, (shape[0], shape[1])), name)
    floats = _float_array(value)
    if floats is not None and floats.ndim == 2 and floats.size:
        return _from_floats(lambda: ExactMatrix.from_array(floats), name)
    listed = _as_list(value)
    if listed is None:
        raise FieldError(name, f"expected a matrix (a list of rows), got {describe(value)}")
    if not listed:
        raise FieldError(name, "empty, expected a matrix with at least one row")
    rows: list[Vector] = []
    for i, row in enumerate(listed, start=1):
        entries = _as_list(row)
        if entries is None:
            raise FieldError(name, f"row {i}: expected a list of numbers, got {describe(row)}")
        if not entries:
            raise FieldError(name, f"row {i} is empty, expected at least one number")
        if rows and len(entries) != len(rows[0]):
            raise FieldError(
                name,
                f"not rectangular: row 1 has {_entries(len(rows[0]))}, row {i} has {len(entries)}",
            )
        rows.append(
            tuple(_entry(entry, name, f"row {i}, column {j}") for j, entry in enumerate(entries, 1))
        )
    return ExactMatrix.from_rows(rows)


def read_vector(value: object, name: str, length: int, meaning: str) -> Vector:
    """Read a vector of the given length; ``meaning`` says what that length is."""
    if isinstance(value, Mapping):
        kind, data, shape = _blob(value, name, 1)
        row = _from_floats(lambda: ExactMatrix.from_bytes(kind, data, (1, shape[0])), name)
        entries: Sequence[object] | None = row.fractions()[0]
    else:
        entries = _as_list(value)
    if entries is None:
        raise FieldError(name, f"expected a list of numbers, got {describe(value)}")
    if len(entries) != length:
        raise FieldError(
            name, f"has {_entries(len(entries))}, expected {length} (as many as {meaning})"
        )
    return tuple(_entry(entry, name, f"entry {i}") for i, entry in enumerate(entries, start=1))


def _entry(value: object, name: str, place: str) -> Fraction:
    try:
        return to_fraction(value)
    except RationalError as error:
        raise FieldError(name, f"{place}: {error}") from None


def _as_list(value: object) -> Sequence[object] | None:
    """Return a list, tuple or array as a sequence, None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value if isinstance(value, (list, tuple)) else None


def _float_array(value: object) -> Any:
    """Return a NumPy array of float16, float32 or float64, None for anything else."""
    dtype = getattr(value, "dtype", None)
    known = getattr(dtype, "kind", None) == "f" and getattr(dtype, "itemsize", 16) <= 8
    return value if known and hasattr(value, "ndim") else None


def _from_floats(read: Callable[[], ExactMatrix], name: str) -> ExactMatrix:
    try:
        return read()
    except ValueError as error:
        raise FieldError(name, str(error)) from None


def _blob(value: Mapping[str, object], name: str, axes: int) -> tuple[str, bytes, list[int]]:
    """Read float weights given in base64: the type, the bytes and the shape, which fit."""
    expected = '{"float32" or "float64": base64, "shape": ' + ("[m, n]}" if axes == 2 else "[n]}")
    kinds = [kind for kind in ITEM_BYTES if kind in value]
    if len(kinds) != 1 or set(value) != {kinds[0], "shape"}:
        raise FieldError(name, f"an object with other fields, expected {expected}")
    kind = kinds[0]
    text, shape = value[kind], value["shape"]
    sizes = [size for size in shape if type(size) is int] if isinstance(shape, list) else []
    if not isinstance(shape, list) or len(sizes) != axes or len(shape) != axes or min(sizes) < 1:
        raise FieldError(name, f"shape: expected {axes} positive integers, in {expected}")
    if not isinstance(text, str):
        raise FieldError(name, f"{kind}: expected a string in base64, got {describe(text)}")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FieldError(name, f"{kind}: {quote(text)} is not base64") from None
    wanted = math.prod(sizes) * ITEM_BYTES[kind]
    if len(data) != wanted:
        shown = " x ".join(str(size) for size in sizes)
        raise FieldError(
            name, f"{kind}: {len(data)} bytes, expected {wanted} for the shape {shown}"
        )
    return kind, data, sizes


def expect_shape(matrix: ExactMatrix, name: str, expected: tuple[int, int], reason: str) -> None:
    """Refuse a matrix of another shape than ``expected``."""
    shape = matrix.shape
    if shape != expected:
        raise FieldError(
            name,
            f"wrong shape {shape[0]} x {shape[1]}, "
            f"expected {expected[0]} x {expected[1]} ({reason})",
        )


def reject_unknown(obj: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse a field that is not in ``known``, and suggest the closest one."""
    for name in obj:
        if name not in known:
            hint = closest(str(name), known)
            listed = ", ".join(known)
            raise FieldError(None, f"unknown field {quote(str(name))}{hint}; known: {listed}")


def closest(name: str, candidates: tuple[str, ...]) -> str:
    """Return ", did you mean X?" for the candidate that looks most like ``name``, or ""."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return f", did you mean {quote(by_lower[close[0]])}?" if close else ""


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _short(value: Fraction) -> str:
    text = str(value)
    if len(text) <= 60:
        return text
    # Decimals have no overflow.
    return f"about {Decimal(value.numerator) / Decimal(value.denominator):.6g}"
