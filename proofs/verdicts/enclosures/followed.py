"""A solution followed through tubes until it is seen to blow up, or while there is time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log
from time import monotonic

import numpy as np

from numeric.enclosures.cones import entry
from numeric.enclosures.journey import Journey, rehearsed
from numeric.enclosures.system import QuadraticSystem, fraction
from numeric.enclosures.taylor import Step, Stepper, form_norms
from numeric.exact import Matrix
from numeric.lyapunov import Certificate, growth
from proofs import language as la
from proofs.claims.base import Claim
from proofs.claims.covariance_blowup_cone import CLAIM as BLOWUP
from proofs.claims.covariance_blowup_lyapunov import CLAIM as GROWTH
from proofs.claims.covariance_enclosure import CLAIM
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.terms import Term
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.enclosures.cone_end import by_cone
from proofs.verdicts.enclosures.coordinates import Coordinates
from proofs.verdicts.enclosures.growth_end import by_growth
from proofs.verdicts.enclosures.tubes import Lifetimes, Tubes
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.norms import OUT_OF_RANGE
from proofs.verdicts.problem import Problem
from proofs.verdicts.workspace import Workspace, brief

ID = CLAIM.id
NAME = "tubes around the solution"
#: dimensions up to which solutions are followed
MAX_DIMENSION = 6
#: relative distance of the bounds of a blow-up time that is good enough
WIDTH = Fraction(1, 10**6)
#: and from the blow-up where a rehearsal ends
NEAREST = Fraction(1, 10**9)
#: bits of precision at the end, beyond those by which errors grow
FINAL_BITS = 40
#: seconds for a search for a function that grows, and the relaxations that are tried
SECONDS, LEVELS = 4.0, (2, 3)


def followed(
    problem: Problem | HeadsProblem, seconds: float, certificate: Certificate | None = None
) -> Application | None:
    """Bounds of the blow-up time, or a time of existence; None where no step is made.

    Args:
        certificate: of growth from the start, where one is known.
    """
    if problem.start is None or problem.dimension > MAX_DIMENSION:
        return None
    heads = AsHeads.of(problem)
    try:
        finding = _Following(heads, monotonic() + seconds).finding(certificate)
    except OUT_OF_RANGE:
        return None
    if finding is None:
        return None
    assert finding.time is not None
    until = f"until t = {brief(finding.time[0])}"
    return Application(ID, (Hypothesis(NAME, True, until),), (finding,))


End = Callable[[Tubes, tuple[Fraction, ...], Fraction], Lifetimes | None]


class _Following:
    """One start, until the time ``end``."""

    def __init__(self, heads: AsHeads, end: float) -> None:
        self.heads, self.end = heads, end
        assert isinstance(heads.problem.start, tuple)
        self.start: Matrix = heads.problem.start

    def finding(self, certificate: Certificate | None) -> Finding | None:
        """What is proved of the existence."""
        system = QuadraticSystem.of(self.heads.pairs)
        journey = rehearsed(system, system.state(self.start), float(NEAREST))
        if journey.blows_up:
            entered = entry(journey.system, journey.states, journey.times, float(WIDTH))
            if entered is not None:
                cone, speed = entered.cone, entered.speed
                found = self._proved(
                    journey.until(entered.step),
                    (BLOWUP,),
                    lambda tubes, *near: by_cone(tubes, cone, speed, *near),
                )
                if found is not None:
                    return found
        system = QuadraticSystem.of(self.heads.pairs, full=True)
        journey = rehearsed(system, system.state(self.start), float(WIDTH))
        if certificate is None and journey.blows_up:
            certificate = self._growing(journey)
        if certificate is None:
            return self._proved(journey, (), Tubes.lasting)
        grown = certificate
        return self._proved(journey, (GROWTH,), lambda tubes, *near: by_growth(tubes, grown, *near))

    def _growing(self, journey: Journey) -> Certificate | None:
        """A function that grows at least like its square, from the last state."""
        state = covariance(journey.system, journey.states[-1])
        for level in LEVELS:
            left = min(SECONDS, self.end - monotonic())
            found = growth(self.heads.pairs, state, seconds=left, level=level)
            if found.certificate is not None:
                return found.certificate
        return None

    def _proved(self, journey: Journey, claims: Sequence[Claim], end: End) -> Finding | None:
        """The steps of a journey, and what decides at its end."""
        centre, radius, steps = self._steps(journey)
        lemmas = {claim.id: claim.lemma() for claim in (CLAIM, RANK, *claims)}
        work = Workspace(self.heads.problem, lemmas)
        norms = form_norms(journey.system)
        tubes = Tubes(Coordinates(work, self.heads, journey.system, norms))
        after = end(tubes, centre, radius)
        if after is None:
            return None
        for step in reversed(steps):
            after = tubes.before(step, after)
        return self._at_start(tubes, after)

    def _steps(self, journey: Journey) -> tuple[tuple[Fraction, ...], Fraction, list[Step]]:
        """Rigorous steps, as far as they succeed, and where they end."""
        stepper = Stepper(journey.system, FINAL_BITS + int(journey.growth / log(2)))
        centre = tuple(map(fraction, journey.start.entries()))
        largest = max(map(abs, centre))
        radius = largest / 2**FINAL_BITS
        steps: list[Step] = []
        for rehearsal in journey.steps:
            step = stepper.step(centre, radius if steps else Fraction(0), rehearsal)
            if step is None:
                break
            steps.append(step)
            centre, radius = step.end, step.reached
        return centre, radius, steps

    def _at_start(self, tubes: Tubes, first: Lifetimes) -> Finding:
        """What holds for the solution itself."""
        of, p, problem = tubes.coordinates, tubes.p, self.heads.problem
        start = problem.terms["Sigma0"]
        solution = self.heads.solution(of.work)
        close = _close_to_start(of, first, start)
        reached = p.conjunction(solution, of.work.start(), close)
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


def covariance(system: QuadraticSystem, state: np.ndarray) -> Matrix:
    """Sigma for coordinates of all of it."""
    total = sum(
        x * np.array([[float(int(a.p) / int(a.q)) for a in row] for row in N.tolist()])
        for x, N in zip(state, system.lifts, strict=True)
    )
    symmetric = (total + total.T) / 2
    return tuple(tuple(Fraction(float(x)) for x in row) for row in symmetric)


def _close_to_start(of: Coordinates, first: Lifetimes, start: Term) -> int:
    """The coordinates of the start are near the centre of the first tube."""
    p = of.p
    apart = la.minus(of.of(start), la.literal([[x] for x in first.centre]))
    radius = la.mul(la.number(first.radius), la.number(first.radius))
    return p.definite(la.minus(radius, la.mul(la.tp(apart), apart)))
