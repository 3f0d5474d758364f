"""The objects that the covariance claims share: V, A, Sigma0 and the softmax covariance field."""

from __future__ import annotations

from proofs.language import (
    add,
    at,
    dim,
    lam,
    lifetime,
    mat,
    maximal,
    mul,
    real,
    time_to,
    tp,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term, sort_of, variable

d = dim("d")
V, A, Sigma0 = (mat(name, d, d) for name in ("V", "A", "Sigma0"))
T, Sigma = lifetime("T"), time_to("Sigma", d, d)
t = real("t")


def covariance_field(value: Term, score: Term) -> Term:
    """Z -> V Z A Z + Z A^T Z V^T, the right-hand side of the softmax covariance equation."""
    Z = variable("Z", sort_of(value))
    return lam(Z, add(mul(value, Z, score, Z), mul(Z, tp(score), Z, tp(value))))


def symmetrised(value: Term, score: Term) -> Term:
    """S = V A + A^T V^T."""
    return add(mul(value, score), mul(tp(score), tp(value)))


def along(field: Term, curve: Term) -> Term:
    """t -> F(X(t))."""
    return lam(t, at(field, at(curve, t)))


F = covariance_field(V, A)
S = symmetrised(V, A)
#: Sigma on [0, T) is the maximal solution that starts at Sigma0.
SOLUTION = maximal(T, Sigma, F, Sigma0)
#: Letters for printed statements.
S_LETTER, F_LETTER = Definition("S", S), Definition("F", F)
