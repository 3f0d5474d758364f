"""A solution followed through tubes until it is seen to blow up, or while there is time."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from time import monotonic

import numpy as np

from numeric.exact import Matrix
from numeric.lyapunov import Certificate, growth
from numeric.tubes import Step, Stepper
from proofs.claims.covariance_enclosure import CLAIM
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.norms import OUT_OF_RANGE, array, norm_above
from proofs.verdicts.problem import Problem
from proofs.verdicts.tubes import Tubes
from proofs.verdicts.workspace import brief

ID = CLAIM.id
NAME = "tubes around the solution"
#: dimensions up to which solutions are followed
MAX_DIMENSION = 6
#: degree of the polynomials, and bits of their coefficients
ORDER, BITS = 32, 200
MAX_STEPS = 60
#: relative distance of the bounds of a blow-up time that is good enough
WIDTH = Fraction(1, 1000)
#: part of the time that steps and searches may take; the proof takes about as long again
STEPPING = 0.6
#: growth of the norm between two searches for a function that decides
GROWTH = 2.0
#: seconds for one of them, and the relaxations that are tried
SECONDS, LEVELS = 3.0, (2, 3)


@dataclass
class _Path:
    """Steps so far, and the certificate with the earliest upper bound."""

    heads: AsHeads
    centre: Matrix
    radius: Fraction = Fraction(0)
    elapsed: Fraction = Fraction(0)
    steps: list[Step] = field(default_factory=list)
    certificate: Certificate | None = None

    def advance(self, step: Step) -> None:
        self.steps.append(step)
        self.elapsed += step.length
        self.centre, self.radius = step.centre, step.end

    @property
    def remaining(self) -> Fraction | None:
        """About how long the solution lasts at most."""
        if self.certificate is None:
            return None
        value = self.certificate.trace_with(self.centre)
        return 1 / value if value > 0 else None

    def search(self, seconds: float) -> None:
        """Look for a function that grows at least like its square from here."""
        for level in LEVELS:
            found = growth(self.heads.pairs, _rounded(self.centre), seconds=seconds, level=level)
            if found.certificate is not None:
                self.certificate = found.certificate
                return


def followed(
    problem: Problem | HeadsProblem, seconds: float, certificate: Certificate | None = None
) -> Application | None:
    """Bounds of the blow-up time, or a time of existence; None where no step is made.

    Args:
        certificate: of growth from the start, where one is known.
    """
    if problem.start is None or problem.scale_squared is not None:
        return None
    if problem.dimension > MAX_DIMENSION:
        return None
    heads = AsHeads.of(problem)
    try:
        norms = [(norm_above(V), norm_above(A)) for V, A in heads.pairs]
        path = _Path(heads, problem.start, certificate=certificate)
        _walk(path, norms, monotonic() + STEPPING * seconds)
    except OUT_OF_RANGE:
        return None
    if not path.steps:
        return None
    finding = _finding(path, norms)
    until = f"{len(path.steps)} until t = {brief(path.elapsed)}"
    return Application(ID, (Hypothesis(NAME, True, until),), (finding,))


def _walk(path: _Path, norms: list[tuple[Fraction, Fraction]], end: float) -> None:
    """Steps until the time of blow-up is known well enough, or until ``end``."""
    product = sum((v * a for v, a in norms), Fraction(0))
    stepper = Stepper(path.heads.pairs, product, ORDER, BITS)
    searched = 0.0
    for _ in range(MAX_STEPS):
        size, left = _size(path.centre), end - monotonic()
        if path.remaining is None and size > GROWTH * searched and left > 0:
            searched = size
            path.search(min(SECONDS, left))
        if path.remaining is not None and path.remaining < WIDTH * path.elapsed:
            return
        step = stepper.step(path.centre, path.radius)
        if step is None or monotonic() > end:
            return
        path.advance(step)


def _size(matrix: Matrix) -> float:
    return float(np.linalg.norm(array(matrix)))


def _rounded(matrix: Matrix) -> Matrix:
    """Entries as floats, which are short."""
    return tuple(tuple(Fraction(float(x)) for x in row) for row in matrix)


def _finding(path: _Path, norms: list[tuple[Fraction, Fraction]]) -> Finding:
    tubes = Tubes(path.heads, norms)
    after = tubes.last(path.certificate, path.centre, path.radius)
    for step in reversed(path.steps):
        after = tubes.before(step, after)
    return tubes.finding(after)
