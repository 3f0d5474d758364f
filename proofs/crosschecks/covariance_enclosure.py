"""How fast a solution leaves a curve, where it is as fast as it can be, and the curve's defect."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import number
from proofs.claims.covariance_enclosure import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, Rational, scaled
from proofs.crosschecks.quadratic_systems import Quadratic
from proofs.crosschecks.structure import (
    consequence,
    greater_side,
    instantiated,
    smaller_side,
)
from proofs.language import real
from proofs.terms import substitute

F = Fraction
Curve = Callable[[Any], Any]

# On the line through UNIT, which the Q_h leave invariant with the eigenvalues q_h, all bounds are
# attained: f(x u) = RATE x^2 u. In such units all moves by 10^-55 of its size until the time 1,
# so that the tube hardly grows.
SIZE, SLOW = F(10**60), F(1, 10**55)
UNIT = [F(3, 5), F(4, 5)]
MIRROR: Block = [[F(-7, 25), F(24, 25)], [F(24, 25), F(7, 25)]]
NORMS = [F(3, 2) * SLOW / SIZE, F(2, 3) * SLOW / SIZE]
RATE = sum(NORMS)
HEADS = Quadratic([UNIT, UNIT], [scaled(NORMS[0], MIRROR), [[NORMS[1], 0], [0, NORMS[1]]]])
# y(t) = (FIRST + SLOWER t) u is slower than a solution, most of all at the end of the step, where
# it is largest as well.
FIRST, SLOWER = F(3, 4) * SIZE, F(1, 2) * SIZE * SLOW
LAST = FIRST + SLOWER
#: a distance at the start, of a state that is greater than y
APART = F(3, 4) * SIZE
#: r' <= 5 SIZE SLOW, and r(1) < b by as much
WIDENING = 5 * SIZE * SLOW
ROUNDING = F(1, 4) * SIZE

# A curve that is no solution at all, with heads where nothing is attained.
BENT_HEADS = Quadratic(
    [[F(3, 5), F(-2, 5)], [0, -1]],
    [[[F(1, 2), 1], [1, F(-1, 3)]], [[0, F(2, 3)], [F(2, 3), 1]]],
)
COEFFICIENTS: Block = [[1, F(1, 2)], [2, -1], [-3, 4]]
TIME = F(1, 100)


def curve(coefficients: Block) -> Curve:
    """y(t) = c_0 + t c_1 + ..., for any number t."""

    def value(time: Any) -> Any:
        powers = [number(time) ** k for k in range(len(coefficients))]
        entries = zip(*coefficients, strict=True)
        return mp.matrix([mp.fdot(powers, map(number, entry)) for entry in entries])

    return value


def derivative(coefficients: Block) -> Curve:
    """y'(t) for the same y, by its coefficients."""
    return curve([[k * x for x in c] for k, c in enumerate(coefficients)][1:])


def along(factor: Rational) -> list[Fraction]:
    return [factor * x for x in UNIT]


STRAIGHT = [along(FIRST), along(SLOWER)]
NEAR: dict[str, Any] = {
    "n": 2,
    "H": 2,
    "U": HEADS.U,
    "Q": HEADS.Q,
    "q": NORMS,
    "x0": along(FIRST + APART),
    "y": curve(STRAIGHT),
    "v": derivative(STRAIGHT),
    "r": lambda t: number(APART) + number(WIDENING) * t,
    "g": lambda t: number(WIDENING),
    "s": 1,
    "b": APART + 2 * WIDENING,
    "c": RATE * LAST**2 - SLOWER,
    "l": 2 * RATE * LAST,
    "m": ROUNDING,
    "e": APART + WIDENING + ROUNDING,
    # beyond y(1) as seen from the solution
    "M": along(LAST - ROUNDING),
    "t": 0,
}
BENT: dict[str, Any] = {
    **NEAR,
    "U": BENT_HEADS.U,
    "Q": BENT_HEADS.Q,
    "q": [F(6, 5), F(3, 2)],
    "x0": COEFFICIENTS[0],
    "y": curve(COEFFICIENTS),
    "v": derivative(COEFFICIENTS),
    "r": lambda t: F(1, 4) + 20 * t,
    "g": lambda t: 20,
    "s": TIME,
    "b": 1,
    "c": 7,
    "l": 4,
    "m": 1,
    "e": 2,
    "M": COEFFICIENTS[0],
    "t": TIME,
}


def at_the_end(digits: int) -> Any:
    return HEADS.at(along(FIRST + APART), 1, digits)


def speed(digits: int) -> Any:
    """|x(1) - y(1)| - |x0 - y(0)|, by integration."""
    working = 2 * digits + 5
    with mp.workdps(working + 5):
        return mp.norm(at_the_end(working) - curve(STRAIGHT)(1)) - number(APART)


def distance(digits: int) -> Any:
    """|x(1) - M|^2, by integration."""
    with mp.workdps(digits + 5):
        return mp.norm(at_the_end(digits + 5) - curve([NEAR["M"]])(1)) ** 2


def squared_defect(digits: int) -> Any:
    """|y' - f(y)|^2, where y is of degree 2, with a central difference."""
    with mp.workdps(digits + 5):
        bent, t = curve(COEFFICIENTS), number(TIME)
        slope = (bent(t + 1) - bent(t - 1)) / 2
        return mp.norm(slope - BENT_HEADS.field(bent(t))) ** 2


def stretching(digits: int) -> Any:
    """J + J^T, halved, for the Jacobian J of f at y(t), by central differences: f is quadratic."""
    with mp.workdps(digits + 5):
        centre = curve(COEFFICIENTS)(TIME)
        jacobian = mp.zeros(2)
        for j, step in enumerate((mp.matrix([1, 0]), mp.matrix([0, 1]))):
            ahead, behind = (BENT_HEADS.field(centre + sign * step) for sign in (1, -1))
            jacobian[:, j] = (ahead - behind) / 2
        return (jacobian + jacobian.T) / 2


DEFECT, STRETCHING, SPEED = (
    smaller_side(consequence(instantiated(part, real("t"))))
    for part in CLAIM.statement.hypotheses[4].args
)
#: e^2 for the smallest e, r(s) + m
REACHED = smaller_side(CLAIM.statement.hypotheses[5].args[-1])
RADIUS = substitute(greater_side(CLAIM.statement.conclusion.args[1]), {"e": REACHED})

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "speed away from y in a short step, two heads, where its bound is nearly attained",
            SPEED,
            NEAR,
            speed,
        ),
        Comparison("squared distance from M after that step", RADIUS, NEAR, distance),
        Comparison(
            f"|y' - f(y)|^2 at t = {TIME} for a polynomial y",
            DEFECT,
            BENT,
            squared_defect,
        ),
        Comparison(
            f"the symmetric part of the Jacobian of f along y, at t = {TIME}",
            STRETCHING,
            BENT,
            stretching,
        ),
    ),
)
