"""A finding about the same solution, whose covariance equation is written in another way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from proofs import language as la
from proofs.kernel import Lemma
from proofs.terms import substitute
from proofs.verdicts.base import Finding
from proofs.verdicts.problem import CovarianceProblem
from proofs.verdicts.workspace import Workspace

Solve = Callable[[Workspace], int]
"""Makes the step that Sigma is the maximal solution of some covariance equation."""
NONE: Mapping[str, Lemma] = {}


def restated(
    finding: Finding,
    problem: CovarianceProblem,
    solve: Solve = Workspace.solution,
    lemmas: Mapping[str, Lemma] = NONE,
) -> Finding:
    """The finding for ``problem``.

    Args:
        solve: gives an equation that is the one of the finding but for ring operations.
        lemmas: what ``solve`` uses.

    Raises:
        KernelError: the equations are not the same.
    """
    name = "written otherwise"
    work = Workspace(problem, {**lemmas, name: Lemma(finding.statement, finding.proof)})
    p, terms = work.p, problem.terms
    renamed = {"T": terms["T"], "Sigma": terms["Sigma"]}
    *others, solution = (substitute(h, renamed) for h in finding.statement.hypotheses)
    known = solve(work)
    given, field = p[known].args[2], solution.args[2]
    if given != field:
        Z = la.mat("Z", terms["d"], terms["d"])
        equal = p.extensionality(Z, p.algebra(la.at(given, Z), la.at(field, Z)))
        known = with_field(work, known, equal)
    premises = [*(work.assume(h) for h in others), known]
    last = p.lemma(name, *premises, **finding.statement.variables() | renamed)
    return replace(finding, statement=problem.statement(p[last]), proof=p.proof(last))


def with_field(work: Workspace, solution: int, equation: int) -> int:
    """A step maximal(T, Sigma, F, Sigma0) with the field rewritten by an equation F = G."""
    end, curve, _, start = work.p[solution].args
    return work.p.replace(equation, solution, lambda f: la.maximal(end, curve, f, start))
