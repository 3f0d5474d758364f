"""One head or several, in the form of the claims about several."""

from __future__ import annotations

from dataclasses import dataclass

from proofs import language as la
from proofs.claims.multihead_equation import heads_field
from proofs.terms import Term, size
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import Problem, Rows, to_literal
from proofs.verdicts.restated import with_field
from proofs.verdicts.workspace import Workspace


@dataclass(frozen=True)
class AsHeads:
    """A problem as one of several heads, one of them when it is about one head.

    Attributes:
        problem: the problem itself, in whose terms the statements are.
        pairs: value and score matrix of each head, the score without an irrational scale.
    """

    problem: Problem | HeadsProblem
    pairs: tuple[tuple[Rows, Rows], ...]

    @classmethod
    def of(cls, problem: Problem | HeadsProblem) -> AsHeads:
        if isinstance(problem, HeadsProblem):
            return cls(problem, tuple(zip(problem.values, problem.scores, strict=True)))
        return cls(problem, ((problem.V, problem.score),))

    @property
    def terms(self) -> dict[str, Term]:
        """What the variables of the multi-head claims stand for."""
        terms = dict(self.problem.terms)
        if isinstance(self.problem, Problem):
            families = {name: Term("family", (terms[name],)) for name in ("V", "A")}
            terms |= {"H": size(1), **families}
        return terms

    @property
    def field(self) -> Term:
        """The right-hand side of the covariance equation."""
        terms = self.terms
        return heads_field(terms["V"], terms["A"], terms["Sigma0"])

    def solution(self, work: Workspace) -> int:
        """The step that Sigma is the maximal solution for the heads."""
        step = work.solution()
        if isinstance(self.problem, HeadsProblem):
            return step
        terms = self.terms
        field, target = self.problem.field, self.field
        state = la.mat("Z", terms["d"], terms["d"])
        same = work.p.extensionality(
            state, work.p.algebra(la.at(field, state), la.at(target, state))
        )
        return with_field(work, step, same)

    def plain_velocity(self, P: Term, state: Term) -> Term:
        """tr(P F(Z)) for the scores without an irrational scale."""
        values = Term("family", tuple(to_literal(V) for V, _ in self.pairs))
        scores = Term("family", tuple(to_literal(A) for _, A in self.pairs))
        return la.tr(la.mul(P, la.at(heads_field(values, scores, state), state)))
