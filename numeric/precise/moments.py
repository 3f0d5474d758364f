"""Mean and covariance of a Gaussian that is carried along by a velocity: their first derivatives.

For d/dt mu + div(mu v) = 0 and mu = N(alpha, Sigma) at the moment, mean and covariance of mu change
at the rates int v dmu and int v (x - alpha)^T dmu + its transpose. Both integrals are computed by
quadrature, with nothing known about v but its values.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, VectorLike, entries, rows
from numeric.precise.velocity import GUARD_DIGITS, gaussian_factor, gaussian_sum


def moment_rates(
    velocity: Callable[[Sequence[Any]], Any],
    alpha: VectorLike,
    Sigma: MatrixLike,
    *,
    digits: int = 40,
) -> tuple[Any, Any]:
    """Return the derivatives of the mean, d x 1, and of the covariance, d x d.

    ``velocity`` maps a point, a list of d mpf, to d numbers, to ``digits`` digits or more; it must
    not grow faster than a polynomial. ``alpha`` is of length d and ``Sigma`` d x d, of rank at
    most 2, else :class:`ValueError` is raised.

    >>> rate, growth = moment_rates(lambda x: [3 * x[0]], [5], [[2]], digits=20)
    >>> print(mp.nstr(rate[0], 15), mp.nstr(growth[0], 15))
    15.0 12.0
    """
    with mp.workdps(digits + GUARD_DIGITS):
        center, factor = entries(alpha), gaussian_factor(Sigma)
        d = len(center)

        def integrand(x: Sequence[Any], density: Any) -> list[Any]:
            carried = [density * v for v in velocity(x)]
            offset = [a - b for a, b in zip(x, center, strict=True)]
            return [density, *carried, *(v * y for v in carried for y in offset)]

        sums = gaussian_sum(integrand, center, factor, digits)
        mass, carried, mixed = sums[0], sums[1 : d + 1], sums[d + 1 :]
        half = mp.matrix(d, d)
        for i in range(d):
            for j in range(d):
                half[i, j] = mixed[i * d + j] / mass
        return mp.matrix([v / mass for v in carried]), half + half.T


def linear_rate(velocity: Callable[[Sequence[Any]], Any], Sigma: MatrixLike) -> Any:
    """Return the derivative M Sigma + Sigma M^T of the covariance, for a velocity x -> M x, d x d.

    ``velocity`` as in :func:`moment_rates`; it is evaluated at the d unit vectors, so that this is
    much faster for a ``Sigma`` of rank 2, and for one of any rank.

    >>> print(mp.nstr(linear_rate(lambda x: [3 * x[0]], [[2]])[0], 15))
    12.0
    """
    covariance = mp.matrix(rows(Sigma))
    d = covariance.rows
    columns = [list(velocity([mp.mpf(i == j) for i in range(d)])) for j in range(d)]
    half = mp.matrix(columns).T * covariance
    return half + half.T
