"""The semidefinite programmes of a search in floating point: proposals, never proofs."""

from __future__ import annotations

import contextlib
import io
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric.lyapunov.faces import Inequality, to_floats
from numeric.lyapunov.forms import positions, skew_places

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Programme:
    """The inequality in floats and well-conditioned coordinates w.

    Attributes:
        inequality: what it stands for.
        unknowns: y = unknowns w, orthonormal columns.
        metric, tau: P as (w, d, d), and tau as a row.
        blocks: the matrices that are to be semidefinite, linear in w: (w, k, k) for P (unless
            ``growth``), Cs, Ck and G; those of size zero are left out.
        frames: orthonormal columns that lift each block to full coordinates, with its name.
    """

    inequality: Inequality
    unknowns: Array
    metric: Array
    tau: Array
    blocks: tuple[Array, ...]
    frames: tuple[tuple[str, Array], ...]


def programme(inequality: Inequality) -> Programme:
    """Return the inequality in floats. Raises OverflowError when an entry is too large for one."""
    face, d = inequality.face, inequality.d
    p, t, s, _ = inequality.sizes
    basis = to_floats(inequality.basis)
    unknowns = basis if _is_unit(basis) else np.linalg.qr(basis)[0]
    metric = _symmetric((face.metrics.astype(float) @ unknowns[:p]).T, d)
    tau = unknowns[p] if t else np.zeros(unknowns.shape[1])
    blocks, frames = [], []
    if not t:
        blocks.append(metric)
        frames.append(("metric", np.eye(d)))
    for name, columns, rows in (
        ("symmetric", face.symmetric, unknowns[p + t : p + t + s]),
        ("skew", face.skew, unknowns[p + t + s :]),
    ):
        if columns.shape[1]:
            frame, factor = np.linalg.qr(columns.astype(float))
            blocks.append(factor @ _symmetric(rows.T, columns.shape[1]) @ factor.T)
            frames.append((name, frame))
    size = len(face.kernel)
    gram = _symmetric((to_floats(inequality.form) @ unknowns).T, size)
    for i, j in skew_places(size):
        gram[:, i, j] /= 2
        gram[:, j, i] /= 2
    count = face.kernel.shape[1]
    frame = np.linalg.qr(face.kernel.astype(float), mode="complete")[0][:, count:]
    if frame.shape[1]:
        blocks.append(frame.T @ gram @ frame)
        frames.append(("squares", frame))
    return Programme(inequality, unknowns, metric, tau, tuple(blocks), tuple(frames))


def _symmetric(rows: Array, n: int) -> Array:
    return rows[:, positions(n)]


def _is_unit(matrix: Array) -> bool:
    return matrix.shape[0] == matrix.shape[1]


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver returned.

    Attributes:
        w: the unknowns.
        margin: the t with all blocks >= t I.
        solver: its name.
    """

    w: Array
    margin: float
    solver: str


class Clock:
    """A budget of seconds that starts when it is made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


def solve(
    problem: Programme,
    clock: Clock,
    *,
    goal: Array | None = None,
    floor: float | None = None,
) -> Solution | None:
    """Maximise the margin t of all blocks, or tr(goal P) with blocks >= floor I.

    P has trace d, or tau = 1 for growth. None when no solver returns numbers, an infeasible
    programme included.
    """
    import cvxpy as cp

    w, margin = cp.Variable(problem.unknowns.shape[1]), cp.Variable()
    bound: Any = margin if floor is None else floor
    constraints = []
    for block in problem.blocks:
        k = block.shape[1]
        matrix = cp.reshape(block.reshape(len(block), -1).T @ w, (k, k), order="C")
        constraints.append(matrix - bound * np.eye(k) >> 0)
    if problem.inequality.kind == "growth":
        constraints.append(problem.tau @ w == 1)
    else:
        constraints.append(np.trace(problem.metric, axis1=1, axis2=2) @ w == problem.inequality.d)
    objective = margin if floor is None else _traces(problem, goal) @ w
    posed = cp.Problem(cp.Maximize(objective), constraints)
    solver = settle(posed, w, clock, doubtful=floor is None)
    if solver is None or w.value is None:
        return None
    return Solution(w.value, _margin(problem, w.value), solver)


@contextlib.contextmanager
def silently() -> Iterator[None]:
    """Keep the warnings, the output and the failure of a solver from the user."""
    import cvxpy as cp

    # SolverError when it fails, ValueError on numbers that are not finite.
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.suppress(cp.SolverError, ValueError, ArithmeticError),
    ):
        warnings.simplefilter("ignore")
        yield


def settle(posed: Any, unknown: Any, clock: Clock, *, doubtful: bool = False) -> str | None:
    """Solve silently by the first solver that returns numbers for the unknown; its name.

    None when none does, or one says that the problem is infeasible, unless that is ``doubtful``.
    """
    import cvxpy as cp

    for name, options in solvers(cp, clock.left):
        if clock.left <= 0:
            return None
        with silently():
            posed.solve(solver=name, **options)
            if posed.status in ("infeasible", "infeasible_inaccurate") and not doubtful:
                return None
            if unknown.value is not None and np.isfinite(unknown.value).all():
                return name
    return None


def _traces(problem: Programme, weight: Array | None) -> Array:
    assert weight is not None
    return np.einsum("wij,ij->w", problem.metric, weight)


def _margin(problem: Programme, w: Array) -> float:
    return min(float(np.linalg.eigvalsh(np.tensordot(w, b, 1))[0]) for b in problem.blocks)


def solvers(cp: Any, seconds: float) -> Sequence[tuple[str, dict[str, Any]]]:
    """Return those installed of Clarabel, SCS and SDPA (multiprecision), in this order.

    SDPA comes with the extra ``multiprecision``; it knows no time limit.
    """
    installed = cp.installed_solvers()
    tight = {
        "tol_gap_abs": 1e-10,
        "tol_gap_rel": 1e-10,
        "tol_feas": 1e-10,
    }
    listed = [
        ("CLARABEL", {"time_limit": seconds, **tight}),
        ("SCS", {"time_limit_secs": seconds, "eps_abs": 1e-9, "eps_rel": 1e-9, "max_iters": 20000}),
        ("SDPA", {}),
    ]
    return [(name, options) for name, options in listed if name in installed]


def spectra(problem: Programme, w: Array) -> list[tuple[str, Array, Array]]:
    """Return name, eigenvalues and lifted eigenvectors of each block."""
    found = []
    for block, (name, frame) in zip(problem.blocks, problem.frames, strict=True):
        values, vectors = np.linalg.eigh(np.tensordot(w, block, 1))
        found.append((name, values, frame @ vectors))
    return found


__all__ = ["Clock", "Programme", "Solution", "programme", "settle", "silently", "solve", "spectra"]
