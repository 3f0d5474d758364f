"""Theorems for several heads at the parameters of a layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from proofs import language as la
from proofs.claims.covariance_equation import symmetrised
from proofs.claims.covariance_multihead_definite_value import CLAIM as DEFINITE
from proofs.claims.covariance_multihead_definite_value import SCORES, VALUES
from proofs.claims.covariance_multihead_existence_time import CLAIM as EXISTENCE
from proofs.claims.covariance_multihead_existence_time import (
    DRIFT,
    EACH_DRIFT,
    EACH_RATE,
    HEADS,
    RATE,
)
from proofs.claims.multihead_equation import Ah, S, Vh, h
from proofs.language import INFINITY
from proofs.terms import Term, application, index, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.each_head import at_head, cases, each_head
from proofs.verdicts.existence_time import (
    Drift,
    drift_bound,
    score_bound,
    start_bounds,
)
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.norms import OUT_OF_RANGE
from proofs.verdicts.one_head import commuting, scalar
from proofs.verdicts.problem import Problem
from proofs.verdicts.workspace import Workspace

#: dimensions up to which the sum of all S_h is bounded, which is sharper than a bound of each
SUMMED_DIMENSION = 64
POSITIVE = "Sigma0 positive semidefinite"


def apply_heads(
    problem: HeadsProblem, single: Callable[[Problem], Iterable[Application]]
) -> tuple[Application, ...]:
    """All that is known for several heads; ``single`` applies the theorems for one head."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    plain = Hypothesis("no biases", not problem.biased)
    return (
        Application("gaussian.multihead", (start, plain)),
        Application("gaussian.multihead-bias", (start,)),
        Application("covariance.multihead-rank", (start,)),
        scalar(problem, single),
        *commuting(problem, single),
        _definite_value(problem),
        _existence_time(problem, start),
    )


# P V_h >= 0 and A_h + A_h^T <= 0


def _definite_value(problem: HeadsProblem) -> Application:
    decided = Workspace(problem)
    plain = {"P": la.identity(problem.terms["d"])}
    values, scores = substitute(VALUES, plain), SCORES
    hypotheses = (
        each_head(problem, decided, values, "V_h symmetric positive semidefinite (P = I)"),
        each_head(problem, decided, scores, DEFINITE.hypotheses[2]),
    )
    application = Application(DEFINITE.id, hypotheses)
    if application.applies is not True:
        return application
    work = Workspace(problem, {DEFINITE.id: DEFINITE.lemma()})
    p, full = work.p, {**problem.terms, **plain}
    premises = [work.prove(la.pd(full["P"]))]
    for statement in (VALUES, SCORES):
        stated = substitute(statement, full)
        count = len(problem.values)
        steps = [work.prove(at_head(stated, i, count)) for i in range(count)]
        premises.append(cases(work, stated, steps))
    theorem = p.lemma(DEFINITE.id, *premises, work.start(), work.solution(), **full)
    endless = p.part(theorem, 0)
    existence = Finding(
        "existence",
        "global",
        problem.statement(la.eq(full["T"], INFINITY)),
        p.proof(endless),
    )
    limits = p.conjunction(p.part(theorem, 1), p.part(theorem, 2))
    limit = Finding("limit", "bounded", problem.statement(p[limits]), p.proof(limits))
    return Application(DEFINITE.id, hypotheses, (existence, limit))


# A lower bound of the blow-up time


def _existence_time(problem: HeadsProblem, start: Hypothesis) -> Application:
    if problem.start is None:
        return Application(EXISTENCE.id, (start,))
    try:
        findings: tuple[Finding, ...] = (_lasting(problem),)
    except OUT_OF_RANGE:
        findings = ()
    return Application(EXISTENCE.id, (start,), findings)


def _lasting(problem: HeadsProblem) -> Finding:
    work = Workspace(problem, {EXISTENCE.id: EXISTENCE.lemma()})
    p = work.p
    drift = Drift.of(problem, problem.values, problem.scores)
    v, a = (Term("family", tuple(la.number(pair[k]) for pair in drift.norms)) for k in (0, 1))
    full = {**problem.terms, "v": v, "a": a, "m": la.number(drift.start)}
    stated = substitute(HEADS, full)
    proved = []
    for i, score in enumerate(problem.scores):
        parts = at_head(stated, i, len(problem.values)).args
        steps = [work.prove(part) for part in parts[:3]]
        proved.append(p.conjunction(*steps, score_bound(work, parts[3], score)))
    theorem = p.lemma(
        EXISTENCE.id,
        cases(work, stated, proved),
        *start_bounds(work, full),
        work.solution(),
        **full,
    )
    if problem.dimension > SUMMED_DIMENSION:
        return _by_head(problem, work, theorem, full, drift)
    half = la.number(drift.half)
    return drift.finding(work, theorem, {**full, "s": half}, (DRIFT, RATE, S))


def _by_head(
    problem: HeadsProblem, work: Workspace, theorem: int, full: dict[str, Term], drift: Drift
) -> Finding:
    """From a bound of each S_h: no matrix that depends on all heads is computed."""
    p, count = work.p, len(problem.values)
    halves = Term("family", tuple(map(la.number, drift.halves)))
    stated, rate = (substitute(part, {**full, "s": halves}) for part in (EACH_DRIFT, EACH_RATE))
    each = la.lam(h, symmetrised(Vh, Ah))
    proved = [
        drift_bound(
            work,
            at_head(stated, i, count),
            application(substitute(each, full), index(i + 1, count)),
            half,
        )
        for i, half in enumerate(drift.halves)
    ]
    condition = p.conjunction(cases(work, stated, proved), work.prove(la.pd(rate)))
    lasting = p.at(p.part(theorem, 2), halves, condition)
    total = drift.products + sum(drift.halves, Fraction(0))
    return drift.lasting(work, p.part(lasting, 0), total)
