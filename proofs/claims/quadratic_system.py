"""The covariance equation in coordinates: x' = sum over h of (x^T Q_h x) U_h, on R^n."""

from __future__ import annotations

from proofs.language import (
    at,
    dim,
    family,
    head,
    lam,
    lifetime,
    maximal,
    mul,
    real,
    scale,
    time_to,
    total,
    tp,
    vec,
)
from proofs.terms import ONE, Term, sort_of, variable

n, H = dim("n"), dim("H")
U, Q = family("U", H, n, ONE), family("Q", H, n, n)
h, t = head("h", H), real("t")
Uh, Qh = at(U, h), at(Q, h)
T = lifetime("T")
x, x0 = time_to("x", n, ONE), vec("x0", n)


def quadratic_field(vectors: Term, forms: Term, start: Term) -> Term:
    """z -> sum over h of (z^T Q_h z) U_h, on vectors of the size of ``start``."""
    z = variable("z", sort_of(start))
    index = variable("h", sort_of(forms).args[0])
    value = mul(tp(z), at(forms, index), z)
    return lam(z, total(index, scale(value, at(vectors, index))))


f = quadratic_field(U, Q, x0)
SOLUTION = maximal(T, x, f, x0)
