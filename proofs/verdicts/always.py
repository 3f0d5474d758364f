"""Theorems that need little: preservation, constant rank, centred and stationary starts."""

from __future__ import annotations

from fractions import Fraction

from proofs import language as la
from proofs.checkers import rational
from proofs.terms import Literal
from proofs.verdicts.base import Application, Hypothesis
from proofs.verdicts.problem import Problem
from proofs.verdicts.workspace import Workspace

POSITIVE = "Sigma0 positive semidefinite"


STATIONARY = "Sigma is stationary: F(Sigma0) = 0"


def apply(problem: Problem) -> tuple[Application, ...]:
    """Preservation and rank hold for every start; the others are decided."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    nonzero = next((i for i, x in enumerate(problem.mean) if x), None)
    centred = Hypothesis(
        "alpha0 = 0",
        nonzero is None,
        None if nonzero is None else f"entry {nonzero + 1} is {problem.mean[nonzero]}",
    )
    plain = Hypothesis("no biases", not problem.biased)
    return (
        Application("gaussian.softmax", (start, plain)),
        Application("gaussian.bias", (start,)),
        Application("covariance.rank", (start,)),
        Application("covariance.linear-centered", (start, centred, plain)),
        Application("covariance.stationary-rank", (_identity_value(problem), _stationary(problem))),
    )


def _identity_value(problem: Problem) -> Hypothesis:
    value = problem.terms["V"].data
    assert isinstance(value, Literal)
    factor = rational.multiple_of_identity(value)
    return Hypothesis("V = I", factor == Fraction(1), None if factor == 1 else "V is not I")


def _stationary(problem: Problem) -> Hypothesis:
    if problem.start is None:
        return Hypothesis("Sigma is stationary", None, "needs a given Sigma0")
    work = Workspace(problem)
    start = problem.terms["Sigma0"]
    decision = work.decide(la.eq(la.at(problem.field, start), la.zero_like(start)))
    return Hypothesis(STATIONARY, decision.holds, decision.witness)
