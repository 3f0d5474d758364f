"""Positivity certificates: a matrix is a sum of visibly positive semidefinite ones.

A certificate is a list of summands  c * s_1 ... s_k * N^T M N  with a rational c >= 0, scalars
s_i known to be nonnegative, a core M known to be positive semidefinite (or absent: N^T N) and any
matrix N.  The sum is positive definite when one summand has c > 0, positive scalars, a positive
definite core (or none) and N = I.  On 1 x 1 matrices this is a proof that a number is >= 0 or > 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofs.terms import Literal, Term, TermError


@dataclass(frozen=True, slots=True)
class Summand:
    """One term of a certificate; ``scalars`` and ``core`` are propositions psd(.) or pd(.)."""

    coefficient: Fraction
    scalars: tuple[Term, ...]
    core: Term | None
    factor: Term


def value(summand: Summand) -> Term:
    """The matrix that a summand stands for.

    Raises:
        TermError: a negative coefficient, or a premise that is not psd(.) or pd(.).
    """
    if summand.coefficient < 0:
        raise TermError("a summand has a negative coefficient")
    for premise in (*summand.scalars, *([summand.core] if summand.core else [])):
        if premise.op not in ("psd", "pd"):
            raise TermError("a premise of a positivity certificate must be psd or pd")
    flipped = Term("transpose", (summand.factor,))
    middle = (summand.core.args[0],) if summand.core else ()
    matrix = Term("mul", (flipped, *middle, summand.factor))
    for scalar in (number(summand.coefficient), *(s.args[0] for s in summand.scalars)):
        matrix = Term("scale", (scalar, matrix))
    return matrix


def is_strict(summands: Sequence[Summand]) -> bool:
    """Whether the sum is positive definite, not only semidefinite."""
    return any(
        s.coefficient > 0
        and all(scalar.op == "pd" for scalar in s.scalars)
        and (s.core is None or s.core.op == "pd")
        and s.factor.op == "identity"
        for s in summands
    )


def number(value: Fraction) -> Term:
    return Term("literal", data=Literal(1, 1, (value,)))
