"""What a search proves where the theorems leave a verdict open, within a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic

from proofs.verdicts.base import Application, Finding, Progress
from proofs.verdicts.enclosures.followed import Following
from proofs.verdicts.explicit import explicit
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2 import clock, in_kernel, one_row
from proofs.verdicts.l2.followed import FollowingInTime
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
    problem: CovarianceProblem,
    apply: Apply,
    applications: Iterable[Application],
    seconds: float,
    progress: Progress,
) -> tuple[Application, ...]:
    """A rational solution, or Lyapunov functions; without a start, two with different fates too.

    Args:
        apply: all theorems for a problem.
        applications: what they gave for this one.
        progress: told about each part of long work.
    """
    if seconds <= 0:
        return ()
    search = _Search(apply, monotonic() + seconds, progress)
    if isinstance(problem, L2Problem):
        return search.l2(problem)
    if isinstance(problem, Problem | HeadsProblem):
        return search.softmax(problem, applications)
    return ()


class _Search:
    """The searches of one call, until ``end``."""

    def __init__(self, apply: Apply, end: float, progress: Progress) -> None:
        self.apply, self.end, self.progress = apply, end, progress

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
        following = Following.of(problem, self.end, self.progress)
        if following is None:
            return self.functions(problem, applications, self.left)
        found = following.by_cone() if following.blows_up else None
        if found is not None:
            return (found,)
        functions = self.functions(problem, applications, SHARE * self.left)
        if _decided(functions):
            return functions
        enclosed = (None if following.blows_up else following.by_cone()) or following.by_growth()
        return functions if enclosed is None else (*functions, enclosed)

    def functions(
        self,
        problem: Problem | HeadsProblem,
        applications: Iterable[Application],
        seconds: float,
    ) -> tuple[Application, ...]:
        """Lyapunov functions that decrease or grow; without a start, two with different fates."""
        bounded = decreasing(problem, seconds)
        if bounded.findings:
            return (bounded,)
        rising, certificate = growing(problem, min(seconds, self.left), lasting_of(applications))
        if rising.findings or problem.start is not None:
            return bounded, rising
        directions = () if certificate is None else (certificate.P,)
        return bounded, replace(rising, findings=self.fates(problem, directions))

    def l2(self, problem: L2Problem) -> tuple[Application, ...]:
        """Through softmax heads that have the same solution, or have it in another time."""
        if in_kernel.killed(problem).holds:
            return self.same_solution(problem)
        _, keys = clock.compared(problem)
        if keys is None:
            return ()
        heads = clock.as_softmax(problem)
        if problem.start is None:
            return self.carried(problem, keys, (decreasing(heads, self.left),))
        following = FollowingInTime.of_heads(problem, keys, self.end, self.progress)
        if following is not None and following.blows_up and (found := following.by_cone()):
            return (found,)
        known = explicit(heads)
        functions = (known,) if known else (decreasing(heads, SHARE * self.left),)
        carried = self.carried(problem, keys, functions)
        if following is None or _decided(carried):
            return carried
        enclosed = (None if following.blows_up else following.by_cone()) or following.lasting()
        return carried if enclosed is None else (*carried, enclosed)

    def carried(
        self, problem: L2Problem, keys: clock.Keys, found: Iterable[Application]
    ) -> tuple[Application, ...]:
        """What is found for the softmax heads with the solution in another time."""
        return tuple(replace(one, findings=one_row.carried(problem, keys, [one])) for one in found)

    def same_solution(self, problem: L2Problem) -> tuple[Application, ...]:
        """Through the softmax heads that have the same solution; without a start, two fates."""
        if problem.start is None:
            killed = (in_kernel.killed(problem),)
            return (Application(in_kernel.ID, killed, self.fates(problem)),)
        heads = in_kernel.as_softmax(problem)
        found = self.softmax(heads, self.apply(heads))
        return tuple(
            replace(one, findings=in_kernel.carried(problem, heads, [one])) for one in found
        )

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


def _decided(applications: Iterable[Application]) -> bool:
    """Whether solutions are seen to be global."""
    return any(finding.verdict == "global" for one in applications for finding in one.findings)


def _existence(applications: Iterable[Application]) -> tuple[str, Finding] | None:
    """A theorem and what it proves of existence, from the given start."""
    for application in applications:
        for finding in application.findings:
            if finding.section == "existence" and finding.verdict != "unknown":
                return finding.by or application.id, finding
    return None
