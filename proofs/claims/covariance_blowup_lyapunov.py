"""A linear function tr(P Sigma) that grows at least like its square where positive: blow-up."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma0, T
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.lyapunov_functions import (
    Z,
    along,
    at_start,
    equation_of_value,
    on_cone,
    value,
    velocity,
)
from proofs.claims.multihead_equation import SOLUTION, F
from proofs.kernel import Proof, Statement
from proofs.language import at_most, eq, finite, implies, inv, le, mul, pd, psd, real
from proofs.printing.abbreviations import Definition

c = real("c")
GROWING = on_cone(implies(pd(value(Z)), le(mul(c, value(Z), value(Z)), velocity(Z))))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    rate, everywhere = p.assume(pd(c)), p.assume(GROWING)
    above = p.assume(pd(value(Sigma0)))
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    stays = p.lemma(RANK.id, start, solution)
    _, grows = along(p, stays, everywhere)
    equation, starts = equation_of_value(p, solution)
    same = at_start(p, starts)
    ends = p.fact("quadratic-growth", equation, rate, p.replace(same, above, pd), grows)
    back = p.replace(same, p.reflexivity(value(Sigma0)), lambda h: eq(h, value(Sigma0)))
    p.replace(back, ends, lambda h: at_most(T, finite(inv(mul(c, h)))))
    return p.proof()


CLAIM = Claim(
    id="covariance.blowup-lyapunov",
    title="tr(P Sigma) grows at least like its square: blow-up from every start where it is > 0",
    source="new",
    statement=Statement(
        (pd(c), GROWING, pd(value(Sigma0)), psd(Sigma0), SOLUTION),
        at_most(T, finite(inv(mul(c, value(Sigma0))))),
    ),
    hypotheses=(
        "c > 0",
        "tr(P F(Z)) >= c tr(P Z)^2 for every Z >= 0 with tr(P Z) > 0",
        "tr(P Sigma0) > 0",
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
    ),
    prove=prove,
    note="P need not be semidefinite; it is searched for, see verify; one head is H = 1.",
    notation=(Definition("F", F),),
)
