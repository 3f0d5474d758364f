"""Does the covariance keep its rank? Singular values of Sigma(t), and the propagator.

The covariance is integrated as a full matrix, with nothing that forces its rank, and compared
with Phi Sigma0 Phi^T, where Phi' = V Sigma A Phi is integrated beside it.
"""

from dataclasses import dataclass
from typing import Any

from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from numeric.precise.convert import MatrixLike, Number, rows
from numeric.precise.flow import propagator_at


@dataclass(frozen=True)
class RankCheck:
    """Singular values of Sigma(t) against an expected rank r.

    Attributes:
        singular_values: all of them, descending, mpf.
        kept: the r-th over the first: clearly not zero when the rank has not dropped.
        lost: the next over the first: zero to the working precision when the rank has not
            grown; exactly zero when r = d.
        digits: agreement of Sigma(t) with Phi Sigma0 Phi^T.
    """

    singular_values: tuple[Any, ...]
    kept: Any
    lost: Any
    digits: int


def rank_check(
    V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, t: Number, rank: int, digits: int = 40
) -> RankCheck:
    """Integrate Sigma from ``Sigma0`` (d x d) to time ``t`` and compare with rank ``rank`` >= 1.

    Errors as in :func:`numeric.precise.flow.covariance_at`.
    """
    phi, covariance = propagator_at(V, A, Sigma0, t, digits)
    with mp.workdps(digits + 10):
        transported = phi * mp.matrix(rows(Sigma0)) * phi.T
        values = sorted(mp.svd_r(covariance, compute_uv=False), reverse=True)
    return RankCheck(
        singular_values=tuple(values),
        kept=values[rank - 1] / values[0],
        lost=values[rank] / values[0] if rank < len(values) else mp.zero,
        digits=digits_of_agreement(transported, covariance, cap=digits),
    )
