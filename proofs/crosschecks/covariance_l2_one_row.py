"""L2 heads that compare with one row, and softmax: where they meet, found on one entry of Sigma.

Both solutions are integrated in their own time.  The clock q is the time at which an entry of the
L2 solution is what it is for softmax at the time s; all others have to agree there.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from mpmath import mp

from numeric.exact import multiply, transpose
from numeric.precise.flow import covariance_of_heads_at, series_of_heads
from numeric.precise.flow_l2 import l2_covariance_at, l2_series
from proofs.claims.covariance_l2_one_row import CLAIM
from proofs.crosschecks.base import DIGITS, Comparison, CrossCheck
from proofs.crosschecks.structure import expect, instantiated
from proofs.language import at, lifetime, real, time_to
from proofs.terms import ONE

F = Fraction
ROW = ((F(1), F(-1, 2)),)
COLUMNS = [((F(3),), (F(4),)), ((F(0),), (F(-5),))]
KEYS = [multiply(column, ROW) for column in COLUMNS]
QUERIES = [((F(1, 2), F(1)), (F(0), F(-1, 3))), ((F(1), F(0)), (F(1, 5), F(1, 4)))]
VALUES = [((F(1), F(2)), (F(-1, 2), F(1))), ((F(1, 3), F(-1)), (F(1), F(1, 2)))]
SCORES = [multiply(transpose(K), Q) for K, Q in zip(KEYS, QUERIES, strict=True)]
HEADS = list(zip(QUERIES, KEYS, VALUES, strict=True))
START = ((F(1, 2), F(1, 3)), (F(1, 3), F(1)))
#: in the time of softmax
TIME = F(1, 40)
SPARE, STEPS = 30, 12

letters = lifetime("S"), time_to("q", ONE, ONE), time_to("p", ONE, ONE)
IN_TIME = expect(CLAIM.statement.conclusion, "and").args[1]
SOLUTION, RUNS, *_ = expect(instantiated(IN_TIME, *letters), "and").args
SLOWED, PACE = expect(SOLUTION, "maximal").args[1], expect(RUNS, "ode").args[2]


@cache
def softmax_state(digits: int) -> Any:
    """The softmax solution at TIME."""
    return covariance_of_heads_at(VALUES, SCORES, START, TIME, digits)


@cache
def l2_state(time: Any, digits: int) -> Any:
    return l2_covariance_at(HEADS, START, time, digits)


@cache
def meeting(digits: int) -> Any:
    """When the first entry of the L2 solution is that of softmax at TIME, by Newton's method."""
    with mp.workdps(digits + 10):
        wanted, time = softmax_state(digits)[0, 0], mp.mpf(TIME.numerator) / TIME.denominator
        for _ in range(STEPS):
            state = l2_state(time, digits)
            change = (wanted - state[0, 0]) / l2_series(HEADS, state, 1)[1][0][0]
            time += change
            if abs(change) < mp.mpf(10) ** -digits:
                return time
        raise ArithmeticError("the solutions do not meet")


def quickness(digits: int) -> Any:
    """dq/ds, as the entry moves with either time."""
    with mp.workdps(digits + 10):
        fast = series_of_heads(VALUES, SCORES, softmax_state(DIGITS + SPARE), 1)[1][0][0]
        slow = l2_series(HEADS, l2_state(meeting(DIGITS + SPARE), DIGITS + SPARE), 1)[1][0][0]
        return fast / slow


PARAMETERS: dict[str, Any] = {
    "d": 2,
    "k": 2,
    "H": 2,
    "V": VALUES,
    "Q": QUERIES,
    "K": KEYS,
    "a": COLUMNS,
    "w": ROW,
    "n": 25,
    "Sigma0": START,
    "t": TIME,
    "q": lambda time: meeting(DIGITS + SPARE),
    "Sigma": lambda time: l2_state(meeting(DIGITS + SPARE), DIGITS + SPARE),
}

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"Sigma(q(s)) at s = {TIME}, the softmax solution",
            at(SLOWED, real("t")),
            PARAMETERS,
            softmax_state,
        ),
        Comparison(f"q'(s) at s = {TIME}", at(PACE, real("t")), PARAMETERS, quickness),
    ),
)
