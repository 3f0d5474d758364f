"""What the covariance of softmax attention seems to do in the long run: numerical evidence.

The equation Sigma' = B Sigma + Sigma B^T, B = sum_h V_h Sigma A_h (arXiv:2501.18322, Castin,
Ablin, Carrillo, Peyré) is integrated in the variables of :mod:`numeric.rescaled`.

Manifolds on which the solution is known exactly are often unstable across, and there a long
integration drifts away and shows the fate of a neighbour. Hence three integrations, one with a
larger tolerance and one with a start that is slightly perturbed: where they part, the verdict is
``unknown``, unless all three blow up at the same time. It is ``unknown`` too when they take too
long, see :data:`numeric.rescaled.OPERATIONS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from numeric.heads import Array, FloatHead, LinearPart
from numeric.rescaled import Budget, ExhaustedError, Run, State, integrate

Verdict = Literal["blow-up", "bounded", "converges", "reached", "unknown"]

HORIZONS = (800.0, 3200.0)
"""Lengths of the integration in s, in units of 1 / sum |V_h| |A_h| and for d up to
:data:`FEW`, beyond which they grow like d: the next if one is not enough."""

FEW = 8
"""Largest d for which :data:`HORIZONS` stand: more directions share a trace of one."""

MIN_GROWTH = 5.0
"""Change of log tau without which nothing is called a blow-up."""

MAX_SEPARATION = 1e-4
"""Largest distance between two integrations that still tell the same story."""

SETTLED = 5e-3
"""Largest change of Sigma, relative to its maximum, over the last doubling of time."""

STILL = 1e-10
"""Change of Sigma, relative to its maximum, that is put down to rounding."""


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
QUICK = Effort(fine=1e-7, coarse=1e-6, near=1e-6, perturbation=1e-6, growth=12.0)

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
    """
    value, attention = (np.asarray(m, dtype=np.float64) for m in (V, A))
    return trend_of_heads([FloatHead(V=value, Q=attention)], Sigma0)


def trend_of_heads(heads: Sequence[FloatHead], Sigma0: ArrayLike) -> Trend:
    """Integrate heads that act together for ever from ``Sigma0``, as :func:`trend` does."""
    return follow(heads, checked_start(heads, Sigma0), np.inf).trend


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


def follow(heads: Sequence[FloatHead], start: State, time: float) -> Passage:
    """Follow the flow of heads that act together from ``start`` for ``time`` > 0, or for ever."""
    moving = [(head, norms) for head in heads if all(norms := head.norms())]
    if not moving or start.log_trace == -np.inf:
        return Passage(_STILL, start)
    logs = np.array([np.log(norms).sum() for _, norms in moving])
    largest = logs.max()
    weights = np.exp(logs - largest)
    scaled = [
        head.scaled(weight / weights.sum() / value, 1 / attention)
        for (head, (value, attention)), weight in zip(moving, weights, strict=True)
    ]
    with np.errstate(over="ignore", under="ignore"):
        unit = float(np.exp(-largest - np.log(weights.sum()) - start.log_trace))
        until = float(np.float64(time) / unit)
    try:
        passage = _follow(LinearPart(scaled), start.factor, until)
    except ExhaustedError:
        return Passage(_UNKNOWN, None)
    return _in_units(passage, unit, start.log_trace)


def _follow(linear: LinearPart, factor: Array, until: float) -> Passage:
    """Follow heads with sum |V_h| |A_h| = 1 from tau(0) = 1 to t = ``until``."""
    budget = Budget()
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
        fine, coarse = (run(factor, tolerance=t) for t in (effort.fine, effort.coarse))
        near = run(perturbed, tolerance=effort.near)
        if not (_agree(fine, coarse) and _agree(fine, near)):
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


def _agree(one: Run, other: Run) -> bool:
    """Whether two integrations tell the same story; of a blow-up, only when it is."""
    if one.end != other.end or one.end == "failed":
        return False
    if one.end == "grown":
        return abs(_blow_up(one)[0] / _blow_up(other)[0] - 1) < MAX_SEPARATION
    return _separation(one, other) < MAX_SEPARATION


def _judge(fine: Run, coarse: Run, until: float) -> Passage:
    """Turn two runs that agree into a verdict."""
    if fine.end == "until":
        return Passage(Trend("reached", _digits(_separation(fine, coarse)), None), fine.last)
    (time, uncertainty), (other, _) = _blow_up(fine), _blow_up(coarse)
    if np.isfinite(time):
        error = max(abs(time / other - 1), uncertainty)
        blows_up = error < MAX_SEPARATION and time < until
        return Passage(Trend("blow-up", _digits(error), time) if blows_up else _UNKNOWN, None)
    verdict = _long_run(fine)
    if verdict == "unknown" or np.isfinite(until):
        return Passage(_UNKNOWN, None)
    trend = Trend(verdict, _digits(_separation(fine, coarse)), None)
    return Passage(trend, fine.last if verdict == "converges" else None)


_UNKNOWN = Trend("unknown", None, None)
_STILL = Trend("converges", 15, None)


def _blow_up(run: Run) -> tuple[float, float]:
    """Return the extrapolated blow-up time, infinite if there seems to be none, and its error.

    The error is relative. Where tau has grown it goes on like exp(rate s).
    """
    if run.end == "horizon":
        return _limit_of_time(run)
    if run.end != "grown" or run.last_rate <= 0:
        return np.inf, 0.0
    left = float(np.exp(-run.last.log_trace)) / run.last_rate
    return run.last_time + left, left / (run.last_time + left)


def _limit_of_time(run: Run) -> tuple[float, float]:
    """Return the limit of t for s to infinity and its relative uncertainty, if t has a limit.

    When Sigma / tr Sigma tends to a stationary point, tau grows like a power of s only, but a
    blow-up still shows in increments of t that shrink geometrically each time that s doubles.
    (They keep their size when tau grows exponentially in t, and grow when it is bounded.)
    """
    nodes = np.interp(run.s[-1] * 0.5 ** np.arange(3, -1, -1), run.s, run.time)
    increments = np.diff(nodes)
    ratios = increments[1:] / increments[:-1]
    if run.log_size[-1] < MIN_GROWTH or not (ratios < 0.7).all():
        return np.inf, 0.0
    corrections = increments[1:] * ratios / (1 - ratios)
    limits = nodes[2:] + corrections
    # Two estimates, each too large where the other is good: early nodes may be far from the
    # limit, and slow convergence leaves much to extrapolate.
    error = min(abs(limits[-1] - limits[-2]), corrections[-1])
    return float(limits[-1]), float(error / limits[-1])


def _separation(one: Run, other: Run) -> float:
    """Return the largest distance of two integrations on the part of s that both reached.

    Shapes are compared as they are; sizes by their logarithms, relative to those.
    """
    points = min(len(one.time), len(other.time))
    shapes = np.abs(_shapes(one)[:points] - _shapes(other)[:points]).max()
    sizes = np.abs(one.log_size[:points] - other.log_size[:points])
    return float(max(shapes, (sizes / (1 + np.abs(one.log_size[:points]))).max()))


def _shapes(run: Run) -> Array:
    """Return Sigma / tr Sigma on the grid, points x d x d."""
    shapes: Array = run.factor @ run.factor.transpose(0, 2, 1)
    shapes /= np.trace(shapes, axis1=1, axis2=2)[:, None, None]
    return shapes


def _long_run(run: Run) -> Verdict:
    """Judge a run without blow-up.

    Standing still proves nothing when the equation is slow: convergence must show in changes
    that shrink from one doubling of time to the next, boundedness in a long way travelled or a
    size that keeps falling.
    """
    if run.end == "shrunk":
        return "converges"
    shapes, sizes = _shapes(run), np.exp(run.log_size)
    flat = (shapes * sizes[:, None, None]).reshape(len(sizes), -1) / sizes.max()
    nodes = run.time[-1] * 0.5 ** np.linspace(2, 0, 9)
    at_nodes = np.stack([np.interp(nodes, run.time, entry) for entry in flat.T], axis=1)
    before = np.abs(at_nodes[:4] - at_nodes[4]).max()
    change = np.abs(at_nodes[4:] - at_nodes[-1]).max()
    if change < STILL or (change < SETTLED and change < 0.75 * before):
        return "converges"
    late = run.time > nodes[0]
    travelled = np.abs(np.diff(flat[late], axis=0)).sum()
    wanders = travelled > 1 and sizes[late].max() < 1.01 * sizes[~late].max()
    falls = (np.diff(sizes[late]) < 0).all() and sizes[late].max() < 0.9 * sizes.max()
    return "bounded" if wanders or falls else "unknown"


def _digits(error: float) -> int:
    return 15 if error <= 1e-15 else int(np.floor(-np.log10(error)))
