"""Coordinates of symmetric matrices, and quadratic forms on them, exactly.

A symmetric d x d matrix Z has the m = d (d + 1) / 2 coordinates z_ij = Z_ij, i <= j. A quadratic
form f is the list of its coefficients: f(Z) = sum_{a <= b} c_ab z_a z_b, so that integer data give
integer coefficients. Integers are Python's, in arrays of objects: they never overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric.exact import Matrix

Objects = NDArray[Any]
"""An array of Python integers or fractions."""

Heads = Sequence[tuple[Matrix, Matrix]]
"""The pairs (V_h, A_h) of exact d x d matrices."""


def triangle(n: int) -> list[tuple[int, int]]:
    """Return the places (i, j), i <= j < n, row by row."""
    return [(i, j) for i in range(n) for j in range(i, n)]


def skew_places(n: int) -> list[tuple[int, int]]:
    """Return the places (i, j), i < j < n, row by row."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


@lru_cache(maxsize=64)
def positions(n: int) -> NDArray[np.intp]:
    """Return the n x n table that sends (i, j) and (j, i) to their place in :func:`triangle`."""
    table = np.zeros((n, n), dtype=np.intp)
    for index, (i, j) in enumerate(triangle(n)):
        table[i, j] = table[j, i] = index
    return table


def symmetric_from(coordinates: Sequence[Any] | Objects, n: int) -> Objects:
    """Return the symmetric n x n matrix with the given coordinates."""
    return np.array(coordinates, dtype=object)[positions(n)]


def skew_from(coordinates: Sequence[Any] | Objects, n: int) -> Objects:
    """Return the skew n x n matrix with the given entries above the diagonal."""
    matrix = np.array([[Fraction(0)] * n for _ in range(n)], dtype=object).reshape(n, n)
    for value, (i, j) in zip(coordinates, skew_places(n), strict=True):
        matrix[i, j], matrix[j, i] = value, -value
    return matrix


def trace_with(matrix: Objects) -> Objects:
    """Return the coefficients n of the linear form tr(N Z) = n . z, N symmetric."""
    return np.array(
        [matrix[i, j] * (1 if i == j else 2) for i, j in triangle(len(matrix))], dtype=object
    )


@lru_cache(maxsize=64)
def _product_places(d: int, size: int) -> NDArray[np.intp]:
    """Where Z_jk Z_li goes, for all i, j, k, l in this order, in forms of ``size`` coordinates."""
    single, double = positions(d), positions(size)
    j_k = single[np.newaxis, :, :, np.newaxis]
    l_i = single.T[:, np.newaxis, np.newaxis, :]
    return double[j_k, l_i].ravel()


def two_sided(left: Objects, right: Objects, size: int) -> Objects:
    """Return the coefficients of the form tr(L Z R Z) of d x d matrices L and R.

    ``size`` is the number of coordinates the form is written in: m, or m + 1 with one more
    coordinate that the form does not depend on.
    """
    d = len(left)
    coefficients = np.array([0] * (size * (size + 1) // 2), dtype=object)
    products = np.multiply.outer(left, right).ravel()
    used = np.flatnonzero(products)
    np.add.at(coefficients, _product_places(d, size)[used], products[used])
    return coefficients


def product_of(left: Objects, right: Objects, size: int) -> Objects:
    """Return the coefficients of the form (l . z) (r . z), padded as in :func:`two_sided`."""
    coefficients = np.array([0] * (size * (size + 1) // 2), dtype=object)
    table = positions(size)[: len(left), : len(right)].ravel()
    np.add.at(coefficients, table, np.multiply.outer(left, right).ravel())
    return coefficients


def gram(coefficients: Objects, size: int) -> Objects:
    """Return the symmetric matrix F, with halves off the diagonal, of a form z^T F z."""
    matrix = symmetric_from(coefficients, size)
    half = Fraction(1, 2)
    for i, j in skew_places(size):
        matrix[i, j] = matrix[j, i] = matrix[i, j] * half
    return matrix


def unit_symmetric(d: int) -> list[Objects]:
    """Return the symmetric matrices that are dual to the coordinates."""
    units = []
    for i, j in triangle(d):
        unit = np.array([[0] * d for _ in range(d)], dtype=object)
        unit[i, j] = unit[j, i] = 1
        units.append(unit)
    return units


def rate(metric: Objects, heads: Sequence[tuple[Objects, Objects]], size: int) -> Objects:
    """Return the coefficients of q_P(Z) = sum_h tr(P V_h Z A_h Z): d/dt tr(P Z) = 2 q_P(Z)."""
    total = np.array([0] * (size * (size + 1) // 2), dtype=object)
    for V, A in heads:
        total = total + two_sided(metric.dot(V), A, size)
    return total


def as_objects(matrix: Matrix) -> Objects:
    """Return exact rows as an array of fractions."""
    n = len(matrix)
    return np.array([list(row) for row in matrix], dtype=object).reshape(n, -1)


def as_rows(matrix: Objects) -> Matrix:
    """Return an array of integers or fractions as exact rows."""
    return tuple(tuple(Fraction(value) for value in row) for row in matrix)
