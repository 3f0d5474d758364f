"""Heads with V = V^T >= 0 and A + A^T <= 0 that show it in their factors: global and bounded."""

from __future__ import annotations

from collections.abc import Sequence

from proofs import language as la
from proofs.builder import Summand
from proofs.checkers import rational
from proofs.claims.covariance_definite_value import CLAIM as ONE_HEAD
from proofs.claims.covariance_multihead_definite_value import CLAIM as HEADS_CLAIM
from proofs.claims.covariance_multihead_definite_value import SCORES, VALUES
from proofs.kernel import KernelError
from proofs.language import INFINITY
from proofs.terms import Term, application, index, size, substitute
from proofs.verdicts.base import Finding
from proofs.verdicts.definite import prove_definite
from proofs.verdicts.exact import evaluate
from proofs.verdicts.factored.existence import Start
from proofs.verdicts.factored.factors import is_square, tie
from proofs.verdicts.factored.head import FactoredHead
from proofs.verdicts.factored.problem import FactoredProblem
from proofs.verdicts.problem import SCALE
from proofs.verdicts.workspace import Workspace


def definite_value(problem: FactoredProblem, start: Start) -> tuple[Finding, ...]:
    """Global, and bounded: P = I.

    Raises:
        KernelError: a hypothesis is not shown by the factors.
    """
    claim = ONE_HEAD if len(problem.heads) == 1 else HEADS_CLAIM
    work = Workspace(problem, {claim.id: claim.lemma()} | start.lemmas())
    p = work.p
    one = la.identity(problem.terms["d"])
    full = {**problem.terms, "P": one}
    unit = rational.identity(problem.dimension)
    metric = p.definite(one, True, Term("literal", data=unit))
    values = [_value(work, head, one) for head in problem.heads]
    scores = [_score(work, head) for head in problem.heads]
    if len(problem.heads) == 1:
        premises = [*values, *scores]
    else:
        premises = [
            _cases(work, substitute(statement, full), steps)
            for statement, steps in ((VALUES, values), (SCORES, scores))
        ]
    theorem = p.lemma(claim.id, metric, *premises, start.positive(work), work.solution(), **full)
    endless = p.part(theorem, 0)
    statement = problem.statement(la.eq(full["T"], INFINITY))
    existence = Finding("existence", "global", statement, p.proof(endless))
    limits = p.conjunction(p.part(theorem, 1), p.part(theorem, 2))
    limit = Finding("limit", "bounded", problem.statement(p[limits]), p.proof(limits))
    return existence, limit


def _value(work: Workspace, head: FactoredHead, one: Term) -> int:
    """P V >= 0 for P = I."""
    matrix = la.mul(one, head.value_term)
    if is_square(head):
        return work.p.positive(matrix, Summand(head.value[1].term))
    return prove_definite(work.p, matrix, evaluate(matrix, None).plain)


def _score(work: Workspace, head: FactoredHead) -> int:
    """-(A + A^T) >= 0."""
    p, A = work.p, head.score_term
    matrix = la.scale(-1, la.add(A, la.tp(A)))
    if len(head.score) == 1:
        return prove_definite(p, matrix, evaluate(matrix, None).plain)
    positive = work.scale_positive() if head.scale == SCALE else work.prove(la.pd(head.scale))
    core = tie(head)
    keys, queries = (factor.term for factor in head.score)
    if core is not None:
        small = p.definite(Term("literal", data=core))
        return p.positive(matrix, Summand(keys, core=small, scalars=(positive,)))
    product = la.mul(la.tp(keys), queries)
    whole = la.scale(-1, la.add(product, la.tp(product)))
    definite = prove_definite(p, whole, evaluate(whole, None).plain)
    full = la.identity(size(head.dimension))
    return p.positive(matrix, Summand(full, core=definite, scalars=(positive,)))


def _cases(work: Workspace, statement: Term, steps: Sequence[int]) -> int:
    (predicate,) = statement.args
    for i, step in enumerate(steps):
        if work.p[step] != application(predicate, index(i + 1, len(steps))):
            raise KernelError("cases", "a head does not satisfy the hypothesis")
    return work.p.cases(predicate, steps)
