"""What the factors of a head show of its matrices."""

from __future__ import annotations

from fractions import Fraction

from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.factored.head import FactoredHead


def is_square(head: FactoredHead) -> bool:
    """Whether V = U^T U, by its factors."""
    if len(head.value) == 1:
        return False
    W, U = (factor.exact for factor in head.value)
    return rational.transposed(U) == W


def tie(head: FactoredHead) -> Literal | None:
    """-(L + L^T) >= 0 for Q = L K, so that A + A^T = s K^T (L + L^T) K <= 0; None without that."""
    if len(head.score) == 1:
        return None
    keys, queries = (factor.exact for factor in head.score)
    inverse = rational.inverted(rational.product(keys, rational.transposed(keys)))
    if inverse is None:
        return None
    L = rational.product(rational.product(queries, rational.transposed(keys)), inverse)
    if rational.product(L, keys) != queries:
        return None
    opposite = rational.scaled(rational.total(L, rational.transposed(L)), Fraction(-1))
    return opposite if rational.is_semidefinite(opposite) else None
