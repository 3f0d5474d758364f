"""L2 heads that see what they move, V_h = N_h K_h, or compare with themselves, Q_h = l_h K_h."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import transpose
from proofs import language as la
from proofs.claims.covariance_l2_global import CLAIM, GROWTH
from proofs.terms import Term, TermError, index, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.each_head import cases
from proofs.verdicts.existence_time import score_bound
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.linear import solve
from proofs.verdicts.norms import OUT_OF_RANGE, norm_above
from proofs.verdicts.problem import SCALE, Rows, to_data, to_rows
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = "V_h = N_h K_h or Q_h = l_h K_h for every head"
#: places of the two kinds among the conclusions of the claim
THROUGH_KEYS, PROPORTIONAL = 1, 2


@dataclass(frozen=True)
class _Bound:
    """What the kernel needs to bound the growth of one head.

    Attributes:
        kind: :data:`THROUGH_KEYS` or :data:`PROPORTIONAL`.
        letters: the matrix N or the number l, and the two bounds.
        rate: approximately their product.
    """

    kind: int
    letters: tuple[Term, Term, Term]
    rate: float


def growth(problem: L2Problem) -> Application:
    """Global, from every start; the growth is at most exponential."""
    count = len(problem.values)
    try:
        bounds = [_bound(problem, i) for i in range(count)]
        missing = next((i for i, bound in enumerate(bounds) if bound is None), None)
        if missing is not None:
            witness = f"head {missing}: V K^+ K is not V, and Q is not a multiple of K"
            return Application(ID, (Hypothesis(NAME, False, witness),))
        finding = _finding(problem, [bound for bound in bounds if bound is not None])
    except (*OUT_OF_RANGE, TermError):
        return Application(ID, (Hypothesis(NAME, None, "numbers out of range"),))
    return Application(ID, (Hypothesis(NAME, True),), (finding,))


def _bound(problem: L2Problem, i: int) -> _Bound | None:
    """The better of the bounds that head i has."""
    scale = float(problem.scale_squared or 1) ** 0.5
    V, Q, K = problem.values[i], problem.queries[i], problem.keys[i]
    found = []
    factor = solve(to_data(transpose(K)), to_data(transpose(V)))
    if factor is not None:
        N = transpose(to_rows(factor))
        n, q = norm_above(N), norm_above(Q, scale)
        letters = (la.literal(N), la.number(n), la.number(q))
        found.append(_Bound(THROUGH_KEYS, letters, float(n * q)))
    multiple = _multiple(Q, K)
    if multiple is not None:
        v = norm_above(V)
        size = abs(multiple)
        letters = (_scaled(problem, multiple), _scaled(problem, size), la.number(v))
        found.append(_Bound(PROPORTIONAL, letters, float(size * v) * scale))
    return min(found, key=lambda bound: bound.rate, default=None)


def _multiple(Q: Rows, K: Rows) -> Fraction | None:
    """The number l with Q = l K, None when there is none."""
    pairs = [pair for rows in zip(Q, K, strict=True) for pair in zip(*rows, strict=True)]
    factor = next((q / k for q, k in pairs if k), Fraction(0))
    return factor if all(q == factor * k for q, k in pairs) else None


def _scaled(problem: L2Problem, factor: Fraction) -> Term:
    return la.number(factor) if problem.scale_squared is None else la.scale(factor, SCALE)


def _finding(problem: L2Problem, bounds: list[_Bound]) -> Finding:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p, full, count = work.p, problem.terms, len(problem.values)
    theorem = p.lemma(ID, work.start(), work.solution(), **full)
    steps = []
    for i, bound in enumerate(bounds):
        step = p.specialise(p.part(theorem, bound.kind), index(i + 1, count))
        for letter in bound.letters:
            step = p.specialise(step, letter)
        *others, last = p[step].args[0].args
        conditions = [work.prove(condition) for condition in others]
        if bound.kind == THROUGH_KEYS:
            conditions.append(score_bound(work, last, problem.queries[i]))
        else:
            conditions.append(work.prove(last))
        steps.append(p.modus_ponens(step, p.conjunction(*conditions)))
    rho = Term("family", tuple(la.mul(*bound.letters[1:]) for bound in bounds))
    stated = substitute(GROWTH, {**full, "rho": rho})
    grown = p.at(p.part(theorem, 0), rho, cases(work, stated, steps))
    return Finding("existence", "global", problem.statement(p[grown]), p.proof(grown))
