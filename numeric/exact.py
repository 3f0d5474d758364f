"""Exact linear algebra on small rational matrices.

Matrices are tuples of rows of :class:`fractions.Fraction`, vectors are tuples. Standard library
only.
"""

import math
import operator
from collections.abc import Sequence
from fractions import Fraction

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


def transpose(matrix: Matrix) -> Matrix:
    """Return the transpose of an m x n matrix, n x m."""
    return tuple(zip(*matrix, strict=True))


def multiply(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of an m x n and an n x p matrix, m x p."""
    left_integers, left_denominator = _integers(left)
    right_integers, right_denominator = _integers(right)
    denominator = left_denominator * right_denominator
    columns = list(zip(*right_integers, strict=True))
    # One common denominator per factor: a reduction per product would dominate the cost.
    return tuple(
        tuple(Fraction(sum(map(operator.mul, row, column)), denominator) for column in columns)
        for row in left_integers
    )


def apply(matrix: Matrix, vector: Vector) -> Vector:
    """Return the product of an m x n matrix and a vector of length n."""
    return tuple(
        sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix
    )


def quadratic_form(matrix: Matrix, vector: Vector) -> Fraction:
    """Return u^T M u for a d x d matrix M and a vector u of length d."""
    image = apply(matrix, vector)
    return sum((a * b for a, b in zip(vector, image, strict=True)), Fraction(0))


def square_root(value: Fraction) -> Fraction | None:
    """Return the non-negative rational square root of ``value`` >= 0, None when irrational."""
    numerator, denominator = math.isqrt(value.numerator), math.isqrt(value.denominator)
    root = Fraction(numerator, denominator)
    return root if root * root == value else None


def negative_direction(matrix: Matrix) -> Vector | None:
    """Decide exactly whether a symmetric d x d matrix is positive semidefinite.

    Returns None when it is, and otherwise a vector u of integers with u^T M u < 0. The decision
    is an LDL^T elimination with diagonal pivoting, fraction-free (Bareiss), so that entries stay
    minors of the matrix.
    """
    work, _ = _integers(matrix)
    remaining = list(range(len(work)))
    eliminated: list[tuple[int, int, dict[int, int]]] = []
    previous = 1
    while remaining:
        direction = _negative_direction_of_block(work, remaining)
        if direction is not None:
            return _lift(direction, eliminated, matrix)
        pivots = [i for i in remaining if work[i][i] > 0]
        if not pivots:
            return None
        pivot = pivots[0]
        remaining.remove(pivot)
        corner = work[pivot][pivot]
        row = {j: work[pivot][j] for j in remaining}
        eliminated.append((pivot, corner, row))
        for i in remaining:
            for j in remaining:
                if j >= i:
                    work[i][j] = (work[i][j] * corner - row[i] * row[j]) // previous
                    work[j][i] = work[i][j]
        previous = corner
    return None


def _negative_direction_of_block(
    work: list[list[int]], remaining: list[int]
) -> dict[int, Fraction] | None:
    """Find a negative direction that the diagonal of the remaining block gives away."""
    for i in remaining:
        if work[i][i] < 0:
            return {i: Fraction(1)}
    for i in remaining:
        if work[i][i] == 0:
            for j in remaining:
                if work[i][j] != 0:
                    # (e_j + c e_i) has form M_jj + 2 c M_ij = -M_jj - 2 < 0.
                    return {j: Fraction(1), i: Fraction(-work[j][j] - 1, work[i][j])}
    return None


def _lift(
    direction: dict[int, Fraction],
    eliminated: Sequence[tuple[int, int, dict[int, int]]],
    matrix: Matrix,
) -> Vector:
    """Extend a negative direction of a Schur complement to one of the whole matrix."""
    full = dict(direction)
    for pivot, corner, row in reversed(eliminated):
        full[pivot] = -sum((row[j] * value for j, value in full.items()), Fraction(0)) / corner
    exact = tuple(full.get(i, Fraction(0)) for i in range(len(matrix)))
    largest = max(abs(value) for value in exact)
    # A witness is read by people: the coarsest rounding that is still exactly negative.
    for bits in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256):
        rounded = [round(value / largest * 2**bits) for value in exact]
        divisor = math.gcd(*rounded)
        candidate = tuple(Fraction(value // divisor) for value in rounded)
        if quadratic_form(matrix, candidate) < 0:
            return candidate
    common = math.lcm(*(value.denominator for value in exact))
    return tuple(value * common for value in exact)


def _integers(matrix: Matrix) -> tuple[list[list[int]], int]:
    """Return integer rows and one positive denominator whose quotient is the matrix."""
    denominator = math.lcm(*(value.denominator for row in matrix for value in row))
    rows = [
        [value.numerator * (denominator // value.denominator) for value in row] for row in matrix
    ]
    return rows, denominator
