"""V commutes with every start (V = v I): S alone decides, for every Sigma0 > 0."""

from __future__ import annotations

from fractions import Fraction

from numeric.exact import negative_direction
from proofs import language as la
from proofs.builder import itself
from proofs.checkers import rational
from proofs.claims.covariance_commuting_every_start import CLAIM, CONVERGES, GROWTH, Y
from proofs.claims.covariance_commuting_factored import COMMUTING
from proofs.claims.covariance_equation import S
from proofs.language import INFINITY
from proofs.terms import Literal, Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.problem import Problem, to_rows
from proofs.verdicts.steps import literal_rank
from proofs.verdicts.workspace import Workspace, brief

ID = CLAIM.id
NAME = "V commutes with every Sigma0"


def apply(problem: Problem) -> tuple[Application, ...]:
    """Test whether V is a multiple of the identity; then S <= 0, or a vector with u^T S u > 0."""
    value = problem.terms["V"].data
    assert isinstance(value, Literal)
    factor = rational.multiple_of_identity(value)
    if factor is None:
        witness = "V is not a multiple of the identity"
        return (Application(ID, (Hypothesis(NAME, False, witness),)),)
    held = Hypothesis(NAME, True, "V = I" if factor == 1 else f"V = {brief(factor)} I")
    if problem.start is not None:  # a given start gets sharper answers
        return (Application(ID, (held,)),)
    drift = Workspace(problem).value(substitute(S, problem.terms))
    assert drift is not None
    core = drift.plain if problem.scale_squared is None else drift.scaled
    direction = negative_direction(to_rows(rational.scaled(core, Fraction(-1))))
    if direction is None:
        return (Application(ID, (held,), _limit(problem, core)),)
    growing = Literal(len(direction), 1, direction)
    return (Application(ID, (held,), _blow_up(problem, growing)),)


def _theorem(work: Workspace) -> int:
    terms = work.problem.terms
    start = work.assume(la.pd(terms["Sigma0"]))
    commutes = [work.prove(substitute(h, terms)) for h in COMMUTING]
    return work.p.lemma(ID, start, *commutes, work.solution(), **terms)


def _blow_up(problem: Problem, growing: Literal) -> tuple[Finding, ...]:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p, terms = work.p, problem.terms
    theorem = _theorem(work)
    vector = Term("literal", data=growing)
    growth = work.prove(la.pd(substitute(GROWTH, {**terms, "w": vector})))
    p.modus_ponens(p.specialise(p.part(theorem, 1), vector), growth)
    conclusion = la.negation(la.eq(terms["T"], INFINITY))
    existence = Finding("existence", "blow-up", problem.statement(conclusion), p.proof())
    return (existence,)


def _limit(problem: Problem, core: Literal) -> tuple[Finding, ...]:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p, terms = work.p, problem.terms
    theorem = _theorem(work)
    drift = substitute(S, terms)
    both = p.modus_ponens(p.part(theorem, 0), work.prove(la.psd(la.scale(-1, drift))))
    endless = p.part(both, 0)
    existence = Finding("existence", "global", problem.statement(p[endless]), p.proof(endless))
    rank = literal_rank(work, drift, core)
    number = problem.dimension - rational.rank(core)
    y = substitute(Y, terms)
    state = substitute(CONVERGES, terms)
    found = p.assume(state)
    exact = p.algebra(
        la.rank(y),
        la.number(number),
        (p.part(found, 1), itself),
        (rank, lambda h: la.scale(-1, h)),
    )
    body = la.conj(la.limit(terms["Sigma"], y), la.eq(la.rank(y), la.number(number)))
    shown = p.exhibit(y, body, y, p.conjunction(p.part(found, 0), exact))
    shown = p.obtain(p.part(both, 1), y, shown)
    p.conjunction(endless, shown)
    limit = Finding(
        "limit",
        "converges",
        problem.statement(la.conj(p[endless], p[shown])),
        p.proof(),
        rank=number,
    )
    return (existence, limit)
