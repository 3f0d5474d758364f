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
NAME = "written otherwise"


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
    work = Workspace(problem, {**lemmas, NAME: finding.lemma()})
    last = said_of(work, finding, solve(work))
    p = work.p
    return replace(finding, statement=problem.statement(p[last]), proof=p.proof(last), built=None)


def said_of(work: Workspace, finding: Finding, known: int) -> int:
    """What a finding, the lemma :data:`NAME`, says of the maximal solution of a step.

    Raises:
        KernelError: its equation is not the one of the finding.
    """
    p, terms = work.p, work.problem.terms
    end, curve, given, _ = p[known].args
    renamed = {"T": end, "Sigma": curve}
    *others, solution = (substitute(h, renamed) for h in finding.statement.hypotheses)
    field = solution.args[2]
    if given != field:
        Z = la.mat("Z", terms["d"], terms["d"])
        equal = p.extensionality(Z, p.algebra(la.at(given, Z), la.at(field, Z)))
        known = with_field(work, known, equal)
    premises = [*(work.assume(h) for h in others), known]
    return p.lemma(NAME, *premises, **finding.statement.variables() | renamed)


def with_field(work: Workspace, solution: int, equation: int) -> int:
    """A step maximal(T, Sigma, F, Sigma0) with the field rewritten by an equation F = G."""
    end, curve, _, start = work.p[solution].args
    return work.p.replace(equation, solution, lambda f: la.maximal(end, curve, f, start))
