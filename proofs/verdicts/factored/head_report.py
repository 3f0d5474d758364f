"""One head by itself: which theorems hold for it, how long its covariance exists, its spectrum."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from numpy.linalg import LinAlgError

from numeric.exact import square_root
from proofs.claims.covariance_commuting_bounds import CLAIM as BOUNDS
from proofs.claims.covariance_commuting_every_start import CLAIM as EVERY_START
from proofs.claims.covariance_commuting_factored_limit import CLAIM as LIMITS
from proofs.claims.covariance_definite_value import CLAIM as DEFINITE
from proofs.claims.covariance_existence_time import CLAIM as EXISTENCE
from proofs.claims.covariance_self_similar import CLAIM as SELF_SIMILAR
from proofs.kernel import KernelError
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.existence_time import NAME as EXISTENCE_NAME
from proofs.verdicts.factored.bounds import rounded_to, scaled_up
from proofs.verdicts.factored.decisions import Decisions
from proofs.verdicts.factored.definite_value import definite_value
from proofs.verdicts.factored.existence import BoundedHead, Growth, Start, existence
from proofs.verdicts.factored.head import FactoredHead
from proofs.verdicts.factored.problem import FactoredProblem
from proofs.verdicts.factored.spectrum import Interval

FAILURES = (KernelError, ArithmeticError, ValueError, LinAlgError)
"""What ends the search for bounds: numbers out of range, or a test that does not succeed."""


def attempted(prove: Callable[[], tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """What is proved, or nothing: hypotheses that hold need not be shown by the tests tried."""
    try:
        return prove()
    except FAILURES:
        return ()


@dataclass(frozen=True)
class HeadReport:
    """What is decided about one head alone.

    Attributes:
        index: number of the head in its layer, from 0.
        ranks: of V, A, A + A^T and S, exact.
        scores, drift: enclosures of the smallest and largest eigenvalue of A + A^T and of S.
        symmetric: whether A = A^T.
        applications: the theorems for one head; that on the existence time has the finding.
        bounded: the head with proved bounds, None when none were found.
        scalar, symmetric_value, score_negative: what theorems for several heads ask of each.
    """

    index: int
    ranks: dict[str, int]
    scores: tuple[Interval | None, Interval | None]
    drift: tuple[Interval | None, Interval | None]
    symmetric: Hypothesis
    applications: tuple[Application, ...]
    bounded: BoundedHead | None
    scalar: Hypothesis
    symmetric_value: Hypothesis
    score_negative: Hypothesis

    @classmethod
    def of(
        cls, index: int, head: FactoredHead, problem: FactoredProblem, start: Start
    ) -> HeadReport:
        """Decide everything about a head; ``problem`` is the equation of this head alone."""
        decisions = Decisions(head, start.factor)
        bounded: BoundedHead | None = None
        with suppress(*FAILURES):  # then there are no bounds
            bounded = BoundedHead.of(head, problem)
        findings: tuple[Finding, ...] = ()
        if bounded is not None:
            growth = Growth(problem, (bounded,))
            findings = attempted(lambda: (existence(growth, start),))
        lasting: tuple[Finding, ...] = ()
        if decisions.score_negative.holds and decisions.symmetric_value().holds:
            lasting = attempted(lambda: definite_value(problem, start))
        square = head.scale_squared if len(head.score) == 2 else Fraction(1)
        return cls(
            index,
            decisions.ranks(),
            _scaled(decisions.symmetric_score.spectrum(), square),
            _scaled(decisions.symmetric_drift.spectrum(), square),
            decisions.symmetric(),
            theorems(decisions, problem, findings, lasting),
            bounded,
            decisions.scalar(),
            decisions.symmetric_value(),
            decisions.score_negative,
        )


def theorems(
    decisions: Decisions,
    problem: FactoredProblem,
    findings: tuple[Finding, ...],
    lasting: tuple[Finding, ...],
) -> tuple[Application, ...]:
    """The theorems for one head, with their hypotheses decided and what they prove."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    place = next((i for i, x in enumerate(problem.mean) if x), None)
    centred = Hypothesis(
        "alpha0 = 0", place is None, None if place is None else f"entry {place + 1} is not 0"
    )
    plain = Hypothesis("no biases", not problem.biased)
    both = (decisions.commutes_with_start(), decisions.commutes_with_drift)
    negative, positive = decisions.signs()
    factor = decisions.factor_of_identity
    identity = Hypothesis("V = I", factor == 1, None if factor == 1 else "V is not I")
    return (
        Application("gaussian.softmax", (start, plain)),
        Application("gaussian.bias", (start,)),
        Application("covariance.rank", (start,)),
        Application("covariance.linear-centered", (start, centred, plain)),
        Application("covariance.stationary-rank", (identity, decisions.stationary())),
        Application("covariance.commuting", both),
        Application("covariance.commuting-blowup", both),
        Application("covariance.commuting-limit", (*both, negative)),
        Application(LIMITS.id, (*both, negative)),
        Application(BOUNDS.id, (*both, positive)),
        Application(EVERY_START.id, (decisions.scalar(),)),
        Application(DEFINITE.id, (decisions.symmetrisable, decisions.score_negative), lasting),
        Application(SELF_SIMILAR.id, (decisions.self_similar(SELF_SIMILAR.hypotheses[0]),)),
        Application(EXISTENCE.id, (Hypothesis(EXISTENCE_NAME, True),), findings),
    )


def _scaled(
    spectrum: tuple[Interval | None, Interval | None], square: Fraction
) -> tuple[Interval | None, Interval | None]:
    """Enclosures times s, for s^2 = ``square``."""
    low, high = spectrum
    return _times(low, square), _times(high, square)


def _times(interval: Interval | None, square: Fraction) -> Interval | None:
    if interval is None or square == 1:
        return interval
    root = square_root(square)
    above = scaled_up(Fraction(1), square) if root is None else root
    below = square / above
    ends = [x * s for x in interval for s in (below, above)]
    return rounded_to(min(ends), ROUND_FLOOR), rounded_to(max(ends), ROUND_CEILING)
