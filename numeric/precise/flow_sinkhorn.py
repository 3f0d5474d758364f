"""The covariance of Sinkhorn attention, integrated by Taylor series to many digits.

The balanced plan of exp(<A x, y>) (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré) couples
N(0, Sigma) with itself: given x, y is N(T x, C). Its density is exp(<A x, y>) up to factors of x
alone and of y alone, so that T = C A, and y is N(0, Sigma), so that C + T Sigma T^T = Sigma. Hence

    C + C N C = Sigma for N = A Sigma A^T,
    Sigma' = sum over h of V_h C_h A_h Sigma + (the same)^T,

and no root of a matrix is taken: singular Sigma are as good as others. C is found by Newton's
method, its further coefficients from those of Sigma one by one, each by a Sylvester equation.
Integrations run at two precisions until both agree, as in :mod:`numeric.precise.flow`.
"""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Number, largest, plain_rows, rows
from numeric.precise.flow import PrecisionError, agreed, by_steps

Head = tuple[MatrixLike, MatrixLike]
"""V and A, d x d."""

NEWTON_LIMIT = 1000
"""Newton steps after which the equation for C is given up: one for each bit of a large N, then a
few."""


def sinkhorn_covariance_at(
    heads: Sequence[Head], Sigma0: MatrixLike, t: Number, digits: int = 40
) -> Any:
    """Return Sigma(t), a d x d mpmath matrix, to ``digits`` digits of its largest entry.

    Raises :class:`PrecisionError` when the digits or the time are out of reach.
    """
    terms = partial(sinkhorn_series, heads)
    return agreed(lambda: [by_steps(terms, mp.matrix(rows(Sigma0)), t)], digits)[0]


def sinkhorn_series(heads: Sequence[Head], Sigma0: MatrixLike, order: int) -> list[Any]:
    """Return the Taylor coefficients of Sigma at t = 0 of orders 0 to ``order``, mpmath matrices.

    >>> with mp.workdps(30):
    ...     terms = sinkhorn_series([([[3]], [[1]])], [["3/4"]], 1)
    ...     print(mp.nstr(terms[1][0], 15))  # (V / A) ((1 + 4 A^2 Sigma^2)^{1/2} - 1)
    2.40832691319598
    """
    sigma = [mp.matrix(rows(Sigma0))]
    states = [_State(mp.matrix(rows(V)), mp.matrix(rows(A)), sigma[0]) for V, A in heads]
    for n in range(order):
        change = sum((state.rate(sigma) for state in states), mp.zeros(sigma[0].rows))
        sigma.append((change + change.T) / (n + 1))
    return sigma


class _State:
    """One head, and the coefficients of N, C, C N and C A found so far."""

    def __init__(self, V: Any, A: Any, start: Any) -> None:
        self.V, self.A = V, A
        N = A * start * A.T
        C = _conditional(N, start)
        self.sylvester = _Sylvester(_drift(C, N))
        self.N, self.C = [N], [C]
        self.CN = [C * N]
        self.linear = [V * C * A]

    def rate(self, sigma: Sequence[Any]) -> Any:
        """The last coefficient of V C A Sigma, from those of Sigma."""
        n = len(sigma) - 1
        if n:
            self._advance(sigma[n])
        return _convolution(self.linear, sigma, n)

    def _advance(self, last: Any) -> None:
        """The next coefficients, when ``last`` is that of Sigma.

        C_n (N_0 C_0 + 1/2) + its transpose is Sigma_n less the other products in C N C.
        """
        n = len(self.C)
        self.N.append(self.A * last * self.A.T)
        zero = mp.zeros(last.rows)
        partial = _convolution([*self.C, zero], self.N, n)
        rest = _convolution([*self.CN, partial], [*self.C, zero], n)
        C = self.sylvester.solve(last - rest)
        self.C.append(C)
        self.CN.append(partial + C * self.N[0])
        self.linear.append(self.V * C * self.A)


class _Sylvester:
    """Solves D X + X D^T = R for symmetric R, by elimination in the entries of X."""

    def __init__(self, drift: Any) -> None:
        self.size = d = drift.rows
        system = mp.zeros(d * d)
        for i in range(d):
            for j in range(d):
                for k in range(d):
                    system[i * d + j, k * d + j] += drift[i, k]
                    system[i * d + j, i * d + k] += drift[j, k]
        self.factors, self.pivots = mp.LU_decomp(system)

    def solve(self, right: Any) -> Any:
        """X, symmetric up to rounding: then exactly so."""
        d = self.size
        target = mp.matrix([right[i, j] for i in range(d) for j in range(d)])
        entries = mp.U_solve(self.factors, mp.L_solve(self.factors, target, self.pivots))
        X = mp.matrix(d)
        for i in range(d):
            for j in range(d):
                X[i, j] = (entries[i * d + j] + entries[j * d + i]) / 2
        return X


def _drift(C: Any, N: Any) -> Any:
    """C N + 1/2."""
    return C * N + mp.eye(C.rows) / 2


def _conditional(N: Any, Sigma: Any) -> Any:
    """The C >= 0 with C + C N C = Sigma, from above: Newton's method starts at Sigma."""
    C = Sigma
    small = mp.mpf(10) ** (5 - mp.dps)
    for _ in range(NEWTON_LIMIT):
        change = _Sylvester(_drift(C, N)).solve(Sigma - C - C * N * C)
        C = C + change
        if largest(change) <= small * largest(C):
            return C
    raise PrecisionError(f"no conditional covariance after {NEWTON_LIMIT} steps")


def _convolution(left: Sequence[Any], right: Sequence[Any], n: int) -> Any:
    """The coefficient of order n of a product: coefficients side by side, times those below."""
    lines = zip(*(plain_rows(left[j]) for j in range(n + 1)), strict=True)
    columns = zip(*(plain_rows(right[n - j].T) for j in range(n + 1)), strict=True)
    beside, below = ([list(chain(*parts)) for parts in side] for side in (lines, columns))
    return mp.matrix([[mp.fdot(line, column) for column in below] for line in beside])
