"""Exact rational matrices: arithmetic, rank and definiteness, on python-flint."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from proofs.terms import Literal


def to_flint(matrix: Literal) -> fmpq_mat:
    return matrix.flint


from_flint = Literal.from_flint


def identity(n: int) -> Literal:
    matrix = fmpz_mat(n, n)
    for i in range(n):
        matrix[i, i] = 1
    return Literal._owning(matrix, fmpz(1))


def zero(rows: int, columns: int) -> Literal:
    return Literal._owning(fmpz_mat(rows, columns), fmpz(1))


def is_zero(matrix: Literal) -> bool:
    return bool(matrix._ratio()[0] == fmpz_mat(matrix.rows, matrix.columns))


def scaled(matrix: Literal, factor: Fraction) -> Literal:
    above, below = matrix._ratio()
    return Literal._owning(above * fmpz(factor.numerator), below * fmpz(factor.denominator))


def total(left: Literal, right: Literal) -> Literal:
    (one, below), (two, beneath) = left._ratio(), right._ratio()
    if below == beneath:
        return Literal._owning(one + two, below)
    return Literal._owning(one * beneath + two * below, below * beneath)


def product(left: Literal, right: Literal) -> Literal:
    (one, below), (two, beneath) = left._ratio(), right._ratio()
    return Literal._owning(one * two, below * beneath)


def transposed(matrix: Literal) -> Literal:
    above, below = matrix._ratio()
    return Literal._owning(above.transpose(), below)


def horner(time: Fraction, coefficients: Literal) -> Literal:
    """c_0 + t c_1 + ... + t^n c_n, for vectors c_k beside each other."""
    powers = [Fraction(1)]
    for _ in range(coefficients.columns - 1):
        powers.append(powers[-1] * time)
    return product(coefficients, Literal(len(powers), 1, tuple(powers)))


def traced(matrix: Literal) -> Literal:
    """The trace, 1 x 1."""
    return Literal(1, 1, (sum((matrix[i, i] for i in range(matrix.rows)), Fraction(0)),))


def inverted(matrix: Literal) -> Literal | None:
    """The inverse of a square matrix, None when it is singular."""
    if rank(matrix) < matrix.rows:
        return None
    return from_flint(matrix.flint.inv())


def rank(matrix: Literal) -> int:
    return int(matrix.flint.rref()[1])


def leading(matrix: Literal) -> Fraction:
    """The first entry that is not zero, by rows; 0 for the zero matrix."""
    if matrix[0, 0] != 0:
        return matrix[0, 0]
    above, _ = matrix._ratio()
    places = ((i, j) for i in range(matrix.rows) for j in range(matrix.columns))
    return next((matrix[place] for place in places if above[place] != 0), Fraction(0))


def multiple_of_identity(matrix: Literal) -> Fraction | None:
    """c when the matrix is c I, otherwise None."""
    n = matrix.rows
    if n != matrix.columns or (n > 1 and matrix[0, n - 1] != 0):
        return None
    factor = matrix[0, 0]
    return factor if matrix == scaled(identity(n), factor) else None


def is_semidefinite(matrix: Literal, strict: bool = False) -> bool:
    """Whether a matrix is symmetric and positive semidefinite (definite when ``strict``).

    Exact elimination M = L D L^T: a pivot must be positive, or zero together with the whole rest
    of its row.
    """
    return is_semidefinite_flint(matrix.flint, strict)


def is_semidefinite_flint(matrix: fmpq_mat, strict: bool = False) -> bool:
    """The same for a matrix of python-flint."""
    n = matrix.nrows()
    if n != matrix.ncols() or matrix != matrix.transpose():
        return False
    rows = matrix.tolist()
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


def is_definite_by(matrix: Literal, congruence: Literal) -> bool:
    """Whether M is symmetric and R^T M R is strictly diagonally dominant, for M and R both n x n.

    Then R^T M R > 0 by Gershgorin's theorem, hence R is injective, hence M > 0.  Any R will do: the
    inverse of an approximate Cholesky factor is one, and costs two products instead of elimination.
    """
    n = matrix.rows
    shape = (n, n)
    if (matrix.rows, matrix.columns) != shape or (congruence.rows, congruence.columns) != shape:
        return False
    if matrix != transposed(matrix):
        return False
    frame, middle = congruence._ratio()[0], matrix._ratio()[0]
    image = frame.transpose() * middle * frame
    return all(
        2 * row[i] > sum((abs(x) for x in row), fmpz(0)) for i, row in enumerate(image.tolist())
    )
