"""A solution rehearsed in floating point: which steps lead how far, and in which coordinates."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import log, log2

import numpy as np
from flint import fmpq_mat

from numeric.enclosures.metric import adapted, growth_of
from numeric.enclosures.system import QuadraticSystem, float_of
from numeric.enclosures.taylor import (
    FINAL_BITS,
    MAX_COEFFICIENTS,
    REACH,
    Rehearsal,
    rehearse,
)

#: steps, and by what factor the norm may change, before a rehearsal ends
MAX_STEPS, MAX_CHANGE = 80, 1e9
#: steps are not shortened beyond this part of the radius of convergence
LEAST_REACH = 1 / 32
#: a solution is taken to blow up at about this many lengths of its last step
LENGTHS_LEFT = 3.0


@dataclass(frozen=True)
class Journey:
    """Steps in floating point.

    Attributes:
        system: in the coordinates of the steps.
        start: its coordinates of the start, n x 1.
        states: where the steps start, n each.
        steps: one from each state.
    """

    system: QuadraticSystem
    start: fmpq_mat
    states: tuple[np.ndarray, ...]
    steps: tuple[Rehearsal, ...]

    @property
    def growth(self) -> float:
        """Nats by which errors grow."""
        return growth_of(self.steps)

    @property
    def bits(self) -> int:
        """Of precision that leave FINAL_BITS at the end."""
        return FINAL_BITS + int(self.growth / log(2))

    @property
    def elapsed(self) -> Fraction:
        return sum((step.length for step in self.steps), Fraction(0))

    @property
    def times(self) -> list[float]:
        """When the states are reached, and about when the solution ends."""
        lengths = [float(step.length) for step in self.steps]
        last = LENGTHS_LEFT * lengths[-1] if lengths else 0.0
        return [0.0, *itertools.accumulate([*lengths[:-1], last])]

    @property
    def blows_up(self) -> bool:
        """Whether the last step is short beside the longest one."""
        lengths = [step.length for step in self.steps]
        return bool(lengths) and float(lengths[-1]) < 0.1 * float(max(lengths))

    def until(self, count: int) -> Journey:
        """The first steps."""
        return Journey(self.system, self.start, self.states[:count], self.steps[:count])


def rehearsed(system: QuadraticSystem, start: fmpq_mat, width: float) -> Journey:
    """Steps until a blow-up is near, the solution settles, or there are many.

    Args:
        width: relative distance from the blow-up that is near enough.
    """
    journey = _walk(system, start, width, REACH)
    if not journey.steps:
        return journey
    frame = adapted(system, journey.states, journey.steps)
    if frame is not None:
        system, start = system.changed(frame), frame.inv() * start
        journey = _walk(system, start, width, REACH)
    # about bits / log2(1 / reach) coefficients are needed
    reach = max(LEAST_REACH, 2.0 ** (-journey.bits / (0.9 * MAX_COEFFICIENTS)))
    if reach < REACH and not journey.blows_up:
        counts = range(len(journey.steps), 0, -1)
        affordable = 0.9 * MAX_COEFFICIENTS * log2(1 / REACH)
        return next(
            (part for part in map(journey.until, counts) if part.bits <= affordable), journey
        )
    return journey if reach > REACH else _walk(system, start, width, reach)


def _walk(system: QuadraticSystem, start: fmpq_mat, width: float, reach: float) -> Journey:
    x = np.array([float_of(entry) for entry in start.entries()])
    states, steps = [], []
    elapsed, first = 0.0, float(np.linalg.norm(x))
    for _ in range(MAX_STEPS):
        step = rehearse(system, x, reach)
        if step is None:
            break
        states.append(x)
        steps.append(step)
        x = step.end
        elapsed += float(step.length)
        ratio = float(np.linalg.norm(x)) / first
        if LENGTHS_LEFT * float(step.length) < width * elapsed or ratio > MAX_CHANGE:
            break
    return Journey(system, start, tuple(states), tuple(steps))
