"""The velocity of masked linear attention on finitely many positions, from the defining integrals.

The tokens at a position have a mass and a Gaussian law; a token sees the positions up to its own
(arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré).
"""

from collections.abc import Sequence
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Number, VectorLike, number
from numeric.precise.velocity import GUARD_DIGITS, linear_velocity

Position = tuple[Number, VectorLike, MatrixLike]
"""Mass, mean (length d) and covariance (d x d) of the tokens at one position."""


def masked_linear_velocity(
    V: MatrixLike,
    A: MatrixLike,
    positions: Sequence[Position],
    index: int,
    x: VectorLike,
    *,
    digits: int = 40,
) -> Any:
    """Return the sum over positions tau <= ``index`` of mass times int (y.Ax) V y dmu_tau(y).

    A d x 1 mpmath matrix; positions count from 0, in their order. Arguments and errors else as in
    :func:`numeric.precise.velocity.linear_velocity`, the digits relative to the largest summand.
    """
    with mp.workdps(digits + GUARD_DIGITS):
        total = mp.zeros(len(x), 1)
        for mass, alpha, Sigma in positions[: index + 1]:
            total += number(mass) * linear_velocity(V, A, alpha, Sigma, x, digits=digits)
        return total
