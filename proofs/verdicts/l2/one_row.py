"""L2 heads that compare with one row: as long as softmax lasts, they last half as long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from proofs import language as la
from proofs.claims.covariance_l2_one_row import CLOCK, FOREVER, LASTS
from proofs.language import INFINITY
from proofs.verdicts.base import Application, Finding
from proofs.verdicts.l2.clock import ID, Clock, Keys, as_softmax, compared, prove_keys
from proofs.verdicts.l2.in_kernel import Prove
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.restated import NAME as FINDING
from proofs.verdicts.restated import said_of
from proofs.verdicts.workspace import Workspace


def one_row(problem: L2Problem, prove: Prove) -> Application:
    """What the lifetimes of the softmax heads A_h = K_h^T Q_h say of those of the problem."""
    condition, keys = compared(problem)
    if keys is None:
        return Application(ID, (condition,))
    return Application(ID, (condition,), carried(problem, keys, prove(as_softmax(problem))))


def carried(
    problem: L2Problem, keys: Keys, applications: Iterable[Application]
) -> tuple[Finding, ...]:
    """The best of what findings about the softmax heads say of the existence of the problem's."""
    found = [
        (finding, f"{ID}, {finding.by or application.id}")
        for application in applications
        for finding in application.findings
        if finding.section == "existence" and finding.up_to is None
    ]
    endless = [one for one in found if one[0].verdict == "global"]
    lasting = [one for one in found if _lasts(one[0]) > 0]
    lasting.sort(key=lambda one: _lasts(one[0]), reverse=True)
    for finding, by in (*endless, *lasting):
        own = _carried(problem, keys, finding, by)
        if own is not None:
            return (own,)
    return ()


def _lasts(finding: Finding) -> Fraction:
    """How long it says that solutions last at least, when not forever."""
    return Fraction(0) if finding.time is None else finding.time[0]


def _carried(problem: L2Problem, keys: Keys, finding: Finding, by: str) -> Finding | None:
    """None where the statement says neither that the softmax heads last forever nor how long."""
    work = Workspace(problem, {ID: Clock.lemma(), FINDING: finding.lemma()})
    p, end = work.p, problem.terms["T"]
    clock = Clock(work, keys, prove_keys(work, keys), work.start(), work.solution())
    said = _parts(work, said_of(work, finding, clock.part(CLOCK[0])))
    time = None
    if finding.verdict == "global":
        step = next((i for i in said if p[i] == la.eq(clock.end, INFINITY)), None)
        if step is None:
            return None
        last = p.modus_ponens(clock.part(FOREVER), step)
    else:
        bounds = [one for step in said if (one := _at_least(work, clock, step)) is not None]
        if not bounds:
            return None
        step, bound = max(bounds, key=lambda one: one[1])
        time = bound / 2
        last = p.at(clock.part(LASTS), la.number(bound), step)
        same = p.algebra(p[last].args[0].args[0], la.number(time))
        last = p.replace(same, last, lambda g: la.at_most(la.finite(g), end))
    last = clock.released(last)
    return Finding(
        "existence",
        "global" if time is None else "unknown",
        problem.statement(p[last]),
        p.proof(last),
        time=None if time is None else (time, None),
        by=by,
    )


def _parts(work: Workspace, step: int) -> Sequence[int]:
    """The step itself, or those of its conjuncts."""
    p = work.p
    if p[step].op != "and":
        return [step]
    return [one for i in range(len(p[step].args)) for one in _parts(work, p.part(step, i))]


def _at_least(work: Workspace, clock: Clock, step: int) -> tuple[int, Fraction] | None:
    """A step r <= S and the number r, from S = r or r <= S."""
    p, end = work.p, clock.end
    said = p[step]
    if said.op == "eq" and said.args[0] == end:
        other = said.args[1]
    elif said.op == "at_most" and said.args[1] == end:
        other = said.args[0]
    else:
        return None
    value = work.value(other.args[0]) if other.op == "finite" else None
    if value is None or not value.is_plain:
        return None
    bound = value.plain.entries[0]
    number = la.number(bound)
    if said.op == "at_most":
        same = p.algebra(other.args[0], number)
        return p.replace(same, step, lambda g: la.at_most(la.finite(g), end)), bound
    reverse = p.replace(step, p.reflexivity(end), lambda g: la.eq(g, end))
    below = p.positive(la.minus(other.args[0], number))
    ordered = p.fact("lifetimes-ordered", below, a=number, b=other.args[0])
    return p.replace(reverse, ordered, lambda g: la.at_most(la.finite(number), g)), bound
