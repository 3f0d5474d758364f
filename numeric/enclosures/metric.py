"""Coordinates in which errors grow as little as they can along a rehearsed solution.

The error of an enclosure grows with the logarithmic norm of the Jacobian, which depends on the norm
|x|_G = (x^T G x)^{1/2}. A semidefinite program finds G with J^T G + G J <= 2 m G at all states.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.enclosures.system import QuadraticSystem
from numeric.enclosures.taylor import Rehearsal
from numeric.lyapunov.solving import silently

#: nats of growth that need no better coordinates
ENOUGH = 40.0
#: Jacobians that are looked at, and halvings of the interval of growth rates
STATES, BISECTIONS = 12, 4
#: bits of the frame, and of its diagonal
FRAME_BITS, DIAGONAL_BITS = 14, 3


def growth_of(rehearsals: Sequence[Rehearsal]) -> float:
    """Nats by which errors grow."""
    return sum(one.growth for one in rehearsals)


def adapted(
    system: QuadraticSystem, states: Sequence[np.ndarray], rehearsals: Sequence[Rehearsal]
) -> fmpq_mat | None:
    """B, upper triangular, for coordinates x = B y; None where the given ones are good enough.

    Args:
        states: where the steps start, n each.
    """
    if growth_of(rehearsals) <= ENOUGH:
        return None
    chosen = sorted({round(i) for i in np.linspace(0, len(states) - 1, STATES)})
    steps = [system.jacobian(states[i]) * float(rehearsals[i].length) for i in chosen]
    metric = _metric(steps)
    return None if metric is None else _frame(metric)


def _metric(steps: Sequence[np.ndarray]) -> np.ndarray | None:
    """G for the least common bound of the logarithmic norms, about."""
    low = max(1e-3, *(float(np.linalg.eigvals(step).real.max()) for step in steps))
    high = 2 * max(low, *(float(np.linalg.eigvalsh(step + step.T)[-1]) / 2 for step in steps))
    best, rate = None, low * 1.15
    for _ in range(BISECTIONS):
        found = _solve(steps, rate)
        if found is None:
            low = rate
        else:
            best, high = found, rate
            if rate < low * 1.3:
                break
        rate = float(np.sqrt(low * high))
    return best


def _solve(steps: Sequence[np.ndarray], rate: float) -> np.ndarray | None:
    import cvxpy as cp

    n = len(steps[0])
    G = cp.Variable((n, n), symmetric=True)
    constraints = [G >> np.eye(n), *(J.T @ G + G @ J << 2 * rate * G for J in steps)]
    problem = cp.Problem(cp.Minimize(cp.trace(G)), constraints)
    with silently():
        problem.solve(solver="CLARABEL")
    return None if G.value is None else np.asarray(G.value)


def _frame(metric: np.ndarray) -> fmpq_mat | None:
    """Short B with B^T G B near I: unit upper triangular, times a diagonal."""
    try:
        frame = np.linalg.inv(np.linalg.cholesky((metric + metric.T) / 2)).T
    except np.linalg.LinAlgError:
        return None
    diagonal = np.diag(frame)
    unit = frame / diagonal
    n = len(frame)
    exact = fmpq_mat(n, n)
    for j in range(n):
        factor = _rounded(float(diagonal[j] / diagonal[0]), DIAGONAL_BITS)
        for i in range(j):
            exact[i, j] = fmpq(round(unit[i, j] * 2**FRAME_BITS), 2**FRAME_BITS) * factor
        exact[j, j] = factor
    return exact


def _rounded(value: float, bits: int) -> fmpq:
    """The first bits of a number > 0."""
    mantissa, exponent = np.frexp(value)
    return fmpq(round(mantissa * 2**bits)) * fmpq(2) ** (int(exponent) - bits)
