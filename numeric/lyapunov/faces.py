"""The linear matrix inequality of a search, exactly, and the faces that it is restricted to.

The unknowns are P, positive semidefinite Gram matrices Cs and Ck of the congruences by symmetric
and by skew matrices, and tau = 1 for growth. What is left of the form is the Gram matrix G of the
squares, which is linear in the unknowns: any rounding of P, Cs and Ck satisfies all equations.

Where the inequality has no strictly feasible point, numbers must not be rounded freely: the
matrices are singular in directions that all solutions share. A face says which, exactly:
Cs = U C U^T, and G N = 0 as linear equations, solved exactly (facial reduction; Borwein, Wolkowicz,
Regularizing the abstract convex program, 1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from numeric.exact import Matrix, negative_direction
from numeric.lyapunov.certificate import Kind
from numeric.lyapunov.forms import (
    Heads,
    Objects,
    as_objects,
    as_rows,
    positions,
    product_of,
    rate,
    skew_from,
    skew_places,
    symmetric_from,
    trace_with,
    triangle,
    two_sided,
    unit_symmetric,
)

if TYPE_CHECKING:
    from flint import fmpq_mat

MAX_HEADS = 6
"""Most heads whose common zeros are looked for: the choices double with every head."""


@dataclass(frozen=True, eq=False)
class Face:
    """A linear subspace for each unknown matrix, by exact columns.

    Attributes:
        metrics: m x p, coordinates of symmetric matrices that span those P.
        symmetric: m x k, the range of Cs.
        skew: n x k, the range of Ck, n = d (d - 1) / 2.
        kernel: M x r, vectors that G is to map to zero; M = m, or m + 1 for growth.
        value: for growth, a pair (W, v) to demand tr(W P) = v, or None.
    """

    metrics: Objects
    symmetric: Objects
    skew: Objects
    kernel: Objects
    value: tuple[Matrix, Fraction] | None = None

    @property
    def freedom(self) -> tuple[int, int, int, int]:
        """Return the four dimensions, which tell whether a reduction has changed anything."""
        return (
            self.metrics.shape[1],
            self.symmetric.shape[1],
            self.skew.shape[1],
            -self.kernel.shape[1],
        )


def whole(d: int, kind: Kind) -> Face:
    """Return the face that restricts nothing."""
    m, n = d * (d + 1) // 2, d * (d - 1) // 2
    size = m + (kind == "growth")
    return Face(_unit(m), _unit(m), _unit(n), _unit(size)[:, :0])


def vanishing(heads: Heads, kind: Kind) -> Face:
    """Return a face of all solutions, from vectors u at which q_P(u u^T) = 0 for every P.

    That is so if u^T A_h u = 0 or V_h u = 0 for every head. All terms vanish at u u^T: Cs maps the
    dual vector to zero, and G the vector itself, which for growth includes tr(P u u^T) = 0. Then
    f(u u^T, W), a linear form in W, is tr(R W) with R = sum a_k (M_k u)(M_k u)^T >= 0. It vanishes
    at all W = v v^T with v orthogonal to the A_h u, and to the A_h^T u with V_h u != 0, hence
    M_k u is in their span.
    """
    d = len(heads[0][0])
    face = whole(d, kind)
    quadrics, subspaces = common_zeros(heads)
    if not quadrics:
        return face
    size = len(face.kernel)
    kernel = np.array([[Fraction(0)] * len(quadrics) for _ in range(size)], dtype=object)
    symmetric = []
    for column, zero in enumerate(quadrics):
        symmetric.append(trace_with(zero))
        kernel[: len(symmetric[0]), column] = [zero[i, j] for i, j in triangle(d)]
    skew = []
    for basis in subspaces:
        # A linear condition on M for each u; sums of two basis vectors stand for all others.
        count = basis.shape[1]
        chosen = [basis[:, i] for i in range(count)]
        chosen += [basis[:, i] + basis[:, j] for i, j in skew_places(count)]
        for u in chosen:
            images = [as_objects(A).dot(u) for _, A in heads]
            images += [as_objects(A).T.dot(u) for V, A in heads if as_objects(V).dot(u).any()]
            others = complement(np.array(images, dtype=object).T)
            for c in range(others.shape[1]):
                outer = np.multiply.outer(others[:, c], u)
                symmetric.append(
                    np.array(
                        [
                            outer[i, j] + outer[j, i] if i != j else outer[i, i]
                            for i, j in triangle(d)
                        ],
                        dtype=object,
                    )
                )
                skew.append(np.array([outer[i, j] - outer[j, i] for i, j in skew_places(d)]))
    range_of_skew = complement(np.array(skew, dtype=object).T) if skew and d > 1 else face.skew
    return replace(
        face,
        symmetric=complement(np.array(symmetric, dtype=object).T),
        skew=range_of_skew,
        kernel=kernel,
    )


def common_zeros(heads: Heads) -> tuple[list[Objects], list[Objects]]:
    """Vectors u such that u^T A_h u = 0 or V_h u = 0 for every head.

    Returns a basis of span{u u^T}, as matrices, and subspaces of such u, by their columns. Only
    zeros that fill a subspace, or an indefinite quadric in one, are seen.
    """
    d = len(heads[0][0])
    if len(heads) > MAX_HEADS:
        return [], []
    values = [as_objects(V) for V, _ in heads]
    forms = [as_objects(A) + as_objects(A).T for _, A in heads]
    found: list[Objects] = []
    subspaces: list[Objects] = []
    for choice in product((False, True), repeat=len(heads)):
        basis = _unit(d)
        for V, by_value in zip(values, choice, strict=True):
            if by_value and basis.shape[1]:
                basis = basis.dot(kernel(V.dot(basis)))
        rest = [H for H, by_value in zip(forms, choice, strict=True) if not by_value]
        found += _zeros_within(basis, rest, subspaces)
    if not found:
        return [], []
    rows = np.array([[Z[i, j] for i, j in triangle(d)] for Z in found], dtype=object)
    columns = column_basis(rows.T)
    return [symmetric_from(columns[:, c], d) for c in range(columns.shape[1])], subspaces


def _zeros_within(
    basis: Objects, forms: Sequence[Objects], subspaces: list[Objects]
) -> list[Objects]:
    """Common zeros of quadratic forms within the span of the columns."""
    indefinite: list[Objects] = []
    settled = False
    while not settled and basis.shape[1]:
        settled, indefinite = True, []
        for H in forms:
            restricted = basis.T.dot(H).dot(basis)
            if not restricted.any():
                continue
            if all(negative_direction(as_rows(s * restricted)) is not None for s in (1, -1)):
                indefinite.append(restricted)
                continue
            basis = basis.dot(kernel(restricted))
            settled = False
            break
    k = basis.shape[1]
    if k == 0:
        return []
    units = unit_symmetric(k)
    if indefinite:
        equations = np.array([trace_with(H) for H in indefinite], dtype=object)
        if rank(equations) > 1:
            return []
        # The zeros of one indefinite form H span all W with tr(H W) = 0.
        solved = kernel(equations[:1])
        units = [symmetric_from(solved[:, c], k) for c in range(solved.shape[1])]
    else:
        subspaces.append(basis)
    return [basis.dot(unit).dot(basis.T) for unit in units]


@dataclass(frozen=True, eq=False)
class Inequality:
    """P, Cs, Ck and G as exact linear functions of free rational unknowns x.

    Attributes:
        d, kind, level: of the search; at level 2 congruences by symmetric matrices come with
            their Cauchy-Schwarz term.
        face: where P, Cs, Ck and G are.
        basis: columns of y = basis x, y the coordinates of P and of Gram matrices within the
            face (and tau, which follows P, for growth).
        free: rows of y that are x itself.
        form: coefficients of G, a linear function of y.
        slope: for growth, the L of :class:`~numeric.lyapunov.certificate.Certificate`, or None.
    """

    d: int
    kind: Kind
    level: int
    face: Face
    basis: fmpq_mat
    free: tuple[int, ...]
    form: fmpq_mat
    slope: Matrix | None = None

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Return the numbers of entries of y for P, tau, Cs and Ck."""
        p, s, k, _ = self.face.freedom
        return p, int(self.kind == "growth"), s * (s + 1) // 2, k * (k + 1) // 2

    def unknowns(
        self, x: Sequence[Fraction]
    ) -> tuple[Objects, Fraction, Objects, Objects, Objects]:
        """Return P, tau, and the Gram matrices Cs, Ck and G for rational x."""
        column = to_flint(np.array([[value] for value in x], dtype=object))
        y = self.basis * column
        coefficients = from_flint(self.form * y)[:, 0]
        listed = from_flint(y)[:, 0]
        p, t, s, _ = self.sizes
        _, k_s, k_k, _ = self.face.freedom
        P = symmetric_from(self.face.metrics.dot(listed[:p]), self.d)
        tau = listed[p] if t else Fraction(1)
        U, W = self.face.symmetric, self.face.skew
        Cs = _within(U, listed[p + t : p + t + s], k_s)
        Ck = _within(W, listed[p + t + s :], k_k)
        size = len(self.face.kernel)
        G = symmetric_from(coefficients, size)
        half = Fraction(1, 2)
        for i, j in skew_places(size):
            G[i, j] = G[j, i] = G[i, j] * half
        return P, tau, Cs, Ck, G


def _within(columns: Objects, coordinates: Objects, k: int) -> Objects:
    if k == 0:
        return np.array([[Fraction(0)] * len(columns) for _ in columns], dtype=object).reshape(
            len(columns), len(columns)
        )
    return columns.dot(symmetric_from(coordinates, k)).dot(columns.T)


def inequality(
    heads: Heads, kind: Kind, level: int, face: Face, slope: Matrix | None = None
) -> Inequality | None:
    """Return the inequality within a face, None when its equations leave P = 0 alone."""
    d = len(heads[0][0])
    size = len(face.kernel)
    arrays = [(as_objects(V), as_objects(A)) for V, A in heads]
    columns: list[Objects] = []
    for c in range(face.metrics.shape[1]):
        P = symmetric_from(face.metrics[:, c], d)
        doubled = 2 * rate(P, arrays, size)
        if kind == "decrease":
            doubled = -doubled
        else:
            last = np.array([0] * size, dtype=object)
            last[-1] = 2
            doubled = doubled + product_of(trace_with(P), last, size)
            if slope is not None:
                across = product_of(trace_with(P), trace_with(as_objects(slope)), size)
                doubled = doubled - across
        columns.append(doubled)
    if kind == "growth":
        last = np.array([0] * size, dtype=object)
        last[-1] = 1
        columns.append(product_of(last, last, size))
    shapes = [symmetric_from(face.symmetric[:, c], d) for c in range(face.symmetric.shape[1])]
    traces = [trace_with(M) for M in shapes]
    for i, j in triangle(len(shapes)):
        double = 1 if i == j else 2
        term = two_sided(shapes[i], shapes[j], size)
        if level == 2:
            term = term - product_of(traces[i], traces[j], size) * Fraction(1, d)
        columns.append(-double * term)
    skews = [skew_from(face.skew[:, c], d) for c in range(face.skew.shape[1])]
    for i, j in triangle(len(skews)):
        double = 1 if i == j else 2
        columns.append(double * two_sided(skews[i], skews[j], size))  # K^T = -K
    form = to_flint(np.array(columns, dtype=object).T)
    total = len(columns)
    rows = []
    if face.kernel.shape[1]:
        rows.append(from_flint(_annihilating(face.kernel) * form))
    if face.value is not None:
        weight = trace_with(as_objects(face.value[0]))
        rest = [Fraction(0)] * (total - face.metrics.shape[1] - 1)
        rows.append(np.array([[*weight.dot(face.metrics), -face.value[1], *rest]], dtype=object))
    if not rows:
        from flint import fmpq_mat

        basis, free = fmpq_mat(total, total, _flat_unit(total)), tuple(range(total))
    else:
        solved = solutions(to_flint(np.vstack(rows)))
        if solved is None:
            return None
        basis, free = solved
    result = Inequality(d, kind, level, face, basis, free, form, slope)
    p, t, _, _ = result.sizes
    if not any(basis[i, j] != 0 for i in range(p) for j in range(basis.ncols())):
        return None
    if t and not any(basis[p, j] != 0 for j in range(basis.ncols())):
        return None
    return result


def _annihilating(vectors: Objects) -> fmpq_mat:
    """The equations 2 G n = 0, for the columns n, in the coefficients of the form G."""
    size, count = vectors.shape
    table = positions(size)
    rows = []
    for c in range(count):
        for a in range(size):
            row = [Fraction(0)] * (size * (size + 1) // 2)
            for b in range(size):
                row[table[a, b]] += vectors[b, c] * (2 if a == b else 1)
            rows.append(row)
    return to_flint(np.array(rows, dtype=object))


def complement(columns: Objects) -> Objects:
    """Return a basis of the orthogonal complement of the columns, as columns."""
    return kernel(columns.T)


def kernel(matrix: Objects) -> Objects:
    """Return a basis of the kernel of an exact matrix, as columns."""
    solved = solutions(to_flint(matrix))
    if solved is None:
        return np.zeros((matrix.shape[1], 0), dtype=object)
    return from_flint(solved[0])


def column_basis(columns: Objects) -> Objects:
    """Return the reduced echelon basis of the space that the columns span."""
    reduced, count = to_flint(columns.T).rref()
    return from_flint(reduced)[:count].T


def rank(matrix: Objects) -> int:
    """Return the rank of an exact matrix."""
    return 0 if 0 in matrix.shape else int(to_flint(matrix).rank())


def solutions(equations: fmpq_mat) -> tuple[fmpq_mat, tuple[int, ...]] | None:
    """Return a basis of the solutions of linear equations, and the rows that are free in it."""
    from flint import fmpq_mat

    reduced, count = equations.rref()
    n = equations.ncols()
    pivots = []
    column = 0
    for row in range(count):
        while reduced[row, column] == 0:
            column += 1
        pivots.append(column)
    taken = set(pivots)
    free = tuple(j for j in range(n) if j not in taken)
    if not free:
        return None
    basis = fmpq_mat(n, len(free))
    for index, j in enumerate(free):
        basis[j, index] = 1
        for row, pivot in enumerate(pivots):
            if reduced[row, j] != 0:
                basis[pivot, index] = -reduced[row, j]
    return basis, free


def to_flint(matrix: Objects) -> fmpq_mat:
    """Return an exact array for python-flint."""
    from flint import fmpq, fmpq_mat

    rows, columns = matrix.shape
    entries: list[Any] = [
        x if isinstance(x, int) else fmpq(x.numerator, x.denominator) for x in matrix.ravel()
    ]
    return fmpq_mat(rows, columns, entries)


def from_flint(matrix: fmpq_mat) -> Objects:
    """Return an exact array of fractions."""
    entries = [Fraction(int(x.p), int(x.q)) for x in matrix.entries()]
    return np.array(entries, dtype=object).reshape(matrix.nrows(), matrix.ncols())


def to_floats(matrix: fmpq_mat) -> NDArray[np.float64]:
    """Return the nearest floats. Raises OverflowError when an entry is too large for one."""
    entries = [int(x.p) / int(x.q) for x in matrix.entries()]
    return np.array(entries, dtype=float).reshape(matrix.nrows(), matrix.ncols())


def _unit(n: int) -> Objects:
    return np.array(
        [[Fraction(int(i == j)) for j in range(n)] for i in range(n)], dtype=object
    ).reshape(n, n)


def _flat_unit(n: int) -> list[int]:
    return [int(i == j) for i in range(n) for j in range(n)]
