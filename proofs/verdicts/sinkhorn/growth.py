"""Sinkhorn heads: global from every start, with growth at most exponential."""

from __future__ import annotations

from proofs import language as la
from proofs.claims.covariance_sinkhorn_global import CLAIM, NORMS
from proofs.terms import Term, TermError, substitute
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.norms import OUT_OF_RANGE, norm_above
from proofs.verdicts.sinkhorn.problem import SinkhornProblem
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id


def growth(problem: SinkhornProblem) -> Application:
    """No condition on the parameters."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    try:
        findings: tuple[Finding, ...] = (_finding(problem),)
    except (*OUT_OF_RANGE, TermError):
        findings = ()
    return Application(ID, (start,), findings)


def _finding(problem: SinkhornProblem) -> Finding:
    """T = oo and Sigma(t) <= lambda_max(Sigma0) exp(2 t sum |V_h|) I."""
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p, count = work.p, len(problem.values)
    bounds = tuple(la.number(norm_above(V)) for V in problem.values)
    top = la.lmax(problem.terms["Sigma0"])
    full = {**problem.terms, "v": Term("family", bounds), "s": top}
    stated = substitute(NORMS, full)
    norms = [p.conjunction(*map(work.prove, at_head(stated, i, count).args)) for i in range(count)]
    positive = work.start()
    below = p.part(p.fact("largest-eigenvalue", p.fact("semidefinite-symmetric", positive)), 0)
    grown = p.lemma(ID, cases(work, stated, norms), below, positive, work.solution(), **full)
    return Finding("existence", "global", problem.statement(p[grown]), p.proof(grown))
