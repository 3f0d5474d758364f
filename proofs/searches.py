"""What a search proves where the theorems leave a verdict open, within a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic

from numeric.lyapunov import Certificate
from proofs.verdicts.base import Application, Finding
from proofs.verdicts.enclosures.followed import WIDTH, followed
from proofs.verdicts.explicit import explicit
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2.in_kernel import ID as IN_KERNEL
from proofs.verdicts.l2.in_kernel import as_softmax, carried, killed
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.lyapunov import decreasing, growing
from proofs.verdicts.problem import CovarianceProblem, Problem, Rows
from proofs.verdicts.witnesses import two_fates

Apply = Callable[[CovarianceProblem], tuple[Application, ...]]
#: seconds for all searches of one call of ``verify``
BUDGET = 10.0
#: part of them for each of the first searches, where the solution can be followed after them
SHARE = 0.25


def by_search(
    problem: CovarianceProblem, apply: Apply, applications: Iterable[Application], seconds: float
) -> tuple[Application, ...]:
    """A rational solution, or Lyapunov functions; without a start, two with different fates too.

    Args:
        apply: all theorems for a problem.
        applications: what they gave for this one.
    """
    if seconds <= 0:
        return ()
    search = _Search(apply, monotonic() + seconds)
    if isinstance(problem, L2Problem):
        return search.l2(problem)
    if isinstance(problem, Problem | HeadsProblem):
        return search.softmax(problem, applications)
    return ()


class _Search:
    """The searches of one call, until ``end``."""

    def __init__(self, apply: Apply, end: float) -> None:
        self.apply, self.end = apply, end

    @property
    def left(self) -> float:
        """Seconds."""
        return self.end - monotonic()

    def softmax(
        self, problem: Problem | HeadsProblem, applications: Iterable[Application]
    ) -> tuple[Application, ...]:
        known = explicit(problem)
        if known is not None:
            return (known,)
        shared = self.left if problem.start is None else SHARE * self.left
        bounded = decreasing(problem, shared)
        if bounded.findings:
            return (bounded,)
        rising, certificate = growing(problem, min(shared, self.left), lasting_of(applications))
        if problem.start is not None:
            return bounded, rising, *self.enclosed(problem, rising, certificate)
        if rising.findings:
            return bounded, rising
        directions = () if certificate is None else (certificate.P,)
        dependent = self.fates(problem, directions)
        return bounded, replace(rising, findings=dependent)

    def enclosed(
        self,
        problem: Problem | HeadsProblem,
        rising: Application,
        certificate: Certificate | None,
    ) -> tuple[Application, ...]:
        """By tubes, unless the time of blow-up is known well enough."""
        times = [finding.time for finding in rising.findings]
        if any(time and time[1] and time[1] - time[0] <= WIDTH * time[1] for time in times):
            return ()
        found = followed(problem, self.left, certificate)
        return () if found is None else (found,)

    def l2(self, problem: L2Problem) -> tuple[Application, ...]:
        """Through the softmax heads that have the same solution, where there are such."""
        if not killed(problem).holds:
            return ()
        if problem.start is None:
            return (Application(IN_KERNEL, (killed(problem),), self.fates(problem)),)
        heads = as_softmax(problem)
        found = self.softmax(heads, self.apply(heads))
        return tuple(replace(one, findings=carried(problem, heads, [one])) for one in found)

    def fates(
        self, problem: CovarianceProblem, directions: Iterable[Rows] = ()
    ) -> tuple[Finding, ...]:
        """Two starts with different fates."""
        found = two_fates(problem, self._decide, tuple(directions))
        return () if found is None else (found,)

    def _decide(self, started: CovarianceProblem) -> tuple[str, Finding] | None:
        if self.left <= 0:
            return None
        applied = self.apply(started)
        answer = _existence(applied)
        if answer is not None:
            return answer
        if isinstance(started, L2Problem):
            return _existence(self.l2(started))
        assert isinstance(started, Problem | HeadsProblem)
        known = explicit(started)
        if known is None:
            known, _ = growing(started, self.left, lasting_of(applied))
        return _existence([known])


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
                return finding.by or application.id, finding
    return None
