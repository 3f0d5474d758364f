"""What the covariance of softmax attention seems to do in the long run: numerical evidence.

Sigma' = V Sigma A Sigma + Sigma A^T Sigma V^T (arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré) is
homogeneous, so that with Sigma = tau G G^T, |G| = 1 (Frobenius) and dt = ds / tau, and
B = V G G^T A,

    dG/ds = B G - tr(B G G^T) G,    d(log tau)/ds = 2 tr(B G G^T),    dt/ds = 1 / tau,

where everything but t stays bounded or grows linearly in s, blow-up or not, and Sigma stays
positive semidefinite of constant rank.

Manifolds on which the solution is known exactly are often unstable across, and there a long
integration drifts away and shows the fate of a neighbour. Hence three integrations, one with a
larger tolerance and one with a start that is slightly perturbed: where they part, the verdict is
``unknown``.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

Verdict = Literal["blow-up", "bounded", "converges", "unknown"]
Array = NDArray[np.float64]

HORIZONS = (800.0, 3200.0)
"""Lengths of the integration in s, in units of 1 / (|V| |A|): the next if one is not enough."""

GROWTH = 40.0
"""Change of log tau at which the integration stops."""

MIN_GROWTH = 5.0
"""Change of log tau without which nothing is called a blow-up."""

FINE, COARSE = 1e-11, 1e-8
"""Relative tolerances of the integrations that are compared."""

PERTURBATION = 1e-8
"""Relative size of the perturbation of the start."""

MAX_SEPARATION = 1e-4
"""Largest distance between two integrations that still tell the same story."""

SETTLED = 5e-3
"""Largest change of Sigma, relative to its maximum, over the last doubling of time."""

STILL = 1e-10
"""Change of Sigma, relative to its maximum, that is put down to rounding."""


@dataclass(frozen=True)
class Trend:
    """What the integration suggests; never a proof.

    Attributes:
        verdict: ``blow-up``, ``converges``, ``bounded`` (and not seen to converge), or
            ``unknown``.
        digits: decimal digits to which two tolerances agree: on the blow-up time, otherwise on
            the covariance relative to its maximum; None when unknown.
        time: the blow-up time, None for other verdicts.
    """

    verdict: Verdict
    digits: int | None
    time: float | None


@dataclass(frozen=True)
class _Run:
    """One integration on the common grid of s: as many points as were reached."""

    factor: Array  # points x d x d
    log_size: Array  # points, log of tau relative to its start
    time: Array  # points, in units of 1 / (|V| |A| tau(0))
    end: Literal["grown", "shrunk", "horizon"]
    blow_up: float  # extrapolated blow-up time, infinite when there seems to be none
    uncertainty: float  # relative, of the extrapolation


def trend(V: ArrayLike, A: ArrayLike, Sigma0: ArrayLike) -> Trend:
    """Integrate from ``Sigma0`` and say what the covariance seems to do.

    ``V``, ``A`` and ``Sigma0`` are d x d, ``Sigma0`` symmetric positive semidefinite; times are
    in the unit of the equation. Raises :class:`ValueError` for shapes that do not match and
    entries that are not finite.
    """
    value, attention, start = (np.asarray(m, dtype=np.float64) for m in (V, A, Sigma0))
    d = len(start)
    for matrix in (value, attention, start):
        if matrix.shape != (d, d):
            raise ValueError(f"shape {matrix.shape}, expected {(d, d)}")
        if not np.isfinite(matrix).all():
            raise ValueError("not a finite number")
    sizes = np.linalg.norm(value, 2), np.linalg.norm(attention, 2), np.trace(start)
    if 0.0 in sizes:
        return Trend("converges", 15, None)
    value, attention, start = value / sizes[0], attention / sizes[1], start / sizes[2]
    unit = 1 / float(np.prod(sizes))

    factor = _factor(start)
    noise = np.random.default_rng(0).standard_normal((d, d))
    perturbed = factor + PERTURBATION * (noise / np.linalg.norm(noise)) @ factor
    result = _UNKNOWN
    for horizon in HORIZONS:
        fine = _run(value, attention, factor, FINE, horizon)
        coarse = _run(value, attention, factor, COARSE, horizon)
        neighbour = _run(value, attention, perturbed, FINE, horizon)
        if any(other.end != fine.end for other in (coarse, neighbour)):
            return _UNKNOWN
        if max(_separation(fine, coarse), _separation(fine, neighbour)) > MAX_SEPARATION:
            return _UNKNOWN
        result = _judge(fine, coarse, unit)
        if result.verdict in ("blow-up", "converges"):
            break
    return result


def _judge(fine: _Run, coarse: _Run, unit: float) -> Trend:
    """Turn two runs that tell the same story into a verdict; ``unit`` is their unit of time."""
    if np.isfinite(fine.blow_up):
        error = max(abs(fine.blow_up / coarse.blow_up - 1), fine.uncertainty)
        time = fine.blow_up * unit
        if error < MAX_SEPARATION and 0 < time < np.inf:
            return Trend("blow-up", _digits(error), time)
        return _UNKNOWN
    verdict = _long_run(fine)
    if verdict == "unknown":
        return _UNKNOWN
    return Trend(verdict, _digits(_separation(fine, coarse)), None)


_UNKNOWN = Trend("unknown", None, None)
# Points of s as fractions of the horizon, 48 for each doubling.
_GRID = np.concatenate([[0.0], 0.5 ** np.linspace(16, 0, 769)])


def _factor(covariance: Array) -> Array:
    """Return G, d x d, with G G^T the covariance (of trace one), rounding below zero cut off."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    floor = len(values) * np.finfo(np.float64).eps * values[-1]
    # Rounding must not give a singular covariance full rank.
    factor: Array = vectors * np.sqrt(np.where(values > floor, values, 0.0))
    return factor / np.linalg.norm(factor)


def _run(V: Array, A: Array, factor: Array, tolerance: float, horizon: float) -> _Run:
    """Integrate (G, log tau, t) up to s = ``horizon``, in units where |V| = |A| = tau(0) = 1."""
    d = len(V)

    def derivative(_: float, state: Array) -> Array:
        G = state[:-2].reshape(d, d)
        BG = V @ (G @ (G.T @ (A @ G)))
        # The unit sphere repels rounding errors radially unless |G| is divided out.
        rate = np.vdot(BG, G) / np.vdot(G, G)
        return np.concatenate([(BG - rate * G).ravel(), [2 * rate, np.exp(-state[-2])]])

    def grown(_: float, state: Array) -> float:
        return float(state[-2]) - GROWTH

    def shrunk(_: float, state: Array) -> float:
        return float(state[-2]) + GROWTH

    for event in (grown, shrunk):
        event.terminal = True  # type: ignore[attr-defined]
    solution = solve_ivp(
        derivative,
        (0.0, horizon),
        np.concatenate([factor.ravel(), [0.0, 0.0]]),
        method="DOP853",
        t_eval=horizon * _GRID,
        events=(grown, shrunk),
        rtol=tolerance,
        atol=tolerance * 1e-2,
    )
    states = solution.y.T
    run = _Run(
        factor=states[:, :-2].reshape(-1, d, d),
        log_size=states[:, -2],
        time=states[:, -1],
        end="horizon",
        blow_up=np.inf,
        uncertainty=0.0,
    )
    grown_at, shrunk_at = map(np.array, solution.y_events or ([], []))
    if shrunk_at.size:
        return replace(run, end="shrunk")
    if not grown_at.size:
        time, uncertainty = _limit_of_time(run)
        return replace(run, blow_up=time, uncertainty=uncertainty)
    last = grown_at[0]
    rate = float(derivative(0.0, last)[-2])
    # From there on tau grows like exp(rate s).
    blow_up = float(last[-1] + np.exp(-last[-2]) / rate) if rate > 0 else np.inf
    return replace(run, end="grown", blow_up=blow_up)


def _limit_of_time(run: _Run) -> tuple[float, float]:
    """Return the limit of t for s to infinity and its relative uncertainty, if t has a limit.

    When Sigma / tr Sigma tends to a stationary point, tau grows like a power of s only, but a
    blow-up still shows in increments of t that shrink geometrically each time that s doubles.
    (They keep their size when tau grows exponentially in t, and grow when it is bounded.)
    """
    nodes = np.interp(0.5 ** np.arange(3, -1, -1), _GRID, run.time)
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


def _separation(one: _Run, other: _Run) -> float:
    """Return the largest distance of two integrations on the part of s that both reached.

    Shapes are compared as they are; sizes by their logarithms, relative to those.
    """
    points = min(len(one.time), len(other.time))
    shapes = np.abs(_shapes(one)[:points] - _shapes(other)[:points]).max()
    sizes = np.abs(one.log_size[:points] - other.log_size[:points])
    return float(max(shapes, (sizes / (1 + np.abs(one.log_size[:points]))).max()))


def _shapes(run: _Run) -> Array:
    """Return Sigma / tr Sigma on the grid, points x d x d."""
    shapes: Array = run.factor @ run.factor.transpose(0, 2, 1)
    shapes /= np.trace(shapes, axis1=1, axis2=2)[:, None, None]
    return shapes


def _long_run(run: _Run) -> Verdict:
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
