"""From floating point to rationals: positive semidefinite matrices as exact sums of squares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from numeric.lyapunov.forms import Objects

DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 12, 24, *(2**k for k in (5, 6, 8, 10, 13, 16, 20, 26, 32, 40)))
"""Common denominators that roundings try, the most readable first."""

READABLE = 24
"""Largest denominator that is worth trying with finer ones elsewhere."""


def roundings(values: NDArray[np.float64], first: int) -> Iterator[list[Fraction]]:
    """Yield roundings of a vector, whose ``first`` entries are to be readable."""
    listed = [float(x) for x in values]
    for denominator in DENOMINATORS:
        head = [Fraction(round(x * denominator), denominator) for x in listed[:first]]
        for finer in (1, 32, 1024) if first < len(listed) and denominator <= READABLE else (1,):
            fine = denominator * finer
            yield head + [Fraction(round(x * fine), fine) for x in listed[first:]]


def squares(matrix: Objects) -> list[tuple[Fraction, list[Fraction]]] | None:
    """Write a symmetric n x n matrix as sum_k b_k l_k l_k^T, b_k > 0, l_k primitive integers.

    Exact LDL^T; None when the matrix is not positive semidefinite.
    """
    n = len(matrix)
    denominator = math.lcm(*(Fraction(value).denominator for value in matrix.ravel()), 1)
    work = [[int(Fraction(x) * denominator) for x in row] for row in matrix]
    found = []
    previous = 1
    for k in range(n):
        pivot = work[k][k]
        row = work[k][k:]
        if pivot < 0 or (pivot == 0 and any(row)):
            return None
        if pivot == 0:
            continue
        # Bareiss: after division by the previous pivot, entries are minors of the matrix.
        divisor = math.gcd(*row)
        vector = [Fraction(0)] * k + [Fraction(x // divisor) for x in row]
        found.append((Fraction(divisor * divisor, pivot * previous * denominator), vector))
        for i in range(k + 1, n):
            for j in range(i, n):
                work[i][j] = (pivot * work[i][j] - row[i - k] * row[j - k]) // previous
                work[j][i] = work[i][j]
        previous = pivot
    return found


def rational_columns(
    basis: NDArray[np.float64], attempts: Sequence[tuple[int, float]]
) -> list[list[Fraction]] | None:
    """Round a subspace of R^n, given by n x k orthonormal columns, to rational columns.

    The reduced echelon form belongs to the subspace alone, and is what is rounded; its pivots are
    chosen as in Gaussian elimination with complete pivoting, so that no other entry is large.
    ``attempts`` are pairs of a largest denominator and the error that it may leave.
    """
    _, k = basis.shape
    if k == 0:
        return []
    from scipy.linalg import qr

    pivots = np.sort(qr(basis.T, pivoting=True, mode="economic")[2][:k])
    echelon = np.linalg.solve(basis[pivots].T, basis.T)
    for largest, tolerance in attempts:
        columns = [[Fraction(float(x)).limit_denominator(largest) for x in row] for row in echelon]
        rounded = np.array([[float(x) for x in row] for row in columns])
        if np.abs(rounded - echelon).max() <= tolerance:
            return columns
    return None
