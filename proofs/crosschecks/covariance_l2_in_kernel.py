"""L2 heads that do not see what they move: what is conserved, and the softmax equation."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.flow_l2 import l2_covariance_at, l2_series
from numeric.precise.moments import moment_rates
from numeric.precise.velocity_l2 import l2_velocity
from proofs.claims.covariance_l2_in_kernel import CLAIM
from proofs.crosschecks.base import DIGITS, Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import at, dim, head, real

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
QUERIES = [[[1, -1]], [[HALF, THIRD]]]
KEYS = [[[1, -2]], [[-HALF, 1]]]
#: K_g V_h = 0: the columns are multiples of (2, 1)
VALUES = [[[2, -2], [1, -1]], [[-1, THIRD], [-HALF, THIRD / 2]]]
HEADS = list(zip(QUERIES, KEYS, VALUES, strict=True))
START = [[2, HALF], [HALF, 1]]
#: rank one
FLAT = [[1, Fraction(2, 3)], [Fraction(2, 3), Fraction(4, 9)]]
TIME = Fraction(1, 30)
ORIGIN = [0, 0]
MEMBER = 2
#: Digits of the states beyond those compared, so that the rank of a singular one is clear.
SPARE = 30

SOLUTION, KEPT = expect(CLAIM.statement.conclusion, "and").args
_, COVARIANCE, SOFTMAX, _ = expect(SOLUTION, "maximal").args
RATE = at(SOFTMAX, at(COVARIANCE, real("t")))
SEEN = right_side(instantiated(consequence(instantiated(KEPT, real("t"))), head("g", dim("H"))))


@cache
def regular_state(digits: int) -> Any:
    """Sigma(TIME) for the regular start."""
    return l2_covariance_at(HEADS, START, TIME, digits)


@cache
def flat_state(digits: int) -> Any:
    """Sigma(TIME) for the start of rank one."""
    return l2_covariance_at(HEADS, FLAT, TIME, digits)


def seen(digits: int) -> Any:
    """K Sigma(TIME) K^T for one of the heads."""
    with mp.workdps(digits + 5):
        keys = mp.matrix(rows(KEYS[MEMBER - 1]))
        return keys * regular_state(digits + 5) * keys.T


def regular_rate(digits: int) -> Any:
    """Sigma'(TIME), a coefficient of the Taylor series there."""
    with mp.workdps(digits + 5):
        return mp.matrix(l2_series(HEADS, regular_state(DIGITS + SPARE), 1)[1])


def flat_rate(digits: int) -> Any:
    """Sigma'(TIME): that of the law N(0, Sigma(TIME)), from the integrals of the velocities."""
    law = flat_state(DIGITS + SPARE)

    def velocity(x: Any) -> Any:
        moves = (l2_velocity(V, Q, K, ORIGIN, law, x, digits=digits) for Q, K, V in HEADS)
        return sum(moves, mp.zeros(2, 1))

    return moment_rates(velocity, ORIGIN, law, digits=digits)[1]


SHARED = {"d": 2, "k": 1, "H": 2, "g": MEMBER, "t": TIME, "Q": QUERIES, "K": KEYS, "V": VALUES}
REGULAR = {**SHARED, "Sigma0": START, "Sigma": lambda time: regular_state(DIGITS + SPARE)}
SINGULAR = {**SHARED, "Sigma0": FLAT, "Sigma": lambda time: flat_state(DIGITS + SPARE)}

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(f"K_g Sigma(t) K_g^T at t = {TIME}", SEEN, REGULAR, seen),
        Comparison(
            f"Sigma'(t) at t = {TIME} from the softmax equation", RATE, REGULAR, regular_rate
        ),
        Comparison(
            f"Sigma'(t) at t = {TIME} from the softmax equation, Sigma0 of rank 1",
            RATE,
            SINGULAR,
            flat_rate,
        ),
    ),
)
