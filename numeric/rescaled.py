"""The covariance equation of softmax attention in variables that stay bounded, blow-up or not.

Sigma' = B Sigma + Sigma B^T with B = B(Sigma) linear in Sigma, see :mod:`numeric.heads`, is
homogeneous, so that with Sigma = tau G G^T, |G| = 1 (Frobenius), B = B(G G^T) and dt = ds / tau,

    dG/ds = B G - tr(B G G^T) G,    d(log tau)/ds = 2 tr(B G G^T),    dt/ds = 1 / tau,

where everything but t stays bounded or grows linearly in s, and Sigma stays positive semidefinite
of constant rank. Here tau(0) = 1, and B is divided by its speed, see
:class:`numeric.heads.LinearPart`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.integrate import solve_ivp

from numeric.heads import Array, LinearPart

End = Literal["grown", "shrunk", "until", "horizon", "failed"]

OVERHEAD = 10**6
"""Operations that stand for the fixed cost of one evaluation of the right-hand side."""

DOUBLINGS, POINTS = 16, 48
"""The grid of s: doublings of s up to the horizon, and points for each of them."""

GRID_ENTRIES = 2**23
"""Entries of G on the grid, which has fewer points and doublings when d is large: 64 MB."""

CYCLES = 2**24
"""Bytes of a solution after which its solver is removed from memory at once."""


@dataclass(frozen=True, eq=False)
class State:
    """The covariance exp(log_trace) G G^T by a ``factor`` G, d x n, of Frobenius norm one.

    A zero covariance has a zero factor, and minus infinity for ``log_trace``.
    """

    factor: Array
    log_trace: float

    @classmethod
    def of(cls, covariance: Array) -> State:
        """Return the state of a d x d symmetric positive semidefinite matrix."""
        size = np.abs(covariance).max()
        if size == 0:
            return cls(covariance, -np.inf)
        scaled = covariance / size
        values, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
        floor = len(values) * np.finfo(np.float64).eps * values[-1]
        # Rounding must not give a singular covariance full rank.
        factor = vectors * np.sqrt(np.where(values > floor, values, 0.0))
        return cls.from_factor(factor, float(np.log(size)))

    @classmethod
    def from_factor(cls, factor: Array, log_scale: float) -> State:
        """Return the state exp(log_scale) G G^T for a ``factor`` G of any norm."""
        norm = np.linalg.norm(factor)
        if norm == 0:
            return cls(factor, -np.inf)
        return cls(factor / norm, log_scale + 2 * float(np.log(norm)))


class ExhaustedError(Exception):
    """The operations of a :class:`Budget` are spent."""


@dataclass
class Budget:
    """Operations that are left for some integrations together."""

    operations: int

    def spend(self, operations: int) -> None:
        """Take the cost of one evaluation, or raise :class:`ExhaustedError`."""
        self.operations -= operations + OVERHEAD
        if self.operations < 0:
            raise ExhaustedError


@dataclass(frozen=True, eq=False)
class Run:
    """One integration on the common grid of s: as many points as were reached.

    Attributes:
        s: the points.
        factor: G on the grid, points x d x n.
        log_size: log of tau on the grid.
        time: t on the grid.
        end: why the integration stopped: log tau changed by ``growth``, t came to ``until``, s to
            the horizon, or steps became too small.
        last: the state where it stopped.
        last_time: t there.
        last_rate: d(log tau)/ds there.
    """

    s: Array
    factor: Array
    log_size: Array
    time: Array
    end: End
    last: State
    last_time: float
    last_rate: float


def grid(dimension: int) -> Array:
    """Return points of s as fractions of the horizon: 0, then as many for each doubling."""
    points = GRID_ENTRIES // dimension**2
    doublings = min(max(points // 3, 4), DOUBLINGS)
    each = min(max(points // doublings, 3), POINTS)
    return np.concatenate([[0.0], 0.5 ** np.linspace(doublings, 0, doublings * each + 1)])


def integrate(
    linear: LinearPart,
    factor: Array,
    *,
    tolerance: float,
    horizon: float,
    growth: float,
    until: float,
    budget: Budget,
) -> Run:
    """Integrate (G, log tau, t) from (``factor``, 0, 0) up to s = ``horizon``.

    It ends before when log tau has changed by ``growth`` or when t = ``until``, which may be
    infinite. Raises :class:`ExhaustedError` when ``budget`` does not suffice.
    """
    shape = factor.shape
    operations = linear.operations(shape[1])

    def derivative(_: float, state: Array) -> Array:
        budget.spend(operations)
        G = state[:-2].reshape(shape)
        BG = linear(G)
        # The unit sphere repels rounding errors radially unless |G| is divided out.
        rate = np.vdot(BG, G) / np.vdot(G, G)
        result = np.empty_like(state)
        np.subtract(BG, rate * G, out=result[:-2].reshape(shape))
        result[-2:] = 2 * rate, np.exp(-state[-2])
        return result

    def grown(_: float, state: Array) -> float:
        return float(state[-2]) - growth

    def shrunk(_: float, state: Array) -> float:
        return float(state[-2]) + growth

    def arrived(_: float, state: Array) -> float:
        return float(state[-1]) - until

    events: list[tuple[End, Callable[[float, Array], float]]]
    events = [("grown", grown), ("shrunk", shrunk)]
    if np.isfinite(until):
        events.append(("until", arrived))
    for _, event in events:
        event.terminal = True  # type: ignore[attr-defined]
    solution = solve_ivp(
        derivative,
        (0.0, horizon),
        np.concatenate([factor.ravel(), [0.0, 0.0]]),
        method="DOP853",
        t_eval=horizon * grid(shape[0]),
        events=[event for _, event in events],
        rtol=tolerance,
        atol=tolerance * 1e-2,
    )
    states = solution.y.T
    if states.nbytes > CYCLES:
        gc.collect()  # the solver refers to itself, and would keep its arrays for long
    end: End = "failed" if solution.status < 0 else "horizon"
    last = states[-1]
    for (name, _), found in zip(events, solution.y_events, strict=True):
        if len(found):
            end, last = name, found[0]
    G = last[:-2].reshape(shape)
    return Run(
        s=solution.t,
        factor=states[:, :-2].reshape(-1, *shape),
        log_size=states[:, -2],
        time=states[:, -1],
        end=end,
        last=State.from_factor(G, float(last[-2])),
        last_time=float(last[-1]),
        last_rate=float(2 * np.vdot(linear(G), G) / np.vdot(G, G)),
    )
