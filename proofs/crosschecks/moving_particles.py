"""Three particles in the plane that move along lines, for the claims on gradient flows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.particles import Pair, energy_rate
from proofs.claims.base import Claim
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import expect
from proofs.language import at, real

Points = list[list[int | Fraction]]
MASSES: list[int | Fraction] = [Fraction(1, 2), Fraction(1, 5), Fraction(3, 10)]
POINTS: Points = [
    [1, Fraction(-1, 3)],
    [Fraction(1, 4), Fraction(2, 3)],
    [Fraction(-3, 4), Fraction(1, 2)],
]
VELOCITIES: Points = [[Fraction(1, 2), 1], [-1, Fraction(1, 3)], [Fraction(2, 3), Fraction(-1, 2)]]
#: B V = c A with c = -1
A: Points = [[Fraction(1, 2), 1], [1, Fraction(-1, 2)]]
B: Points = [[2, 1], [1, 1]]
V: Points = [[Fraction(1, 2), Fraction(-3, 2)], [Fraction(-3, 2), 2]]
FACTOR = -1
#: two heads with B V_h = c A_h
SCORES: list[Points] = [A, [[1, Fraction(1, 4)], [Fraction(1, 4), Fraction(-1, 2)]]]
VALUE_MATRICES: list[Points] = [
    V,
    [[Fraction(-3, 4), Fraction(-3, 4)], [Fraction(1, 2), Fraction(5, 4)]],
]


def line(
    start: list[int | Fraction], velocity: list[int | Fraction]
) -> Callable[[Any], list[list[Any]]]:
    return lambda t: [[x + t * u] for x, u in zip(start, velocity, strict=True)]


VALUES: dict[str, Any] = {
    "d": 2,
    "n": 3,
    "m": MASSES,
    "X": [line(*pair) for pair in zip(POINTS, VELOCITIES, strict=True)],
    "U": [line(u, [0, 0]) for u in VELOCITIES],
    "T": 1,
    "t": 0,
}
HEADS = {**VALUES, "H": 2, "A": SCORES, "B": B, "V": VALUE_MATRICES, "c": FACTOR}
OF_SCORES = {**VALUES, "A": A, "B": B, "V": V, "c": FACTOR}


def rate_of(claim: Claim) -> Any:
    """The derivative that the claim states, at the time t."""
    parts = claim.statement.conclusion.args
    equation = next(part for part in parts if part.op == "ode")
    return at(expect(equation, "ode").args[2], real("t"))


def compared(
    claim: Claim, pair: Pair, values: dict[str, Any] = OF_SCORES, factor: int = FACTOR
) -> CrossCheck:
    """The derivative in the statement, and that of ``factor`` times the energy of ``pair``."""

    def independent(digits: int) -> Any:
        rate = energy_rate(pair, MASSES, POINTS, VELOCITIES, digits=digits)
        return mp.fmul(factor, rate, exact=True)

    quantity = "the derivative of the energy, three particles in the plane"
    return CrossCheck(claim.id, (Comparison(quantity, rate_of(claim), values, independent),))
