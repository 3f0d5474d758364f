"""How fast a solution leaves a curve, where it is as fast as it can be, and the curve's defect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, number, rows
from numeric.precise.flow import series_of_heads
from proofs.claims.covariance_enclosure import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, scaled
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import (
    consequence,
    expect,
    greater_side,
    instantiated,
    smaller_side,
)
from proofs.language import dim, mat, real

Curve = Callable[[Any], Any]

# Along u u^T = LINE, which V_h u = v_h u and A_h u = a_h u leave invariant with v_h and a_h the
# norms, all bounds are attained: F(x u u^T) = 2 RATE x^2 u u^T.
LINE: Block = [[Fraction(9, 25), Fraction(12, 25)], [Fraction(12, 25), Fraction(16, 25)]]
MIRROR: Block = [[Fraction(-7, 25), Fraction(24, 25)], [Fraction(24, 25), Fraction(7, 25)]]
HALF = Fraction(1, 2)
HEADS = Heads(
    V=[scaled(2, MIRROR), [[1, 0], [0, 1]]],
    A=[[[HALF, 0], [0, HALF]], scaled(Fraction(2, 3), MIRROR)],
)
#: the sum of v_h a_h
RATE = Fraction(5, 3)
# Y(t) = (FIRST + SLOWER t) u u^T is slower than a solution, most of all at the end of the step,
# where it is largest as well.
FIRST, SLOWER = Fraction(3, 4), Fraction(1, 2)
#: a distance at the start, of a state that is greater than Y
APART = Fraction(1, 4)
STEP = Fraction(1, 20)
#: so short that the tube hardly grows
SHORT = Fraction(1, 10**36)

# A curve that is no solution at all, with heads where nothing is attained.
BENT_HEADS = Heads(
    V=[[[1, HALF], [0, 1]], [[0, -1], [HALF, 1]]],
    A=[[[HALF, 0], [1, Fraction(-1, 3)]], [[0, 1], [1, HALF]]],
)
COEFFICIENTS: list[Block] = [[[1, HALF], [HALF, 1]], [[2, -1], [-1, HALF]], [[-3, 1], [1, 4]]]
TIME = Fraction(1, 100)


def along(factor: Any) -> Block:
    """``factor`` u u^T, a rational."""
    return scaled(factor, LINE)


def curve(coefficients: Sequence[MatrixLike]) -> Curve:
    """Y(t) = C_0 + t C_1 + ..., for any number t."""

    def value(time: Any) -> Any:
        powers = (number(time) ** k for k in range(len(coefficients)))
        return reduce(add, (p * matrix(C) for p, C in zip(powers, coefficients, strict=True)))

    return value


def derivative(coefficients: Sequence[Block]) -> Curve:
    """Y'(t) for the same Y, by its coefficients."""
    return curve([scaled(k, C) for k, C in enumerate(coefficients)][1:])


def matrix(entries: MatrixLike) -> Any:
    return mp.matrix(rows(entries))


STRAIGHT = [along(FIRST), along(SLOWER)]


def leaving(length: Fraction, tube: Fraction) -> dict[str, Any]:
    """Parameters for a step along u u^T, where M is beyond Y(s) as seen from the solution."""
    last = FIRST + SLOWER * length
    rounding = Fraction(1, 20)
    return {
        "d": 2,
        "H": 2,
        "V": HEADS.V,
        "A": HEADS.A,
        "v": [2, 1],
        "a": [HALF, Fraction(2, 3)],
        "Sigma0": along(FIRST + APART),
        "Y": curve(STRAIGHT),
        "G": derivative(STRAIGHT),
        "s": length,
        "r": APART,
        "e": tube,
        "c": 2 * RATE * last**2 - SLOWER,
        "y": last,
        "m": rounding,
        "M": along(last - rounding),
    }


FAR = leaving(STEP, HALF)
NEAR = leaving(SHORT, APART + 3 * SHORT)
BENT: dict[str, Any] = {
    **FAR,
    "V": BENT_HEADS.V,
    "A": BENT_HEADS.A,
    "v": [Fraction(13, 10), Fraction(3, 2)],
    "a": [Fraction(6, 5), Fraction(13, 10)],
    "Sigma0": COEFFICIENTS[0],
    "Y": curve(COEFFICIENTS),
    "G": derivative(COEFFICIENTS),
    "s": TIME,
    "e": 1,
    "c": 7,
    "y": 2,
    "m": 1,
    "M": COEFFICIENTS[0],
    "t": TIME,
}


def velocity(heads: Heads, state: Any) -> Any:
    """F(state), the first coefficient of a power series."""
    return matrix(series_of_heads(heads.V, heads.A, state, 1)[1])


def slope(function: Curve, time: Any) -> Any:
    """The derivative of a polynomial of degree at most 2, by a central difference."""
    return (function(time + 1) - function(time - 1)) / 2


def speed(digits: int) -> Any:
    """(|Sigma(s) - Y(s)| - |Sigma0 - Y(0)|) / s for a short step, by integration."""
    working = 2 * digits
    with mp.workdps(working + 5):
        line = curve(STRAIGHT)
        start = along(FIRST + APART)
        end = HEADS.covariance_at(start, SHORT, working)
        grown = norm(end - line(SHORT)) - norm(matrix(start) - line(0))
        return grown / number(SHORT)


def furthest(digits: int) -> Any:
    """The distance from M of what leaves Y for so long as a solution does at the distance e."""
    with mp.workdps(digits + 5):
        line, s, unit = curve(STRAIGHT), number(STEP), matrix(LINE)
        outside = line(s) + number(HALF) * unit
        away = velocity(HEADS, outside) - slope(line, s)
        return norm(line(s) + number(APART) * unit + s * away - matrix(FAR["M"]))


def squared_defect(digits: int) -> Any:
    with mp.workdps(digits + 5):
        bent, t = curve(COEFFICIENTS), number(TIME)
        return norm(slope(bent, t) - velocity(BENT_HEADS, bent(t))) ** 2


def norm(value: Any) -> Any:
    return mp.mnorm(value, "f")


PREMISES = CLAIM.statement.hypotheses
DEFECT = consequence(instantiated(PREMISES[4].args[2], real("t")))
DISTANCE = instantiated(CLAIM.statement.conclusion, mat("Z", dim("d"), dim("d"))).args[1]
RADIUS = expect(greater_side(DISTANCE), "mul").args[0]
SPEED = expect(expect(expect(RADIUS, "add").args[0], "add").args[1], "mul").args[0]

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "speed away from Y in a short step, where its bound is nearly attained",
            SPEED,
            NEAR,
            speed,
        ),
        Comparison(
            "distance after the fastest departure, two heads, where its bound is attained",
            RADIUS,
            FAR,
            furthest,
        ),
        Comparison(
            f"|Y' - F(Y)|^2 at t = {TIME} for a polynomial Y",
            smaller_side(DEFECT),
            BENT,
            squared_defect,
        ),
    ),
)
