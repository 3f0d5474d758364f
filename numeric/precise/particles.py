"""Energies of weighted particles and their derivatives, from the definitions with mpmath."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

from numeric.precise.convert import number, rows

Pair = Callable[[Any, Any], Any]
"""What two points (d x 1) contribute, a number."""


def score(A: Sequence[Sequence[Any]]) -> Pair:
    """(x, y) -> <A x, y>."""
    return lambda x, y: ((mp.matrix(rows(A)) * x).T * y)[0]


def minus_squared_distance(Q: Sequence[Sequence[Any]]) -> Pair:
    """(x, y) -> -|Q(x - y)|^2."""

    def pair(x: Any, y: Any) -> Any:
        difference = mp.matrix(rows(Q)) * (x - y)
        return -(difference.T * difference)[0]

    return pair


def energy(pair: Pair, masses: Sequence[Any], points: Sequence[Any]) -> Any:
    """1/2 sum over i, j of m_i m_j pair(x_i, x_j)."""
    return (
        mp.fsum(
            a * b * pair(x, y)
            for a, x in zip(masses, points, strict=True)
            for b, y in zip(masses, points, strict=True)
        )
        / 2
    )


def derivative_along(
    function: Callable[[list[Any]], Any],
    points: Sequence[Sequence[Any]],
    velocities: Sequence[Sequence[Any]],
    *,
    digits: int,
) -> Any:
    """The derivative of a function of the points (n of length d) that move with these velocities.

    A numerical derivative along straight lines, to so many digits.
    """
    with mp.workdps(2 * digits + 20):
        starts, slopes = _columns(points), _columns(velocities)

        def at_time(t: Any) -> Any:
            return function([x + t * u for x, u in zip(starts, slopes, strict=True)])

        return mp.diff(at_time, 0, h=mp.mpf(10) ** -(digits // 2 + 5), direction=0)


def energy_rate(
    pair: Pair,
    masses: Sequence[Any],
    points: Sequence[Sequence[Any]],
    velocities: Sequence[Sequence[Any]],
    *,
    digits: int,
) -> Any:
    """The derivative of the energy of pairs along straight lines; see `derivative_along`.

    >>> rate = energy_rate(score([[1]]), [1], [[3]], [[2]], digits=20)
    >>> print(mp.nstr(rate, 15))  # the energy is x^2 / 2
    6.0
    """

    def whole(moved: list[Any]) -> Any:
        return energy(pair, [number(mass) for mass in masses], moved)

    return derivative_along(whole, points, velocities, digits=digits)


def entropic_cost(pair: Pair, masses: Sequence[Any], points: list[Any]) -> Any:
    """The largest value over plans P of mu with itself: sum P_ij pair_ij - KL(P, mu x mu).

    For a symmetric pair function and masses of sum 1, by the symmetric Sinkhorn iteration.

    Raises:
        ArithmeticError: the iteration does not converge.
    """
    weights = [number(mass) for mass in masses]
    table = [[mp.exp(pair(x, y)) for y in points] for x in points]
    scaling = [mp.one] * len(points)
    for _ in range(100 * mp.dps):
        sums = [mp.fdot(row, map(mp.fmul, weights, scaling)) for row in table]
        new = [mp.sqrt(u / r) for u, r in zip(scaling, sums, strict=True)]
        change = max(abs(a / b - 1) for a, b in zip(new, scaling, strict=True))
        scaling = new
        if change < mp.mpf(10) ** (3 - mp.dps):
            break
    else:
        raise ArithmeticError("the scaling does not converge")
    plan = [
        [a * u * k * v * b for b, v, k in zip(weights, scaling, row, strict=True)]
        for a, u, row in zip(weights, scaling, table, strict=True)
    ]
    # the density of the plan is u_i exp(pair_ij) u_j
    return -mp.fsum(
        p * (mp.log(u) + mp.log(v))
        for row, u in zip(plan, scaling, strict=True)
        for p, v in zip(row, scaling, strict=True)
    )


def softmax_velocities(
    A: Sequence[Sequence[Any]],
    V: Sequence[Sequence[Any]],
    masses: Sequence[Any],
    points: Sequence[Sequence[Any]],
    *,
    digits: int,
) -> list[list[Any]]:
    """Gamma(x_i) of softmax attention among the particles (n of length d)."""
    with mp.workdps(digits + 10):
        pair, places = score(A), _columns(points)
        result = []
        for x in places:
            weights = [number(m) * mp.exp(pair(x, y)) for m, y in zip(masses, places, strict=True)]
            mean = mp.matrix(len(x), 1)
            for weight, y in zip(weights, places, strict=True):
                mean += weight / mp.fsum(weights) * y
            result.append(list(mp.matrix(rows(V)) * mean))
        return result


def _columns(points: Sequence[Sequence[Any]]) -> list[Any]:
    return [mp.matrix(list(map(number, point))) for point in points]


def work_rate(
    pair: Pair,
    matrix: Sequence[Sequence[Any]],
    masses: Sequence[Any],
    points: Sequence[Sequence[Any]],
    velocities: Sequence[Sequence[Any]],
    *,
    digits: int,
) -> Any:
    """Sum over i and j of m_i m_j exp(pair(x_i, x_j)) <u_i, M x_j>, the work of attention per time.

    Points and velocities are n of length d, M is d x d.

    >>> print(mp.nstr(work_rate(score([[0]]), [[3]], [1], [[2]], [[5]], digits=20), 15))
    30.0
    """
    with mp.workdps(digits + 15):
        M, weights = mp.matrix(rows(matrix)), [number(mass) for mass in masses]
        places, speeds = _columns(points), _columns(velocities)
        return mp.fsum(
            a * b * mp.exp(pair(x, y)) * (u.T * M * y)[0]
            for a, x, u in zip(weights, places, speeds, strict=True)
            for b, y in zip(weights, places, strict=True)
        )
