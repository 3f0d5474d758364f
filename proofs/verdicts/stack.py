"""Layers one after another: how far the covariance is proved to get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from proofs import language as la
from proofs.builder import Summand
from proofs.claims.covariance_existence_time import START
from proofs.claims.covariance_multihead_rank import CLAIM as RANK_OF_HEADS
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.terms import Term, substitute
from proofs.verdicts.base import Finding
from proofs.verdicts.factored.bounds import rounded_to
from proofs.verdicts.factored.existence import Growth, Start, lasts_until
from proofs.verdicts.factored.problem import FactoredProblem
from proofs.verdicts.restated import restated
from proofs.verdicts.stack_problem import StackProblem
from proofs.verdicts.workspace import Workspace


def lasting(problem: StackProblem, growths: Sequence[Growth], start: Start) -> Finding:
    """The solution passes the first layers and exists for some time in the next, or to the end.

    Each layer bounds Sigma at its end by m / (1 - rate m time), from where the next one starts.

    Raises:
        KernelError: a step is rejected.
    """
    first = problem.first
    lemmas = {name: lemma for growth in growths for name, lemma in growth.lemmas().items()}
    ranks = {claim.id: claim.lemma() for claim in (RANK, RANK_OF_HEADS)}
    work = Workspace(first, lemmas | ranks | start.lemmas())
    p = work.p
    below, positive = assumed = start.steps(work)
    bound, elapsed = start.bound, Fraction(0)
    passed: list[int] = []
    remaining: Fraction | None = None
    for number, (growth, time) in enumerate(zip(growths, problem.times, strict=True)):
        step, rate = growth.lasts(work, bound, below, positive)
        value = growth.rate * bound
        rate = la.mul(rate, la.number(bound))
        if time is None or time * value >= 1:
            remaining = rounded_to(1 / value, ROUND_FLOOR)
            passed.append(lasts_until(work, p.part(step, 0), rate, value, remaining))
            break
        layer = problem.layers[number]
        early = _within(work, rate, value, time)
        inside = p.fact("within-longer", early, p.part(step, 0))
        passed.append(inside)
        elapsed += time
        if number + 1 < len(growths):
            following = problem.layers[number + 1].terms
            exact = bound / (1 - value * time)
            bound = rounded_to(exact, ROUND_CEILING)
            claim = substitute(START, {**following, "m": la.number(bound)})
            one = la.identity(following["d"])
            at_end = p.at(p.part(step, 1), la.number(time), early)
            below = p.positive(
                claim.args[0], Summand(one, core=at_end), Summand(one, coefficient=bound - exact)
            )
            positive = _positive_at(work, layer, positive, time, inside)
    last = passed[0] if len(passed) == 1 else p.conjunction(*passed)
    if start.factor is None:
        last = p.discharge(p[assumed[0]], last)
    return Finding(
        "existence",
        "global" if remaining is None else "unknown",
        problem.statement(p[last]),
        p.proof(last),
        time=None if remaining is None else (elapsed + remaining, None),
        up_to=start.bound if start.factor is None else None,
    )


def _within(work: Workspace, rate: Term, value: Fraction, time: Fraction) -> int:
    """time in [0, 1/rate), where rate has a value below 1/time."""
    p = work.p
    gap = la.minus(la.inv(rate), la.number(time))
    number = la.number(1 / value - time)
    later = p.replace(p.algebra(number, gap), p.definite(number, strict=True), la.pd)
    nonnegative = work.prove(la.psd(la.number(time)))
    return p.fact("time-within", nonnegative, later, t=la.number(time), r=la.inv(rate))


def _positive_at(
    work: Workspace, layer: FactoredProblem, positive: int, time: Fraction, inside: int
) -> int:
    """Sigma(time) >= 0, from steps that prove it at the start and that the time is reached."""
    p = work.p
    claim = RANK if len(layer.heads) == 1 else RANK_OF_HEADS
    stays = p.lemma(claim.id, positive, work.assume(layer.solution), **layer.terms)
    return p.part(p.at(stays, la.number(time), inside), 0)


def in_first_layer(problem: StackProblem, finding: Finding) -> Finding | None:
    """What is proved about the first layer alone, where that is the fate of the stack.

    That is a blow-up before the first layer ends, or a global solution when there is no other.
    None when it is neither.
    """
    first, time = problem.first, problem.times[0]
    if finding.verdict == "blow-up":
        latest = None if finding.time is None else finding.time[1]
        if time is not None and (latest is None or latest >= time):
            return None
    elif finding.verdict != "global" or len(problem.layers) > 1:
        return None
    same = restated(finding, first)
    return replace(same, statement=problem.statement(same.statement.conclusion))
