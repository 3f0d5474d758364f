"""Sinkhorn heads with P V_h = -A_h^T, P > 0: bounded for every start, with limits of low rank."""

from __future__ import annotations

from proofs import language as la
from proofs.checkers import rational
from proofs.claims.covariance_sinkhorn_clustering import CLAIM, OPPOSITE, N
from proofs.terms import Term, index, substitute
from proofs.verdicts.base import Application, Hypothesis
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.opposite import findings, metric, shown
from proofs.verdicts.problem import to_data, to_rows
from proofs.verdicts.sinkhorn.problem import SinkhornProblem
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = "P V_h = -A_h^T for every head and some P > 0"


def clustering(problem: SinkhornProblem) -> Application:
    """P is found, or excluded, exactly."""
    scores = [to_data(score) for score in problem.scores]
    found = metric([to_data(value) for value in problem.values], scores)
    if isinstance(found, str):
        return Application(ID, (Hypothesis(NAME, False, found),))
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p, count = work.p, len(scores)
    full = {**problem.terms, "P": problem.scaled(to_rows(found))}
    stated = substitute(OPPOSITE, full)
    each = [work.prove(at_head(stated, i, count)) for i in range(count)]
    theorem = p.lemma(
        ID,
        work.prove(la.pd(full["P"])),
        cases(work, stated, each),
        work.start(),
        work.solution(),
        **full,
    )
    head = max(range(count), key=lambda i: rational.rank(scores[i]))
    proved = findings(
        work,
        theorem,
        full,
        N,
        lambda number: Term("family", (la.number(number),) * count),
        full["A"].args[head],
        lambda step: p.part(p.specialise(p.part(step, 1), index(head + 1, count)), 1),
    )
    return Application(ID, (shown(problem, NAME, found),), proved)
