"""Statements about every head, decided and proved head by head."""

from __future__ import annotations

from proofs.terms import Term, application, index, substitute
from proofs.verdicts.base import Hypothesis
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.workspace import Workspace


def at_head(statement: Term, i: int, count: int) -> Term:
    """A statement about all heads at head i, counted from 0."""
    return application(statement.args[0], index(i + 1, count))


def each_head(problem: HeadsProblem, work: Workspace, statement: Term, name: str) -> Hypothesis:
    """Decide a statement about every head, head by head."""
    stated = substitute(statement, problem.terms)
    count = len(problem.values)
    for i in range(count):
        decision = work.decide(at_head(stated, i, count), "M")
        if not decision.holds:
            witness = decision.witness or "not decided"
            return Hypothesis(name, decision.holds, f"head {i}: {witness}")
    return Hypothesis(name, True)


def cases(work: Workspace, statement: Term, steps: list[int]) -> int:
    """A statement about all heads from its cases."""
    return work.p.cases(statement.args[0], steps)
