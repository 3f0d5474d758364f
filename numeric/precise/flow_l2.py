"""The covariance of L2 attention, integrated by Taylor series to many digits.

A head weighs the tokens y by exp(-|Qx - Ky|^2) (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré),
which makes N(0, Sigma) a Gaussian of precision Sigma^{-1} + 2 K^T K. Its covariance D solves
D = Sigma - 2 D K^T K Sigma, also for singular Sigma, its mean is 2 D K^T Q x, and

    Sigma' = sum over h of 2 V_h D_h K_h^T Q_h Sigma + (the same)^T.

Coefficients of D follow from those of Sigma one by one, as balls of python-flint. Integrations run
at two precisions until both agree, as in :mod:`numeric.precise.flow`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat
from flint import ctx as flint_settings
from mpmath import mp

from numeric.precise.convert import MatrixLike, Number, Rows, number, plain_rows, rows
from numeric.precise.flow import agreed, by_steps

Head = tuple[MatrixLike, MatrixLike, MatrixLike]
"""Q and K, k x d, and V, d x d."""

GUARD_BITS = 40
"""Bits of the balls beyond the working precision."""


def l2_covariance_at(heads: Sequence[Head], Sigma0: MatrixLike, t: Number, digits: int = 40) -> Any:
    """Return Sigma(t), a d x d mpmath matrix, to ``digits`` digits of its largest entry.

    Raises :class:`BlowUpError` when the solution does not seem to reach ``t`` and
    :class:`PrecisionError` when the digits or the time are out of reach.
    """

    def terms(state: Any, order: int) -> list[Any]:
        return [mp.matrix(term) for term in l2_series(heads, state, order)]

    return agreed(lambda: [by_steps(terms, mp.matrix(rows(Sigma0)), t)], digits)[0]


def l2_series(heads: Sequence[Head], Sigma0: MatrixLike, order: int) -> list[Rows]:
    """Return the Taylor coefficients of Sigma at t = 0 of orders 0 to ``order``, as rows.

    They are fractions when all parameters are integers or fractions, else mpf at the working
    precision.

    >>> head = ([[0, 1]], [[1, 0]], [[0, 0], [0, 1]])
    >>> [str(c[0][1]) for c in l2_series([head], [[2, 1], [1, 2]], 3)]  # 1 / (1 - 2 t / 5)
    ['1', '2/5', '4/25', '8/125']
    """
    plain = [plain_rows(matrix) for head in heads for matrix in head]
    begin = plain_rows(Sigma0)
    exact = all(
        isinstance(x, (int, Fraction)) for matrix in (*plain, begin) for row in matrix for x in row
    )
    with flint_settings.workprec(mp.prec + GUARD_BITS):
        read = _exact if exact else _ball
        sigma = [read(begin)]
        matrices = [read(matrix) for matrix in plain]
        states = [
            _State(Q, K, V, sigma[0])
            for Q, K, V in zip(matrices[::3], matrices[1::3], matrices[2::3], strict=True)
        ]
        for n in range(order):
            change = sum((state.rate(sigma) for state in states), sigma[0] * 0)
            sigma.append((change + change.transpose()) / (n + 1))
        write = _fraction if exact else _midpoint
        return [[[write(x) for x in row] for row in term.tolist()] for term in sigma]


class _State:
    """One head and the coefficients of its D found so far, as matrices of python-flint."""

    def __init__(self, Q: Any, K: Any, V: Any, start: Any) -> None:
        self.gram = K.transpose() * K * 2
        n = start.nrows()
        unit = type(start)(n, n, [int(i == j) for i in range(n) for j in range(n)])
        self.inverse = (unit + self.gram * start).inv()
        self.left = V * 2
        self.right = K.transpose() * Q
        self.narrow: list[Any] = []
        self.linear: list[Any] = []

    def rate(self, sigma: Sequence[Any]) -> Any:
        """The last coefficient of B Sigma, from those of Sigma."""
        n = len(sigma) - 1
        known = sigma[n]
        for j, narrow in enumerate(self.narrow):
            known = known - narrow * (self.gram * sigma[n - j])
        self.narrow.append(known * self.inverse)
        self.linear.append(self.left * self.narrow[n] * self.right)
        return sum((self.linear[j] * sigma[n - j] for j in range(n + 1)), sigma[n] * 0)


def _exact(matrix: Rows) -> Any:
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in matrix])


def _ball(matrix: Rows) -> Any:
    return arb_mat([[_arb(number(x)) for x in row] for row in matrix])


def _arb(value: Any) -> arb:
    sign, mantissa, exponent, _ = value._mpf_
    return arb((-int(mantissa) if sign else int(mantissa), exponent))


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _midpoint(value: Any) -> Any:
    mantissa, exponent = value.mid().man_exp()
    return mp.ldexp(mp.mpf(int(mantissa)), int(exponent))
