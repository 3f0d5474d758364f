"""Slopes L for growth where tr(P Z) > 0 only, in floating point: proposals, never proofs.

2 q_P(Z) - tr(P Z)^2 - tr(P Z) tr(L Z) is bilinear in P and L, so that they are improved in turns:
P for the best bound, L for the most growth that it leaves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from numeric.exact import Matrix, negative_direction
from numeric.lyapunov.faces import inequality, whole
from numeric.lyapunov.forms import Heads, as_rows, trace_with, unit_symmetric
from numeric.lyapunov.solving import Array, Clock, Programme, programme, settle, solve

SIZES = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
"""Multiples of each first guess."""

FOLLOWED = 2
"""Guesses that are improved, the best first."""

ROUNDS = 10

GAIN = 0.01
"""A relative improvement below ends the turns."""

BITS = 10
"""Bits of the entries of a rounded slope."""

LARGEST = 1000.0
"""Largest trace of a slope, for heads whose V_h A_h have size one."""

POSITIVE = 1e-6
"""A bound tr(P Z0) below is none, for a start of trace 1."""


def slopes(heads: Heads, start: Matrix, clock: Clock) -> Iterator[Matrix]:
    """Yield positive semidefinite L for which some P has tr(P start) > 0, it seems; best first."""
    d = len(start)
    system = inequality(heads, "growth", 2, whole(d, "growth"))
    Z0 = np.array([[float(x) for x in row] for row in start])
    if d == 1 or system is None or not np.trace(Z0) > 0:
        return
    turns = _Turns(programme(system), Z0 / np.trace(Z0), clock)
    hits = []
    for guess in _guesses(heads, turns.start):
        for size in SIZES:
            best = turns.best_metric(size * guess)
            if best is not None:
                hits.append((best[0], size * guess, best[1]))
    hits.sort(key=lambda hit: -hit[0])
    for value, L, w in hits[:FOLLOWED]:
        for _ in range(ROUNDS):
            slope = turns.best_slope(w)
            best = None if slope is None else turns.best_metric(slope)
            if slope is None or best is None or best[0] <= value * (1 + GAIN):
                break
            L, (value, w) = slope, best
        yield _rounded(L)


def _guesses(heads: Heads, start: Array) -> Iterator[Array]:
    """Positive semidefinite matrices of norm about one; each helped where no other did."""
    d = len(start)
    values, vectors = np.linalg.eigh(start)
    inverse = (vectors * (values[0] / values)) @ vectors.T if values[0] > 0 else np.eye(d)
    yield np.eye(d)
    yield inverse
    yield inverse @ inverse
    for V, A in heads:
        value, score = (np.array([[float(x) for x in row] for row in M]) for M in (V, A))
        weights, frame = np.linalg.eigh(score + score.T)
        for sign in (1, -1):
            part = np.maximum(sign * weights, 0)
            if part.max() > 0:
                yield (frame * (part / part.max())) @ frame.T
        rates, covectors = np.linalg.eig(value.T)
        for u in covectors.T[np.isreal(rates)].real:
            yield np.outer(u, u)
            yield np.outer(u, u) + np.eye(d) / 4
        for M in (value, score, score.T):
            square = np.linalg.norm(M, 2) ** 2
            if 0 < square < np.inf:
                yield M.T @ M / square


def _rounded(L: Array) -> Matrix:
    """A positive semidefinite rational matrix close to L."""
    unit = Fraction(2) ** (math.ceil(math.log2(np.abs(L).max())) - BITS)
    whole_numbers = np.round((L + L.T) / 2 / float(unit)).astype(int)
    for extra in range(4 * len(L)):
        raised = whole_numbers + extra * np.eye(len(L), dtype=int)
        rows = as_rows(np.array([[unit * int(x) for x in row] for row in raised], dtype=object))
        if negative_direction(rows) is None:
            break
    return rows


class _Turns:
    """Half of the problem at a time."""

    def __init__(self, problem: Programme, start: Array, clock: Clock) -> None:
        self.start = start
        self._problem = problem
        self._clock = clock
        units = unit_symmetric(len(start))
        self._units = np.array(units, dtype=float)
        self._traces = np.array([trace_with(unit) for unit in units], dtype=float)

    def best_metric(self, slope: Array) -> tuple[float, Array] | None:
        """The best bound tr(P start), and the unknowns; None when it is not positive."""
        problem, traces = self._problem, self._traces
        m, size = len(traces), problem.blocks[-1].shape[1]
        frame = problem.frames[-1][1]
        linear = self._coordinates(slope)
        squares = problem.blocks[-1].copy()
        for i, trace in enumerate(traces):
            across = np.zeros((size, size))
            across[:m, :m] = np.outer(trace, linear)
            squares[i] -= frame.T @ (across + across.T) @ frame / 2
        changed = replace(problem, blocks=(*problem.blocks[:-1], squares))
        solution = solve(changed, self._clock, goal=self.start, floor=0.0)
        if solution is None:
            return None
        value = float((np.tensordot(solution.w, problem.metric, 1) * self.start).sum())
        return (value, solution.w) if value > POSITIVE else None

    def best_slope(self, w: Array) -> Array | None:
        """The slope that leaves the most growth to the P of the unknowns w."""
        import cvxpy as cp

        problem, m, d = self._problem, len(self._traces), len(self.start)
        L, rest, rate = cp.Variable((d, d), PSD=True), cp.Variable(len(w) - m - 1), cp.Variable()
        # frames are orthonormal and complete, as the face is whole
        frame = problem.frames[-1][1][:m]
        forms = frame @ problem.blocks[-1] @ frame.T
        trace = self._traces.T @ w[:m]
        linear = cp.hstack([cp.sum(cp.multiply(L, part)) for part in self._units])
        across = np.array([np.outer(trace, e) + np.outer(e, trace) for e in np.eye(m)]) / 2
        form = (
            np.tensordot(w[:m], forms[:m], 1)
            + cp.reshape(forms[m + 1 :].reshape(-1, m * m).T @ rest, (m, m), order="C")
            - cp.reshape(across.reshape(m, -1).T @ linear, (m, m), order="C")
            - rate * np.outer(trace, trace)
        )
        constraints = [(form + form.T) / 2 >> 0, cp.trace(L) <= LARGEST]
        for block in problem.blocks[:-1]:
            k = block.shape[1]
            flat = block[m + 1 :].reshape(-1, k * k).T @ rest
            constraints.append(cp.reshape(flat, (k, k), order="C") >> 0)
        posed = cp.Problem(cp.Maximize(rate), constraints)
        return None if settle(posed, L, self._clock) is None else np.array(L.value)

    def _coordinates(self, matrix: Array) -> Array:
        """The coefficients of the linear form tr(M Z)."""
        return np.array([(matrix * part).sum() for part in self._units])
