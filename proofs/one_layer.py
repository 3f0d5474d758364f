"""One layer, its matrices multiplied out: all theorems applied, the best findings chosen."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

from numeric.parameters import Parameters
from proofs import verdicts
from proofs.answers import UNKNOWN, Answer, Verification, established
from proofs.evidence import trend_of
from proofs.gaussian_preservation import preservation, preserved_by
from proofs.parameter_arrays import model_of
from proofs.scalar_theorems import on_the_line_theorems
from proofs.searches import by_search
from proofs.verdicts.base import Application, Finding, Progress, silent
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.l2.theorems import apply_l2
from proofs.verdicts.problem import CovarianceProblem
from proofs.verdicts.several_heads import apply_heads
from proofs.verdicts.sinkhorn.problem import SinkhornProblem
from proofs.verdicts.sinkhorn.theorems import apply_sinkhorn
from proofs.verdicts.subject import Subject, is_stack, problem_of

#: (one head, with biases) -> the claim that softmax attention preserves Gaussians
GAUSSIAN = {
    (True, False): "gaussian.softmax",
    (True, True): "gaussian.bias",
    (False, False): "gaussian.multihead-bias",
    (False, True): "gaussian.multihead-bias",
}
LAYERS = "gaussian.layers"
#: verdicts from the most to the least informative
EXISTENCE_ORDER = ("blow-up", "global", "depends", "unknown")
LIMIT_ORDER = ("converges", "bounded")


def by_theorems(
    subject: Subject, trend: bool, budget: float = 0.0, progress: Progress = silent
) -> Verification:
    """Theorems first; searches within a budget in seconds where they leave existence open."""
    problem = problem_of(subject)
    assert isinstance(problem, CovarianceProblem)
    applications = theorems(problem)
    if subject.variant != "softmax":
        model = model_of(subject)
        kept = (one for one in applications if not one.id.startswith("gaussian."))
        applications = (*preservation(model)[1], *kept, *on_the_line_theorems(model))
    existence = best(applications, "existence", EXISTENCE_ORDER)
    if existence.status == "open":
        found = by_search(problem, theorems, applications, budget, progress)
        again = {one.id for one in found}
        applications = (*(one for one in applications if one.id not in again), *found)
        existence = best(applications, "existence", EXISTENCE_ORDER)
    limit = limit_of(applications, existence)
    wanted = trend and existence.status == "open"
    return Verification(
        subject,
        gaussian(subject),
        existence,
        limit,
        applications,
        trend_of(model_of(subject)) if wanted and subject.Sigma0 is not None else None,
    )


def theorems(problem: CovarianceProblem) -> tuple[Application, ...]:
    """All theorems on a covariance equation, applied to its parameters."""
    if isinstance(problem, L2Problem):
        return apply_l2(problem, theorems)
    if isinstance(problem, SinkhornProblem):
        return apply_sinkhorn(problem)
    if isinstance(problem, HeadsProblem):
        return apply_heads(problem, one_head)
    return tuple(one_head(problem))


def gaussian(subject: Subject) -> Answer:
    """Whether Gaussians stay Gaussian."""
    if subject.variant != "softmax":
        return preservation(model_of(subject))[0]
    if is_stack(subject):
        return preserved_by(LAYERS)
    return preserved_by(GAUSSIAN[isinstance(subject, Parameters), subject.has_bias])


def one_head(problem: CovarianceProblem) -> Iterable[Application]:
    """All theorems for one head, applied to its parameters."""
    for apply in appliers():
        yield from apply(problem)


def appliers() -> Iterable[Any]:
    """The functions that apply a theorem to a problem, one a file of ``proofs/verdicts``."""
    for module in pkgutil.iter_modules(verdicts.__path__):
        apply = getattr(import_module(f"proofs.verdicts.{module.name}"), "apply", None)
        if apply is not None:
            yield apply


def best(applications: Iterable[Application], section: str, order: tuple[str, ...]) -> Answer:
    """The most informative finding of a section, established by the kernel.

    Raises:
        AssertionError: two findings contradict each other.
    """
    found = [
        (order.index(finding.verdict), application.id, finding)
        for application in applications
        for finding in application.findings
        if finding.section == section
    ]
    if not found:
        return UNKNOWN
    decided = {finding.verdict for _, _, finding in found} - {"unknown"}
    assert not {"blow-up", "global"} <= decided, "the theorems contradict each other"
    _, name, finding = min(found, key=lambda item: (item[0], *_rank(item[2]), item[1]))
    return established(name, finding)


def limit_of(applications: Iterable[Application], existence: Answer) -> Answer:
    """A solution that ends in finite time is unbounded, by definition of its maximality."""
    if existence.verdict == "blow-up":
        return replace(existence, verdict="unbounded")
    return best(applications, "limit", LIMIT_ORDER)


def _rank(finding: Finding) -> tuple[Fraction, Fraction]:
    """How far apart the bounds of the time are, exact times first, then the longest existence."""
    if finding.time is None:
        return Fraction(0), Fraction(0)
    low, high = finding.time
    return (Fraction(0), -low) if high is None else (high - low, Fraction(0))
