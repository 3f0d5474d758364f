"""A curve that solves the covariance equation, for ever or until it escapes, is the solution."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, along, d
from proofs.claims.multihead_equation import SOLUTION, F
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    at,
    conj,
    eq,
    escapes,
    finite,
    forall,
    implies,
    number,
    ode,
    on_lifetime,
    pd,
    real,
    time_to,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

X, r = time_to("X", d, d), real("r")
STARTS = eq(at(X, number(0)), Sigma0)
ENDING = conj(pd(r), ode(finite(r), X, along(F, X)), escapes(finite(r), X))
ENDLESS = ode(INFINITY, X, along(F, X))


def is_solution(end: Term) -> Term:
    """T = end, and Sigma(t) = X(t) on [0, end)."""
    return conj(eq(T, end), on_lifetime(end, lambda t: eq(at(Sigma, t), at(X, t))))


def unique(p: Builder, solution: int, explicit: int) -> int:
    """What :func:`is_solution` says, from a step that proves maximal(end, X, F, Sigma0)."""
    smooth = p.smooth_along(F, T, Sigma)
    same = p.fact("uniqueness", smooth, solution, explicit, F=F, X=Sigma, Y=X, X0=Sigma0)
    end = p.part(same, 0)
    agree = p.replace(
        end, p.part(same, 1), lambda h: on_lifetime(h, lambda t: eq(at(Sigma, t), at(X, t)))
    )
    return p.conjunction(end, agree)


def prove() -> Proof:
    p = Builder()
    starts, solution = p.assume(STARTS), p.assume(SOLUTION)
    ending = p.assume(ENDING)
    explicit = p.fact(
        "escaping-solution",
        p.smooth_along(F, finite(r), X),
        p.part(ending, 0),
        p.part(ending, 1),
        starts,
        p.part(ending, 2),
        r=r,
        X=X,
        F=F,
        X0=Sigma0,
    )
    finite_time = p.for_all(r, ENDING, unique(p, solution, explicit))
    endless = p.assume(ENDLESS)
    explicit = p.fact("global-solution", p.polynomial(F), endless, starts, X=X, F=F, X0=Sigma0)
    p.conjunction(finite_time, p.discharge(ENDLESS, unique(p, solution, explicit)))
    return p.proof()


CLAIM = Claim(
    id="covariance.explicit",
    title="A curve that solves the equation until it escapes, or for ever, is the solution",
    source="textbook",
    statement=Statement(
        (STARTS, SOLUTION),
        conj(
            forall(r, implies(ENDING, is_solution(finite(r)))),
            implies(ENDLESS, is_solution(INFINITY)),
        ),
    ),
    hypotheses=("X starts at Sigma0", "Sigma solves the multi-head covariance equation"),
    prove=prove,
    note="Applied to curves N(t)/D(t) with polynomials N and D, found from the power series.",
    notation=(Definition("F", F),),
)
