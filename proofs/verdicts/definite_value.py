"""Positive symmetrisable V and A + A^T <= 0: global for every start, with limits of low rank."""

from __future__ import annotations

from fractions import Fraction

from proofs import language as la
from proofs.builder import Summand, itself
from proofs.checkers import rational
from proofs.claims.covariance_definite_value import CLAIM, H, N, Z, trace_bound
from proofs.language import INFINITY
from proofs.terms import ONE, Literal, Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.problem import SCALE, Problem
from proofs.verdicts.steps import literal_rank
from proofs.verdicts.symmetriser import obstruction, symmetriser
from proofs.verdicts.workspace import Workspace

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
        held = Hypothesis(VALUE_NAME, True, "P = I" if plain else f"P = {_matrix(metric)}")
    else:
        # no obstruction: V is diagonalisable with eigenvalues >= 0, hence P exists
        held = Hypothesis(VALUE_NAME, True, "V is diagonalisable with eigenvalues >= 0")
    hypotheses = (held, Hypothesis(SCORE_NAME, score.holds, score.witness))
    if metric is None:
        return (Application(ID, hypotheses),)
    return (Application(ID, hypotheses, _findings(problem, metric)),)


def _matrix(matrix: Literal) -> str:
    rows = [
        matrix.entries[i : i + matrix.columns]
        for i in range(0, len(matrix.entries), matrix.columns)
    ]
    return "[" + ", ".join("[" + ", ".join(str(x) for x in row) + "]" for row in rows) + "]"


def _findings(problem: Problem, metric: Literal) -> tuple[Finding, ...]:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p = work.p
    full = {**problem.terms, "P": Term("literal", data=metric)}
    start = la.psd(full["Sigma0"])
    theorem = p.lemma(
        ID,
        work.prove(la.pd(full["P"])),
        work.prove(la.psd(substitute(N, full))),
        work.prove(substitute(la.psd(la.scale(-1, H)), full)),
        p.fact("positive-definite", work.assume(la.pd(full["Sigma0"])))
        if problem.start is None
        else work.prove(start),
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
        limits = p.part(theorem, 2)
        p.conjunction(bound, limits)
        conclusion = la.conj(p[bound], p[limits])
        return Finding("limit", "bounded", problem.statement(conclusion), p.proof())
    regular = _invertible(work, full["V"], Term("literal", data=inverse))
    symmetric_part = substitute(H, full)
    exact = work.value(symmetric_part)
    assert exact is not None
    core = exact.plain if problem.scale_squared is None else exact.scaled
    inverse = rational.inverted(core)
    if inverse is not None:
        solved = Term("literal", data=inverse)
        if problem.scale_squared is not None:
            solved = la.scale(la.inv(SCALE), solved)
        both = p.conjunction(regular, _invertible(work, symmetric_part, solved))
        converges = p.modus_ponens(p.part(theorem, 4), both)
        p.conjunction(end, converges)
        zero = tuple((Fraction(0),) * problem.dimension for _ in range(problem.dimension))
        return Finding(
            "limit",
            "converges",
            problem.statement(la.conj(p[end], p[converges])),
            p.proof(),
            rank=0,
            covariance=zero,
        )
    # every limit point has rank at most d - rank(A + A^T)
    number = problem.dimension - rational.rank(core)
    rank = literal_rank(work, symmetric_part, core)
    y = substitute(Z, full)
    hypothesis = la.limit_point(full["Sigma"], y)
    reached = p.at(p.modus_ponens(p.part(theorem, 3), regular), y, p.assume(hypothesis))
    exact_bound = p.positive(
        la.minus(la.number(number), la.rank(y)),
        Summand(la.identity(ONE), core=p.part(reached, 1)),
        by=[(rank, itself)],
    )
    ranks = p.for_all(y, hypothesis, exact_bound)
    p.conjunction(bound, ranks)
    return Finding(
        "limit",
        "bounded",
        problem.statement(la.conj(p[bound], p[ranks])),
        p.proof(),
        rank_at_most=number,
    )


def _invertible(work: Workspace, matrix: Term, inverse: Term) -> int:
    p = work.p
    by = []
    if inverse.op == "scale":
        _, cancel = work.scale_inverse()
        by = [(cancel, lambda h: la.scale(h, la.identity(work.problem.terms["d"])))]
    left = p.algebra(la.mul(inverse, matrix), la.identity(work.problem.terms["d"]), *by)
    return p.part(p.fact("one-sided-inverse", left, N=inverse, M=matrix), 0)
