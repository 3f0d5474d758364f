"""What the covariance of softmax attention seems to do in the long run: numerical evidence.

The equation Sigma' = B Sigma + Sigma B^T, B = sum_h V_h Sigma A_h (arXiv:2501.18322, Castin,
Ablin, Carrillo, Peyré) is integrated in the variables of :mod:`numeric.rescaled`.

Manifolds on which the solution is known exactly are often unstable across, and there a long
integration drifts away and shows the fate of a neighbour. Hence three integrations, one with a
larger tolerance and one with a start that is slightly perturbed: where they part, the verdict is
``unknown``, unless all three blow up at the same time. It is ``unknown`` too when they take too
long, see :data:`OPERATIONS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from numeric.compression import compressed
from numeric.fates import FEW, MAX_SEPARATION, agree, blow_up, digits_of, long_run, separation
from numeric.heads import Array, FloatHead, LinearPart
from numeric.rescaled import Budget, ExhaustedError, Run, State, integrate

Verdict = Literal["blow-up", "bounded", "converges", "reached", "unknown"]

HORIZONS = (800.0, 3200.0)
"""Lengths of the integration in s, in units of 1 / speed: the next if one is not enough.

They are longer for d beyond :data:`numeric.fates.FEW`: more directions share a trace of one.
"""

OPERATIONS = 10**12
"""Floating point operations after which the verdict is ``unknown``: some 20 s on one core."""


@dataclass(frozen=True)
class Effort:
    """How closely the integrations look.

    Attributes:
        fine, coarse: relative tolerances of the integrations that are compared.
        near: tolerance of the one with a perturbed start.
        perturbation: relative size of the perturbation.
        growth: change of log tau at which the integrations stop.
    """

    fine: float
    coarse: float
    near: float
    perturbation: float
    growth: float


THOROUGH = Effort(fine=1e-11, coarse=1e-8, near=1e-11, perturbation=1e-8, growth=40.0)
QUICK = Effort(fine=1e-6, coarse=1e-5, near=1e-5, perturbation=1e-6, growth=8.0)

LARGE = 2 * 10**7
"""Operations of one evaluation of the right-hand side that make :data:`QUICK` the effort."""


@dataclass(frozen=True)
class Trend:
    """What the integration suggests; never a proof.

    Attributes:
        verdict: ``blow-up``, ``converges``, ``bounded`` (and not seen to converge), or
            ``unknown``; ``reached`` is the end of a finite time, for :func:`follow` only.
        digits: decimal digits to which two tolerances agree: on the blow-up time, otherwise on
            the covariance relative to its maximum; None when unknown.
        time: the blow-up time, None for other verdicts.
    """

    verdict: Verdict
    digits: int | None
    time: float | None


@dataclass(frozen=True, eq=False)
class Passage:
    """The flow of one layer for its time, as far as it seems to get.

    Attributes:
        trend: what happens within the time.
        end: the state at the end of the time; for an infinite time the last one that was
            computed, of a covariance that converges. None otherwise.
    """

    trend: Trend
    end: State | None


def trend(V: ArrayLike, A: ArrayLike, Sigma0: ArrayLike) -> Trend:
    """Integrate one head from ``Sigma0`` and say what the covariance seems to do.

    ``V``, ``A`` and ``Sigma0`` are d x d, ``Sigma0`` symmetric positive semidefinite; times are
    in the unit of the equation. Raises :class:`ValueError` for shapes that do not match and
    entries that are not finite.

    >>> seen = trend([[1]], [[1]], [[1]])  # Sigma(t) = 1 / (1 - 2 t)
    >>> seen.verdict, round(seen.time, 8)
    ('blow-up', 0.5)
    """
    value, attention = (np.asarray(m, dtype=np.float64) for m in (V, A))
    return trend_of_heads([FloatHead(V=value, Q=attention)], Sigma0)


def trend_of_heads(
    heads: Sequence[FloatHead], Sigma0: ArrayLike, *, operations: int = OPERATIONS
) -> Trend:
    """Integrate heads that act together for ever from ``Sigma0``, as :func:`trend` does.

    After so many ``operations`` the verdict is ``unknown``.
    """
    checked_start(heads, Sigma0)
    moving, start = compressed(heads, np.asarray(Sigma0, dtype=np.float64))
    return follow(moving, checked_start(moving, start), np.inf, operations).trend


def checked_start(heads: Sequence[FloatHead], Sigma0: ArrayLike) -> State:
    """Return the state of ``Sigma0``, d x d.

    Raises :class:`ValueError` when it is not a finite square matrix, or not for these heads.
    """
    covariance = np.asarray(Sigma0, dtype=np.float64)
    d = len(covariance)
    if covariance.shape != (d, d):
        raise ValueError(f"shape {covariance.shape}, expected {(d, d)}")
    if not np.isfinite(covariance).all():
        raise ValueError("not a finite number")
    for head in heads:
        head.check(d)
    return State.of(covariance)


def follow(
    heads: Sequence[FloatHead], start: State, time: float, operations: int = OPERATIONS
) -> Passage:
    """Follow the flow of heads that act together from ``start`` for ``time`` > 0, or for ever.

    For a finite time the verdict is ``reached``, ``blow-up`` or ``unknown``, the latter also where
    the covariance grows by more than the integrations follow (:class:`Effort`).
    """
    linear = LinearPart(heads)
    if -np.inf in (linear.log_speed, start.log_trace):
        return Passage(_STILL, start)
    with np.errstate(over="ignore", under="ignore"):
        unit = float(np.exp(-linear.log_speed - start.log_trace))
        until = (
            np.inf if np.isinf(time) else float(time * np.exp(linear.log_speed + start.log_trace))
        )
    try:
        passage = _follow(linear, start.factor, until, Budget(operations))
    except ExhaustedError:
        return Passage(_UNKNOWN, None)
    return _in_units(passage, unit, start.log_trace)


def _follow(linear: LinearPart, factor: Array, until: float, budget: Budget) -> Passage:
    """Follow heads of speed one from tau(0) = 1 to t = ``until``.

    Raises :class:`numeric.rescaled.ExhaustedError` when that takes too long.
    """
    d, n = factor.shape
    effort = QUICK if linear.operations(n) > LARGE else THOROUGH
    noise = np.random.default_rng(0).standard_normal((d, d))
    perturbed = factor + effort.perturbation * (noise / np.linalg.norm(noise)) @ factor
    passage = Passage(_UNKNOWN, None)
    for horizon in HORIZONS:
        run = partial(
            integrate,
            linear,
            horizon=horizon * max(1, d / FEW),
            growth=effort.growth,
            until=until,
            budget=budget,
        )
        before = budget.operations
        coarse = run(factor, tolerance=effort.coarse)
        if budget.operations < 2 * (before - budget.operations):
            raise ExhaustedError  # as two more take twice as long, or longer
        near = run(perturbed, tolerance=effort.near)
        fine = run(factor, tolerance=effort.fine)
        if not (agree(fine, coarse) and agree(fine, near)):
            return Passage(_UNKNOWN, None)
        passage = _judge(fine, coarse, until)
        if passage.end is not None or passage.trend.verdict == "blow-up":
            break
    return passage


def _in_units(passage: Passage, unit: float, log_trace: float) -> Passage:
    """Return a passage of :func:`_follow` in the units of the equation."""
    trend, end = passage.trend, passage.end
    if trend.time is not None:
        time = trend.time * unit
        trend = replace(trend, time=time) if 0 < time < np.inf else _UNKNOWN
    if end is not None:
        end = replace(end, log_trace=end.log_trace + log_trace)
    return Passage(trend, end)


def _judge(fine: Run, coarse: Run, until: float) -> Passage:
    """Turn two runs that agree into a verdict."""
    if fine.end == "until":
        return Passage(Trend("reached", digits_of(separation(fine, coarse)), None), fine.last)
    (time, uncertainty), (other, _) = blow_up(fine), blow_up(coarse)
    if np.isfinite(time):
        error = max(abs(time / other - 1), uncertainty)
        blows_up = error < MAX_SEPARATION and time < until
        return Passage(Trend("blow-up", digits_of(error), time) if blows_up else _UNKNOWN, None)
    verdict = long_run(fine)
    if verdict == "unknown" or np.isfinite(until):
        return Passage(_UNKNOWN, None)
    trend = Trend(verdict, digits_of(separation(fine, coarse)), None)
    return Passage(trend, fine.last if verdict == "converges" else None)


_UNKNOWN = Trend("unknown", None, None)
_STILL = Trend("converges", 15, None)
