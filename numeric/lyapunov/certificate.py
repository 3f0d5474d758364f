"""Exact certificates that a linear Lyapunov function tr(P Z) decreases, or blows up.

For Z' = sum_h V_h Z A_h Z + Z A_h^T Z V_h^T (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré) and
a symmetric P, d/dt tr(P Z) = 2 q_P(Z) with q_P(Z) = sum_h tr(P V_h Z A_h Z). A certificate writes a
quadratic form f of Z as a sum of forms that are non-negative for Z >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from numeric.exact import Matrix, negative_direction
from numeric.lyapunov.forms import (
    Heads,
    Objects,
    as_objects,
    product_of,
    rate,
    trace_with,
    two_sided,
)

Kind = Literal["decrease", "growth", "slowness"]

Term = tuple[Fraction, Matrix]


@dataclass(frozen=True)
class Certificate:
    """A sum of non-negative forms that equals a form f, as polynomials in the entries of Z = Z^T::

        f(Z) = sum a tr(M^T Z M Z) + sum b tr(N Z)^2 + sum c (tr(S Z S Z) - tr(S Z)^2 / d)

    Each form on the right is non-negative for Z >= 0: a squared Frobenius norm of Z^1/2 M Z^1/2, a
    square, and the Cauchy-Schwarz inequality for Z^1/2 S Z^1/2.

    Attributes:
        kind: ``decrease``: P > 0 and f = -2 q_P, so that tr(P Z) never grows; ``growth``:
            f = 2 q_P - tr(P Z)^2, so that y = tr(P Z) has y' >= y^2; ``slowness``: P > 0 and
            f = tr(P Z)^2 - 2 q_P, so that y' <= y^2.
        P: symmetric d x d matrix.
        slope: for growth, a symmetric L >= 0 with f = 2 q_P - tr(P Z)^2 - tr(P Z) tr(L Z): then
            y' >= y^2 wherever y > 0, and y stays positive from there on. None stands for L = 0.
        congruences: pairs (a, M), a > 0, M symmetric or skew.
        squares: pairs (b, N), b > 0, N symmetric.
        variances: pairs (c, S), c > 0, S symmetric.
    """

    kind: Kind
    P: Matrix
    congruences: tuple[Term, ...]
    squares: tuple[Term, ...]
    variances: tuple[Term, ...] = ()
    slope: Matrix | None = None

    @property
    def terms(self) -> int:
        """Return the number of terms of the sum."""
        return len(self.congruences) + len(self.squares) + len(self.variances)

    def trace_with(self, covariance: Matrix) -> Fraction:
        """Return tr(P Z) at a symmetric Z: for ``growth`` the solution ends by 1 / tr(P Z0)."""
        pairs = zip(self.P, covariance, strict=True)
        return sum((a * b for p, z in pairs for a, b in zip(p, z, strict=True)), Fraction(0))


def verify_exactly(certificate: Certificate, heads: Heads) -> bool:
    """Whether the certificate holds, by expanding both sides in the coordinates of Z, exactly.

    A check for searches and tests, outside the trusted kernel.
    """
    P = as_objects(certificate.P)
    d = len(P)
    if not _symmetric(P) or any(len(V) != d or len(A) != d for V, A in heads):
        return False
    if certificate.kind != "growth" and not definite(certificate.P):
        return False
    if certificate.slope is not None:
        if certificate.kind != "growth" or not _symmetric(as_objects(certificate.slope)):
            return False
        if negative_direction(certificate.slope) is not None:
            return False
    size = d * (d + 1) // 2
    total = np.array([Fraction(0)] * (size * (size + 1) // 2), dtype=object)
    for a, rows in certificate.congruences:
        M = as_objects(rows)
        if a < 0 or not (_symmetric(M) or _symmetric(M, -1)):
            return False
        total = total + a * two_sided(M.T, M, size)
    for b, rows in certificate.squares:
        N = as_objects(rows)
        if b < 0 or not _symmetric(N):
            return False
        total = total + b * product_of(trace_with(N), trace_with(N), size)
    for c, rows in certificate.variances:
        S = as_objects(rows)
        if c < 0 or not _symmetric(S):
            return False
        trace = trace_with(S)
        total = total + c * (two_sided(S, S, size) - product_of(trace, trace, size) / Fraction(d))
    return bool((total == form(certificate, heads, size)).all())


def form(certificate: Certificate, heads: Heads, size: int) -> Objects:
    """Return the coefficients of the form f that the certificate writes as a sum."""
    kind, P = certificate.kind, as_objects(certificate.P)
    doubled = 2 * rate(P, [(as_objects(V), as_objects(A)) for V, A in heads], size)
    if kind == "decrease":
        return -doubled
    square = product_of(trace_with(P), trace_with(P), size)
    if certificate.slope is not None:
        slope = trace_with(as_objects(certificate.slope))
        square = square + product_of(trace_with(P), slope, size)
    return doubled - square if kind == "growth" else square - doubled


def definite(matrix: Matrix) -> bool:
    """Whether a symmetric matrix is positive definite, exactly."""
    from flint import fmpq, fmpq_mat

    n = len(matrix)
    entries = [fmpq(x.numerator, x.denominator) for row in matrix for x in row]
    return negative_direction(matrix) is None and fmpq_mat(n, n, entries).rank() == n


def _symmetric(matrix: Objects, sign: int = 1) -> bool:
    return bool((matrix == sign * matrix.T).all())
