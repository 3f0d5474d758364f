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


def energy_rate(
    pair: Pair,
    masses: Sequence[Any],
    points: Sequence[Sequence[Any]],
    velocities: Sequence[Sequence[Any]],
    *,
    digits: int,
) -> Any:
    """The derivative of the energy when the points (n of length d) move with these velocities.

    A numerical derivative along straight lines, to so many digits.

    >>> rate = energy_rate(score([[1]]), [1], [[3]], [[2]], digits=20)
    >>> print(mp.nstr(rate, 15))  # the energy is x^2 / 2
    6.0
    """
    with mp.workdps(2 * digits + 20):
        weights = [number(mass) for mass in masses]
        starts, slopes = (
            [mp.matrix(list(map(number, p))) for p in q] for q in (points, velocities)
        )

        def at_time(t: Any) -> Any:
            moved = [x + t * u for x, u in zip(starts, slopes, strict=True)]
            return energy(pair, weights, moved)

        return mp.diff(at_time, 0, h=mp.mpf(10) ** -(digits // 2 + 5), direction=0)


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
