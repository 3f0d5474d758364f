"""Models for the facts on maximal solutions, many of fields that are smooth near a cone only.

On the line: fields that are singular at negative numbers, that jump, so that a solution ends where
there is no way on, that are not Lipschitz at 0; of 2 x 2 matrices: singular and nonsymmetric
starts; vectors, and curves beside solutions.
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

    def state(t: np.ndarray) -> np.ndarray:
        return real(curve(float(t[0, 0])))

    start = state(real(0))
    matrices, vectors = {"F": flow, "X": state, "X0": start}, {"f": flow, "x": state, "x0": start}
    values = {**matrices, **vectors, "T": end, **TEN, **others}
    states = [*map(real, POINTS), *POINTS]
    sizes = dict.fromkeys("dmn", 1)
    return Model(sizes, values, times, states, late=40.0, stuck=flow if stuck else None)


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


def one(_: float) -> float:
    return 1.0


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
    return Model(dict.fromkeys("dmn", 2), values, times, states, late=40.0)


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


def vector(field: Callable[[float, float], Any], curve: Curve, end: float, **others: Any) -> Model:
    """x' = field(x) for vectors of length 2."""

    def column(entries: Any) -> np.ndarray:
        return np.array(entries, dtype=float)[:, None]

    values = {
        "f": lambda z: column(field(*z[:, 0])),
        "x": lambda t: column(curve(float(t[0, 0]))),
        "x0": column(curve(0.0)),
        "T": end,
        **others,
    }
    states = [column(z) for z in ((0, 0), (1, 0), (0, 1), (1, 1), (2, -1), (-1, 0.5))]
    return Model({"n": 2}, values, (0.0, 0.2, 0.5, 0.9, 0.99, 1.5, 3.0), states)


def turning(**others: Any) -> Model:
    """On the unit circle."""
    return vector(lambda a, b: (-b, a), lambda t: (math.cos(t), math.sin(t)), INF, **others)


def ray(**others: Any) -> Model:
    """On a line through the origin, to infinity."""
    return vector(lambda a, b: (a * a, a * b), lambda t: (pole(1.0)(t), 2 * pole(1.0)(t)), 1.0,
                  **others)  # fmt: skip


def bounded_orbits() -> list[Model]:
    """Bounds that are attained or exceeded; solutions that end although they are bounded."""
    bounded = [model for b in (-1, 1, 2) for model in (*usual(b=real(b)), turning(b=real(b)))]
    return [*bounded, ray(b=real(10))]


def within_radius(model: Model, radius: Function, growth: Function, e: float, b: float) -> Model:
    """|x|^2 <= b r^2 for r = radius, r' = growth."""
    model.values.update(
        r=lambda t: real(radius(float(t[0, 0]))),
        g=lambda t: real(growth(float(t[0, 0]))),
        e=real(e),
        b=real(b),
    )
    return model


def quadratic_lifetimes() -> list[Model]:
    """Lifetimes that are just as long as they must be, and longer ones; shorter ones."""

    def blows_up() -> Model:
        return line(square, pole(1.0), 1.0)

    def rate(t: float) -> float:
        return pole(1.0)(t) ** 2

    true = [
        within_radius(blows_up(), pole(1.0), rate, 1, 1),
        within_radius(blows_up(), pole(1.0), rate, 3, 2),
        within_radius(ray(), pole(1.0), rate, 1, 5),
        # r = 1 up to 1/2
        within_radius(blows_up(), lambda t: max(1.0, pole(1.0)(t) / 2),
                      lambda t: rate(t) / 2 if t >= 0.5 else 0.0, 2, 4),
        within_radius(turning(), one, zero, 1, 1),
        within_radius(line(opposite, decay, INF), lambda t: 1 + t, one, 1, 1),
    ]  # fmt: skip
    false = [
        within_radius(line(falling, sinking, 1.0, stuck=True), one, zero, 0.1, 1),
        within_radius(line(opposite, decay, 0.5), one, zero, 1, 1),
        within_radius(blows_up(), pole(1.0), zero, 0.5, 1),
        within_radius(blows_up(), one, zero, 0.5, 1),
        within_radius(blows_up(), pole(1.0), rate, 0.5, 1),
    ]
    return [*true, *false]


def near(
    model: Model,
    curve: Curve,
    slope: Curve,
    h: float,
    tube: tuple[Function, Function],
    sizes: tuple[float, float, float],
) -> Model:
    """y = curve and v = slope beside a solution; ``tube`` is r and r', ``sizes`` are e, c, l.

    Soon after h the curve stands still.
    """
    stop = 1.05 * h if h > 0 else INF

    def column(value: Any) -> np.ndarray:
        return np.array(value, dtype=float).reshape(-1, 1)

    def y(t: np.ndarray) -> np.ndarray:
        return column(curve(min(float(t[0, 0]), stop)))

    def v(t: np.ndarray) -> np.ndarray:
        time = float(t[0, 0])
        return column(slope(time)) if time < stop else np.zeros_like(y(t))

    model.values.update(
        y=y,
        v=v,
        h=real(h),
        r=lambda t: real(tube[0](float(t[0, 0]))),
        g=lambda t: real(tube[1](float(t[0, 0]))),
        **dict(zip("ecl", map(real, sizes), strict=True)),
    )
    n = model.sizes["n"]
    directions = [*np.eye(n), np.ones(n), np.linspace(1, -1, n) if n > 1 else np.ones(n)]
    lengths = [k * sizes[0] for k in (-1, -0.5, -0.1, 0.1, 0.5, 1)]
    model.states = [
        *model.states,
        *(k * column(u) / np.linalg.norm(u) for k in lengths for u in directions),
    ]
    model.times = sorted({*model.times, 0.0, *(k * h / 4 for k in range(1, 5))})
    return model


def steady(radius: float) -> tuple[Function, Function]:
    """A tube that does not grow."""
    return lambda t: radius, zero


def widening(radius: float, rate: float) -> tuple[Function, Function]:
    return lambda t: radius + rate * t, lambda t: rate


def spreading(radius: float, rate: float, defect: float) -> tuple[Function, Function]:
    """r' = rate r + defect."""

    def value(t: float) -> float:
        return radius * math.exp(rate * t) + defect / rate * math.expm1(rate * t)

    return value, lambda t: rate * value(t) + defect


def narrow_well(x: float) -> float:
    """Falls to 0 from nearby."""
    return -x + 4 * x**3


def outside_the_well(t: float) -> float:
    """x' = narrow_well(x), x(0) = 0.6: u = 1/x^2 solves u' = 2 u - 8."""
    u = 4 + (1 / 0.36 - 4) * math.exp(2 * t)
    return 1 / math.sqrt(u) if u > 0 else HUGE


def approximate() -> list[Model]:
    """Curves that almost solve the equation; then without one premise each."""

    def decays(end: float = INF) -> Model:
        return line(opposite, decay, end)

    def moves() -> Model:
        return line(one, lambda t: 1 + t, INF)

    def grows() -> Model:
        return line(lambda x: x, math.exp, INF)

    def blows_up() -> Model:
        return line(square, pole(1.0), 1.0)

    def part(factor: float) -> Curve:
        return lambda t: factor * math.exp(t)

    true = [
        # with equality
        near(moves(), lambda t: 0.7 + t / 2, lambda t: 0.5, 0.5, widening(0.3, 0.5), (0.6, 0.5, 0)),
        near(moves(), lambda t: 1.3 + 2 * t, lambda t: 2, 0.2, widening(0.3, 1), (0.6, 1, 0)),
        near(grows(), part(0.3), part(0.3), 0.2, spreading(0.7, 1, 0), (1, 0, 1)),
        near(turning(), lambda t: (0.8 * math.cos(t), 0.8 * math.sin(t)),
             lambda t: (-0.8 * math.sin(t), 0.8 * math.cos(t)), 0.9, steady(0.2), (0.3, 0, 0)),
        near(grows(), lambda t: 1 + t, lambda t: 1, 0.4, spreading(0, 1, 0.4), (0.9, 0.4, 1)),
        # with kinks
        near(moves(), lambda t: 1 + abs(t - 0.2), lambda t: 1 if t >= 0.2 else -1, 0.4,
             widening(0.2, 2), (1.1, 2, 0)),
        near(moves(), lambda t: 1 + t, lambda t: 1, 0.4,
             (lambda t: max(0, t - 0.2), lambda t: float(t >= 0.2)), (0.3, 0, 0)),
        # fields that are not linear
        near(blows_up(), lambda t: 1 + t + t * t, lambda t: 1 + 2 * t, 0.2,
             spreading(0, 3, 0.15), (0.5, 0.15, 3)),
        near(vector(lambda a, b: (a * a, -a * b), lambda t: (pole(1.0)(t), (1 - t) / 2), 1.0),
             lambda t: (1 + t + t * t, (1 - t) / 2), lambda t: (1 + 2 * t, -0.5), 0.2,
             spreading(0, 3.5, 0.15), (0.5, 0.15, 3.5)),
    ]  # fmt: skip
    false = [
        near(line(falling, sinking, 1.0, stuck=True), sinking, lambda t: -1, 1.2,
             widening(0, 2), (3, 2, 0)),
        near(decays(0.5), decay, lambda t: -decay(t), 1.0, steady(0), (1, 0, 0)),
        near(decays(), lambda t: 1 + t, lambda t: -1 - t, 0.4, steady(0), (0.5, 0, 0)),
        near(decays(), lambda t: 1 + t, lambda t: 1, 0.4, steady(0), (0.5, 0, 0)),
        near(blows_up(), pole(1.25), lambda t: pole(1.25)(t) ** 2, 0.5, steady(0.2), (0.3, 0, 0)),
        near(blows_up(), pole(1.25), lambda t: pole(1.25)(t) ** 2, 1.1, steady(0.2), (0.3, 0, 0)),
        # the tube is said to grow, or does not grow, or jumps
        near(grows(), part(0.3), part(0.3), 0.2, (lambda t: 0.7, lambda t: 0.7), (1, 0, 1)),
        near(grows(), part(0.3), part(0.3), 0.2, steady(0.7), (1, 0, 1)),
        near(grows(), part(0.3), part(0.3), 0.2,
             (lambda t: 0.7 * math.exp(t) - 0.1 * (t >= 0.1), part(0.7)), (1, 0, 1)),
        near(decays(), lambda t: 5 * decay(t), lambda t: -5 * decay(t), 0.5, steady(0), (1, 0, 0)),
        # one of the sizes is negative
        near(decays(), decay, lambda t: -decay(t), -0.5, steady(0), (1, 0, 0)),
        near(moves(), lambda t: 1 + t / 2, lambda t: 0.5, 0.4, steady(0), (0.6, -0.5, 0.9)),
        near(line(narrow_well, outside_the_well, math.log(9 / 2.75) / 2), zero, zero, 2.0,
             spreading(0.6, -0.64, 0), (0.3, 0, -0.64)),
        near(grows(), part(0.8), part(0.8), 0.2, steady(-0.2), (1, 0, 1)),
        # the tube is too thin
        near(blows_up(), lambda t: 1, zero, 1.5, spreading(0, 2.1, 1), (0.1, 1, 2.1)),
    ]  # fmt: skip
    return [*true, *false]


def over_time(*rows: tuple[Any, ...], functions: str, numbers: str = "") -> list[Model]:
    """Functions of time, and numbers, on several intervals."""
    found = []
    for row in rows:
        curves = {
            name: lambda t, f=f: real(f(float(t[0, 0])))
            for name, f in zip(functions, row, strict=False)
        }
        given = dict(zip(numbers, map(real, row[len(functions) :]), strict=True))
        for end in (INF, 1.0, 0.3, 0.0, -1.0):
            values = {**curves, **given, "T": end}
            found.append(Model({}, values, times=(0.0, 0.1, 0.3, 0.8, 1.7)))
    return found


def minus_one(_: float) -> float:
    return -1.0


def later(t: float) -> float:
    return max(t - 0.3, 0.0)


def since(t: float) -> float:
    """Its derivative from the right."""
    return float(t >= 0.3)


def cone() -> list[Model]:
    """r' >= -b r^2 and q' >= c r q, with equality, with kinks; then without one premise each."""

    def slowing(t: float) -> float:
        return 1 / (1 + t)

    def slower(t: float) -> float:
        return -1 / (1 + t) ** 2

    return over_time(
        (slowing, slower, zero, zero, 1, 1, 5),
        (slowing, slower, lambda t: slowing(t) ** 2, lambda t: -2 * slowing(t) ** 3, 0.1, 1, -2),
        (lambda t: 1 + t, one, later, since, 1, 0, -3),
        (lambda t: 2 - later(t) / 2, lambda t: -since(t) / 2, zero, zero, 0.01, 1, 1),
        # r reaches 0, or q does; a slope that is none
        (sinking, zero, zero, zero, 1, 0, 0),
        (one, zero, lambda t: -t, zero, 1, 0, 0),
        (one, zero, lambda t: -float(t > 0.3), zero, 1, 0, 0),
        # the cone is no wider
        (one, zero, lambda t: -(t**2), lambda t: -2 * t, 0, 0, 0),
        (one, zero, lambda t: -(t**2), lambda t: -2 * t, -1, 0, 0),
        # the start
        (minus_one, zero, zero, zero, 1, 0, 0),
        (zero, zero, zero, zero, 1, 0, 0),
        (one, zero, lambda t: -0.1, zero, 1, 0, 0),
        # too fast
        (sinking, minus_one, zero, zero, 1, 0, 0),
        (one, zero, lambda t: -t, minus_one, 1, 0, 0),
        (one, zero, lambda t: 1 - t, minus_one, 1, 0, -0.5),
        functions="rgqp",
        numbers="kbc",
    )


def falls() -> list[Model]:
    """Functions that fall or stay, with kinks; that grow, or jump."""
    return over_time(
        (one, zero),
        (decay, lambda t: -decay(t)),
        (lambda t: 1 - later(t), lambda t: -since(t)),
        (lambda t: 1 + later(t), since),
        (lambda t: 1 + later(t), zero),
        (since, zero),
        (lambda t: float(t > 0.3), zero),
        functions="rg",
    )


def linear_images() -> list[Model]:
    """x = s L(X), by all entries of X or by one; then without one premise each."""
    unit = np.eye(3)
    entries = [np.diag([1.0, 0.0]), np.diag([0.0, 1.0]), np.array([[0.0, 0.0], [1.0, 0.0]])]

    def read(Z: np.ndarray) -> np.ndarray:
        return np.array([[Z[0, 0]], [Z[1, 1]], [Z[0, 1]]])

    def written(z: np.ndarray) -> np.ndarray:
        return np.array([[z[0, 0], z[2, 0]], [z[2, 0], z[1, 0]]])

    def whole(flow: Model, s: float, **others: Any) -> Model:
        F = flow.values["F"]

        def G(z: np.ndarray) -> np.ndarray:
            return s * F(written(z) / s) if s else written(z) @ written(z)

        flow.sizes = {"d": 2, "k": 3, "n": 3}
        flow.values.update(s=real(s), G=G, f=lambda z: read(flow.values["G"](z)))
        flow.values.update(P=lambda i: entries[i - 1], U=lambda i: unit[:, [i - 1]], **others)
        flow.states = [*flow.states, *unit[:, :, None], -unit[:, [0]] + 2 * unit[:, [2]]]
        return flow

    def corner(G: Callable, curve: Callable, f: Callable, end: float, **others: Any) -> Model:
        """F(Z) = G(z_11), also where Z is not symmetric unless told otherwise."""
        values = {"s": real(1), "G": G, "f": f, "P": lambda i: entries[0], "U": lambda i: real(1)}
        start, states = curve(0.0), [real(x) for x in POINTS]
        flow = plane(start, curve, lambda Z: G(Z[:1, :1]), end, **{**values, **others})
        flow.sizes = {"d": 2, "k": 1, "n": 1}
        flow.states = [*flow.states, *states]
        return flow

    def stuck(model: Model) -> Model:
        model.stuck = model.values["F"]
        return model

    start = np.diag([1.0, 0.5])
    skew = np.array([[0.0, 1.0], [-1.0, 0.0]])

    def squares() -> Model:
        return plane(
            start, lambda t: start @ np.linalg.inv(np.eye(2) - t * start), lambda Z: Z @ Z, 1.0
        )

    def decays(end: float) -> Model:
        return plane(start, lambda t: math.exp(-t) * start, lambda Z: -Z, end)

    def spiral(t: float) -> np.ndarray:
        return math.exp(-t) * np.eye(2) + math.exp(5 * t) * skew

    def sideways(Z: np.ndarray) -> np.ndarray:
        return -(Z + Z.T) / 2 + 5 * (Z - Z.T) / 2

    def upper(z: np.ndarray) -> np.ndarray:
        return np.array([[-1.0, max(0.0, -z[0, 0])], [0.0, 0.0]])

    stretched = np.diag([1.0, 2.0])
    return [
        *(whole(flow, s) for s in (0.5, 2.0) for flow in (squares(), decays(INF))),
        corner(lambda z: z[0, 0] ** 2 * stretched, lambda t: np.diag([0, -1]) + stretched / (1 - t),
               lambda z: z**2, 1.0),
        # one premise fails
        whole(decays(0.5), 2.0),
        whole(plane(np.eye(2) + skew, spiral, sideways, INF), 1.0),
        whole(squares(), 0.0),
        stuck(corner(lambda z: np.diag([-1.0, 1.0 if z[0, 0] > 0 else -1.0]),
                     lambda t: np.diag([1 - t, t]), lambda z: real(-1), 1.0)),
        stuck(corner(upper, lambda t: np.diag([1 - t, 0.0]), lambda z: real(-1), 1.0,
                     F=lambda Z: upper(Z[:1, :1]) if (Z == Z.T).all() else np.eye(2))),
        whole(squares(), 0.5, G=lambda z: -written(z)),
        whole(squares(), 0.5, f=lambda z: -z),
    ]  # fmt: skip


def oblong() -> list[Model]:
    """Solutions that are 2 x 3 matrices."""
    start = np.array([[1.0, 2.0, 0.0], [-1.0, 0.5, 3.0]])
    states = [start, np.zeros((2, 3)), np.ones((2, 3))]
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])

    def escape(t: np.ndarray) -> np.ndarray:
        return start / (1 - t[0, 0])

    def turned(t: np.ndarray) -> np.ndarray:
        return (math.cos(t[0, 0]) * np.eye(2) + math.sin(t[0, 0]) * turn) @ start

    flows = [
        {"X": escape, "F": lambda Z: Z[0, 0] * Z, "X0": start, "T": 1.0},
        {"X": turned, "F": lambda Z: turn @ Z, "X0": start, "T": INF},
        {"X": turned, "F": lambda Z: Z @ np.eye(3), "X0": start, "T": INF},
    ]
    times = (0.0, 0.2, 0.6, 0.9, 3.0)
    return [Model({"m": 2, "n": 3}, flow, times, states) for flow in flows]


def again() -> list[Model]:
    """A solution from the time s on; what is no solution, or does not reach that time."""
    found = []

    def add(model: Model, s: float) -> None:
        end, curve = model.values["T"], model.values["X"]
        model.values["s"] = real(s)
        model.witnesses = [end - s, INF, end, lambda t: curve(t + s), curve]
        found.append(model)

    for s in (0.0, 0.2, 0.6, -0.3, 2.0):
        for model in (*usual(), *oblong()):
            add(model, s)
    add(line(opposite, lambda t: 1 + t, INF), 0.5)
    add(singular_start(), 0.5)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])

    def turned(t: float) -> np.ndarray:
        rotation = np.cos(t) * np.eye(2) + np.sin(t) * turn
        return rotation @ np.diag([1.0, 2.0]) @ rotation.T

    add(plane(turned(0.0), turned, lambda Z: turn @ Z + Z @ turn.T, INF), 0.9)
    return found


def in_time(
    model: Model, pace: Function, other: Callable, end: float, clock: Function, back: Function
) -> Model:
    """G = ``other`` and h = ``pace``, a function of the trace; on [0, end) the clock goes."""

    def curve(function: Function) -> Callable[[np.ndarray], np.ndarray]:
        return lambda t: real(function(float(t[0, 0])))

    model.values.update(G=other, h=lambda Z: real(pace(float(np.trace(Z)))))
    model.witnesses = [end, curve(clock), curve(back)]
    return model


def times(factor: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda Z: factor * Z


def same(t: float) -> float:
    return t


def late_pole(s: float) -> float:
    """When x = exp(t) is what x' = x (1 + x), x(0) = 1, is at the time s < log 2."""
    left = 2 - math.exp(s)
    return s - math.log(left) if left > 0 else HUGE


def other_times() -> list[Model]:
    """Faster, slower, to infinity in finite time or no longer; then without one premise each."""

    def down(Z: np.ndarray) -> np.ndarray:
        return real(-1)

    def up(Z: np.ndarray) -> np.ndarray:
        return real(1 if Z[0, 0] > 1.5 else 2)

    true = [
        in_time(line(opposite, decay, INF), lambda x: 2, times(-2), INF, lambda s: 2 * s,
                lambda t: t / 2),
        in_time(line(square, pole(1.0), 1.0), lambda x: 1 / (1 + abs(x)),
                lambda Z: Z**2 / (1 + np.abs(Z)), INF, lambda s: 1 - slow(s),
                lambda t: t - math.log(1 - t) if t < 1 else HUGE),
        in_time(line(lambda x: x, math.exp, INF), lambda x: 1 + x, lambda Z: Z + Z**2,
                math.log(2), late_pole, lambda t: math.log(2) - math.log1p(math.exp(-t))),
        in_time(singular_start(), lambda x: 1 + x, times(-1), INF,
                lambda s: 1 + s - math.exp(-s), lambda t: -math.log(slow(t))),
    ]  # fmt: skip
    false = [
        in_time(line(falling, sinking, 1.0, stuck=True), one, down, 1.0, same, same),
        in_time(line(opposite, decay, 0.5), one, times(-1), 0.5, same, same),
        in_time(line(falling_below, sinking, 2.0, stuck=True), one, down, 2.0, same, same),
        in_time(line(one, lambda t: 1 + t, INF), lambda x: 1.0 if x > 1.5 else 2.0, up, INF,
                lambda s: min(2 * s, s + 0.25), lambda t: max(t / 2, t - 0.25)),
        in_time(line(opposite, decay, INF), minus_one, times(1), INF, lambda s: -s, lambda t: -t),
        in_time(line(opposite, decay, INF), one, times(-3), INF, same, same),
    ]  # fmt: skip
    false[3].states = [*false[3].states, real(1.5)]
    false[3].times = sorted({*false[3].times, 0.25})
    return [*true, *false]


def any_lifetime() -> list[Model]:
    """Solutions, and curves on no interval at all."""
    none = [line(opposite, decay, end) for end in (-1.0, -0.1, 0.0)]
    return [*usual(), singular_start(), *oblong(), *none]
