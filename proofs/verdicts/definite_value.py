"""Positive symmetrisable V and A + A^T <= 0: global for every start, with limits of low rank."""

from __future__ import annotations

from proofs import language as la
from proofs.checkers import rational
from proofs.claims.covariance_definite_value import CLAIM, H, N, trace_bound
from proofs.language import INFINITY
from proofs.terms import Literal, Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.limit_points import low_rank, to_zero
from proofs.verdicts.problem import SCALE, Problem, to_rows
from proofs.verdicts.symmetriser import obstruction, symmetriser
from proofs.verdicts.workspace import Workspace, show

ID = CLAIM.id
VALUE_NAME = "P V symmetric positive semidefinite for some P > 0"
SCORE_NAME = "A + A^T negative semidefinite"


def apply(problem: Problem) -> tuple[Application, ...]:
    """Decide A + A^T <= 0, then look for P."""
    score = Workspace(problem).decide(
        substitute(la.psd(la.scale(-1, H)), problem.terms), "(-A - A^T)"
    )
    value = problem.terms["V"].data
    assert isinstance(value, Literal)
    reason = obstruction(value)
    metric = symmetriser(value) if reason is None and score.holds else None
    if reason is not None:
        held = Hypothesis(VALUE_NAME, False, reason)
    elif metric is not None:
        plain = metric == rational.identity(metric.rows)
        held = Hypothesis(VALUE_NAME, True, "P = I" if plain else f"P = {show(to_rows(metric))}")
    else:
        # no obstruction: V is diagonalisable with eigenvalues >= 0, hence P exists
        held = Hypothesis(VALUE_NAME, True, "V is diagonalisable with eigenvalues >= 0")
    hypotheses = (held, Hypothesis(SCORE_NAME, score.holds, score.witness))
    if metric is None:
        return (Application(ID, hypotheses),)
    return (Application(ID, hypotheses, _findings(problem, metric)),)


def _findings(problem: Problem, metric: Literal) -> tuple[Finding, ...]:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p = work.p
    full = {**problem.terms, "P": Term("literal", data=metric)}
    theorem = p.lemma(
        ID,
        work.prove(la.pd(full["P"])),
        work.prove(la.psd(substitute(N, full))),
        work.prove(substitute(la.psd(la.scale(-1, H)), full)),
        work.start(),
        work.solution(),
        **full,
    )
    endless = p.part(theorem, 0)
    existence = Finding(
        "existence",
        "global",
        problem.statement(la.eq(full["T"], INFINITY)),
        p.proof(endless),
    )
    return (existence, _limit(work, theorem, full))


def _limit(work: Workspace, theorem: int, full: dict[str, Term]) -> Finding:
    p, problem = work.p, work.problem
    end, bound = p.part(theorem, 0), p.part(theorem, 1)
    bound = p.replace(end, bound, lambda h: substitute(trace_bound(h), full))
    value = full["V"].data
    assert isinstance(value, Literal)
    inverse = rational.inverted(value)
    if inverse is None:
        both = p.conjunction(bound, p.part(theorem, 2))
        return Finding("limit", "bounded", problem.statement(p[both]), p.proof(both))
    regular = _invertible(work, full["V"], Term("literal", data=inverse))
    symmetric_part = substitute(H, full)
    core = work.core(symmetric_part)
    inverse = rational.inverted(core)
    if inverse is not None:
        solved = Term("literal", data=inverse)
        if problem.scale_squared is not None:
            solved = la.scale(la.inv(SCALE), solved)
        both = p.conjunction(regular, _invertible(work, symmetric_part, solved))
        converges = p.modus_ponens(p.part(theorem, 4), both)
        return to_zero(work, end, converges)
    return low_rank(work, bound, p.modus_ponens(p.part(theorem, 3), regular), symmetric_part, core)


def _invertible(work: Workspace, matrix: Term, inverse: Term) -> int:
    p = work.p
    by = []
    if inverse.op == "scale":
        _, cancel = work.scale_inverse()
        by = [(cancel, lambda h: la.scale(h, la.identity(work.problem.terms["d"])))]
    left = p.algebra(la.mul(inverse, matrix), la.identity(work.problem.terms["d"]), *by)
    return p.part(p.fact("one-sided-inverse", left, N=inverse, M=matrix), 0)
