"""What one integration, or several that are compared, say about the fate of the covariance.

Runs are those of :mod:`numeric.rescaled`, in whose variables and units everything here is.
"""

from typing import Literal

import numpy as np

from numeric.heads import Array
from numeric.rescaled import Run

MIN_GROWTH = 5.0
"""Change of log tau without which nothing is called a blow-up."""

MAX_SEPARATION = 1e-4
"""Largest distance between two integrations that still tell the same story."""

SETTLED = 5e-3
"""Largest change of Sigma, relative to its maximum, over the last doubling of time."""

FEW = 8
"""Largest d for which lengths in s and ways travelled are as they are; beyond, they grow like d."""

STILL = 1e-10
"""Change of Sigma, relative to its maximum, that is put down to rounding."""


def agree(one: Run, other: Run) -> bool:
    """Whether two integrations tell the same story; for two blow-ups the time is all that counts.

    Shapes of a blow-up may part: the fastest of equal growths wins.
    """
    if one.end != other.end or one.end == "failed":
        return False
    if one.end == "grown":
        return abs(blow_up(one)[0] / blow_up(other)[0] - 1) < MAX_SEPARATION
    return separation(one, other) < MAX_SEPARATION


def blow_up(run: Run) -> tuple[float, float]:
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


def separation(one: Run, other: Run) -> float:
    """Return the largest distance of two integrations on the part of s that both reached.

    Shapes are compared as they are; sizes by their logarithms, relative to those. When both came
    to the same time, only the ends count.
    """
    if one.end == other.end == "until":
        sizes = np.array([one.last.log_trace]), np.array([other.last.log_trace])
        shapes = _shapes(one.last.factor[None]), _shapes(other.last.factor[None])
    else:
        points = min(len(one.time), len(other.time))
        sizes = one.log_size[:points], other.log_size[:points]
        shapes = _shapes(one.factor[:points]), _shapes(other.factor[:points])
    apart = np.abs(sizes[0] - sizes[1]) / (1 + np.abs(sizes[0]))
    return float(max(np.abs(shapes[0] - shapes[1]).max(), apart.max()))


def _shapes(factors: Array) -> Array:
    """Return Sigma / tr Sigma for each factor G, points x d x d."""
    shapes: Array = factors @ factors.transpose(0, 2, 1)
    shapes /= np.trace(shapes, axis1=1, axis2=2)[:, None, None]
    return shapes


def long_run(run: Run) -> Literal["bounded", "converges", "unknown"]:
    """Judge a run without blow-up.

    Standing still proves nothing when the equation is slow: convergence must show in changes
    that shrink from one doubling of time to the next, boundedness in a long way travelled or a
    size that keeps falling.
    """
    if run.end == "shrunk":
        return "converges"
    sizes = np.exp(run.log_size)
    flat = _shapes(run.factor).reshape(len(sizes), -1) * (sizes / sizes.max())[:, None]
    nodes = run.time[-1] * 0.5 ** np.linspace(2, 0, 9)
    at_nodes = np.stack([np.interp(nodes, run.time, entry) for entry in flat.T], axis=1)
    before = np.abs(at_nodes[:4] - at_nodes[4]).max()
    change = np.abs(at_nodes[4:] - at_nodes[-1]).max()
    if change < STILL or (change < SETTLED and change < 0.75 * before):
        return "converges"
    late = run.time > nodes[0]
    travelled = np.abs(np.diff(flat[late], axis=0)).sum() / max(1, run.factor.shape[1] / FEW)
    wanders = travelled > 1 and sizes[late].max() < 1.01 * sizes[~late].max()
    falls = (np.diff(sizes[late]) < 0).all() and sizes[late].max() < 0.9 * sizes.max()
    return "bounded" if wanders or falls else "unknown"


def digits_of(error: float) -> int:
    """Return how many decimal digits a relative error leaves, at most 15."""
    return 15 if error <= 1e-15 else int(np.floor(-np.log10(error)))
