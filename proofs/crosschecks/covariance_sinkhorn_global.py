"""The growth of the covariance under Sinkhorn heads, where the bound is attained.

For Sigma = c I and c to infinity the coupled tokens are y = U x up to 1/c, U the orthogonal factor
in A = S U, S > 0: with V = v U^T the head moves x by v x. And c = 10^70.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numeric.exact import transpose
from numeric.precise.flow_sinkhorn import sinkhorn_covariance_at
from proofs.claims.covariance_sinkhorn_global import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product, scaled
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import real

F = Fraction
LARGE = 10**70
TIME = F(1, 20)
NORMS = [F(3, 2), F(2, 3)]
TURNS: list[Block] = [[[F(3, 5), F(-4, 5)], [F(4, 5), F(3, 5)]], [[0, 1], [1, 0]]]
STRETCHES: list[Block] = [[[2, 1], [1, 1]], [[1, F(-1, 2)], [F(-1, 2), 3]]]
SCORES = [product(S, U) for S, U in zip(STRETCHES, TURNS, strict=True)]
VALUES = [scaled(v, transpose(scaled(1, U))) for v, U in zip(NORMS, TURNS, strict=True)]
START: Block = [[LARGE, 0], [0, LARGE]]

_, GROWTH = expect(CLAIM.statement.conclusion, "and").args
CEILING = greater_side(consequence(instantiated(GROWTH, real("t"))))


def covariance(digits: int) -> Any:
    heads = list(zip(VALUES, SCORES, strict=True))
    return sinkhorn_covariance_at(heads, START, TIME, digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            f"Sigma(t) at t = {TIME} for two heads, to 1/c of the start c I",
            CEILING,
            {
                "d": 2,
                "H": 2,
                "V": VALUES,
                "A": SCORES,
                "v": NORMS,
                "Sigma0": START,
                "s": LARGE,
                "t": TIME,
            },
            covariance,
        ),
    ),
)
