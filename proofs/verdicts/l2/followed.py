"""An L2 solution followed through tubes around the softmax solution that it is in another time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from numeric.enclosures.cones import Entry, entries
from numeric.enclosures.system import QuadraticSystem
from numeric.enclosures.taylor import form_norms
from proofs.claims.base import Claim
from proofs.claims.covariance_bounded_cone import CLAIM as BOUNDED
from proofs.claims.covariance_clocked_cone import CLAIM as CLOCKED
from proofs.claims.covariance_enclosure import CLAIM as ENCLOSURE
from proofs.kernel import Lemma
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Application, Finding, Progress
from proofs.verdicts.enclosures.cone_end import by_decay
from proofs.verdicts.enclosures.followed import End, Following, started
from proofs.verdicts.enclosures.tubes import Lifetimes, Tubes
from proofs.verdicts.l2.clock import ID, Clock, Keys, as_softmax
from proofs.verdicts.l2.clocked_end import by_clock, spread
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.l2.slowed import SlowedCoordinates
from proofs.verdicts.norms import OUT_OF_RANGE
from proofs.verdicts.workspace import Workspace


class FollowingInTime(Following):
    """A given start of L2 heads that compare with one row."""

    def __init__(self, problem: L2Problem, keys: Keys, end: float, progress: Progress) -> None:
        self._problem, self._keys = problem, keys
        super().__init__(AsHeads.of(as_softmax(problem)), end, progress)

    @classmethod
    def of_heads(
        cls, problem: L2Problem, keys: Keys, end: float, progress: Progress
    ) -> FollowingInTime | None:
        """None without a start, or where it cannot be followed."""
        return started(problem, lambda: cls(problem, keys, end, progress))

    def by_cone(self) -> Application | None:
        """Forever, from a cone in which the softmax solution decays, or blows up too late."""
        journey = self._journey
        try:
            allowed = self._allowed(journey)
            for entry in entries(journey.system, journey.states, journey.times, 0.0):
                if entry.step > allowed:
                    return None
                if (found := self._end_of(entry)) is not None:
                    claim, end = found
                    return self._application(journey.until(entry.step), (claim,), end)
        except OUT_OF_RANGE:
            pass
        return None

    def lasting(self) -> Application | None:
        """How long it lasts at least."""
        journey = self._journey
        try:
            return self._application(journey.until(self._allowed(journey)), (), Tubes.lasting)
        except OUT_OF_RANGE:
            return None

    def _end_of(self, entry: Entry) -> tuple[Claim, End] | None:
        cone, speed = entry.cone, entry.speed
        if speed.least <= 0:
            return BOUNDED, lambda tubes, *near: by_decay(tubes, cone, speed, *near)
        grows = spread(cone, self._keys)
        if grows is None:
            return None
        return CLOCKED, lambda tubes, *near: by_clock(tubes, cone, speed, grows, *near)

    def _finding(self, tubes: Tubes, first: Lifetimes) -> Finding:
        return replace(super()._finding(tubes, first), by=f"{ID}, {ENCLOSURE.id}")

    def _tubes(self, lemmas: Mapping[str, Lemma], system: QuadraticSystem) -> Tubes:
        work = Workspace(self._problem, {**lemmas, ID: Clock.lemma()})
        norms = form_norms(system)
        return Tubes(SlowedCoordinates(work, self._heads, system, norms, self._keys))
