"""Solutions below s exp(r t) I: no blow-up."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import Sigma, T, t
from proofs.claims.head_growth import I
from proofs.language import at, exp, identity, lam, minus, mul, scale, tr, within
from proofs.terms import ONE, Term

UNIT = identity(ONE)


def ceiling(start: Term, rate: Term, time: Term) -> Term:
    """start exp(rate time) I."""
    return scale(mul(start, exp(mul(rate, time))), I)


def endless(p: Builder, smooth: int, solution: int, stays: int, bounded: int, level: Term) -> int:
    """T = oo, since tr Sigma(t) is at most the trace of the ceiling.

    Args:
        smooth: proves the field smooth near each Z >= 0.
        solution, stays: prove that Sigma is the maximal solution, and Sigma(t) >= 0 on [0, T).
        bounded: proves Sigma(t) <= ``level`` on [0, T), a ceiling at the time t.
    """
    inside = within(t, T)
    trace = p.fact("trace-nonnegative", p.at(bounded, t, p.assume(inside)))
    limit = lam(t, tr(level))
    small = p.positive(minus(at(limit, t), tr(mul(I, at(Sigma, t)))), Summand(UNIT, core=trace))
    return p.fact(
        "bounded-solution",
        smooth,
        solution,
        stays,
        p.positive(I, Summand(I), strict=True),
        p.continuous(limit),
        p.for_all(t, inside, small),
        X=Sigma,
        b=limit,
    )
