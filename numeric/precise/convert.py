"""Plain parameters turned into mpmath numbers, and back into matrices."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp

Number = Any
"""An integer, float, fraction, decimal string or mpmath number."""

MatrixLike = Any
"""A sequence of rows of numbers, or an mpmath matrix, m x n."""

VectorLike = Any
"""A sequence of numbers, or an mpmath matrix with one column."""

Rows = list[list[Any]]
"""A matrix as a list of rows of numbers that know + and *."""


def number(value: Number) -> Any:
    """Return ``value`` as an mpf at the working precision.

    Floats are the rationals that they are; strings may be decimals or "p/q".
    """
    if isinstance(value, str) and "/" in value:
        value = Fraction(value)
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / value.denominator
    return mp.mpf(value)


def rows(matrix: MatrixLike) -> Rows:
    """Return a matrix as a list of rows of mpf."""
    return [[number(entry) for entry in row] for row in plain_rows(matrix)]


def plain_rows(matrix: MatrixLike) -> Rows:
    """Return a matrix as a list of rows, entries unchanged."""
    if isinstance(matrix, mp.matrix):
        return [[matrix[i, j] for j in range(matrix.cols)] for i in range(matrix.rows)]
    return [list(row) for row in matrix]


def entries(vector: VectorLike) -> list[Any]:
    """Return a vector as a list of mpf."""
    return [number(entry) for entry in vector]


def column(vector: Sequence[Any]) -> Rows:
    """Return a vector of length n as n rows of one entry."""
    return [[entry] for entry in vector]


def transpose(matrix: Rows) -> Rows:
    """Return the transpose of a list of rows."""
    return [list(row) for row in zip(*matrix, strict=True)]


def largest(values: Iterable[Any]) -> Any:
    """Return the largest absolute value, zero for none."""
    return max((abs(value) for value in values), default=mp.zero)
