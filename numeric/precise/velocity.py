"""The velocity of softmax and linear attention on a Gaussian, from the defining integrals.

With mu = N(alpha, Sigma) and Sigma = G G^T, the token y is alpha + G z for a standard normal z of
dimension r = rank Sigma <= 2, so that singular covariances need no special care. The integral
over z is a sum over the lattice h Z^r (trapezoidal rule), cut off where the integrand is
negligible: for an entire integrand with Gaussian decay its error is of order exp(-2 pi^2 / h^2).
Only the place of the cut-off knows how the kernel tilts the Gaussian; the lattice does not, so
that no symmetry can produce the right answer by accident. The softmax kernel is a product over the
coordinates of z up to a constant, and over a box of the lattice a sum of products is the product
of the sums along the axes.

Velocities as in arXiv:2501.18322 (Castin, Ablin, Carrillo, Peyré):
softmax int exp(y.Ax) V y dmu(y) / int exp(y.Ax) dmu(y), linear int (y.Ax) V y dmu(y).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Rows, VectorLike, entries, rows

GUARD_DIGITS = 10
"""Digits beyond the ones asked for, against cancellation in the sums."""


def softmax_velocity(
    V: MatrixLike,
    A: MatrixLike,
    alpha: VectorLike,
    Sigma: MatrixLike,
    x: VectorLike,
    *,
    tilt: VectorLike | None = None,
    value_bias: VectorLike | None = None,
    digits: int = 40,
) -> Any:
    """Return the softmax velocity at ``x``, a d x 1 mpmath matrix, to ``digits`` digits.

    The score of y is y . (A x + tilt) and its value V y + value_bias (both biases are zero unless
    given). ``V``, ``A``, ``Sigma`` are d x d, the others of length d. The digits are relative to
    the largest of |V alpha| and |V| times the width of the Gaussian.

    Raises :class:`ValueError` for a covariance of rank above 2 or not positive semidefinite.

    >>> print(softmax_velocity([[2]], [[1]], [1], [[3]], [2], digits=20))  # 2 (1 + 3 x)
    [14.0]
    """
    with mp.workdps(digits + GUARD_DIGITS):
        value = rows(V)
        direction = apply(rows(A), entries(x))
        if tilt is not None:
            direction = [a + b for a, b in zip(direction, entries(tilt), strict=True)]
        center, factor = entries(alpha), gaussian_factor(Sigma)
        shift = [mp.fdot(column, direction) for column in zip(*factor, strict=True)]
        deviation = apply(factor, [_tilted_mean(s, digits) for s in _small_rank(shift)])
        velocity = apply(value, [a + b for a, b in zip(center, deviation, strict=True)])
        if value_bias is not None:
            velocity = [a + b for a, b in zip(velocity, entries(value_bias), strict=True)]
        return mp.matrix(velocity)


def linear_velocity(
    V: MatrixLike,
    A: MatrixLike,
    alpha: VectorLike,
    Sigma: MatrixLike,
    x: VectorLike,
    *,
    digits: int = 40,
) -> Any:
    """Return the linear attention velocity at ``x``, a d x 1 mpmath matrix, to ``digits`` digits.

    ``V``, ``A``, ``Sigma`` are d x d, ``alpha`` and ``x`` of length d; errors as in
    :func:`softmax_velocity`.

    >>> print(linear_velocity([[2]], [[1]], [1], [[3]], [2], digits=20))  # 2 (3 + 1) x
    [16.0]
    """
    with mp.workdps(digits + GUARD_DIGITS):
        direction = apply(rows(A), entries(x))
        center, factor = entries(alpha), gaussian_factor(Sigma)

        def integrand(y: Sequence[Any], density: Any) -> list[Any]:
            weight = density * mp.fdot(y, direction)
            return [density, *(weight * coordinate for coordinate in y)]

        mass, *moments = gaussian_sum(integrand, center, factor, digits)
        return mp.matrix(apply(rows(V), [moment / mass for moment in moments]))


def gaussian_factor(Sigma: MatrixLike) -> Rows:
    """Return G, d x r with r = rank Sigma, such that Sigma = G G^T (pivoted Cholesky).

    A remainder below the working precision counts as zero. Raises :class:`ValueError` when
    ``Sigma`` is not symmetric positive semidefinite.
    """
    work = rows(Sigma)
    d = len(work)
    size = max(abs(entry) for row in work for entry in row)
    negligible = size * mp.mpf(10) ** (5 - mp.dps)
    if any(abs(work[i][j] - work[j][i]) > negligible for i in range(d) for j in range(i)):
        raise ValueError("covariance is not symmetric")
    columns: list[list[Any]] = []
    while True:
        pivot = max(range(d), key=lambda i: work[i][i])
        if work[pivot][pivot] <= negligible:
            break
        root = mp.sqrt(work[pivot][pivot])
        column = [work[i][pivot] / root for i in range(d)]
        columns.append(column)
        for i in range(d):
            for j in range(d):
                work[i][j] -= column[i] * column[j]
        # What is left of the pivot's row and column is rounding.
        for i in range(d):
            work[i][pivot] = work[pivot][i] = mp.zero
    if any(abs(entry) > negligible for row in work for entry in row):
        raise ValueError("covariance is not positive semidefinite")
    return [[column[i] for column in columns] for i in range(d)]


def gaussian_sum(
    integrand: Callable[[Sequence[Any], Any], list[Any]],
    center: Sequence[Any],
    factor: Rows,
    digits: int,
    *,
    shift: Sequence[Any] | None = None,
    sharpness: Any = 1,
) -> list[Any]:
    """Sum ``integrand(y, exp(-|z|^2 / 2))`` over y = center + factor z, z on the lattice.

    Proportional to the integral, to about ``digits`` digits. The cut-off is a ball around
    ``shift`` (0 unless given). An integrand that decays as exp(-s |z|^2 / 2) needs a
    ``sharpness`` of s or more.
    """
    columns = _small_rank(list(zip(*factor, strict=True)))
    step = _step(digits, sharpness)
    axes = []
    for s in shift or [mp.zero] * len(columns):
        first, last = _points(s, digits, sharpness)
        # Densities are products of those along the axes: far fewer exponentials.
        axes.append(
            [
                (step * k, _density(abs(k), digits, mp.prec, sharpness), float(step * k - s) ** 2)
                for k in range(first, last + 1)
            ]
        )
    cut_off = float(_radius(digits) + step) ** 2
    totals: list[Any] | None = None
    for node in product(*axes):
        if sum(distance for _, _, distance in node) > cut_off:
            continue  # the corners of the box are negligible
        y = list(center)
        density = mp.one
        for column, (z, weight, _) in zip(columns, node, strict=True):
            density *= weight
            y = [a + g * z for a, g in zip(y, column, strict=True)]
        terms = integrand(y, density)
        totals = terms if totals is None else [a + b for a, b in zip(totals, terms, strict=True)]
    assert totals is not None  # the lattice has points, even in dimension 0
    return totals


def _tilted_mean(s: Any, digits: int) -> Any:
    """The mean of z for the weights exp(s z - z^2 / 2), from sums over the lattice on a line."""
    step = _step(digits)
    first, last = _points(s, digits)
    # exp(s z) grows by the same factor from point to point
    tilt, growth = mp.exp(s * step * first), mp.exp(s * step)
    weights, moments = [], []
    for k in range(first, last + 1):
        weight = _density(abs(k), digits, mp.prec) * tilt
        weights.append(weight)
        moments.append(weight * k)
        tilt *= growth
    return step * mp.fsum(moments) / mp.fsum(weights)


def _small_rank(columns: Sequence[Any]) -> Sequence[Any]:
    """The same, one for each dimension of z."""
    if len(columns) > 2:
        raise ValueError(f"covariance of rank {len(columns)}, quadrature is for rank 1 and 2")
    return columns


def _points(s: Any, digits: int, sharpness: Any = 1) -> tuple[int, int]:
    """The first and the last point of the lattice on a line, when the tilt is by ``s``."""
    step, radius = _step(digits, sharpness), _radius(digits)
    return int((s - radius) / step) - 1, int((s + radius) / step) + 1


def _radius(digits: int) -> Any:
    return mp.sqrt(2 * _nats(digits)) + 2


def _nats(digits: int) -> Any:
    return (digits + 5) * mp.log(10)


def _step(digits: int, sharpness: Any = 1) -> Any:
    """The distance of neighbours on the lattice."""
    return mp.pi * mp.sqrt(2 / (_nats(digits) * sharpness))


@lru_cache(maxsize=1024)
def _density(k: int, digits: int, precision: int, sharpness: Any = 1) -> Any:
    """Return exp(-z^2 / 2) at the k-th point, to the working precision, ``precision`` bits."""
    return mp.exp(-((k * _step(digits, sharpness)) ** 2) / 2)


def apply(matrix: Rows, vector: Sequence[Any]) -> list[Any]:
    """Return the product of a matrix, m x n, and a vector of length n."""
    return [mp.fdot(row, vector) for row in matrix]
