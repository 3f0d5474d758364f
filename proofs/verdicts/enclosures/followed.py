"""A solution followed through tubes until it is seen to blow up, or while there is time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from time import monotonic
from typing import TypeVar

import numpy as np
from flint import fmpq

from numeric.enclosures.cones import entries
from numeric.enclosures.journey import Journey, rehearsed
from numeric.enclosures.system import QuadraticSystem, floats_of, fraction
from numeric.enclosures.taylor import Step, Stepper, form_norms
from numeric.exact import Matrix
from numeric.lyapunov import Certificate, growth
from proofs.claims.base import Claim
from proofs.claims.covariance_blowup_cone import CLAIM as BLOWUP
from proofs.claims.covariance_blowup_lyapunov import CLAIM as GROWTH
from proofs.claims.covariance_bounded_cone import CLAIM as BOUNDED
from proofs.claims.covariance_clocked_cone import CLAIM as CLOCKED
from proofs.claims.covariance_enclosure import CLAIM
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.kernel import Lemma
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Application, Finding, Hypothesis, Progress
from proofs.verdicts.enclosures.cone_end import by_cone, by_decay
from proofs.verdicts.enclosures.coordinates import Coordinates
from proofs.verdicts.enclosures.growth_end import by_growth
from proofs.verdicts.enclosures.tubes import Lifetimes, Tubes
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.norms import OUT_OF_RANGE
from proofs.verdicts.problem import CovarianceProblem, Problem
from proofs.verdicts.workspace import Workspace, brief, enclosed_root

Point = tuple[Fraction, ...]
NAME = "tubes around the solution"
ENDS = {
    BLOWUP.id: "a cone in which it grows",
    BOUNDED.id: "a cone in which it decays",
    CLOCKED.id: "a cone in which it grows no faster than time allows",
    GROWTH.id: "a linear function that grows like its square",
}
#: dimensions up to which solutions are followed
MAX_DIMENSION = 6
#: relative distance of the bounds of a blow-up time that is good enough
WIDTH = Fraction(1, 10**6)
#: and from the blow-up where a rehearsal ends
NEAREST = Fraction(1, 10**9)
#: seconds for the proof of a step beside those for the step
PROOF = 6.0
#: seconds for a search for a function that grows, and the relaxations that are tried
SECONDS, LEVELS = 4.0, (2, 3)


End = Callable[[Tubes, Point, Fraction], Lifetimes | None]
One = TypeVar("One", bound="Following")


class Following:
    """A given start of one head or several, until the time ``end``.

    Args:
        end: in the sense of ``time.monotonic``.
        progress: told about each tube that is proved, and how many there are.
    """

    def __init__(self, heads: AsHeads, end: float, progress: Progress) -> None:
        self._heads, self._end, self._progress = heads, end, progress
        assert isinstance(heads.problem.start, tuple)
        self._start: Matrix = heads.problem.start
        self._journey = self._rehearsed(QuadraticSystem.of(heads.pairs), NEAREST)

    @classmethod
    def of(
        cls, problem: Problem | HeadsProblem, end: float, progress: Progress
    ) -> Following | None:
        """None without a start, or where it cannot be followed."""
        return started(problem, lambda: cls(AsHeads.of(problem), end, progress))

    @property
    def moves(self) -> bool:
        """Whether the solution can be followed at all."""
        return bool(self._journey.steps)

    @property
    def blows_up(self) -> bool:
        """Whether the solution seems to."""
        return self._journey.blows_up

    def by_cone(self) -> Application | None:
        """Bounds of the blow-up time or a decay, from a cone that the solution enters."""
        journey = self._journey
        try:
            allowed = self._allowed(journey)
            found = [
                one
                for one in entries(journey.system, journey.states, journey.times, float(WIDTH))
                if one.step <= allowed
            ]
            if not found:
                return None
            cone, speed = found[-1].cone, found[-1].speed
            claim, end = (BLOWUP, by_cone) if speed.least > 0 else (BOUNDED, by_decay)
            return self._application(
                journey.until(found[-1].step),
                (claim,),
                lambda tubes, *near: end(tubes, cone, speed, *near),
            )
        except OUT_OF_RANGE:
            return None

    def by_growth(self) -> Application | None:
        """Bounds of the blow-up time, from a function that grows; or how long it lasts at least."""
        try:
            journey = self._rehearsed(QuadraticSystem.of(self._heads.pairs, full=True), WIDTH)
            certificate = self._growing(journey) if journey.blows_up else None
            journey = journey.until(self._allowed(journey))
            if certificate is None:
                return self._application(journey, (), Tubes.lasting)
            return self._application(
                journey,
                (GROWTH,),
                lambda tubes, *near: by_growth(tubes, certificate, *near) or tubes.lasting(*near),
            )
        except OUT_OF_RANGE:
            return None

    def _rehearsed(self, system: QuadraticSystem, width: Fraction) -> Journey:
        start = system.state(self._start) * fmpq(*self._scale()[0].as_integer_ratio())
        return rehearsed(system, start, float(width))

    def _scale(self) -> tuple[Fraction, Fraction]:
        """A rational near the scale of the coordinates, and a bound of the distance."""
        square = self._heads.problem.scale_squared
        if square is None:
            return Fraction(1), Fraction(0)
        low, high = enclosed_root(square)
        return low, high - low

    def _growing(self, journey: Journey) -> Certificate | None:
        """A function that grows at least like its square, from the last state."""
        state = covariance(journey.system, journey.states[-1])
        for level in LEVELS:
            left = min(SECONDS, self._end - monotonic())
            found = growth(self._heads.pairs, state, seconds=left, level=level)
            if found.certificate is not None:
                return found.certificate
        return None

    def _allowed(self, journey: Journey) -> int:
        """How many steps there is time for: that of one grows like the square of its bits."""
        first = journey.until(1)
        begun = monotonic()
        self._steps(first)
        seconds = (monotonic() - begun) * (1 + PROOF)
        left = self._end - monotonic()

        def fits(count: int) -> bool:
            factor = (journey.until(count).bits / first.bits) ** 2
            return count * factor * seconds <= left

        return next(filter(fits, range(len(journey.steps), 1, -1)), 1)

    def _application(
        self, journey: Journey, claims: Sequence[Claim], end: End
    ) -> Application | None:
        """The steps of a journey, and what decides at its end."""
        centre, radius, steps = self._steps(journey)
        lemmas = {claim.id: claim.lemma() for claim in (CLAIM, RANK, *claims)}
        tubes = self._tubes(lemmas, journey.system)
        after = end(tubes, centre, radius)
        if after is None:
            return None
        for step in reversed(steps):
            after = tubes.before(step, after)
            self._progress(NAME, len(steps))
        finding = self._finding(tubes, after)
        elapsed = sum((step.length for step in steps), Fraction(0))
        until = f"{len(steps)} until t = {brief(elapsed)}"
        hypotheses = [Hypothesis(NAME, True, until)]
        if finding.verdict != "unknown":
            hypotheses += [Hypothesis(ENDS[claim.id], True, claim.id) for claim in claims]
        return Application(CLAIM.id, tuple(hypotheses), (finding,))

    def _tubes(self, lemmas: Mapping[str, Lemma], system: QuadraticSystem) -> Tubes:
        work = Workspace(self._heads.problem, lemmas)
        return Tubes(Coordinates(work, self._heads, system, form_norms(system)))

    def _steps(self, journey: Journey) -> tuple[Point, Fraction, list[Step]]:
        """Rigorous steps, as far as they succeed, and where they end."""
        stepper = Stepper(journey.system, journey.bits)
        centre = tuple(map(fraction, journey.start.entries()))
        length = sum((abs(a) for a in centre), Fraction(0))
        radius = length * max(self._scale()[1] / self._scale()[0], Fraction(1, 2**stepper.bits))
        steps: list[Step] = []
        for rehearsal in journey.steps:
            step = stepper.step(centre, radius, rehearsal)
            if step is None:
                break
            steps.append(step)
            centre, radius = step.end, step.reached
        return centre, radius, steps

    def _finding(self, tubes: Tubes, first: Lifetimes) -> Finding:
        """What holds for the solution itself."""
        of, p, problem = tubes.coordinates, tubes.p, tubes.coordinates.work.problem
        start = problem.terms["Sigma0"]
        reached = p.conjunction(
            of.solution(), of.work.start(), of.close(first.centre, first.radius)
        )
        known = first.step
        for value in (start, problem.terms["Sigma"], problem.terms["T"]):
            known = p.specialise(known, value)
        known = p.modus_ponens(known, reached)
        if first.forever:
            verdict, time = "global", None
        else:
            verdict = "unknown" if first.upper is None else "blow-up"
            time = (first.lower, first.upper)
        return Finding(
            "existence",
            verdict,
            problem.statement(p[known]),
            p.proof(known),
            time=time,
            built=p.theorem(known),
        )


def started(problem: CovarianceProblem, follow: Callable[[], One]) -> One | None:
    """A solution that is followed; None without a start, or where it cannot be followed."""
    if problem.start is None or problem.dimension > MAX_DIMENSION:
        return None
    try:
        following = follow()
    except OUT_OF_RANGE:
        return None
    return following if following.moves else None


def covariance(system: QuadraticSystem, state: np.ndarray) -> Matrix:
    """Sigma for coordinates of all of it."""
    total = sum(x * floats_of(N) for x, N in zip(state, system.lifts, strict=True))
    symmetric = (total + total.T) / 2
    return tuple(tuple(Fraction(float(x)) for x in row) for row in symmetric)
