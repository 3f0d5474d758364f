"""A matrix P > 0 that makes P V symmetric positive semidefinite, or an exact reason against it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from numeric.exact import negative_direction
from proofs.checkers import rational
from proofs.checkers.rational import from_flint, to_flint
from proofs.terms import Literal
from proofs.verdicts.linear import kernel_basis
from proofs.verdicts.problem import to_rows

#: denominators that the search rounds to
DENOMINATORS = tuple(2**k for k in (0, 1, 2, 4, 8, 16, 32, 48))


def symmetriser(value: Literal) -> Literal | None:
    """P > 0 with P V = V^T P >= 0; None when the search finds none.

    The equations are solved exactly, an LMI in the remaining coordinates is solved numerically
    and rounded; positivity is then decided exactly.
    """
    n = value.rows
    identity = rational.identity(n)
    if _works(identity, value):
        return identity
    basis = _symmetric_solutions(value)
    if not basis:
        return None
    coordinates = _search(basis, value)
    if coordinates is None:
        return None
    for denominator in DENOMINATORS:
        candidate = _combine(
            basis, [Fraction(round(c * denominator), denominator) for c in coordinates]
        )
        if candidate is not None and _works(candidate, value):
            return candidate
    return None


def obstruction(value: Literal) -> str | None:
    """Why no such P exists: V is not diagonalisable with eigenvalues >= 0. None when it is.

    With the power sums p_k = tr V^k, the Hankel matrix (p_{i+j}) is positive semidefinite exactly
    when all eigenvalues are real, and then (p_{i+j+1}) exactly when they are >= 0 (Hermite).
    """
    n = value.rows
    V = to_flint(value)
    power = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    sums = []
    for _ in range(2 * n):
        sums.append(sum((power[i, i] for i in range(n)), fmpq(0)))
        power = power * V
    for shift, words in ((0, "a non-real"), (1, "a negative")):
        hankel = from_flint(
            fmpq_mat(n, n, [sums[i + j + shift] for i in range(n) for j in range(n)])
        )
        if negative_direction(to_rows(hankel)) is not None:
            return f"V has {words} eigenvalue"
    characteristic: fmpq_poly = fmpq_poly(V.charpoly().coeffs())
    squarefree = characteristic / characteristic.gcd(characteristic.derivative())
    if any(x != 0 for x in _evaluate(squarefree, V).entries()):
        return "V is not diagonalisable"
    return None


def _evaluate(polynomial: fmpq_poly, matrix: fmpq_mat) -> fmpq_mat:
    n = matrix.nrows()
    one = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    result = fmpq_mat(n, n)
    for coefficient in reversed(polynomial.coeffs()):
        result = result * matrix + one * coefficient
    return result


def _works(metric: Literal, value: Literal) -> bool:
    return rational.is_semidefinite(metric, strict=True) and rational.is_semidefinite(
        rational.product(metric, value)
    )


def _symmetric_solutions(value: Literal) -> list[Literal]:
    """A basis of the symmetric P with P V = V^T P."""
    n = value.rows
    places = [(i, j) for i in range(n) for j in range(i + 1)]
    unit = {}
    columns = []
    for place in places:
        entries = [Fraction((i, j) in (place, place[::-1])) for i in range(n) for j in range(n)]
        unit[place] = Literal(n, n, tuple(entries))
        product = rational.product(unit[place], value)
        columns.append([product[i, j] - product[j, i] for i in range(n) for j in range(i)])
    if n == 1:
        return list(unit.values())
    equations = tuple(columns[c][r] for r in range(len(columns[0])) for c in range(len(columns)))
    kernel = kernel_basis(Literal(len(columns[0]), len(columns), equations))
    if kernel is None:
        return []
    found = []
    for c in range(kernel.columns):
        matrix = _combine(list(unit.values()), [kernel[r, c] for r in range(len(places))])
        found.append(matrix)
    return found


def _combine(basis: list[Literal], coordinates: list[Fraction]) -> Literal:
    n = basis[0].rows
    total = Literal(n, n, (Fraction(0),) * (n * n))
    for matrix, c in zip(basis, coordinates, strict=True):
        total = rational.total(total, rational.scaled(matrix, c))
    return total


def _search(basis: list[Literal], value: Literal) -> list[float] | None:
    """Coordinates of a P with the largest margin, by an LMI."""
    import cvxpy as cp

    n = value.rows
    try:
        arrays = [np.array([float(x) for x in m.entries]).reshape(n, n) for m in basis]
        V = np.array([float(x) for x in value.entries]).reshape(n, n)
    except OverflowError:
        return None
    c, margin = cp.Variable(len(basis)), cp.Variable()
    P = sum(c[i] * arrays[i] for i in range(len(basis)))
    with np.errstate(over="ignore", invalid="ignore"):
        sides = [(array @ V + V.T @ array.T) / 2 for array in arrays]
    product = sum(c[i] * sides[i] for i in range(len(basis)))
    constraints = [P >> margin * np.eye(n), product >> 0, cp.trace(P) == n]
    problem = cp.Problem(cp.Maximize(margin), constraints)
    try:
        problem.solve(solver=cp.CLARABEL)
    except (cp.SolverError, ValueError):  # ValueError: numbers that are not finite
        return None
    if c.value is None or margin.value is None or not margin.value > 0:
        return None
    if not np.isfinite(c.value).all():
        return None
    return [float(x) for x in c.value]
