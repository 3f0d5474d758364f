"""L2 heads with K_g V_h = 0: what is proved of softmax heads holds for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from numeric.exact import multiply, transpose
from proofs import language as la
from proofs.checkers import rational
from proofs.claims.covariance_l2_in_kernel import CLAIM, KILLED, SCORES
from proofs.claims.l2_equation import gram
from proofs.claims.multihead_equation import heads_field
from proofs.terms import Literal, Term, application, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.problem import CovarianceProblem, Problem, to_literal, to_rows
from proofs.verdicts.restated import restated
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = CLAIM.hypotheses[0]
Prove = Callable[[CovarianceProblem], Iterable[Application]]
"""What is proved of softmax heads."""


def in_kernel(problem: L2Problem, prove: Prove) -> Application:
    """The findings about the softmax heads A_h = 2 K_h^T (I + 2 K_h Sigma0 K_h^T)^{-1} Q_h."""
    condition = killed(problem)
    if not condition.holds or problem.start is None:
        return Application(ID, (condition,))
    heads = as_softmax(problem)
    return Application(ID, (condition,), carried(problem, heads, prove(heads)))


def carried(
    problem: L2Problem, heads: Problem | HeadsProblem, applications: Iterable[Application]
) -> tuple[Finding, ...]:
    """Findings about the softmax heads of a problem, as findings about the problem."""
    lemmas = {ID: CLAIM.lemma()}
    return tuple(
        replace(
            restated(finding, problem, lambda work: _solution(work, problem, heads), lemmas),
            by=f"{ID}, {finding.by or application.id}",
        )
        for application in applications
        for finding in application.findings
    )


def killed(problem: L2Problem) -> Hypothesis:
    """Whether K_g V_h = 0 for all heads."""
    for g, K in enumerate(problem.keys):
        for i, V in enumerate(problem.values):
            if any(map(any, multiply(K, V))):
                return Hypothesis(NAME, False, f"K of head {g} times V of head {i} is not 0")
    return Hypothesis(NAME, True)


def as_softmax(problem: L2Problem) -> Problem | HeadsProblem:
    """The softmax heads with the same solution from the given start."""
    start = problem.terms["Sigma0"]
    scores = []
    for Q, K in zip(problem.queries, problem.keys, strict=True):
        inverse = _inverse(problem, gram(to_literal(K), start))
        doubled = rational.scaled(inverse, Fraction(2))
        scores.append(multiply(multiply(transpose(K), to_rows(doubled)), Q))
    return problem.softmax(scores)


def _inverse(problem: L2Problem, matrix: Term) -> Literal:
    value = Workspace(problem).value(matrix)
    inverse = None if value is None else rational.inverted(value.plain)
    assert inverse is not None  # I + 2 K Sigma0 K^T >= I
    return inverse


def _solution(work: Workspace, problem: L2Problem, heads: Problem | HeadsProblem) -> int:
    """The step that Sigma is the maximal solution for the softmax heads."""
    p, full, count = work.p, problem.terms, len(problem.values)
    stated = substitute(KILLED, full)
    rows = []
    for g in range(count):
        row = at_head(stated, g, count)
        rows.append(cases(work, row, [work.prove(at_head(row, i, count)) for i in range(count)]))
    positive = work.prove(la.psd(full["Sigma0"]))
    theorem = p.lemma(ID, cases(work, stated, rows), positive, work.solution(), **full)
    return p.replace(
        _same_scores(work, problem, heads),
        p.part(theorem, 0),
        lambda scores: la.maximal(
            full["T"],
            full["Sigma"],
            heads_field(full["V"], scores, full["Sigma0"]),
            full["Sigma0"],
        ),
    )


def _same_scores(work: Workspace, problem: L2Problem, heads: Problem | HeadsProblem) -> int:
    """The step h -> 2 K_h^T (I + 2 K_h Sigma0 K_h^T)^{-1} Q_h = h -> A_h."""
    p, full, count = work.p, problem.terms, len(problem.values)
    A = heads.terms["A"]
    family = A if isinstance(heads, HeadsProblem) else Term("family", (A,))
    h = la.head("h", full["H"])
    same = la.forall(h, la.eq(application(substitute(SCORES, full), h), application(family, h)))
    steps = []
    for i in range(count):
        K, Q = to_literal(problem.keys[i]), problem.query(i)
        J = gram(K, full["Sigma0"])
        inverse = Term("literal", data=_inverse(problem, J))
        one = p.algebra(la.mul(inverse, J), la.identity(full["k"]))
        known = p.part(p.fact("one-sided-inverse", one, N=inverse, M=J), 1)
        left, right = at_head(same, i, count).args
        steps.append(p.algebra(left, right, (known, partial(_score, K, Q))))
    return p.extensionality(h, p.specialise(cases(work, same, steps), h))


def _score(K: Term, Q: Term, inverse: Term) -> Term:
    return la.scale(2, la.mul(la.tp(K), inverse, Q))
