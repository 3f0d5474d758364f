"""Showing that a rational matrix is positive definite without elimination."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from proofs.builder import Builder
from proofs.checkers import rational
from proofs.kernel import KernelError
from proofs.terms import Literal, Term

#: bits kept of the largest entry of a congruence
BITS = 50
#: largest size at which exact elimination is tried
MAX_ELIMINATION = 64


def congruence(matrix: Literal) -> Literal | None:
    """R with R^T M R close to the identity, None when M is not numerically positive definite.

    R is the inverse of a Cholesky factor, rounded; whether it proves anything is for
    :func:`proofs.checkers.rational.is_definite_by` to say.
    """
    floats = to_floats(matrix)
    try:
        factor = np.linalg.cholesky((floats + floats.T) / 2)
        inverse = np.linalg.solve(factor, np.identity(len(factor))).T
    except np.linalg.LinAlgError:
        return None
    largest = np.abs(inverse).max()
    if not np.isfinite(largest) or largest == 0:
        return None
    unit = float(2.0 ** (BITS - np.ceil(np.log2(largest))))
    rounded = np.rint(inverse * unit).astype(np.int64).ravel().tolist()
    integers = Literal.from_integers(fmpz_mat(matrix.rows, matrix.rows, rounded), fmpz(1))
    return rational.scaled(integers, 1 / Fraction(unit))


def is_definite(matrix: Literal) -> bool:
    """Whether a congruence shows, exactly, that a symmetric matrix is positive definite."""
    found = congruence(matrix)
    return found is not None and rational.is_definite_by(matrix, found)


def to_floats(matrix: Literal) -> NDArray[np.float64]:
    """The matrix divided by its largest entry, in floating point, so that nothing overflows."""
    numerators, _ = matrix.integers
    entries = [int(x) for x in numerators.entries()]
    shift = max(0, max(abs(x).bit_length() for x in entries) - 1000)
    floats = np.array([float(x >> shift) for x in entries])
    return (floats / (np.abs(floats).max() or 1.0)).reshape(matrix.rows, matrix.columns)


def prove_definite(p: Builder, matrix: Term, value: Literal, strict: bool = False) -> int:
    """The step psd(M) or pd(M) for an expression M of literals with the given value.

    By a congruence, or by elimination where M is nearly singular.

    Raises:
        KernelError: M is not positive (semi)definite, or too large for elimination.
    """
    found = congruence(value)
    if found is not None:
        with suppress(KernelError):  # then elimination decides
            return p.definite(matrix, strict, Term("literal", data=found))
    if value.rows > MAX_ELIMINATION:
        raise KernelError("definite", "nearly singular, and too large for elimination")
    return p.definite(matrix, strict)
