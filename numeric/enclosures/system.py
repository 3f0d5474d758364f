"""The covariance equation of softmax heads in coordinates, as a quadratic system on R^n."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.exact import Matrix

#: weight of entries off the diagonal, near the square root of 2
OFF_DIAGONAL = fmpq(7, 5)


@dataclass(frozen=True)
class QuadraticSystem:
    """x' = f(x) with f(x)_k = x^T Q_k x, for x_k = tr(P_k Sigma).

    With A_h = R a_h R^T, the velocity of Sigma depends on Sigma R only, which is N(x), the sum of
    x_k N_k: it is the sum over h of V_h N a_h N^T and its transpose.

    Attributes:
        values: the V_h, d x d.
        scores: the a_h, r x r.
        frame: R, d x r.
        functionals: the P_k, symmetric d x d.
        lifts: the N_k, d x r.
        forms: the Q_k, symmetric n x n.
    """

    values: tuple[fmpq_mat, ...]
    scores: tuple[fmpq_mat, ...]
    frame: fmpq_mat
    functionals: tuple[fmpq_mat, ...]
    lifts: tuple[fmpq_mat, ...]
    forms: tuple[fmpq_mat, ...]

    @classmethod
    def of(cls, heads: Sequence[tuple[Matrix, Matrix]], full: bool = False) -> QuadraticSystem:
        """Coordinates for heads (V_h, A_h), d x d each.

        Args:
            full: of all of Sigma, not only of the part that the velocity depends on.
        """
        values = tuple(to_flint(V) for V, _ in heads)
        scores = tuple(to_flint(A) for _, A in heads)
        d = values[0].nrows()
        frame, rest = _everything(d) if full else _range(scores)
        r = frame.ncols()
        left = _left_inverse(frame)
        small = tuple(left * A * left.transpose() for A in scores)
        basis = fmpq_mat([[*a, *b] for a, b in zip(frame.tolist(), rest, strict=True)])
        dual = basis.inv().transpose()
        functionals, lifts = [], []
        for j in range(r):
            for i in range(j, d):
                weight = OFF_DIAGONAL if i != j else fmpq(1)
                outer = _column(basis, j) * _column(basis, i).transpose()
                functionals.append((outer + outer.transpose()) * (weight / 2))
                unit = fmpq_mat(d, r)
                unit[i, j] = 1 / weight
                if i < r:
                    unit[j, i] = 1 / weight
                lifts.append(dual * unit)
        return cls(
            values,
            small,
            frame,
            tuple(functionals),
            tuple(lifts),
            _forms(values, small, functionals, lifts),
        )

    def changed(self, frame: fmpq_mat) -> QuadraticSystem:
        """The same in the coordinates y with x = B y, for an invertible n x n matrix B."""
        inverse, turned = frame.inv(), frame.transpose()
        pulled = [turned * Q * frame for Q in self.forms]
        return QuadraticSystem(
            self.values,
            self.scores,
            self.frame,
            _mixed(inverse, self.functionals),
            _mixed(turned, self.lifts),
            _mixed(inverse, pulled),
        )

    @property
    def size(self) -> int:
        """n."""
        return len(self.forms)

    @cached_property
    def tensor(self) -> np.ndarray:
        """Q_k[l, m] in floating point, n x n x n."""
        return np.array([floats_of(Q) for Q in self.forms])

    def state(self, covariance: Matrix) -> fmpq_mat:
        """x for a symmetric d x d matrix, n x 1."""
        matrix = to_flint(covariance)
        return fmpq_mat([[_trace(P * matrix)] for P in self.functionals])

    def velocity(self, x: np.ndarray) -> np.ndarray:
        """f(x) in floating point, n."""
        return np.asarray(self.tensor @ x @ x)

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Df(x) in floating point, n x n."""
        return np.asarray(2 * self.tensor @ x)


def _range(scores: Sequence[fmpq_mat]) -> tuple[fmpq_mat, list[list[fmpq]]]:
    """A basis of the range of all A_h and A_h^T, by columns, and rows that complete it."""
    d = scores[0].nrows()
    rows = [row for A in scores for row in (*A.tolist(), *A.transpose().tolist())]
    echelon, rank = fmpq_mat(rows).rref()
    if rank == 0:
        rank, echelon = 1, fmpq_mat([[1] + [0] * (d - 1)])
    chosen = echelon.tolist()[:rank]
    pivots = [next(i for i, x in enumerate(row) if x != 0) for row in chosen]
    frame = fmpq_mat(chosen).transpose()
    others = [i for i in range(d) if i not in pivots]
    rest = [[fmpq(int(i == k)) for k in others] for i in range(d)]
    return frame, rest


def _everything(d: int) -> tuple[fmpq_mat, list[list[fmpq]]]:
    return fmpq_mat([[int(i == j) for j in range(d)] for i in range(d)]), [[] for _ in range(d)]


def _left_inverse(frame: fmpq_mat) -> fmpq_mat:
    """(R^T R)^-1 R^T."""
    turned = frame.transpose()
    return (turned * frame).inv() * turned


def _forms(
    values: Sequence[fmpq_mat],
    scores: Sequence[fmpq_mat],
    functionals: Sequence[fmpq_mat],
    lifts: Sequence[fmpq_mat],
) -> tuple[fmpq_mat, ...]:
    """Q_k[l, m] = the sum over h of tr(P_k (V N_l a N_m^T + V N_m a N_l^T))."""
    d, r = lifts[0].nrows(), lifts[0].ncols()
    flat = fmpq_mat([N.entries() for N in lifts])
    forms = []
    for P in functionals:
        form = fmpq_mat(len(lifts), len(lifts))
        for V, a in zip(values, scores, strict=True):
            left = P * V
            inner = fmpq_mat(d * r, d * r)
            for i in range(d):
                for p in range(d):
                    if left[i, p] == 0:
                        continue
                    for c in range(r):
                        for b in range(r):
                            inner[i * r + b, p * r + c] = left[i, p] * a[c, b]
            form = form + flat * inner * flat.transpose()
        forms.append(form + form.transpose())
    return tuple(forms)


def _mixed(weights: fmpq_mat, matrices: Sequence[fmpq_mat]) -> tuple[fmpq_mat, ...]:
    """The sums of w_kl M_l over l, one for each row k."""
    m, n = matrices[0].nrows(), matrices[0].ncols()
    total = weights * fmpq_mat([matrix.entries() for matrix in matrices])
    return tuple(fmpq_mat(m, n, row) for row in total.tolist())


def _column(matrix: fmpq_mat, j: int) -> fmpq_mat:
    return fmpq_mat([[row[j]] for row in matrix.tolist()])


def _trace(matrix: fmpq_mat) -> fmpq:
    return sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))


def to_flint(matrix: Matrix) -> fmpq_mat:
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in matrix])


def to_rows(matrix: fmpq_mat) -> Matrix:
    return tuple(tuple(map(fraction, row)) for row in matrix.tolist())


def fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def float_of(number: fmpq) -> float:
    """The nearest float.

    Raises:
        OverflowError: there is none.
    """
    return int(number.p) / int(number.q)


def floats_of(matrix: fmpq_mat) -> np.ndarray:
    """The matrix in floating point."""
    return np.array([[float_of(x) for x in row] for row in matrix.tolist()])
