"""Exact factorisations of rational matrices that certificates are made of."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from proofs.checkers.rational import from_flint, to_flint
from proofs.terms import Literal


def factor_semidefinite(matrix: Literal) -> tuple[Literal, Literal]:
    """L (n x r) and a diagonal D > 0 (r x r) with M = L D L^T, for M >= 0 of rank r >= 1."""
    work = to_flint(matrix)
    n = matrix.rows
    columns: list[list[fmpq]] = []
    pivots: list[fmpq] = []
    for _ in range(n):
        index = next((i for i in range(n) if work[i, i] != 0), None)
        if index is None:
            break
        pivot = work[index, index]
        column = [work[i, index] / pivot for i in range(n)]
        for i in range(n):
            for j in range(n):
                work[i, j] -= pivot * column[i] * column[j]
        columns.append(column)
        pivots.append(pivot)
    r = len(pivots)
    left = fmpq_mat(n, r, [columns[j][i] for i in range(n) for j in range(r)])
    diagonal = fmpq_mat(r, r, [pivots[i] if i == j else 0 for i in range(r) for j in range(r)])
    return from_flint(left), from_flint(diagonal)


def kernel_basis(matrix: Literal) -> Literal | None:
    """The columns of a basis of the kernel, None when it is trivial."""
    echelon, rank = to_flint(matrix).rref()
    n = matrix.columns
    if rank == n:
        return None
    pivots = [next(j for j in range(n) if echelon[i, j] != 0) for i in range(rank)]
    free = [j for j in range(n) if j not in pivots]
    basis = fmpq_mat(n, len(free))
    for column, j in enumerate(free):
        basis[j, column] = 1
        for i, pivot in enumerate(pivots):
            basis[pivot, column] = -echelon[i, j]
    return from_flint(basis)


def solve(matrix: Literal, right: Literal) -> Literal | None:
    """Some X with M X = R, None when there is none."""
    n, m = matrix.columns, right.columns
    entries = [
        fmpq(x.numerator, x.denominator)
        for i in range(matrix.rows)
        for x in (
            *(matrix[i, j] for j in range(n)),
            *(right[i, j] for j in range(m)),
        )
    ]
    echelon, rank = fmpq_mat(matrix.rows, n + m, entries).rref()
    solution = fmpq_mat(n, m)
    for i in range(rank):
        pivot = next(j for j in range(n + m) if echelon[i, j] != 0)
        if pivot >= n:
            return None
        for j in range(m):
            solution[pivot, j] = echelon[i, n + j]
    return from_flint(solution)


def generalised_inverse_on_kernel(metric: Literal, form: Literal) -> tuple[Literal, Literal]:
    """G = J (J^T E J)^{-1} J^T for a basis J of ker N, and Y with I - E G = N Y.

    E > 0 and N are symmetric n x n matrices.
    """
    n = metric.rows
    basis = kernel_basis(form)
    E = to_flint(metric)
    G = fmpq_mat(n, n)
    if basis is not None:
        J = to_flint(basis)
        G = J * (J.transpose() * E * J).inv() * J.transpose()
    one = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    Y = solve(form, from_flint(one - E * G))
    assert Y is not None  # the columns of I - E G are orthogonal to ker N
    return from_flint(G), Y
