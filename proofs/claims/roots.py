"""Steps on square roots of positive definite matrices."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.language import identity, inv, mul, root
from proofs.terms import Term, sort_of


def invertible_root(p: Builder, matrix: Term, definite: int) -> tuple[int, int, int]:
    """For C = E^{1/2} with E > 0: steps that prove C C = E, C^{-1} C = I and C C^{-1} = I."""
    C, one = root(matrix), identity(sort_of(matrix).args[0])
    square = p.part(p.fact("square-root", p.fact("positive-definite", definite), M=matrix), 1)
    exists = p.part(p.fact("definite-inverse", definite), 0)
    cancel = p.part(p.fact("inverse", exists), 1)
    candidate = mul(inv(matrix), C)
    left = p.algebra(
        mul(candidate, C), one, (square, lambda h: mul(inv(matrix), h)), (cancel, itself)
    )
    found = p.fact("one-sided-inverse", left, N=candidate, M=C)
    inverse = p.fact("inverse", p.part(found, 0))
    return square, p.part(inverse, 1), p.part(inverse, 0)
