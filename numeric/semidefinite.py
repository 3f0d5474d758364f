"""Deciding exactly whether a symmetric matrix is positive semidefinite, at larger sizes too.

Floating point only proposes: a direction u, whose form u^T M u is then evaluated in integers, or
a matrix T for which T M T^T is nearly the identity, whose diagonal dominance is then checked in
integers. python-flint and NumPy are imported only for matrices larger than :data:`EXACT_SIZE`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numeric import exact
from numeric.exact import Vector
from numeric.matrices import ExactMatrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_SIZE = 128
"""Largest dimension at which elimination decides: it takes seconds there."""

EXACT_RANK = 24
"""Largest rank at which elimination decides larger matrices."""

_BITS = 44

MAX_SIZE = 1024
"""Largest dimension at which anything but diagonal dominance is tried."""


class UndecidedError(Exception):
    """Too large, or too close to singular at this size; ``str()`` says which."""


def negative_direction(matrix: ExactMatrix) -> Vector | None:
    """Decide whether a symmetric d x d matrix M is positive semidefinite.

    Returns None when it is, otherwise a vector u of integers with u^T M u < 0. Raises
    :class:`UndecidedError` when d is larger than :data:`MAX_SIZE` and M is not diagonally dominant,
    or d is larger than :data:`EXACT_SIZE` and M is nearly singular of a rank above
    :data:`EXACT_RANK`.
    """
    if matrix.rows <= EXACT_SIZE:
        return exact.negative_direction(matrix.fractions())
    integers, _ = matrix.integers()
    if _dominant(integers):
        return None
    if matrix.rows > MAX_SIZE:
        raise UndecidedError(f"too large, at most d = {MAX_SIZE}, or it is diagonally dominant")
    import numpy as np

    # A positive multiple of the matrix that no float overflows in.
    largest = max(abs(value) for row in integers for value in row)
    scaled = np.array([[value / largest for value in row] for row in integers])
    values, vectors = np.linalg.eigh(scaled)
    if values[0] < 0:
        witness = _witness(integers, vectors[:, 0])
        if witness is not None:
            return witness
    if values[0] > 0 and _definite(integers, vectors / np.sqrt(values)):
        return None
    from flint import fmpz_mat

    if fmpz_mat(integers).rank() <= EXACT_RANK:
        return exact.negative_direction(matrix.fractions())
    raise UndecidedError("too close to singular")


def _dominant(rows: list[list[int]]) -> bool:
    """Whether every diagonal entry is at least the sum of the others of its row, in size."""
    return all(row[i] >= 0 and 2 * row[i] >= sum(map(abs, row)) for i, row in enumerate(rows))


def _witness(rows: list[list[int]], direction: NDArray[np.float64]) -> Vector | None:
    from flint import fmpz_mat

    form = fmpz_mat(rows)
    direction = direction / abs(direction).max()
    for bits in (2, 4, 8, 16, 32):
        column = fmpz_mat([[round(float(value) * 2**bits)] for value in direction])
        if (column.transpose() * form * column)[0, 0] < 0:
            return tuple(exact.Fraction(int(column[i, 0])) for i in range(len(rows)))
    return None


def _definite(rows: list[list[int]], columns: NDArray[np.float64]) -> bool:
    """Whether C^T M C is strictly diagonally dominant, C a rounding: then M is definite."""
    from flint import fmpz_mat

    factor = columns / abs(columns).max()
    change = fmpz_mat([[round(float(value) * 2.0**_BITS) for value in row] for row in factor])
    product = change.transpose() * fmpz_mat(rows) * change
    listed = [[int(value) for value in row] for row in product.tolist()]
    return all(2 * row[i] > sum(map(abs, row)) for i, row in enumerate(listed))
