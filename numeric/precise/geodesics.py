"""Geodesics of weighted particles and the second derivative of an energy along them, with mpmath.

Everything is differentiated numerically from its definition: the Lagrangian
(1/2) sum of m_i w_i(x) <B x_i', x_i'> and the energy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

from numeric.precise.convert import number, rows
from numeric.precise.particles import Pair, energy

Weights = Callable[[list[Any]], list[Any]]
"""The weights w_i of the metric (n numbers) at points (n columns)."""


def denominators(pair: Pair, masses: Sequence[Any]) -> Weights:
    """w_i = Z(x_i), the sum over j of m_j exp(pair(x_i, x_j))."""

    def weights(points: list[Any]) -> list[Any]:
        return [
            mp.fsum(number(m) * mp.exp(pair(x, y)) for m, y in zip(masses, points, strict=True))
            for x in points
        ]

    return weights


def accelerations(
    weights: Weights, masses: Sequence[Any], metric: Any, points: list[Any], velocities: list[Any]
) -> list[Any]:
    """x_i'' along the geodesic through the points with these velocities (n columns each).

    From the Euler-Lagrange equations, (m_i w_i B x_i')' = the gradient of the Lagrangian in x_i.
    """
    step = mp.mpf(10) ** -(mp.dps // 3)
    speeds = [(u.T * metric * u)[0] for u in velocities]

    def lagrangian(places: list[Any]) -> Any:
        parts = zip(masses, weights(places), speeds, strict=True)
        return mp.fsum(number(m) * w * s for m, w, s in parts) / 2

    def moved(t: Any) -> list[Any]:
        return [x + t * u for x, u in zip(points, velocities, strict=True)]

    now = weights(points)
    result = []
    for i, (mass, u) in enumerate(zip(masses, velocities, strict=True)):
        change = mp.diff(lambda t, i=i: weights(moved(t))[i], 0, h=step, direction=0)
        force = mp.matrix(len(u), 1)
        for k in range(len(u)):
            unit = mp.matrix(len(u), 1)
            unit[k] = 1

            def shifted(t: Any, i: int = i, unit: Any = unit) -> Any:
                return lagrangian(
                    [x + (t * unit if j == i else 0 * x) for j, x in enumerate(points)]
                )

            force[k] = mp.diff(shifted, 0, h=step, direction=0)
        turned = mp.lu_solve(metric, force)
        result.append((turned / number(mass) - change * u) / now[i])
    return result


def second_derivative(
    pair_energy: Pair,
    weights: Weights,
    masses: Sequence[Any],
    metric: Sequence[Sequence[Any]],
    points: Sequence[Sequence[Any]],
    velocities: Sequence[Sequence[Any]],
    *,
    digits: int,
) -> Any:
    """d^2/dt^2 of the energy of pairs along a geodesic (points and velocities: n of length d).

    >>> from numeric.precise.particles import score
    >>> value = second_derivative(
    ...     score([[1]]), lambda points: [1], [1], [[1]], [[3]], [[2]], digits=20
    ... )
    >>> print(mp.nstr(value, 15))  # (x + t u)^2 / 2
    4.0
    """
    with mp.workdps(3 * digits + 30):
        places, speeds = (
            [mp.matrix(list(map(number, z))) for z in vectors] for vectors in (points, velocities)
        )
        turns = accelerations(weights, masses, mp.matrix(rows(metric)), places, speeds)
        numbers = [number(mass) for mass in masses]

        def at_time(t: Any) -> Any:
            path = [
                x + t * u + t * t / 2 * c for x, u, c in zip(places, speeds, turns, strict=True)
            ]
            return energy(pair_energy, numbers, path)

        return mp.diff(at_time, 0, 2, h=mp.mpf(10) ** -(digits // 2 + 5), direction=0)
