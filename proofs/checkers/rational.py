"""Exact rational matrices: arithmetic, rank and definiteness (LDL^T), on python-flint."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mat

from proofs.terms import Literal


def to_flint(matrix: Literal) -> fmpq_mat:
    entries = [fmpq(x.numerator, x.denominator) for x in matrix.entries]
    return fmpq_mat(matrix.rows, matrix.columns, entries)


def from_flint(matrix: fmpq_mat) -> Literal:
    entries = tuple(Fraction(int(x.p), int(x.q)) for x in matrix.entries())
    return Literal(matrix.nrows(), matrix.ncols(), entries)


def identity(n: int) -> Literal:
    return Literal(n, n, tuple(Fraction(i == j) for i in range(n) for j in range(n)))


def scaled(matrix: Literal, factor: Fraction) -> Literal:
    return Literal(matrix.rows, matrix.columns, tuple(factor * x for x in matrix.entries))


def total(left: Literal, right: Literal) -> Literal:
    entries = tuple(a + b for a, b in zip(left.entries, right.entries, strict=True))
    return Literal(left.rows, left.columns, entries)


def product(left: Literal, right: Literal) -> Literal:
    return from_flint(to_flint(left) * to_flint(right))


def transposed(matrix: Literal) -> Literal:
    return Literal(
        matrix.columns,
        matrix.rows,
        tuple(matrix[i, j] for j in range(matrix.columns) for i in range(matrix.rows)),
    )


def inverted(matrix: Literal) -> Literal | None:
    """The inverse of a square matrix, None when it is singular."""
    if rank(matrix) < matrix.rows:
        return None
    return from_flint(to_flint(matrix).inv())


def rank(matrix: Literal) -> int:
    return int(to_flint(matrix).rref()[1])


def multiple_of_identity(matrix: Literal) -> Fraction | None:
    """c when the matrix is c I, otherwise None."""
    if matrix.rows != matrix.columns:
        return None
    factor = matrix.entries[0]
    return factor if matrix == scaled(identity(matrix.rows), factor) else None


def is_semidefinite(matrix: Literal, strict: bool = False) -> bool:
    """Whether a matrix is symmetric and positive semidefinite (definite when ``strict``).

    Exact elimination M = L D L^T: a pivot must be positive, or zero together with the whole rest
    of its row.
    """
    n = matrix.rows
    if n != matrix.columns or matrix != transposed(matrix):
        return False
    rows = to_flint(matrix).tolist()
    for k in range(n):
        pivot = rows[k][k]
        if pivot < 0 or (pivot == 0 and (strict or any(rows[k][j] != 0 for j in range(k, n)))):
            return False
        if pivot == 0:
            continue
        for i in range(k + 1, n):
            if rows[i][k] != 0:
                factor = rows[i][k] / pivot
                for j in range(k + 1, n):
                    rows[i][j] -= factor * rows[k][j]
                rows[i][k] = fmpq(0)
    return True
