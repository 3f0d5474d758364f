"""A proof about heads of attention under construction, with what V and A stand for at hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from proofs import language as la
from proofs.builder import Builder, Use, itself
from proofs.kernel import Lemma
from proofs.terms import Literal, Term
from proofs.verdicts.gradient.problem import GradientProblem, Pair
from proofs.verdicts.problem import SCALE


class Given:
    """Equations from the hypotheses on the matrices of a problem.

    Attributes:
        p: the proof.
        divided: 1/s as a term, 1 when the scale is in the matrices.
    """

    def __init__(self, problem: GradientProblem, lemmas: Mapping[str, Lemma] | None = None) -> None:
        self.problem, self.p = problem, Builder(lemmas)
        self.rational = problem.scale_squared is None
        self.divided = la.number(1) if self.rational else la.inv(SCALE)
        self._known: dict[Term, int] = {}

    def assume(self, proposition: Term) -> int:
        """An assumption, made once."""
        if proposition not in self._known:
            self._known[proposition] = self.p.assume(proposition)
        return self._known[proposition]

    @cached_property
    def inverse(self) -> tuple[int, int]:
        """Steps 1/s > 0 and s (1/s) = 1, for an irrational scale."""
        p = self.p
        definite = p.fact("definite-inverse", self.assume(self.problem.matrices[0]))
        undone = p.fact("inverse", p.part(definite, 0))
        return p.part(definite, 1), p.part(undone, 0)

    @property
    def positive(self) -> tuple[int, ...]:
        """The step 1/s > 0, where there is a scale."""
        return () if self.rational else (self.inverse[0],)

    def cancel(self, matrix: Term) -> tuple[Use, ...]:
        """s (1/s) M = M as it is used in algebra."""
        return () if self.rational else ((self.inverse[1], lambda h: la.scale(h, matrix)),)

    @cached_property
    def _stated(self) -> dict[Term, int]:
        """Letter -> the step that says what it is."""
        stated = self.problem.matrices[0 if self.rational else 2 :]
        return {equation.args[0]: self.assume(equation) for equation in stated}

    def value(self, pair: Pair) -> int:
        """The value matrix is its literal."""
        letters = pair.V.args if pair.V.op == "add" else (pair.V,)
        if len(letters) == 1:
            return self._stated[pair.V]
        uses: list[Use] = [(self._stated[letter], itself) for letter in letters]
        return self.p.algebra(pair.V, _literal(pair.values), *uses)

    def score(self, letter: Term) -> int:
        """The score matrix is its literal, times the scale."""
        return self._stated[letter]


def _literal(matrix: Literal) -> Term:
    return Term("literal", data=matrix)
