"""Exact ranks of products of large matrices."""

from __future__ import annotations

from flint import nmod_mat

from proofs.terms import Literal
from proofs.verdicts.factored.head import Factor

#: the largest prime below 2^63
PRIME = 2**63 - 25


def rank(matrix: Literal) -> int:
    """The exact rank: elimination modulo a prime bounds it from below and mostly settles it."""
    above, _ = matrix.integers
    below = int(nmod_mat(above, PRIME).rank())
    return below if below == min(matrix.rows, matrix.columns) else int(above.rank())


def product_rank(left: Factor, right: Factor) -> int | None:
    """The rank of a product when Sylvester's inequality decides it, else None."""
    inner = left.exact.columns
    one, two = rank(left.exact), rank(right.exact)
    return one + two - inner if inner in (one, two) else None
