"""L2 heads that compare with one row w, K_h = a_h w, as softmax heads in another time."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import multiply, transpose
from proofs import language as la
from proofs.claims.covariance_l2_one_row import (
    CLAIM,
    CLOCK,
    ENDLESS,
    FOREVER,
    KEYS,
    LASTS,
    SLOW,
)
from proofs.kernel import Lemma
from proofs.terms import ONE, Term, substitute
from proofs.verdicts.base import Hypothesis
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.problem import Problem, Rows, to_literal
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = CLAIM.hypotheses[0]
PARTS = (*CLOCK, SLOW, LASTS, FOREVER, ENDLESS)


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

    @property
    def terms(self) -> dict[str, Term]:
        return {
            "a": Term("family", tuple(map(to_literal, self.columns))),
            "w": to_literal(self.row),
            "n": la.number(self.size),
        }


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
    """The softmax heads A_h = K_h^T Q_h, whose solution is that of the problem in another time."""
    pairs = zip(problem.keys, problem.queries, strict=True)
    return problem.softmax([multiply(transpose(K), Q) for K, Q in pairs])


def prove_keys(work: Workspace, keys: Keys) -> tuple[int, int]:
    """Steps K_h = a_h w and |a_h|^2 = n for all h, and n >= 0."""
    p, full = work.p, {**work.problem.terms, **keys.terms}
    stated = substitute(KEYS, full)
    heads = [
        p.conjunction(*map(work.prove, at_head(stated, i, len(keys.columns)).args))
        for i in range(len(keys.columns))
    ]
    return cases(work, stated, heads), work.prove(la.psd(full["n"]))


class Clock:
    """Steps about S, q and p as in the claim: Sigma(q) on [0, S) solves the softmax equation.

    They rest on assumptions about these letters until :meth:`released`.

    Args:
        proved: from :func:`prove_keys`.
        start, solution: steps Sigma0 >= 0, and that Sigma is the maximal solution of the problem.
    """

    def __init__(
        self, work: Workspace, keys: Keys, proved: tuple[int, int], start: int, solution: int
    ) -> None:
        p = self.p = work.p
        self.solution = solution
        end, curve, _, first = p[solution].args
        own = {"T": end, "Sigma": curve, "Sigma0": first}
        full = {**work.problem.terms, **keys.terms, **own}
        theorem = p.part(p.lemma(ID, *proved, start, solution, **full), 1)
        self.end = la.lifetime("R")
        self.time, self.back = (la.time_to(name, ONE, ONE) for name in ("q", "p"))
        outer = p.assume(la.at(p[theorem].args[0], self.end))
        middle = p.assume(la.at(p[outer].args[0], self.time))
        self._chain = (theorem, outer, middle)
        self._found = p.assume(la.at(p[middle].args[0], self.back))

    @staticmethod
    def lemma() -> Lemma:
        """The lemma that the workspace needs, by :data:`ID`."""
        return CLAIM.lemma()

    def part(self, stated: Term) -> int:
        """The step for one of :data:`PARTS`."""
        return self.p.part(self._found, PARTS.index(stated))

    def released(self, use: int) -> int:
        """A step without the assumptions about the letters."""
        for existence, letter in zip(
            reversed(self._chain), (self.back, self.time, self.end), strict=True
        ):
            use = self.p.obtain(existence, letter, use)
        return use
