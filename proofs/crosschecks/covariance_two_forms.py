"""How fast y a and y/a change along a solution of L2 attention, by central differences."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.flow_l2 import l2_covariance_at, l2_series
from proofs.claims.covariance_two_forms import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, expect, instantiated, smaller_side
from proofs.language import dim, mat

F = Fraction
HEAD = ([[F(1, 2), 1]], [[1, F(-1, 3)]], [[1, 2], [F(-1, 2), 1]])
STATE = [[2, F(1, 2)], [F(1, 2), 1]]
#: squares of the rows of K and Q
FIRST = [[1, F(-1, 3)], [F(-1, 3), F(1, 9)]]
SECOND = [[F(1, 4), F(1, 2)], [F(1, 2), 1]]
VALUES: dict[str, Any] = {
    "d": 2,
    "F": lambda state: mp.matrix(l2_series([HEAD], state, 1)[1]),
    "R": FIRST,
    "P": SECOND,
    "Z": STATE,
    "c": 40,
}

TOGETHER = instantiated(CLAIM.statement.hypotheses[-1], mat("Z", dim("d"), dim("d")))
GROWTH = [
    instantiated(expect(part, "implies").args[0], mat("Z", dim("d"), dim("d")))
    for part in expect(CLAIM.statement.conclusion, "and").args
]


def numbers(state: Any) -> tuple[Any, Any]:
    """a and y."""
    a, y = (
        sum(form[i, j] * state[i, j] for i in range(2) for j in range(2))
        for form in (mp.matrix(rows(FIRST)), mp.matrix(rows(SECOND)))
    )
    return 1 + a, y


def rate(function: Callable[[Any, Any], Any]) -> Callable[[int], Any]:
    """The derivative of a function of a and y along the solution, at its start."""

    def derivative(digits: int) -> Any:
        half = digits // 2 + 3
        working = digits + half
        with mp.workdps(working + 5):
            step = mp.mpf(10) ** -half
            ends = (l2_covariance_at([HEAD], STATE, time, working) for time in (step, -step))
            ahead, behind = (function(*numbers(end)) for end in ends)
            return (ahead - behind) / (2 * step)

    return derivative


def of_ratio(digits: int) -> Any:
    """a^2 (y/a)'."""
    with mp.workdps(digits + 5):
        a, _ = numbers(mp.matrix(rows(STATE)))
        return a**2 * rate(lambda a, y: y / a)(digits)


def of_first(digits: int) -> Any:
    """a a' = (a^2)'/2."""
    return rate(lambda a, y: a**2 / 2)(digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "derivative of y a",
            smaller_side(consequence(GROWTH[0])),
            VALUES,
            rate(lambda a, y: a * y),
            assumes=(GROWTH[0],),
        ),
        Comparison(
            "a^2 times the derivative of y/a",
            smaller_side(consequence(GROWTH[1])),
            VALUES,
            of_ratio,
            assumes=(GROWTH[1],),
        ),
        Comparison(
            "a a'", smaller_side(consequence(TOGETHER)), VALUES, of_first, assumes=(TOGETHER,)
        ),
    ),
)
