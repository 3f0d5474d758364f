"""Heads that commute with Sigma0 and S: the solutions are those of one head with V = I."""

from __future__ import annotations

from proofs.builder import Builder, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, covariance_field, d, t
from proofs.claims.multihead_equation import SOLUTION, Ah, F, S, V, Vh, h
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    forall,
    identity,
    implies,
    mat,
    maximal,
    minus,
    mul,
    scale,
    symmetric,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

Z = mat("Z", d, d)
#: A = sum over h of V_h A_h, with A + A^T = S
COMBINED = total(h, mul(Vh, Ah))
ONE_FIELD = covariance_field(identity(d), COMBINED)
ONE_HEAD = maximal(T, Sigma, ONE_FIELD, Sigma0)


def commutes(matrix: Term) -> Term:
    """V_h M = M V_h."""
    return eq(mul(Vh, matrix), mul(matrix, Vh))


COMMUTING = forall(h, conj(commutes(Sigma0), commutes(S)))


def inside(matrix: Term) -> Term:
    """M is symmetric and commutes with every V_h."""
    return conj(symmetric(matrix), forall(h, commutes(matrix)))


def reduced(p: Builder, field: Term, state: int) -> int:
    """F(Z) = Z S Z for either field, where ``state`` proves inside(Z)."""
    sides = at(field, Z), mul(Z, S, Z)
    if field == ONE_FIELD:
        return p.algebra(*sides)
    families = p.extensionality(h, p.specialise(p.part(state, 1), h))
    return p.algebra(
        *sides,
        p.part(state, 0),
        (families, lambda f: total(h, mul(at(f, h), Ah, Z))),
        (families, lambda f: total(h, mul(Z, tp(Ah), tp(at(f, h))))),
    )


def tangent(p: Builder, field: Term, commuting: int) -> int:
    """For all Z: inside(Z) implies inside(F(Z)), from a step COMMUTING."""
    state = p.assume(inside(Z))
    letter, with_state = p.part(state, 0), p.specialise(p.part(state, 1), h)
    with_drift = p.part(p.specialise(commuting, h), 1)
    value = reduced(p, field, state)
    image = at(field, Z)
    turned = p.algebra(tp(image), image, letter, (value, lambda f: minus(tp(f), f)))
    commuted = p.algebra(
        mul(Vh, image),
        mul(image, Vh),
        (value, lambda f: minus(mul(Vh, f), mul(f, Vh))),
        (with_state, lambda f: add(mul(f, S, Z), mul(Z, S, f))),
        (with_drift, lambda f: mul(Z, f, Z)),
    )
    return p.for_all(Z, inside(Z), p.conjunction(turned, p.generalise(h, commuted)))


def same_solutions(p: Builder, start: int, commuting: int, fields: tuple[Term, Term]) -> int:
    """maximal(T, Sigma, F, Sigma0) implies maximal(T, Sigma, G, Sigma0), for the two fields.

    ``start`` and ``commuting`` are steps that prove Sigma0^T = Sigma0 and COMMUTING.
    """
    first, second = fields
    given = maximal(T, Sigma, first, Sigma0)
    solution = p.assume(given)
    at_start = p.conjunction(
        start,
        p.generalise(h, p.part(p.specialise(commuting, h), 0)),
    )
    smooth = p.polynomial(first)
    stays = p.fact(
        "commutant-invariance",
        smooth,
        solution,
        at_start,
        tangent(p, first, commuting),
        B=V,
    )
    state = p.assume(inside(Z))
    equal = p.algebra(
        at(first, Z),
        at(second, Z),
        (reduced(p, first, state), itself),
        (reduced(p, second, state), lambda f: scale(-1, f)),
    )
    equal = p.for_all(Z, inside(Z), equal)
    now = p.at(stays, t, p.assume(within(t, T)))
    along = p.for_all(t, within(t, T), p.at(equal, at(Sigma, t), now))
    other = p.fact("equal-fields", smooth, p.polynomial(second), solution, along)
    return p.discharge(given, other)


def prove() -> Proof:
    p = Builder()
    start, commuting = p.assume(symmetric(Sigma0)), p.assume(COMMUTING)
    p.conjunction(
        same_solutions(p, start, commuting, (F, ONE_FIELD)),
        same_solutions(p, start, commuting, (ONE_FIELD, F)),
    )
    return p.proof()


S_LETTER = Definition("S", S)

CLAIM = Claim(
    id="covariance.multihead-commuting",
    title="Heads that commute with Sigma0 and S have the solutions of one head with V = I",
    source="new",
    statement=Statement(
        (symmetric(Sigma0), COMMUTING),
        conj(implies(SOLUTION, ONE_HEAD), implies(ONE_HEAD, SOLUTION)),
    ),
    hypotheses=(
        "Sigma0 symmetric",
        "V_h commutes with Sigma0 and with S for every head",
    ),
    prove=prove,
    note="The head has A = sum V_h A_h, so that the commuting claims apply with V = I and the same "
    "S = A + A^T.",
    notation=(S_LETTER, Definition("B", COMBINED)),
)
