"""The velocity of L2 attention on a Gaussian, from the defining integrals.

The sums of :mod:`numeric.precise.velocity`, over a finer lattice: the kernel exp(-|Qx - Ky|^2)
(arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré) makes the integrand narrower than the Gaussian.
"""

from collections.abc import Sequence
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Rows, VectorLike, entries, rows, transpose
from numeric.precise.velocity import GUARD_DIGITS, apply, gaussian_factor, gaussian_sum


def l2_velocity(
    V: MatrixLike,
    Q: MatrixLike,
    K: MatrixLike,
    alpha: VectorLike,
    Sigma: MatrixLike,
    x: VectorLike,
    *,
    digits: int = 40,
) -> Any:
    """Return int exp(-|Qx - Ky|^2) V y dmu(y) / int exp(-|Qx - Ky|^2) dmu(y), d x 1.

    ``V`` and ``Sigma`` are d x d, ``Q`` and ``K`` k x d, ``alpha`` and ``x`` of length d. The
    digits are relative to the largest of |V alpha| and |V| times the width of the Gaussian.

    Raises :class:`ValueError` for a covariance of rank above 2 or not positive semidefinite.

    >>> print(l2_velocity([[1]], [[1]], [[1]], [1], [[1]], [0], digits=20))
    [0.333333333333333]
    """
    with mp.workdps(digits + GUARD_DIGITS):
        keys, query = rows(K), apply(rows(Q), entries(x))
        center, factor = entries(alpha), gaussian_factor(Sigma)
        columns = [apply(keys, column) for column in transpose(factor)]
        offset = [q - k for q, k in zip(query, apply(keys, center), strict=True)]
        # In z the score is -|offset - N z|^2, N = K G: an upper bound of the largest eigenvalue of
        # I + 2 N^T N, and where the integrand is largest.
        sharpness = 1 + 2 * mp.fsum(mp.fdot(u, u) for u in columns)
        shift = _peak(columns, offset)

        def integrand(y: Sequence[Any], density: Any) -> list[Any]:
            distance = [q - k for q, k in zip(query, apply(keys, y), strict=True)]
            weight = density * mp.exp(-mp.fdot(distance, distance))
            return [weight, *(weight * coordinate for coordinate in y)]

        mass, *moments = gaussian_sum(
            integrand, center, factor, digits, shift=shift, sharpness=sharpness
        )
        return mp.matrix(apply(rows(V), [moment / mass for moment in moments]))


def _peak(columns: Rows, offset: Sequence[Any]) -> list[Any]:
    """The z with (I + 2 N^T N) z = 2 N^T offset, for N with these ``columns``."""
    if not columns:
        return []
    gram = mp.matrix([[2 * mp.fdot(u, v) for v in columns] for u in columns])
    target = mp.matrix([2 * mp.fdot(u, offset) for u in columns])
    return list(mp.lu_solve(mp.eye(len(columns)) + gram, target))
