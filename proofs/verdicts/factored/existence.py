"""How long the covariance of a layer is proved to exist, and how large it is until then."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR
from fractions import Fraction
from functools import cached_property

import numpy as np

from numeric.matrices import ExactMatrix
from proofs import language as la
from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_existence_time import CLAIM as ONE_HEAD
from proofs.claims.covariance_existence_time import DRIFT, RATE, START
from proofs.claims.covariance_multihead_existence_time import CLAIM as HEADS_CLAIM
from proofs.claims.covariance_multihead_existence_time import (
    EACH_DRIFT,
    EACH_RATE,
    HEADS,
)
from proofs.kernel import Lemma
from proofs.terms import Term, application, index, sort_of, substitute
from proofs.verdicts.base import Finding
from proofs.verdicts.definite import prove_definite
from proofs.verdicts.exact import evaluate
from proofs.verdicts.factored.bounds import Bounded, Bounding, lemmas, rounded_to, upward
from proofs.verdicts.factored.head import Factor, FactoredHead
from proofs.verdicts.factored.problem import FactoredProblem
from proofs.verdicts.workspace import Workspace

#: the lemma that bounds a given start
START_NAME = "bounds of Sigma0"


@dataclass(frozen=True)
class BoundedHead:
    """A head with proved bounds: v, a, s as numbers and terms, and the lemma that proves them.

    The lemma says, besides the hypotheses on the scale: (v > 0, a > 0, |V| <= v and |A| <= a) and
    V A + A^T V^T <= 2 s I.
    """

    head: FactoredHead
    value: Term
    score: Term
    drift: Term
    rate: Fraction
    lemma: Lemma

    @classmethod
    def of(cls, head: FactoredHead, problem: FactoredProblem) -> BoundedHead:
        """Prove the bounds; ``problem`` gives the scale.

        Raises:
            KernelError, ArithmeticError, LinAlgError: none could be proved.
        """
        work = Workspace(problem, lemmas())
        bounded = Bounding(work).bound(head)
        last = work.p.conjunction(work.p.conjunction(*bounded.norms), bounded.drift_step)
        lemma = work.p.as_lemma(last, problem.scale_hypotheses)
        return cls(head, bounded.value, bounded.score, bounded.drift, _rate(work, bounded), lemma)


def _rate(work: Workspace, bounded: Bounded) -> Fraction:
    value = work.value(la.add(la.mul(bounded.value, bounded.score), bounded.drift))
    assert value is not None
    return value.plain[0, 0]


@dataclass(frozen=True)
class Growth:
    """Heads that act together, with T >= 1 / (rate m) for every start Sigma0 <= m I."""

    problem: FactoredProblem
    heads: tuple[BoundedHead, ...]

    @property
    def theorem(self) -> str:
        """Id of the claim that is applied."""
        return self._claim.id

    @property
    def _claim(self) -> Claim:
        return ONE_HEAD if len(self.heads) == 1 else HEADS_CLAIM

    @cached_property
    def rate(self) -> Fraction:
        """The sum over the heads of v a + s."""
        return sum((head.rate for head in self.heads), Fraction(0))

    def lemmas(self) -> dict[str, Lemma]:
        """What the steps of :meth:`lasts` refer to."""
        return {self._claim.id: self._claim.lemma(), **self._bounds}

    @property
    def _bounds(self) -> dict[str, Lemma]:
        stage = self.problem.stage
        layer = "" if stage is None else f"layer {stage}, "
        return {f"bounds of {layer}head {i + 1}": h.lemma for i, h in enumerate(self.heads)}

    def lasts(self, work: Workspace, m: Fraction, below: int, positive: int) -> tuple[int, Term]:
        """A step: T >= 1/(rate m), and Sigma(t) <= m/(1 - rate m t) I; and the rate as a term.

        ``below`` and ``positive`` prove Sigma0 <= m I and Sigma0 >= 0.
        """
        p = work.p
        known = [
            p.lemma(name, *(work.assume(h) for h in lemma.statement.hypotheses))
            for name, lemma in self._bounds.items()
        ]
        full = {**self.problem.terms, "m": la.number(m)}
        small = work.prove(la.pd(full["m"]))
        solution = work.assume(self.problem.solution)
        if len(self.heads) == 1:
            (head,), (step,) = self.heads, known
            full |= {"v": head.value, "a": head.score, "s": head.drift}
            norms = p.part(step, 0)
            parts = [p.part(norms, i) for i in range(4)]
            theorem = p.lemma(self._claim.id, *parts, small, below, positive, solution, **full)
            rate = substitute(RATE, full)
            drift = p.part(step, 1)
            assert p[drift] == substitute(DRIFT, full)
        else:
            for name, terms in (
                ("v", [head.value for head in self.heads]),
                ("a", [head.score for head in self.heads]),
                ("s", [head.drift for head in self.heads]),
            ):
                full[name] = Term("family", tuple(terms))
            norms = self._cases(work, substitute(HEADS, full), [p.part(k, 0) for k in known])
            drift = self._cases(work, substitute(EACH_DRIFT, full), [p.part(k, 1) for k in known])
            theorem = p.lemma(self._claim.id, norms, small, below, positive, solution, **full)
            rate = substitute(EACH_RATE, full)
        condition = p.conjunction(drift, work.prove(la.pd(rate)))
        form = 1 if len(self.heads) == 1 else 2
        return p.at(p.part(theorem, form), full["s"], condition), rate

    def _cases(self, work: Workspace, statement: Term, steps: list[int]) -> int:
        (predicate,) = statement.args
        count = len(self.heads)
        for i, step in enumerate(steps):
            assert work.p[step] == application(predicate, index(i + 1, count))
        return work.p.cases(predicate, steps)


@dataclass(frozen=True)
class Start:
    """Sigma0, and a bound m > 0 with Sigma0 <= m I.

    Attributes:
        factor: Sigma0, None when it is not given.
        bound: m; without a given Sigma0 the starts with Sigma0 <= m I are meant.
    """

    factor: Factor | None
    bound: Fraction

    @classmethod
    def of(cls, matrix: ExactMatrix | None) -> Start:
        """With a short bound, found in floating point; m = 1 when no start is given."""
        if matrix is None:
            return cls(None, Fraction(1))
        factor = Factor.of(matrix)
        return cls(factor, upward(float(np.linalg.eigvalsh(factor.floats)[-1])))

    def steps(self, work: Workspace) -> tuple[int, int]:
        """Steps that prove Sigma0 <= m I and Sigma0 >= 0; without a start the first is assumed.

        A given start needs :meth:`lemmas` in the proof.
        """
        if self.factor is None:
            below, _ = self._claims(work.problem.terms["Sigma0"])
            return work.p.assume(below), self.positive(work)
        return work.p.part(work.p.lemma(START_NAME), 0), self.positive(work)

    def positive(self, work: Workspace) -> int:
        """Sigma0 >= 0."""
        if self.factor is None:
            definite = work.assume(la.pd(work.problem.terms["Sigma0"]))
            return work.p.fact("positive-definite", definite)
        return work.p.part(work.p.lemma(START_NAME), 1)

    def lemmas(self) -> dict[str, Lemma]:
        """The bounds of a given start.

        Raises:
            KernelError: Sigma0 is nearly singular, and too large for elimination.
        """
        return {} if self.factor is None else {START_NAME: self._lemma}

    @cached_property
    def _lemma(self) -> Lemma:
        assert self.factor is not None
        p = Builder()
        below, positive = self._claims(self.factor.term)
        gap = evaluate(below.args[0], None).plain
        last = p.conjunction(
            prove_definite(p, below.args[0], gap),
            prove_definite(p, positive.args[0], self.factor.exact),
        )
        return p.as_lemma(last, ())

    def _claims(self, start: Term) -> tuple[Term, Term]:
        d, _ = sort_of(start).args
        below = substitute(START, {"d": d, "Sigma0": start, "m": la.number(self.bound)})
        return below, la.psd(start)


def existence(growth: Growth, start: Start) -> Finding:
    """T >= time, from the given start, or from every start Sigma0 <= m I when none is given."""
    problem = growth.problem
    work = Workspace(problem, growth.lemmas() | start.lemmas())
    p = work.p
    below, positive = start.steps(work)
    step, rate = growth.lasts(work, start.bound, below, positive)
    value = growth.rate * start.bound
    time = rounded_to(1 / value, ROUND_FLOOR)
    rate = la.mul(rate, la.number(start.bound))
    last = lasts_until(work, p.part(step, 0), rate, value, time)
    if start.factor is None:
        last = p.discharge(p[below], last)
    return Finding(
        "existence",
        "unknown",
        problem.statement(p[last]),
        p.proof(last),
        time=(time, None),
        up_to=start.bound if start.factor is None else None,
    )


def lasts_until(work: Workspace, step: int, rate: Term, value: Fraction, time: Fraction) -> int:
    """T >= time from T >= 1/rate, where rate has a value below 1/time."""
    p = work.p
    bound = la.inv(rate)
    gap = p.algebra(la.number(1 / value - time), la.minus(bound, la.number(time)))
    shorter = p.replace(gap, p.definite(la.number(1 / value - time)), la.psd)
    ordered = p.fact("lifetimes-ordered", shorter, a=la.number(time), b=bound)
    return p.fact("lifetimes-transitive", ordered, step)
