"""Findings about where a bounded solution goes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from proofs import language as la
from proofs.builder import Summand, itself
from proofs.checkers import rational
from proofs.terms import Literal, Term
from proofs.verdicts.base import Finding
from proofs.verdicts.steps import literal_rank
from proofs.verdicts.workspace import UNIT, Workspace

Reach = Callable[[int], int]


def to_zero(work: Workspace, endless: int, converges: int) -> Finding:
    """Sigma(t) -> 0, from steps T = oo and limit(Sigma, 0)."""
    p, d = work.p, work.problem.dimension
    both = p.conjunction(endless, converges)
    rows = tuple((Fraction(0),) * d for _ in range(d))
    statement = work.problem.statement(p[both])
    return Finding("limit", "converges", statement, p.proof(both), rank=0, covariance=rows)


def low_rank(work: Workspace, bound: int, limits: int, form: Term, core: Literal) -> Finding:
    """Bounded, and every limit point has rank at most d - rank(N).

    Args:
        bound: the step that bounds the solution.
        limits: proves for all limit points Z a conjunction whose second part is
            rank Z <= d - rank N.
        form: N, which is ``core`` or s * ``core``.
    """
    number = work.problem.dimension - rational.rank(core)
    second = partial(work.p.part, index=1)
    return _ranks(work, bound, limits, (1, number), literal_rank(work, form, core), second)


def half_rank(
    work: Workspace, bound: int, limits: int, score: Term, core: Literal, reach: Reach
) -> Finding:
    """Bounded, and every limit point has rank at most d - rank(A)/2.

    ``limits`` proves something for all limit points Z, from which ``reach`` makes the step
    2 rank Z <= 2 d - rank A; the other arguments are as in :func:`low_rank`.
    """
    number = 2 * work.problem.dimension - rational.rank(core)
    return _ranks(work, bound, limits, (2, number), literal_rank(work, score, core), reach)


def _ranks(
    work: Workspace,
    bound: int,
    limits: int,
    at_most: tuple[int, int],
    rank: int,
    reach: Reach,
) -> Finding:
    """factor * rank Z <= number for all limit points Z, with (factor, number) = ``at_most``."""
    p, problem = work.p, work.problem
    factor, number = at_most
    d = problem.terms["d"]
    Z = la.mat("Z", d, d)
    reached = la.limit_point(problem.terms["Sigma"], Z)
    step = reach(p.at(limits, Z, p.assume(reached)))
    ranks = la.rank(Z) if factor == 1 else la.scale(factor, la.rank(Z))
    exact = p.positive(
        la.minus(la.number(number), ranks), Summand(UNIT, core=step), by=[(rank, itself)]
    )
    both = p.conjunction(bound, p.for_all(Z, reached, exact))
    return Finding(
        "limit",
        "bounded",
        problem.statement(p[both]),
        p.proof(both),
        rank_at_most=number // factor,
    )
