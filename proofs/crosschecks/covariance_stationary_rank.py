"""A stationary covariance of the largest rank: attained in both bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.flow import covariance_at, series
from numeric.precise.ranks import counted_rank
from proofs.claims.covariance_stationary_rank import CLAIM
from proofs.crosschecks.base import RANK_TOLERANCE, Comparison, CrossCheck
from proofs.crosschecks.commuting_family import scaled
from proofs.crosschecks.structure import greater_side

IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
# With the orthogonal vectors a, b, c of length 3 below, A + A^T = a a^T - b b^T has signature
# (1, 1, 1), and Sigma = (a + b)(a + b)^T + c c^T lives on the isotropic plane of a + b and c.
VECTORS = ((2, 1, 2), (-2, 2, 1), (1, 2, -2))


def outer(vector: tuple[int, ...]) -> list[list[int]]:
    return [[x * y for y in vector] for x in vector]


def combined(left: list[list[int]], right: list[list[int]], sign: int = 1) -> list[list[int]]:
    """left + sign * right."""
    lines = zip(left, right, strict=True)
    return [[a + sign * b for a, b in zip(*line, strict=True)] for line in lines]


POSITIVE, NEGATIVE, NEUTRAL = map(outer, VECTORS)
SKEW = [[0, 3, -1], [-3, 0, 2], [1, -2, 0]]
SCORE = scaled(Fraction(1, 2), combined(combined(POSITIVE, NEGATIVE, -1), SKEW))
COVARIANCE = combined(outer(tuple(a + b for a, b in zip(*VECTORS[:2], strict=True))), NEUTRAL)
VALUES = {"d": 3, "A": SCORE, "Hp": POSITIVE, "Hn": NEGATIVE, "Sigma": COVARIANCE}


def independent(digits: int) -> Any:
    """The rank after a unit of time, of a covariance whose Taylor series is constant."""
    if any(entry for row in series(IDENTITY, SCORE, COVARIANCE, 1)[1] for entry in row):
        raise ArithmeticError("not stationary")
    return counted_rank(covariance_at(IDENTITY, SCORE, COVARIANCE, mp.one, digits + 10), digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    tuple(
        Comparison(
            f"rank of a stationary covariance that attains the bound by {name}, d = 3",
            greater_side(bound),
            VALUES,
            independent,
            tolerance=RANK_TOLERANCE,
        )
        for name, bound in zip(("Hp", "Hn"), CLAIM.statement.conclusion.args, strict=True)
    ),
)
