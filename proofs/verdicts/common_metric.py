"""B > 0 with B V = M for given matrices, or exactly why there is none.

Let the columns of C be a basis of the range of V, and D = B C what B must make of them. There is
such a B just when C^T D is symmetric and positive definite and B is well-defined; then

    B = D (C^T D)^{-1} D^T + the projector on the complement of the range.

So the linear matrix inequality is decided in rationals. Where it fails for the sign, the matrix
Y = p p^T with p = V u is its dual certificate: tr(Y B) is one number <= 0 for every symmetric B
with B V = M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from flint import fmpq_mat

from numeric.exact import negative_direction
from proofs.checkers import rational
from proofs.checkers.rational import from_flint, to_flint
from proofs.terms import Literal
from proofs.verdicts.problem import to_rows
from proofs.verdicts.workspace import null_vector


class Failure(Enum):
    """What excludes B."""

    ASYMMETRIC = "u^T V^T M v is not v^T V^T M u"
    INDEFINITE = "V u is not 0, but u^T V^T M u <= 0"
    UNDEFINED = "V u = 0, but M u is not 0"


@dataclass(frozen=True)
class Obstruction:
    """Why there is no B, with vectors (columns as long as V is wide); ``v`` if asymmetric only."""

    failure: Failure
    u: Literal
    v: Literal | None = None


def common_metric(value: Literal, image: Literal) -> Literal | Obstruction:
    """B (d x d, symmetric positive definite) with B V = M, for V and M of one shape d x n."""
    V, M = to_flint(value), to_flint(image)
    d, width = value.rows, value.columns
    echelon, rank = V.rref()
    pivots = [next(j for j in range(width) if echelon[i, j] != 0) for i in range(rank)]
    one = to_flint(rational.identity(d))
    if rank == 0:
        B = one
    else:
        C, D = _columns(V, pivots), _columns(M, pivots)
        gram = C.transpose() * D
        for i in range(rank):
            for j in range(i):
                if gram[i, j] != gram[j, i]:
                    u, v = (_unit(width, pivots[k]) for k in (j, i))
                    return Obstruction(Failure.ASYMMETRIC, u, v)
        direction = _not_positive(from_flint(gram))
        if direction is not None:
            placed = [Fraction(0)] * width
            for pivot, x in zip(pivots, direction, strict=True):
                placed[pivot] = x
            return Obstruction(Failure.INDEFINITE, Literal(width, 1, tuple(placed)))
        support = C * (C.transpose() * C).inv() * C.transpose()
        B = D * gram.inv() * D.transpose() + one - support
    rest = B * V - M
    for j in range(width):
        if any(rest[i, j] != 0 for i in range(d)):
            return Obstruction(Failure.UNDEFINED, _dependence(echelon, pivots, j))
    return from_flint(B)


def beside(matrices: Sequence[Literal]) -> Literal:
    """Matrices with the same number of rows in one, from left to right."""
    rows = matrices[0].rows
    entries = (m[i, j] for i in range(rows) for m in matrices for j in range(m.columns))
    return Literal(rows, sum(m.columns for m in matrices), tuple(entries))


def _not_positive(gram: Literal) -> Sequence[Fraction] | None:
    """A vector w, not 0, with w^T G w <= 0; None for G > 0."""
    direction = negative_direction(to_rows(gram))
    if direction is not None:
        return direction
    kernel = null_vector(gram)
    return None if kernel is None else kernel.entries


def _dependence(echelon: fmpq_mat, pivots: Sequence[int], column: int) -> Literal:
    """u with V u = 0 that writes a column of V, not a pivot, by the pivots."""
    width = echelon.ncols()
    entries = [Fraction(0)] * width
    entries[column] = Fraction(1)
    for i, pivot in enumerate(pivots):
        entries[pivot] = -Fraction(int(echelon[i, column].p), int(echelon[i, column].q))
    return Literal(width, 1, tuple(entries))


def _columns(matrix: fmpq_mat, places: Sequence[int]) -> fmpq_mat:
    return fmpq_mat([[matrix[i, j] for j in places] for i in range(matrix.nrows())])


def _unit(length: int, place: int) -> Literal:
    return Literal(length, 1, tuple(Fraction(i == place) for i in range(length)))
