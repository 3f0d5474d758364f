"""A finding about the same covariance equation, written in another way."""

from __future__ import annotations

from dataclasses import replace

from proofs import language as la
from proofs.kernel import Lemma
from proofs.terms import substitute
from proofs.verdicts.base import Finding
from proofs.verdicts.problem import CovarianceProblem
from proofs.verdicts.workspace import Workspace


def restated(finding: Finding, problem: CovarianceProblem) -> Finding:
    """The finding for ``problem``, whose field is the same but for products of literals.

    Raises:
        KernelError: the fields are not the same.
    """
    work = Workspace(problem, {"as multiplied out": Lemma(finding.statement, finding.proof)})
    p, terms = work.p, problem.terms
    renamed = {"T": terms["T"], "Sigma": terms["Sigma"]}
    *others, solution = (substitute(h, renamed) for h in finding.statement.hypotheses)
    known = work.assume(problem.solution)
    field, start = solution.args[2:]
    if field != problem.field:
        Z = la.mat("Z", terms["d"], terms["d"])
        equal = p.extensionality(Z, p.algebra(la.at(problem.field, Z), la.at(field, Z)))
        known = p.replace(equal, known, lambda h: la.maximal(terms["T"], terms["Sigma"], h, start))
    premises = [*(work.assume(h) for h in others), known]
    last = p.lemma("as multiplied out", *premises, **finding.statement.variables() | renamed)
    return replace(finding, statement=problem.statement(p[last]), proof=p.proof(last))
