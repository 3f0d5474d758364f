"""Theorems for several heads at the parameters of a layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from proofs import language as la
from proofs.checkers import rational
from proofs.claims.covariance_equation import covariance_field, symmetrised
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
from proofs.claims.covariance_multihead_scalar import CLAIM as SCALAR_CLAIM
from proofs.claims.covariance_multihead_scalar import SCALAR
from proofs.claims.multihead_equation import Ah, S, Vh, h
from proofs.kernel import Lemma
from proofs.language import INFINITY
from proofs.terms import Literal, Term, application, index, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.existence_time import Drift, drift_bound, score_bound, start_bounds
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import Problem, Rows
from proofs.verdicts.workspace import Workspace

#: dimensions up to which the sum of all S_h is bounded, which is sharper than a bound of each
SUMMED_DIMENSION = 64
POSITIVE = "Sigma0 positive semidefinite"


def apply_heads(
    problem: HeadsProblem, single: Callable[[Problem], Iterable[Application]]
) -> tuple[Application, ...]:
    """All that is known for several heads; ``single`` applies the theorems for one head."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    gaussian = "gaussian.multihead-bias" if problem.biased else "gaussian.multihead"
    return (
        Application(gaussian, (start,)),
        Application("covariance.multihead-rank", (start,)),
        _scalar(problem, single),
        _definite_value(problem),
        _existence_time(problem, start),
    )


def _each_head(problem: HeadsProblem, work: Workspace, statement: Term, name: str) -> Hypothesis:
    """Decide a statement about every head, head by head."""
    (predicate,) = substitute(statement, problem.terms).args
    count = len(problem.values)
    for i in range(count):
        decision = work.decide(application(predicate, index(i + 1, count)), "M")
        if not decision.holds:
            witness = decision.witness or "not decided"
            return Hypothesis(name, decision.holds, f"head {i}: {witness}")
    return Hypothesis(name, True)


def _cases(work: Workspace, statement: Term, steps: list[int]) -> int:
    """A statement about all heads from its cases."""
    return work.p.cases(statement.args[0], steps)


# V_h = v_h I


def _scalar(
    problem: HeadsProblem, single: Callable[[Problem], Iterable[Application]]
) -> Application:
    name = SCALAR_CLAIM.hypotheses[0]
    factors: list[Fraction] = []
    for i, value in enumerate(problem.terms["V"].args):
        assert isinstance(value.data, Literal)
        factor = rational.multiple_of_identity(value.data)
        if factor is None:
            witness = f"head {i}: V is not a multiple of the identity"
            return Application(SCALAR_CLAIM.id, (Hypothesis(name, False, witness),))
        factors.append(factor)
    one = tuple(
        tuple(Fraction(i == j) for j in range(problem.dimension)) for i in range(problem.dimension)
    )
    reduced = problem.single(one, _combination(factors, problem.scores))
    findings = [
        _lifted(problem, factors, reduced, finding)
        for application in single(reduced)
        for finding in application.findings
    ]
    return Application(SCALAR_CLAIM.id, (Hypothesis(name, True),), tuple(findings))


def _combination(factors: list[Fraction], matrices: tuple[Rows, ...]) -> Rows:
    d = len(matrices[0])
    return tuple(
        tuple(
            sum((f * m[i][j] for f, m in zip(factors, matrices, strict=True)), Fraction(0))
            for j in range(d)
        )
        for i in range(d)
    )


def _lifted(
    problem: HeadsProblem, factors: list[Fraction], reduced: Problem, finding: Finding
) -> Finding:
    """What is proved for one head with V = I, for the heads with V_h = v_h I."""
    lemmas = {
        SCALAR_CLAIM.id: SCALAR_CLAIM.lemma(),
        "one head": Lemma(finding.statement, finding.proof),
    }
    work = Workspace(problem, lemmas)
    p, terms = work.p, problem.terms
    family = Term("family", tuple(la.number(f) for f in factors))
    full = {**terms, "v": family}
    statement = substitute(SCALAR, full)
    count = len(factors)
    steps = []
    for i in range(count):
        left, right = application_at(statement, i, count).args
        steps.append(p.algebra(left, right))
    same = p.lemma(SCALAR_CLAIM.id, _cases(work, statement, steps), **full)
    Z = la.mat("Z", terms["d"], terms["d"])
    target = covariance_field(reduced.terms["V"], reduced.terms["A"])
    equal = p.extensionality(Z, p.algebra(la.at(p[same].args[1], Z), la.at(target, Z)))
    solution = work.solution()
    for equation in (same, equal):
        solution = p.replace(
            equation,
            solution,
            lambda h: la.maximal(terms["T"], terms["Sigma"], h, terms["Sigma0"]),
        )
    others = [work.assume(h) for h in problem.hypotheses[:-1]]
    p.lemma("one head", *others, solution, **finding.statement.variables())
    return Finding(
        finding.section,
        finding.verdict,
        problem.statement(finding.statement.conclusion),
        p.proof(),
        time=finding.time,
        rank=finding.rank,
        rank_at_most=finding.rank_at_most,
        covariance=finding.covariance,
    )


# P V_h >= 0 and A_h + A_h^T <= 0


def _definite_value(problem: HeadsProblem) -> Application:
    decided = Workspace(problem)
    plain = {"P": la.identity(problem.terms["d"])}
    values, scores = substitute(VALUES, plain), SCORES
    hypotheses = (
        _each_head(problem, decided, values, "V_h symmetric positive semidefinite (P = I)"),
        _each_head(problem, decided, scores, DEFINITE.hypotheses[2]),
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
        steps = [work.prove(application_at(stated, i, count)) for i in range(count)]
        premises.append(_cases(work, stated, steps))
    start = (
        p.fact("positive-definite", work.assume(la.pd(full["Sigma0"])))
        if problem.start is None
        else work.prove(la.psd(full["Sigma0"]))
    )
    theorem = p.lemma(DEFINITE.id, *premises, start, work.solution(), **full)
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


def application_at(statement: Term, i: int, count: int) -> Term:
    """A statement about all heads at head i, counted from 0."""
    return application(statement.args[0], index(i + 1, count))


# A lower bound of the blow-up time


def _existence_time(problem: HeadsProblem, start: Hypothesis) -> Application:
    if problem.start is None:
        return Application(EXISTENCE.id, (start,))
    work = Workspace(problem, {EXISTENCE.id: EXISTENCE.lemma()})
    p = work.p
    drift = Drift.of(problem, problem.values, problem.scores)
    v, a = (Term("family", tuple(la.number(pair[k]) for pair in drift.norms)) for k in (0, 1))
    full = {**problem.terms, "v": v, "a": a, "m": la.number(drift.start)}
    stated = substitute(HEADS, full)
    cases = []
    for i, score in enumerate(problem.scores):
        parts = application_at(stated, i, len(problem.values)).args
        steps = [work.prove(part) for part in parts[:3]]
        cases.append(p.conjunction(*steps, score_bound(work, parts[3], score)))
    theorem = p.lemma(
        EXISTENCE.id,
        _cases(work, stated, cases),
        *start_bounds(work, full),
        work.solution(),
        **full,
    )
    if problem.dimension > SUMMED_DIMENSION:
        finding = _by_head(problem, work, theorem, full, drift)
    else:
        half = la.number(drift.half)
        finding = drift.finding(work, theorem, {**full, "s": half}, (DRIFT, RATE, S))
    return Application(EXISTENCE.id, (start,), (finding,))


def _by_head(
    problem: HeadsProblem, work: Workspace, theorem: int, full: dict[str, Term], drift: Drift
) -> Finding:
    """From a bound of each S_h: no matrix that depends on all heads is computed."""
    p, count = work.p, len(problem.values)
    halves = Term("family", tuple(map(la.number, drift.halves)))
    stated, rate = (substitute(part, {**full, "s": halves}) for part in (EACH_DRIFT, EACH_RATE))
    each = la.lam(h, symmetrised(Vh, Ah))
    cases = [
        drift_bound(
            work,
            application_at(stated, i, count),
            application(substitute(each, full), index(i + 1, count)),
            half,
        )
        for i, half in enumerate(drift.halves)
    ]
    condition = p.conjunction(_cases(work, stated, cases), work.prove(la.pd(rate)))
    lasting = p.at(p.part(theorem, 2), halves, condition)
    total = drift.products + sum(drift.halves, Fraction(0))
    return drift.lasting(work, p.part(lasting, 0), total)
