"""L2 heads that compare with one row w, K_h = a_h w: how long softmax lasts, they last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import multiply, transpose
from proofs import language as la
from proofs.claims.covariance_l2_one_row import CLAIM, KEYS, S, back, clock
from proofs.language import INFINITY
from proofs.terms import Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2.in_kernel import Prove
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.problem import Problem, Rows, to_literal
from proofs.verdicts.restated import NAME as FINDING
from proofs.verdicts.restated import said_of
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = CLAIM.hypotheses[0]
#: places among the conclusions of the claim
SOLUTION, LASTS, FOREVER = 0, 5, 6


@dataclass(frozen=True)
class Keys:
    """K_h = a_h w and |a_h|^2 = n.

    Attributes:
        row: w, 1 x d.
        columns: a_h, k x 1.
        size: n.
    """

    row: Rows
    columns: tuple[Rows, ...]
    size: Fraction


def one_row(problem: L2Problem, prove: Prove) -> Application:
    """What the lifetimes of the softmax heads A_h = K_h^T Q_h say of those of the problem."""
    condition, keys = compared(problem)
    if keys is None:
        return Application(ID, (condition,))
    heads = as_softmax(problem)
    return Application(ID, (condition,), carried(problem, keys, prove(heads)))


def compared(problem: L2Problem) -> tuple[Hypothesis, Keys | None]:
    """Whether all heads compare with one row, and with which."""
    rows = [row for K in problem.keys for row in K if any(row)]
    row = rows[0] if rows else problem.keys[0][0]
    pivot = next((i for i, x in enumerate(row) if x), 0)
    columns = []
    for h, K in enumerate(problem.keys):
        column = tuple((line[pivot] / row[pivot] if rows else Fraction(0),) for line in K)
        if multiply(column, (row,)) != K:
            return Hypothesis(NAME, False, f"head {h}: a row of K is not a multiple of w"), None
        columns.append(column)
    sizes = [sum((x * x for (x,) in column), Fraction(0)) for column in columns]
    for h, size in enumerate(sizes):
        if size != sizes[0]:
            witness = f"|a|^2 of head {h} is {size}, of head 0 {sizes[0]}"
            return Hypothesis(NAME, False, witness), None
    return Hypothesis(NAME, True), Keys((row,), tuple(columns), sizes[0])


def as_softmax(problem: L2Problem) -> Problem | HeadsProblem:
    """The softmax heads whose solution is that of the problem, in another time."""
    pairs = zip(problem.keys, problem.queries, strict=True)
    return problem.softmax([multiply(transpose(K), Q) for K, Q in pairs])


def carried(
    problem: L2Problem, keys: Keys, applications: Iterable[Application]
) -> tuple[Finding, ...]:
    """The best of what findings about the softmax heads say of the existence of the problem's."""
    found = [
        (finding, f"{ID}, {finding.by or application.id}")
        for application in applications
        for finding in application.findings
        if finding.section == "existence"
    ]
    endless = [one for one in found if one[0].verdict == "global"]
    lasting = [one for one in found if one[0].time and one[0].time[0] > 0 and not one[0].up_to]
    lasting.sort(key=lambda one: one[0].time[0] if one[0].time else 0, reverse=True)
    for finding, by in (*endless, *lasting):
        own = _carried(problem, keys, finding, by)
        if own is not None:
            return (own,)
    return ()


def _carried(problem: L2Problem, keys: Keys, finding: Finding, by: str) -> Finding | None:
    """None where the finding says neither that the softmax heads last forever nor how long."""
    work = Workspace(problem, {ID: CLAIM.lemma(), FINDING: finding.lemma()})
    p, end = work.p, problem.terms["T"]
    chain = _in_time(work, keys)
    found = chain[-1]
    said = said_of(work, finding, p.part(found, SOLUTION))
    time = None
    if finding.verdict == "global":
        step = next((i for i in _parts(work, said) if p[i] == la.eq(S, INFINITY)), None)
        if step is None:
            return None
        last = p.modus_ponens(p.part(found, FOREVER), step)
    else:
        long = _longest(work, _parts(work, said))
        if long is None:
            return None
        step, bound = long
        last = p.at(p.part(found, LASTS), la.number(bound), step)
        time = bound / 2
        same = p.algebra(p[last].args[0].args[0], la.number(time))
        last = p.replace(same, last, lambda g: la.at_most(la.finite(g), end))
    for existence, letter in zip(reversed(chain[:-1]), (back, clock, S), strict=True):
        last = p.obtain(existence, letter, last)
    return Finding(
        "existence",
        "global" if time is None else "unknown",
        problem.statement(p[last]),
        p.proof(last),
        time=None if time is None else (time, None),
        by=by,
    )


def _in_time(work: Workspace, keys: Keys) -> tuple[int, int, int, int]:
    """Steps: there are S, q and p; for S there are q and p; for q there is p; what they do."""
    p, problem = work.p, work.problem
    count = len(keys.columns)
    full = {
        **problem.terms,
        "a": Term("family", tuple(map(to_literal, keys.columns))),
        "w": to_literal(keys.row),
        "n": la.number(keys.size),
    }
    stated = substitute(KEYS, full)
    heads = [
        p.conjunction(*(work.prove(part) for part in at_head(stated, i, count).args))
        for i in range(count)
    ]
    size = work.prove(la.psd(full["n"]))
    theorem = p.lemma(ID, cases(work, stated, heads), size, work.start(), work.solution(), **full)
    outer = p.assume(la.at(p[theorem].args[0], S))
    middle = p.assume(la.at(p[outer].args[0], clock))
    return theorem, outer, middle, p.assume(la.at(p[middle].args[0], back))


def _parts(work: Workspace, step: int) -> list[int]:
    """The step itself, or those of its conjuncts."""
    p = work.p
    if p[step].op != "and":
        return [step]
    return [one for i in range(len(p[step].args)) for one in _parts(work, p.part(step, i))]


def _longest(work: Workspace, steps: Sequence[int]) -> tuple[int, Fraction] | None:
    """A step r <= S with the largest number r > 0, from those that say how large S is."""
    bounds = [one for step in steps if (one := _at_least(work, step)) is not None]
    return max(bounds, key=lambda one: one[1], default=None)


def _at_least(work: Workspace, step: int) -> tuple[int, Fraction] | None:
    """A step r <= S, from S = r or r <= S."""
    p = work.p
    said = p[step]
    if said.op not in ("eq", "at_most") or S not in said.args:
        return None
    (other,) = (part for part in said.args if part != S)
    if other.op != "finite" or (said.op == "at_most" and said.args[0] == S):
        return None
    value = work.value(other.args[0])
    if value is None or not value.is_plain:
        return None
    bound = value.plain.entries[0]
    number = la.number(bound)
    if said.op == "eq":
        reverse = p.replace(step, p.reflexivity(S), lambda g: la.eq(g, S))
        below = p.positive(la.minus(other.args[0], number))
        ordered = p.fact("lifetimes-ordered", below, a=number, b=other.args[0])
        return p.replace(reverse, ordered, lambda g: la.at_most(la.finite(number), g)), bound
    same = p.algebra(other.args[0], number)
    return p.replace(same, step, lambda g: la.at_most(la.finite(g), S)), bound
