"""Scalar value matrices V_h = v_h I: several heads are one head with V = I."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import covariance_field, d
from proofs.claims.multihead_equation import A, Ah, F, H, Vh, h, heads_field
from proofs.kernel import Proof, Statement
from proofs.language import at, eq, family, forall, identity, mat, scale, total
from proofs.terms import ONE

v = family("v", H, ONE, ONE)
Z = mat("Z", d, d)
SCALAR = forall(h, eq(Vh, scale(at(v, h), identity(d))))
#: A = sum over h of v_h A_h
TOTAL = total(h, scale(at(v, h), Ah))


def prove() -> Proof:
    p = Builder()
    member = p.specialise(p.assume(SCALAR), h)
    families = p.extensionality(h, member)
    field = p.replace(families, p.reflexivity(F), lambda w: eq(F, heads_field(w, A, Z)))
    same = p.algebra(at(p[field].args[1], Z), at(covariance_field(identity(d), TOTAL), Z))
    whole = p.extensionality(Z, same)
    p.replace(whole, field, lambda w: eq(F, w))
    return p.proof()


CLAIM = Claim(
    id="covariance.multihead-scalar",
    title="V_h = v_h I: several heads have the covariance equation of one head with V = I",
    source="new",
    statement=Statement((SCALAR,), eq(F, covariance_field(identity(d), TOTAL))),
    hypotheses=("V_h = v_h I for every head",),
    prove=prove,
    note="The head has A = sum v_h A_h, so that the commuting claims apply with S = A + A^T.",
)
