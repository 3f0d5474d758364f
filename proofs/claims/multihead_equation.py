"""The objects that the multi-head claims share: families V_h, A_h and the covariance field."""

from __future__ import annotations

from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, symmetrised
from proofs.language import add, at, dim, family, head, lam, maximal, mul, total, tp
from proofs.terms import Term, sort_of, variable

H = dim("H")
V, A = family("V", H, d, d), family("A", H, d, d)
h = head("h", H)
Vh, Ah = at(V, h), at(A, h)


def heads_field(value: Term, score: Term, start: Term) -> Term:
    """Z -> sum over h of V_h Z A_h Z + Z A_h^T Z V_h^T, on matrices of the shape of ``start``."""
    Z = variable("Z", sort_of(start))
    index = variable("h", sort_of(value).args[0])
    v, a = at(value, index), at(score, index)
    return lam(Z, total(index, add(mul(v, Z, a, Z), mul(Z, tp(a), Z, tp(v)))))


F = heads_field(V, A, Sigma0)
#: S = sum over h of V_h A_h + A_h^T V_h^T
S = total(h, symmetrised(Vh, Ah))
SOLUTION = maximal(T, Sigma, F, Sigma0)
