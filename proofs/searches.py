"""What a search proves where the theorems leave a verdict open, within a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic

from proofs.verdicts.base import Application, Finding
from proofs.verdicts.explicit import explicit
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.lyapunov import decreasing, growing
from proofs.verdicts.problem import CovarianceProblem, Problem
from proofs.verdicts.witnesses import two_fates

Apply = Callable[[CovarianceProblem], Iterable[Application]]
#: seconds for all searches of one call of ``verify``
BUDGET = 10.0


def by_search(
    problem: CovarianceProblem, apply: Apply, applications: Iterable[Application], seconds: float
) -> tuple[Application, ...]:
    """A rational solution, or Lyapunov functions; without a start, two with different fates too.

    Args:
        apply: all theorems for a problem.
        applications: what they gave for this one.
    """
    if not isinstance(problem, Problem | HeadsProblem) or seconds <= 0:
        return ()
    end = monotonic() + seconds
    known = explicit(problem)
    if known is not None:
        return (known,)
    bounded = decreasing(problem, seconds)
    if bounded.findings:
        return (bounded,)
    level = 2 if problem.start is None else 3
    rising, certificate = growing(problem, end - monotonic(), lasting_of(applications), level)
    found = (bounded, rising)
    if problem.start is not None or rising.findings:
        return found

    def decide(started: Problem | HeadsProblem) -> tuple[str, Finding] | None:
        if monotonic() > end:
            return None
        applied = tuple(apply(started))
        answer = _existence(applied)
        if answer is None:
            blowing_up, _ = growing(started, end - monotonic(), lasting_of(applied))
            answer = _existence([blowing_up])
        return answer

    directions = () if certificate is None else (certificate.P,)
    dependent = two_fates(problem, decide, directions)
    return found if dependent is None else (bounded, replace(rising, findings=(dependent,)))


def lasting_of(applications: Iterable[Application]) -> Finding | None:
    """The finding that proves existence up to the latest time, without a verdict."""
    found = [
        finding
        for application in applications
        for finding in application.findings
        if finding.section == "existence" and finding.verdict == "unknown" and finding.time
    ]
    return max(found, key=lambda finding: finding.time[0] if finding.time else 0, default=None)


def _existence(applications: Iterable[Application]) -> tuple[str, Finding] | None:
    """A theorem and what it proves of existence, from the given start."""
    for application in applications:
        for finding in application.findings:
            if finding.section == "existence" and finding.verdict != "unknown":
                return application.id, finding
    return None
