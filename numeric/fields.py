"""Fields of a parameter file: matrices, vectors, covariances and scales, validated and exact.

All readers raise :class:`numeric.errors.FieldError`. Standard library only.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from numeric.errors import FieldError
from numeric.exact import Matrix, Vector, negative_direction, quadratic_form
from numeric.rationals import RationalError, describe, quote, to_fraction

MAX_DIMENSION = 128
"""Largest token dimension d: exact elimination in pure Python takes seconds there."""


def read_scale_squared(value: object, k: int, d: int) -> Fraction:
    """Return the square of a scale given as a rational or as a root."""
    if isinstance(value, str):
        text = re.sub(r"\s", "", value)
        if text == "1/sqrt(k)":
            return Fraction(1, k)
        if text == "1/sqrt(d)":
            return Fraction(1, d)
        if root := re.fullmatch(r"(1/)?sqrt\((.*)\)", text):
            square = _positive(root.group(2))
            return 1 / square if root.group(1) else square
    return _positive(value) ** 2


def _positive(value: object) -> Fraction:
    try:
        number = to_fraction(value)
    except RationalError as error:
        raise FieldError("scale", f'{error}, or "1/sqrt(k)" or "1/sqrt(d)"') from None
    if number <= 0:
        sign = "zero" if number == 0 else "negative"
        raise FieldError("scale", f"{sign}, expected a positive number")
    return number


def read_covariance(value: object, dimension: int | None) -> Matrix:
    """Read Sigma0, of shape d x d, symmetric and positive semidefinite."""
    name = "Sigma0"
    matrix = read_matrix(value, name)
    rows, columns = shape_of(matrix)
    if dimension is not None:
        expect_shape(matrix, name, (dimension, dimension), f"as d is {dimension}")
    elif rows != columns:
        raise FieldError(name, f"not square: shape {rows} x {columns}, expected d x d")
    elif rows > MAX_DIMENSION:
        raise FieldError(name, f"dimension {rows} is too large, at most {MAX_DIMENSION}")
    for i in range(rows):
        for j in range(i):
            if matrix[i][j] != matrix[j][i]:
                raise FieldError(
                    name,
                    f"not symmetric: row {j + 1}, column {i + 1} is {_short(matrix[j][i])} but "
                    f"row {i + 1}, column {j + 1} is {_short(matrix[i][j])}",
                )
    witness = negative_direction(matrix)
    if witness is not None:
        form = quadratic_form(matrix, witness)
        vector = ", ".join(str(entry) for entry in witness)
        raise FieldError(
            name,
            f"not positive semidefinite: u = ({vector}) gives u^T Sigma0 u = {_short(form)} < 0",
        )
    return matrix


def read_matrix(value: object, name: str) -> Matrix:
    """Read a rectangular matrix with at least one row and one column."""
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
    return tuple(rows)


def read_vector(value: object, name: str, length: int, meaning: str) -> Vector:
    """Read a vector of the given length; ``meaning`` says what that length is."""
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


def shape_of(matrix: Matrix) -> tuple[int, int]:
    """Return the numbers of rows and columns."""
    return len(matrix), len(matrix[0])


def expect_shape(matrix: Matrix, name: str, expected: tuple[int, int], reason: str) -> None:
    """Refuse a matrix of another shape than ``expected``."""
    shape = shape_of(matrix)
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
