"""Several heads that have the solutions of one head with V = I, and what that proves of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from numeric.exact import multiply
from proofs import language as la
from proofs.checkers import rational
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma0
from proofs.claims.covariance_multihead_commuting import CLAIM as COMMUTING_CLAIM
from proofs.claims.covariance_multihead_commuting import COMMUTING
from proofs.claims.covariance_multihead_commuting_blowup import CLAIM as CLOSED_FORM
from proofs.claims.covariance_multihead_scalar import CLAIM as SCALAR_CLAIM
from proofs.claims.covariance_multihead_scalar import SCALAR
from proofs.claims.multihead_equation import S
from proofs.terms import Literal, Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import SCALE, Problem, to_rows
from proofs.verdicts.restated import Solve, restated, with_field
from proofs.verdicts.workspace import Workspace

Single = Callable[[Problem], Iterable[Application]]
NAMES = ("V_h commutes with Sigma0 for every head", "V_h commutes with S for every head")


def scalar(problem: HeadsProblem, single: Single) -> Application:
    """V_h = v_h I."""
    name = SCALAR_CLAIM.hypotheses[0]
    factors = scalar_factors(problem)
    for i, factor in enumerate(factors):
        if factor is None:
            witness = f"head {i}: V is not a multiple of the identity"
            return Application(SCALAR_CLAIM.id, (Hypothesis(name, False, witness),))
    members = [la.number(f) for f in factors if f is not None]

    def solve(work: Workspace) -> int:
        full = {**problem.terms, "v": Term("family", tuple(members))}
        statement = substitute(SCALAR, full)
        count = len(members)
        sides = [at_head(statement, i, count).args for i in range(count)]
        steps = [work.p.algebra(left, right) for left, right in sides]
        same = work.p.lemma(SCALAR_CLAIM.id, cases(work, statement, steps), **full)
        return with_field(work, work.solution(), same)

    findings = lifted(problem, single, SCALAR_CLAIM, solve)
    return Application(SCALAR_CLAIM.id, (Hypothesis(name, True),), findings)


def commuting(problem: HeadsProblem, single: Single) -> tuple[Application, ...]:
    """V_h commutes with Sigma0 and S; multiples of the identity are left to :func:`scalar`."""
    hypotheses = tuple(
        _commutes(problem, name, substitute(matrix, problem.terms))
        for name, matrix in zip(NAMES, (Sigma0, S), strict=True)
    )
    findings: tuple[Finding, ...] = ()
    known = all(hypothesis.holds for hypothesis in hypotheses) and problem.start is not None
    if known and None in scalar_factors(problem):
        findings = lifted(problem, single, COMMUTING_CLAIM, lambda work: _commuting(problem, work))
    return (
        Application(COMMUTING_CLAIM.id, hypotheses, findings),
        Application(CLOSED_FORM.id, hypotheses),
    )


def _commutes(problem: HeadsProblem, name: str, matrix: Term) -> Hypothesis:
    """Whether every V_h commutes with a matrix; the sum S is computed only once."""
    work = Workspace(problem)
    value = work.value(matrix)
    if value is not None and value.is_plain:
        matrix = Term("literal", data=value.plain)
    elif value is not None and value.is_scaled:
        matrix = la.scale(SCALE, Term("literal", data=value.scaled))
    for i, V in enumerate(problem.terms["V"].args):
        left, right = la.mul(V, matrix), la.mul(matrix, V)
        exact = work.value(left)
        if exact is not None and exact == work.value(right):
            continue
        decision = work.decide(la.eq(left, right))
        if not decision.holds:
            witness = decision.witness or "depends on Sigma0, which is not given"
            return Hypothesis(name, decision.holds, f"head {i}: {witness}")
    return Hypothesis(name, True)


def _commuting(problem: HeadsProblem, work: Workspace) -> int:
    p, terms, count = work.p, problem.terms, len(problem.values)
    statement = substitute(COMMUTING, terms)
    steps = [
        p.conjunction(*map(work.prove, at_head(statement, i, count).args)) for i in range(count)
    ]
    turned = work.prove(la.symmetric(terms["Sigma0"]))
    same = p.lemma(COMMUTING_CLAIM.id, turned, cases(work, statement, steps), **terms)
    return p.modus_ponens(p.part(same, 0), work.solution())


def scalar_factors(problem: HeadsProblem) -> list[Fraction | None]:
    """v_h where V_h = v_h I, None for other heads."""
    matrices = [value.data for value in problem.terms["V"].args]
    return [rational.multiple_of_identity(m) for m in matrices if isinstance(m, Literal)]


def lifted(
    problem: HeadsProblem, single: Single, claim: Claim, solve: Solve
) -> tuple[Finding, ...]:
    """What is proved for one head with V = I and A = sum V_h A_h, for the heads."""
    products = [multiply(V, A) for V, A in zip(problem.values, problem.scores, strict=True)]
    combined = tuple(
        tuple(sum(entries, Fraction(0)) for entries in zip(*rows, strict=True))
        for rows in zip(*products, strict=True)
    )
    reduced = problem.single(to_rows(rational.identity(problem.dimension)), combined)
    return tuple(
        restated(finding, problem, solve, {claim.id: claim.lemma()})
        for application in single(reduced)
        for finding in application.findings
    )
