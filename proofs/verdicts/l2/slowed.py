"""Coordinates of the softmax solution that L2 heads have in another time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from numeric.enclosures.system import QuadraticSystem
from proofs import language as la
from proofs.builder import Summand
from proofs.claims.covariance_l2_one_row import CLOCK, FOREVER, SLOW
from proofs.terms import Term
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.enclosures.coordinates import Coordinates, Inside, Moment
from proofs.verdicts.l2.clock import Clock, Keys, prove_keys
from proofs.verdicts.restated import with_field
from proofs.verdicts.workspace import UNIT, Workspace


@dataclass(frozen=True)
class InTime(Inside):
    """Steps about the softmax solution; ``clock`` relates it to Sigma on [0, T)."""

    clock: Clock


class SlowedCoordinates(Coordinates):
    """Coordinates of the softmax solution, where Sigma on [0, T) is that of the L2 heads.

    Args:
        work: about the L2 heads, with the lemma of :class:`Clock` besides that on constant rank.
        heads: the softmax heads.
    """

    def __init__(
        self,
        work: Workspace,
        heads: AsHeads,
        system: QuadraticSystem,
        norms: Sequence[Fraction],
        keys: Keys,
    ) -> None:
        super().__init__(work, heads, system, norms)
        self.keys = keys
        self._proved = prove_keys(work, keys)
        self._clocks: dict[int, Clock] = {}
        self._same_field: int | None = None

    def moved(self, system: QuadraticSystem, norms: Sequence[Fraction]) -> SlowedCoordinates:
        other = SlowedCoordinates(self.work, self.heads, system, norms, self.keys)
        other._clocks = self._clocks
        return other

    def solution(self) -> int:
        return self.work.solution()

    def field_of_solution(self) -> Term:
        return self.work.problem.field

    def inside(self, near: int) -> InTime:
        p, clock = self.p, self.clock(near)
        softmax = self._with_own_field(clock.part(CLOCK[0]))
        found = self.followed(softmax, p.part(near, 1))
        return InTime(found.solution, found.start, found.stays, found.vector, clock)

    def clock(self, near: int) -> Clock:
        """The clock for what starts near a point, from a step that proves ``near``."""
        if near not in self._clocks:
            start, solution = self.p.part(near, 1), self.p.part(near, 0)
            self._clocks[near] = Clock(self.work, self.keys, self._proved, start, solution)
        return self._clocks[near]

    def moment(self, inside: Inside, length: Fraction, reached: int) -> Moment:
        assert isinstance(inside, InTime)
        p, clock, literal = self.p, inside.clock, la.number(length)
        time, half = la.at(clock.time, literal), la.number(length / 2)
        early = p.at(clock.part(CLOCK[3]), literal, reached)
        slow = p.at(clock.part(SLOW), literal, reached)
        least = p.positive(la.minus(time, half), Summand(UNIT, core=slow))
        return Moment(clock.solution, time, early, length / 2, least)

    def released(self, near: int, use: int) -> int:
        return self._clocks[near].released(use) if near in self._clocks else use

    def endless(self, near: int, use: int) -> int:
        return self.p.modus_ponens(self.clock(near).part(FOREVER), use)

    def _with_own_field(self, solution: int) -> int:
        """The same solution, with the field written as that of the softmax heads."""
        p = self.p
        given, own = p[solution].args[2], self.heads.field
        if given == own:
            return solution
        if self._same_field is None:
            Z = la.mat("Z", self.d, self.d)
            self._same_field = p.extensionality(Z, p.algebra(la.at(given, Z), la.at(own, Z)))
        return with_field(self.work, solution, self._same_field)
