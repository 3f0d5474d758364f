"""Layers one after another as kernel terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from proofs import language as la
from proofs.kernel import Statement
from proofs.terms import Term
from proofs.verdicts.factored.problem import FactoredProblem


@dataclass(frozen=True)
class StackProblem:
    """The covariance through layers: each starts where the one before ends.

    Attributes:
        layers: the equations, with the stages 1, 2, ...; from the second on the start of each is
            the covariance of the one before at the end of its time.
        times: how long each layer acts; None: for ever, the last only.
    """

    layers: tuple[FactoredProblem, ...]
    times: tuple[Fraction | None, ...]

    @property
    def first(self) -> FactoredProblem:
        """The first layer, with the start and the scale of all."""
        return self.layers[0]

    @cached_property
    def hypotheses(self) -> tuple[Term, ...]:
        """What every certificate about this stack assumes."""
        return (*self.first.hypotheses, *(layer.solution for layer in self.layers[1:]))

    def statement(self, conclusion: Term) -> Statement:
        return Statement(self.hypotheses, conclusion)


def stages(
    layers: Sequence[FactoredProblem], times: Sequence[Fraction | None]
) -> tuple[FactoredProblem, ...]:
    """The layers, numbered, each with its start."""
    result: list[FactoredProblem] = []
    for number, layer in enumerate(layers, 1):
        if number == 1:
            result.append(replace(layer, stage=1))
            continue
        time = times[number - 2]
        assert time is not None
        start = la.at(result[-1].terms["Sigma"], la.number(time))
        result.append(replace(layer, stage=number, start=start))
    return tuple(result)
