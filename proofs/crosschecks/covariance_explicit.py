"""Rational solutions N(t)/D(t) of two heads against integration and poles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from proofs.claims.covariance_explicit import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block
from proofs.crosschecks.several_heads import Heads
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import real

# V_h = v_h I: Sigma(t)^{-1} = Sigma0^{-1} - t S, where G^T S G is diagonal for Sigma0 = G G^T,
# G = [[1, 1], [0, 1]]: diag(3, -2) for the first, diag(-3, -2) for the second.
VALUE: list[Block] = [[[1, 0], [0, 1]], [[Fraction(-1, 2), 0], [0, Fraction(-1, 2)]]]
SECOND: Block = [[-1, 1], [0, 2]]
ESCAPING = Heads(VALUE, [[[1, -3], [Fraction(1, 2), Fraction(3, 2)]], SECOND])
LASTING = Heads(VALUE, [[[-2, 4], [Fraction(-1, 2), Fraction(-3, 2)]], SECOND])
START: Block = [[2, 1], [1, 1]]
EARLY, LATE = Fraction(1, 4), Fraction(2)

Curve = Callable[[Any], list[list[Any]]]


def escaping(t: Any) -> list[list[Any]]:
    """N(t)/D(t), D(t) = 1 - t - 6 t^2 = (1 - 3 t) (1 + 2 t)."""
    below = 1 - t - 6 * t * t
    return [[(2 - t) / below, (1 - 3 * t) / below], [(1 - 3 * t) / below, (1 - 3 * t) / below]]


def lasting(t: Any) -> list[list[Any]]:
    """N(t)/D(t), D(t) = 1 + 5 t + 6 t^2 = (1 + 3 t) (1 + 2 t)."""
    below = 1 + 5 * t + 6 * t * t
    return [[(2 + 5 * t) / below, (1 + 3 * t) / below], [(1 + 3 * t) / below, (1 + 3 * t) / below]]


def values(heads: Heads, curve: Curve, time: Fraction) -> dict[str, Any]:
    return {
        "d": 2,
        "H": 2,
        "V": heads.V,
        "A": heads.A,
        "Sigma0": START,
        "X": curve,
        "t": time,
        "r": Fraction(1, 3),
    }


def integrated(heads: Heads, time: Fraction) -> Any:
    return lambda digits: heads.covariance_at(START, time, digits)


ENDING, ENDLESS = CLAIM.statement.conclusion.args
ENDING = consequence(instantiated(ENDING, real("r")))
AGREES = right_side(consequence(instantiated(ENDING.args[1], real("t"))))
AGREES_LATE = right_side(consequence(instantiated(consequence(ENDLESS).args[1], real("t"))))
END = expect(right_side(ENDING.args[0]), "finite").args[0]

CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"Sigma(t) at t = {EARLY} for a rational solution that escapes, two heads",
            AGREES,
            values(ESCAPING, escaping, EARLY),
            integrated(ESCAPING, EARLY),
        ),
        Comparison(
            "the time of its escape",
            END,
            values(ESCAPING, escaping, EARLY),
            lambda digits: ESCAPING.blow_up_time(START, digits),
        ),
        Comparison(
            f"Sigma(t) at t = {LATE} for a rational solution that lasts",
            AGREES_LATE,
            values(LASTING, lasting, LATE),
            integrated(LASTING, LATE),
        ),
    ),
)
