"""One layer by itself: its heads one by one, the theorems for all of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from proofs.claims.covariance_multihead_commuting import CLAIM as COMMUTING
from proofs.claims.covariance_multihead_commuting_blowup import CLAIM as CLOSED_FORM
from proofs.claims.covariance_multihead_definite_value import CLAIM as DEFINITE
from proofs.claims.covariance_multihead_existence_time import CLAIM as EXISTENCE
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.covariance_multihead_scalar import CLAIM as SCALAR
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.factored.decisions import Decisions
from proofs.verdicts.factored.definite_value import definite_value
from proofs.verdicts.factored.existence import Growth, Start, existence
from proofs.verdicts.factored.head_report import HeadReport, attempted
from proofs.verdicts.factored.problem import FactoredProblem
from proofs.verdicts.one_head import NAMES


@dataclass(frozen=True)
class LayerReport:
    """What is decided about one layer, for all times.

    Attributes:
        index: number of the layer in the file, from 0.
        problem: its covariance equation.
        heads: each head alone.
        applications: the theorems for the layer; that on the existence time has the finding.
        growth: what the heads together are proved to do, None without bounds for each.
    """

    index: int
    problem: FactoredProblem
    heads: tuple[HeadReport, ...]
    applications: tuple[Application, ...]
    growth: Growth | None

    @classmethod
    def of(
        cls,
        index: int,
        numbers: Sequence[int],
        problem: FactoredProblem,
        start: Start,
        done: Callable[[], None],
    ) -> LayerReport:
        """Decide everything; ``numbers`` are those of the heads, ``done`` is called after each."""
        heads = []
        for number, head in zip(numbers, problem.heads, strict=True):
            alone = replace(problem, heads=(head,))
            heads.append(HeadReport.of(number, head, alone, start))
            done()
        if len(heads) == 1:
            (only,) = heads
            growth = None if only.bounded is None else Growth(problem, (only.bounded,))
            return cls(index, problem, tuple(heads), only.applications, growth)
        bounded = tuple(head.bounded for head in heads if head.bounded is not None)
        growth = Growth(problem, bounded) if len(bounded) == len(heads) else None
        return cls(index, problem, tuple(heads), _theorems(problem, heads, growth, start), growth)


def _theorems(
    problem: FactoredProblem, heads: Sequence[HeadReport], growth: Growth | None, start: Start
) -> tuple[Application, ...]:
    every = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    gaussian = "gaussian.multihead-bias" if problem.biased else "gaussian.multihead"
    findings: tuple[Finding, ...] = ()
    if growth is not None:
        findings = attempted(lambda: (existence(growth, start),))
    scalar = _each(heads, SCALAR.hypotheses[0], lambda head: head.scalar)
    definite = (
        _each(
            heads,
            "V_h symmetric positive semidefinite (P = I)",
            lambda head: head.symmetric_value,
        ),
        _each(heads, DEFINITE.hypotheses[2], lambda head: head.score_negative),
    )
    lasting: tuple[Finding, ...] = ()
    if all(hypothesis.holds for hypothesis in definite):
        lasting = attempted(lambda: definite_value(problem, start))
    commuting = _commuting(problem, heads, start)
    return (
        Application(gaussian, (every,)),
        Application(RANK.id, (every,)),
        Application(SCALAR.id, (scalar,)),
        Application(COMMUTING.id, commuting),
        Application(CLOSED_FORM.id, commuting),
        Application(DEFINITE.id, definite, lasting),
        Application(EXISTENCE.id, (every,), findings),
    )


def _commuting(
    problem: FactoredProblem, heads: Sequence[HeadReport], start: Start
) -> tuple[Hypothesis, ...]:
    """Whether every V_h commutes with Sigma0 and with S, the sum over the heads."""
    decisions = [Decisions(head, start.factor) for head in problem.heads]
    total = decisions[0].drift
    for other in decisions[1:]:
        total = total + other.drift
    lazy = {head.index: one for head, one in zip(heads, decisions, strict=True)}
    return (
        _each(heads, NAMES[0], lambda head: lazy[head.index].commutes_with_start()),
        _each(heads, NAMES[1], lambda head: lazy[head.index].commutes_with(total)),
    )


def _each(
    heads: Sequence[HeadReport], name: str, decide: Callable[[HeadReport], Hypothesis]
) -> Hypothesis:
    """A hypothesis on every head: fails where one fails, else undecided where one is."""
    undecided = None
    for head in heads:
        found = decide(head)
        shown = Hypothesis(name, found.holds, f"head {head.index}: {found.witness}")
        if found.holds is False:
            return shown
        if found.holds is None and undecided is None:
            undecided = shown
    return undecided or Hypothesis(name, True)
