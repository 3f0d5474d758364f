"""A linear function tr(P Sigma) that grows at most like its square: a time of existence."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.lyapunov_functions import P, Z, along, on_cone, value, velocity
from proofs.claims.multihead_equation import SOLUTION, F
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    at_most,
    conj,
    finite,
    inv,
    le,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    psd,
    real,
)
from proofs.printing.abbreviations import Definition

c = real("c")
SLOW = on_cone(le(velocity(Z), mul(c, value(Z), value(Z))))
END = finite(inv(mul(c, value(Sigma0))))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    metric, rate, everywhere = p.assume(pd(P)), p.assume(pd(c)), p.assume(SLOW)
    above = p.assume(pd(value(Sigma0)))
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    stays = p.lemma(RANK.id, start, solution)
    positive, slow = along(p, stays, everywhere)
    smooth = p.smooth_on_cone(F)
    p.fact(
        "quadratic-bound", smooth, solution, positive, metric, rate, above, slow, X=Sigma, F=F, P=P
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.lasting-lyapunov",
    title="tr(P Sigma) grows at most like its square: the solution exists until 1/(c tr(P Sigma0))",
    source="new",
    statement=Statement(
        (pd(P), pd(c), SLOW, pd(value(Sigma0)), psd(Sigma0), SOLUTION),
        conj(
            at_most(END, T),
            on_lifetime(
                END,
                lambda t: le(
                    value(at(Sigma, t)),
                    mul(value(Sigma0), inv(minus(number(1), mul(c, value(Sigma0), t)))),
                ),
            ),
        ),
    ),
    hypotheses=(
        "P positive definite",
        "c > 0",
        "tr(P F(Z)) <= c tr(P Z)^2 for every Z >= 0",
        "tr(P Sigma0) > 0",
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
    ),
    prove=prove,
    notation=(Definition("F", F),),
)
