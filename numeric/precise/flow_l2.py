"""The covariance of L2 attention, integrated by Taylor series to many digits.

A head weighs the tokens y by exp(-|Qx - Ky|^2) (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré),
which makes N(0, Sigma) a Gaussian of precision Sigma^{-1} + 2 K^T K. Its covariance D solves
D = Sigma - 2 D K^T K Sigma, also for singular Sigma, its mean is 2 D K^T Q x, and

    Sigma' = sum over h of 2 V_h D_h K_h^T Q_h Sigma + (the same)^T.

Coefficients of D follow from those of Sigma one by one. Integrations run at two precisions until
both agree, as in :mod:`numeric.precise.flow`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Number, Rows, largest, number, plain_rows, transpose
from numeric.precise.flow import BlowUpError, PrecisionError, agreed

Head = tuple[MatrixLike, MatrixLike, MatrixLike]
"""Q and K, k x d, and V, d x d."""

STEP_LIMIT = 200
"""Number of steps after which an integration is given up."""


def l2_covariance_at(heads: Sequence[Head], Sigma0: MatrixLike, t: Number, digits: int = 40) -> Any:
    """Return Sigma(t), a d x d mpmath matrix, to ``digits`` digits of its largest entry.

    Raises :class:`BlowUpError` when the solution does not seem to reach ``t`` and
    :class:`PrecisionError` when the digits or the time are out of reach.
    """
    return agreed(lambda: [_integrate(heads, Sigma0, t)], digits)[0]


def l2_series(heads: Sequence[Head], Sigma0: MatrixLike, order: int) -> list[Rows]:
    """Return the Taylor coefficients of Sigma at t = 0 of orders 0 to ``order``, as rows.

    They are fractions when all parameters are integers or fractions, else mpf at the working
    precision.

    >>> head = ([[0, 1]], [[1, 0]], [[0, 0], [0, 1]])
    >>> [str(c[0][1]) for c in l2_series([head], [[2, 1], [1, 2]], 3)]  # 1 / (1 - 2 t / 5)
    ['1', '2/5', '4/25', '8/125']
    """
    plain = [plain_rows(matrix) for head in heads for matrix in head]
    start = plain_rows(Sigma0)
    exact = all(
        isinstance(x, (int, Fraction)) for matrix in (*plain, start) for row in matrix for x in row
    )
    kind = Fraction if exact else number
    read = [[[kind(x) for x in row] for row in matrix] for matrix in plain]
    sigma = [[[kind(x) for x in row] for row in start]]
    states = [
        _State(Q, K, V, sigma[0]) for Q, K, V in zip(read[::3], read[1::3], read[2::3], strict=True)
    ]
    for n in range(order):
        change = _total([state.rate(sigma) for state in states])
        sigma.append([[x / (n + 1) for x in row] for row in _total([change, transpose(change)])])
    return sigma


class _State:
    """One head and the coefficients of its D found so far."""

    def __init__(self, Q: Rows, K: Rows, V: Rows, start: Rows) -> None:
        self.gram = [[2 * x for x in row] for row in _product(transpose(K), K)]
        unit = [[int(i == j) for j in range(len(start))] for i in range(len(start))]
        self.inverse = _inverse(_total([unit, _product(self.gram, start)]))
        self.left = [[2 * x for x in row] for row in V]
        self.right = _product(transpose(K), Q)
        self.narrow: list[Rows] = []
        self.linear: list[Rows] = []

    def rate(self, sigma: Sequence[Rows]) -> Rows:
        """The last coefficient of B Sigma, from those of Sigma."""
        n = len(sigma) - 1
        known = [sigma[n]]
        for j, narrow in enumerate(self.narrow):
            product = _product(_product(narrow, self.gram), sigma[n - j])
            known.append([[-x for x in row] for row in product])
        self.narrow.append(_product(_total(known), self.inverse))
        self.linear.append(_product(_product(self.left, self.narrow[n]), self.right))
        return _total([_product(self.linear[j], sigma[n - j]) for j in range(n + 1)])


def _integrate(heads: Sequence[Head], Sigma0: MatrixLike, t: Number) -> Any:
    order = int(1.16 * mp.dps) + 2
    state, elapsed, end = mp.matrix(plain_rows(Sigma0)), mp.zero, number(t)
    for _ in range(STEP_LIMIT):
        terms = l2_series(heads, state, order)
        sizes = [largest(x for row in term for x in row) for term in terms]
        radius = min(
            (mp.root(sizes[0] / sizes[n], n) for n in (order - 1, order) if sizes[n]),
            default=mp.inf,
        )
        if radius < abs(end) * mp.mpf(10) ** -8:
            raise BlowUpError(f"the solution seems to blow up at t = {mp.nstr(elapsed, 12)}")
        step = min(radius / mp.e**2, end - elapsed)
        state = mp.matrix(
            [
                [mp.polyval([term[i][j] for term in reversed(terms)], step) for j in columns]
                for i, columns in enumerate([range(state.cols)] * state.rows)
            ]
        )
        elapsed += step
        if elapsed >= end:
            return state
    raise PrecisionError(f"more than {STEP_LIMIT} steps, at t = {mp.nstr(elapsed, 12)}")


def _product(left: Rows, right: Rows) -> Rows:
    columns = transpose(right)
    return [[_dot(row, column) for column in columns] for row in left]


def _dot(row: Sequence[Any], column: Sequence[Any]) -> Any:
    """The product of a row and a column; one rounding for mpf."""
    if any(isinstance(x, mp.mpf) for x in row):
        return mp.fdot(row, column)
    return sum(a * b for a, b in zip(row, column, strict=True))


def _total(matrices: Sequence[Rows]) -> Rows:
    return [
        [sum(entries) for entries in zip(*lines, strict=True)]
        for lines in zip(*matrices, strict=True)
    ]


def _inverse(matrix: Rows) -> Rows:
    """Gauss-Jordan elimination with the largest pivots."""
    n = len(matrix)
    wide = [[*row, *(int(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda j: abs(wide[j][i]))
        wide[i], wide[pivot] = wide[pivot], wide[i]
        wide[i] = [x / wide[i][i] for x in wide[i]]
        for j in range(n):
            if j != i:
                factor = wide[j][i]
                wide[j] = [x - factor * y for x, y in zip(wide[j], wide[i], strict=True)]
    return [row[n:] for row in wide]
