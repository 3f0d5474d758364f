"""P V = -A^T with P > 0: global for every start, with limits of low rank."""

from __future__ import annotations

from proofs import language as la
from proofs.claims.covariance_opposite_value import CLAIM, OPPOSITE, N
from proofs.terms import substitute
from proofs.verdicts.base import Application, Hypothesis
from proofs.verdicts.opposite import findings, metric, shown
from proofs.verdicts.problem import Problem, to_data, to_rows
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = "P V = -A^T for some P > 0"


def apply(problem: Problem) -> tuple[Application, ...]:
    """P is found, or excluded, exactly."""
    found = metric([to_data(problem.V)], [to_data(problem.score)])
    if isinstance(found, str):
        return (Application(ID, (Hypothesis(NAME, False, found),)),)
    work = Workspace(problem, {ID: CLAIM.lemma()})
    full = {**problem.terms, "P": problem.scaled(to_rows(found))}
    theorem = work.p.lemma(
        ID,
        work.prove(la.pd(full["P"])),
        work.prove(substitute(OPPOSITE, full)),
        work.start(),
        work.solution(),
        **full,
    )
    proved = findings(
        work, theorem, full, N, la.number, full["A"], lambda step: work.p.part(step, 2)
    )
    return (Application(ID, (shown(problem, NAME, found),), proved),)
