"""Models for the facts on maximal solutions of fields that are smooth near the cone only.

On the line: fields that are singular at negative numbers, that jump, so that a solution ends where
there is no way on, that are not Lipschitz at 0; in the plane: singular and nonsymmetric starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import lambertw
from soundness_models import Model, real

INF, HUGE = math.inf, 1e9
POINTS = (-1.0, 0.0, 0.5, 1.0, 2.0)
Function = Callable[[float], float]
TEN = {"P": real(1), "b": lambda t: real(10), "c": real(0.1), "s": real(10), "r": real(1)}


def line(
    field: Function,
    curve: Function,
    end: float,
    stuck: bool = False,
    times: tuple[float, ...] = (0.0, 0.2, 0.5, 0.6, 0.99, 1.0, 1.5, 3.0),
    **others: Any,
) -> Model:
    """x' = field(x) on the line; ``stuck``: there is no solution from where it ends."""

    def flow(Z: np.ndarray) -> np.ndarray:
        return real(field(float(Z[0, 0])))

    values = {
        "F": flow,
        "X": lambda t: real(curve(float(t[0, 0]))),
        "X0": real(curve(0.0)),
        "T": end,
        **TEN,
        **others,
    }
    states = [real(x) for x in POINTS]
    return Model(
        {"d": 1}, values, times, [*states, *POINTS], late=40.0, stuck=flow if stuck else None
    )


def falling(x: float) -> float:
    return -1.0 if x > 0 else 1.0


def falling_below(x: float) -> float:
    return -1.0 if x > -1 else 1.0


def tangent(x: float) -> float:
    return 2 * math.sqrt(max(x, 0))


def square(x: float) -> float:
    return x**2


def singular(x: float) -> float:
    """Smooth but at -1."""
    return -x / (1 + x) if x != -1 else 0.0


def kinked(x: float) -> float:
    return x**2 if x < 2 else 3 * x**2


def slow(t: float) -> float:
    """x' = -x/(1 + x), x(0) = 1: log x + x = 1 - t."""
    return float(lambertw(math.exp(1 - t)).real)


def pole(end: float) -> Function:
    """1/(end - t)."""
    return lambda t: 1 / (end - t) if t != end else HUGE


def bent_pole(t: float) -> float:
    """x' = kinked(x), x(0) = 1."""
    return pole(1.0)(t) if t < 0.5 else (1 / (2 - 3 * t) if t != 2 / 3 else HUGE)


def decay(t: float) -> float:
    return math.exp(-t)


def sinking(t: float) -> float:
    return 1 - t


def zero(_: float) -> float:
    return 0.0


def opposite(x: float) -> float:
    return -x


def usual(**others: Any) -> list[Model]:
    """A solution of each kind."""
    return [
        line(singular, slow, INF, **others),
        line(falling, sinking, 1.0, stuck=True, **others),
        line(falling_below, sinking, 2.0, stuck=True, **others),
        line(square, pole(1.0), 1.0, **others),
        line(opposite, decay, 0.5, **others),
        line(opposite, decay, INF, **others),
    ]


def unique() -> list[Model]:
    """x' = 2 sqrt(x): 0 and t^2 are maximal; parts of a solution; two solutions that are one."""

    def later(t: float) -> float:
        return t**2

    def curve(function: Function) -> Callable[[np.ndarray], np.ndarray]:
        return lambda t: real(function(float(t[0, 0])))

    return [
        line(tangent, zero, INF, Y=curve(later), S=INF),
        line(tangent, later, INF, Y=curve(zero), S=INF),
        line(opposite, decay, 0.5, Y=curve(decay), S=INF),
        line(opposite, decay, INF, Y=curve(decay), S=0.5),
        line(singular, slow, INF, Y=curve(slow), S=INF),
        line(square, pole(1.0), 1.0, Y=curve(pole(1.0)), S=1.0),
    ]


def escaping() -> list[Model]:
    """Solutions that escape, one of them with a kink; and others."""
    return [
        line(square, pole(1.0), 1.0, r=real(1)),
        line(kinked, bent_pole, 2 / 3, r=real(2 / 3)),
        line(square, pole(-1.0), -1.0, r=real(-1)),
        line(square, lambda t: 2 * pole(1.0)(t), 1.0, r=real(1)),
        line(square, pole(1.0), 1.0, r=real(1), X0=real(2)),
        line(opposite, decay, 1.0, r=real(1)),
    ]


def equal_on_cone() -> list[Model]:
    """Another field that goes on where the first one is stuck, on the cone or below it."""

    def down(Z: np.ndarray) -> np.ndarray:
        return real(-1)

    def minus(Z: np.ndarray) -> np.ndarray:
        return -Z

    def alike(Z: np.ndarray) -> np.ndarray:
        return real(singular(float(Z[0, 0])) if Z[0, 0] > 0 else 5.0)

    def twice(Z: np.ndarray) -> np.ndarray:
        return -2 * Z

    return [
        line(falling, sinking, 1.0, stuck=True, G=down),
        line(falling_below, sinking, 2.0, stuck=True, G=down),
        line(opposite, decay, 0.5, G=minus),
        line(opposite, decay, INF, G=minus),
        line(opposite, decay, INF, G=twice),
        line(singular, slow, INF, G=alike),
    ]


def plane(start: np.ndarray, curve: Callable, field: Callable, end: float, **others: Any) -> Model:
    states = [
        np.eye(2),
        np.zeros((2, 2)),
        np.diag([1.0, 0.0]),
        np.array([[2.0, 1.0], [1.0, 1.0]]),
        np.diag([2.0, -0.5]),
    ]
    values = {
        "X": lambda t: curve(float(t[0, 0])),
        "X0": start,
        "F": field,
        "T": end,
        "P": np.eye(2),
        "b": lambda t: real(10),
        "c": real(1),
        **others,
    }
    times = (0.0, 0.2, 0.5, 0.9, 0.99, 1.0, 1.5, 3.0)
    return Model({"d": 2}, values, times, states, late=40.0)


def drain(Z: np.ndarray) -> np.ndarray:
    """-Z (I + Z)^{-1}, smooth near the cone but not everywhere."""
    shifted = np.eye(2) + Z
    if np.linalg.matrix_rank(shifted) < 2:
        return np.zeros((2, 2))
    return -Z @ np.linalg.inv(shifted)


def singular_start(**others: Any) -> Model:
    """From diag(1, 0)."""
    return plane(np.diag([1.0, 0.0]), lambda t: np.diag([slow(t), 0.0]), drain, INF, **others)


def bounded() -> list[Model]:
    rising = lambda t: real(30 / (1 - t[0, 0]) if t[0, 0] < 1 else 0.0)  # noqa: E731
    return [
        *usual(),
        line(square, pole(1.0), 1.0, b=rising),
        line(square, pole(1.0), 1.0, P=real(-1)),
        line(square, pole(1.0), 1.0, P=real(0)),
        singular_start(),
        plane(np.zeros((2, 2)), lambda t: np.zeros((2, 2)), drain, INF),
    ]


def quadratic() -> list[Model]:
    """Bounds that are attained: by multiples of a projector, and by numbers."""

    def grow(rate: float, second: float) -> Model:
        start = np.diag([1.0, second])
        return plane(
            start,
            lambda t: start @ np.linalg.pinv(np.eye(2) - rate * t * start),
            lambda Z: rate * Z @ Z,
            1 / rate,
            c=real(rate),
        )

    first_only = plane(
        np.diag([0.1, 1.0]),
        lambda t: np.diag([0.1, pole(1.0)(t)]),
        lambda Z: np.diag([0.0, Z[1, 1] ** 2]),
        1.0,
        P=np.diag([1.0, 0.0]),
    )
    return [
        *usual(),
        *usual(c=real(1)),
        *usual(c=real(2)),
        *usual(P=real(-1)),
        grow(1.0, 0.0),
        grow(2.0, 0.0),
        grow(1.0, 0.5),
        first_only,
        singular_start(),
        singular_start(c=real(0.01)),
    ]


def invariance() -> list[Model]:
    """Limit points of a field that jumps, of a curve that turns, of one that is no solution."""
    origin, one = np.zeros((2, 2)), np.eye(2)
    still = plane(-one, lambda t: -one, lambda Z: origin, INF)
    still.limit_points = [-one]
    jump = plane(
        one, lambda t: math.exp(-t) * one, lambda Z: -Z if np.abs(Z).max() > 0 else -one, INF
    )
    jump.limit_points = [origin]
    no_solution = plane(one, lambda t: one, lambda Z: -Z, INF)
    no_solution.limit_points = [one]

    def turned(t: float) -> np.ndarray:
        turn = np.array([[math.cos(t), math.sin(t)], [-math.sin(t), math.cos(t)]])
        return turn @ np.diag([1.0, 2.0]) @ turn.T

    B = np.array([[0.0, 1.0], [-1.0, 0.0]])
    skewed = np.array([[2.0, 1.0], [1.0, 1.0]])
    turning = plane(np.diag([1.0, 2.0]), turned, lambda Z: B @ Z + Z @ B.T, INF, P=skewed)
    turning.limit_points = [np.diag([1.0, 2.0])]
    good = singular_start()
    good.limit_points = [origin]
    return [still, jump, no_solution, turning, good]


def congruent() -> list[Model]:
    """A singular start, one that is not symmetric, and a field that is not smooth at 0."""

    def phi(t: float) -> np.ndarray:
        return np.diag([math.sqrt(slow(t)), math.exp(-t / 2)])

    def factor(Z: np.ndarray) -> np.ndarray:
        shifted = np.eye(2) + Z
        singular_there = np.linalg.matrix_rank(shifted) < 2
        return np.zeros((2, 2)) if singular_there else -np.linalg.inv(shifted) / 2

    good = singular_start(B=factor)
    good.witnesses = [lambda t: phi(float(t[0, 0]))]
    wrong = singular_start(B=lambda Z: 2 * factor(Z))
    wrong.witnesses = [lambda t: np.eye(2)]
    stays = plane(np.eye(2), lambda t: np.eye(2) + t, lambda Z: -Z, INF, B=lambda Z: -np.eye(2) / 2)
    stays.witnesses = [lambda t: math.exp(-t[0, 0] / 2) * np.eye(2)]
    # the skew part decays faster than any congruence that takes the symmetric part along
    skew = np.array([[0.0, 1.0], [-1.0, 0.0]])
    bent = plane(
        np.eye(2) + skew,
        lambda t: math.exp(-t) * np.eye(2) + math.exp(-3 * t) * skew,
        lambda Z: -Z - (Z - Z.T),
        INF,
        B=lambda Z: -np.eye(2) / 2,
    )
    bent.witnesses = [lambda t: math.exp(-t[0, 0] / 2) * np.eye(2)]
    # x' = 2 sqrt(x) leaves 0, which no congruence does
    leaves = line(
        tangent,
        lambda t: t**2,
        INF,
        B=lambda Z: real(1 / math.sqrt(Z[0, 0]) if Z[0, 0] > 0 else 0.0),
    )
    leaves.witnesses = [lambda t: real(1)]
    return [good, wrong, stays, bent, leaves]


def below() -> list[Model]:
    """Bounds on eigenvalues: below the cone they do not hold; at equality they do."""
    return [
        line(opposite, lambda t: -decay(t), INF, s=real(-1), r=real(0)),
        line(opposite, decay, INF, s=real(1), r=real(-1)),
        line(opposite, decay, INF, s=real(1), r=real(-2)),
        line(opposite, decay, INF, s=real(0.5), r=real(-1)),
        line(opposite, lambda t: math.exp(t), INF, s=real(1), r=real(-1)),
        line(singular, slow, INF, s=real(1), r=real(0)),
        line(opposite, zero, INF, s=real(0), r=real(5)),
    ]


def growth() -> list[Model]:
    """r' >= c r^2, with equality, with kinks, from 0, with c = 0, or not."""
    found = []
    times = (0.0, 0.2, 0.5, 0.6, 2 / 3, 1.0, 1.7, 5.0)
    curves: list[tuple[Function, Function]] = [
        (pole(1.0), lambda t: pole(1.0)(t) ** 2),
        (bent_pole, lambda t: kinked(bent_pole(t))),
        (lambda t: 2.0, zero),
        (lambda t: 2.0, lambda t: 4.0),
        (zero, zero),
        (lambda t: -1 / (1 + t), lambda t: 1 / (1 + t) ** 2),
        (lambda t: 1 + t, lambda t: 1.0),
    ]
    for value, slope in curves:
        for end in (INF, 1.0, 2 / 3, 0.4, 0.0, -1.0):
            for c in (0.0, 0.5, 1.0, -1.0):
                values = {
                    "r": lambda t, f=value: real(f(float(t[0, 0]))),
                    "g": lambda t, f=slope: real(f(float(t[0, 0]))),
                    "c": real(c),
                    "T": end,
                }
                found.append(Model({}, values, times=times))
    return found


def constant() -> list[Model]:
    """A constant, a step, which has right derivative 0, and a curve that moves."""
    one, two = np.ones((2, 3)), np.arange(6.0).reshape(2, 3)
    curves = [
        lambda t: one,
        lambda t: two if t[0, 0] >= 0.3 else one,
        lambda t: two if t[0, 0] > 0.3 else one,
        lambda t: one + max(t[0, 0] - 0.3, 0.0) * two,
        lambda t: one * math.cos(t[0, 0]),
    ]
    times = (0.0, 0.1, 0.3, 0.8, 1.7)
    return [
        Model({"m": 2, "n": 3}, {"X": X, "T": end}, times=times)
        for X in curves
        for end in (INF, 1.0, 0.3, 0.0, -1.0)
    ]


Curve = Callable[[float], Any]


def near(
    model: Model,
    curve: Curve,
    slope: Curve,
    h: float,
    sizes: tuple[float, float, float, float],
) -> Model:
    """Y = curve and G = slope beside a solution; ``sizes`` are r, e, c, l.

    Soon after h the curve stands still.
    """
    stop = 1.05 * h if h > 0 else INF

    def Y(t: np.ndarray) -> np.ndarray:
        return np.atleast_2d(np.asarray(curve(min(float(t[0, 0]), stop)), dtype=float))

    def G(t: np.ndarray) -> np.ndarray:
        moves = float(t[0, 0]) < stop
        return np.atleast_2d(slope(float(t[0, 0]))) if moves else np.zeros_like(Y(t))

    values = dict(zip("recl", map(real, sizes), strict=True))
    model.values.update({**values, "Y": Y, "G": G, "h": real(h)})
    n = model.sizes["d"]
    ones, turn = np.ones((n, n)), np.eye(n)[::-1]
    directions = [np.eye(n), ones, turn, np.diag([1.0, -1.0][:n]), np.diag([1.0, 0.0][:n])]
    lengths = [k * sizes[1] for k in (-1, -0.5, -0.1, 0.1, 0.5, 1)]
    model.states = [
        *model.states,
        *(k * D / np.linalg.norm(D) for k in lengths for D in directions),
        *(-Y(real(k * h)) for k in (0, 0.5, 1)),
    ]
    model.times = sorted({*model.times, 0.0, *(k * h / 4 for k in range(1, 5))})
    return model


def constant_field(x: float) -> float:
    return 1.0


def steep_below(x: float) -> float:
    """-1 on the cone and near it."""
    return -1.0 if x >= -0.1 else -1.0 - 100 * (x + 0.1) ** 2


def leaving(t: float) -> float:
    """x' = steep_below(x), x(0) = 0.1."""
    return 0.1 - t if t <= 0.2 else -0.1 - math.tan(10 * (t - 0.2)) / 10


def approximate() -> list[Model]:
    """Curves that almost solve the equation; then without one premise each."""
    skew = np.array([[0.0, 1.0], [-1.0, 0.0]])
    start = np.diag([1.0, 0.5])

    def grown(t: float) -> np.ndarray:
        return start @ np.linalg.inv(np.eye(2) - t * start)

    def squares() -> Model:
        return plane(start, grown, lambda Z: Z @ Z, 1.0)

    def decays(end: float = INF) -> Model:
        return line(opposite, decay, end)

    def turned(t: float) -> np.ndarray:
        return math.exp(-t) * np.eye(2) + 0.1 * math.exp(5 * t) * skew

    def turning(Z: np.ndarray) -> np.ndarray:
        return -(Z + Z.T) / 2 + 5 * (Z - Z.T) / 2

    true = [
        # with equality
        near(line(constant_field, lambda t: 1 + t, INF), lambda t: 0.7 + t / 2, lambda t: 0.5,
             0.5, (0.3, 0.6, 0.5, 0)),
        near(line(constant_field, lambda t: 1 + t, INF), lambda t: 1.3 + 2 * t, lambda t: 2,
             0.2, (0.3, 0.6, 1, 0)),
        near(line(lambda x: x, math.exp, INF), lambda t: 0.3 * math.exp(t),
             lambda t: 0.3 * math.exp(t), 0.2, (0.7, 1, 0, 1)),
        near(line(lambda x: x, math.exp, INF), lambda t: 1 + t, lambda t: 1, 0.4, (0, 0.9, 0.4, 1)),
        near(decays(), lambda t: 1 - t, lambda t: -1, 0.5, (0, 0.3, 0.5, 0)),
        near(line(singular, slow, INF), lambda t: 0.9, zero, 0.2, (0.1, 0.5, 0.5, 0)),
        # a curve that leaves the cone, beside a solution that stays there
        near(decays(), lambda t: 1 - 2 * t, lambda t: -2, 0.6, (0, 2, 2.2, 0)),
        near(squares(), lambda t: start + t * np.diag([1.0, 0.25]),
             lambda t: np.diag([1.0, 0.25]), 0.2, (0, 0.5, 0.45, 3.2)),
        near(squares(), grown, lambda t: grown(t) @ grown(t), 0.2, (0, 0.5, 0, 3.1)),
    ]  # fmt: skip
    false = [
        near(line(falling, sinking, 1.0, stuck=True), sinking, lambda t: -1, 1.2, (0, 3, 2, 0)),
        near(decays(0.5), decay, lambda t: -decay(t), 1.0, (0, 1, 0, 0)),
        near(line(steep_below, leaving, 0.2 + math.pi / 20), lambda t: 0.1 - t / 2,
             lambda t: -0.5, 0.3, (0, 0.2, 0.5, 0)),
        near(decays(), lambda t: 1 + t, lambda t: -1 - t, 0.4, (0, 0.5, 0, 0)),
        near(plane(np.eye(2), lambda t: math.exp(-t) * np.eye(2), turning, INF), turned,
             lambda t: turning(turned(t)), 0.3, (0.1 * math.sqrt(2), 1, 0, 0)),
        near(decays(), lambda t: 1 + t, lambda t: 1, 0.4, (0, 0.5, 0, 0)),
        near(line(square, pole(1.0), 1.0), pole(1.25), lambda t: pole(1.25)(t) ** 2,
             0.5, (0.2, 0.3, 0, 0)),
        near(line(square, pole(1.0), 1.0), pole(1.25), lambda t: pole(1.25)(t) ** 2,
             1.1, (0.2, 0.3, 0, 0)),
        near(decays(), lambda t: 5 * decay(t), lambda t: -5 * decay(t), 0.5, (0, 1, 0, 0)),
        near(decays(), decay, lambda t: -decay(t), -0.5, (0, 1, 0, 0)),
        # the tube is too thin, or one of the sizes is negative
        near(line(square, pole(1.0), 1.0), lambda t: 1, zero, 1.5, (0, 0.1, 1, 2.1)),
        near(line(lambda x: 2 * x, lambda t: math.exp(2 * t), INF), lambda t: 0.5 * math.exp(2 * t),
             lambda t: math.exp(2 * t), 1.0, (0.5, 0.6, 0, 2)),
        near(decays(), lambda t: 1.3 * decay(t), lambda t: -1.3 * decay(t),
             1.0, (0.3, 0.4, 0, -0.9)),
        near(line(constant_field, lambda t: 1 + t, INF), lambda t: 1 + t / 2, lambda t: 0.5,
             0.4, (0, 0.6, -0.5, 0.9)),
    ]  # fmt: skip
    return [*true, *false]


def again() -> list[Model]:
    """A solution from the time s on; what is no solution, or does not reach that time."""
    found = []

    def add(model: Model, s: float) -> None:
        end, curve = model.values["T"], model.values["X"]
        model.values["s"] = real(s)
        model.witnesses = [end - s, INF, end, lambda t: curve(t + s), curve]
        found.append(model)

    for s in (0.0, 0.2, 0.6, -0.3, 2.0):
        for model in usual():
            add(model, s)
    add(line(opposite, lambda t: 1 + t, INF), 0.5)
    add(singular_start(), 0.5)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])

    def turned(t: float) -> np.ndarray:
        rotation = np.cos(t) * np.eye(2) + np.sin(t) * turn
        return rotation @ np.diag([1.0, 2.0]) @ rotation.T

    add(plane(turned(0.0), turned, lambda Z: turn @ Z + Z @ turn.T, INF), 0.9)
    return found


def any_lifetime() -> list[Model]:
    """Solutions, and curves on no interval at all."""
    none = [line(opposite, decay, end) for end in (-1.0, -0.1, 0.0)]
    return [*usual(), singular_start(), *none]
