"""P V_h = -A_h^T with one P > 0: the exact test, and what the limit points are then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from proofs import language as la
from proofs.checkers import rational
from proofs.claims.dissipation import trace_bound
from proofs.terms import Literal, Term, substitute
from proofs.verdicts.base import Finding, Hypothesis
from proofs.verdicts.common_metric import Failure, Obstruction, beside, common_metric
from proofs.verdicts.limit_points import Reach, half_rank, low_rank, to_zero
from proofs.verdicts.problem import CovarianceProblem, to_rows
from proofs.verdicts.workspace import Workspace, show

REASONS = {
    Failure.ASYMMETRIC: "P would not be symmetric",
    Failure.INDEFINITE: "P would not be positive definite",
    Failure.UNDEFINED: "no matrix P has these products",
}
#: weights c for which N = c (A + A^T) is looked at
SIGNS = (Fraction(1), Fraction(-1))


def metric(values: Sequence[Literal], scores: Sequence[Literal]) -> Literal | str:
    """A matrix P > 0 with P V_h = -A_h^T for all heads, or why there is none."""
    images = [rational.scaled(rational.transposed(A), Fraction(-1)) for A in scores]
    found = common_metric(beside(values), beside(images))
    return REASONS[found.failure] if isinstance(found, Obstruction) else found


def shown(problem: CovarianceProblem, name: str, found: Literal) -> Hypothesis:
    """The hypothesis that P is there, with its entries."""
    factor = "" if problem.scale_squared is None else "scale · "
    return Hypothesis(name, True, f"P = {factor}{show(to_rows(found))}")


def findings(
    work: Workspace,
    theorem: int,
    full: dict[str, Term],
    form: Term,
    weight: Callable[[Fraction], Term],
    score: Term,
    reach: Reach,
) -> tuple[Finding, Finding]:
    """Existence and limit from a theorem on P V_h = -A_h^T.

    Args:
        theorem: the step that proves its conclusion: T = oo, a bound, what holds at limit points,
            and for all c with N >= 0 their rank, for all c with N > 0 convergence to 0.
        full: what its variables stand for.
        form: N.
        weight: what c stands for when all its entries are one number.
        score: A_h for one h.
        reach: makes the step 2 rank Z <= 2 d - rank A_h from what holds at a limit point Z.
    """
    p, problem = work.p, work.problem
    endless = p.part(theorem, 0)
    existence = Finding("existence", "global", problem.statement(p[endless]), p.proof(endless))
    core = work.core(score)
    bound = p.replace(endless, p.part(theorem, 1), lambda h: substitute(trace_bound(h), full))
    for c in map(weight, SIGNS):
        N = substitute(form, {**full, "c": c})
        definite, semidefinite = work.decide(la.pd(N)), work.decide(la.psd(N))
        if definite.step is not None:
            converges = p.at(p.part(theorem, 4), c, definite.step)
            return existence, to_zero(work, endless, converges)
        if semidefinite.step is not None and 2 * rational.rank(work.core(N)) > rational.rank(core):
            limits = p.at(p.part(theorem, 3), c, semidefinite.step)
            return existence, low_rank(work, bound, limits, N, work.core(N))
    return existence, half_rank(work, bound, p.part(theorem, 2), score, core, reach)
