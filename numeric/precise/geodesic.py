"""Energies of attention along geodesics and along the flow, from their definitions.

Geodesics are followed as Hamilton's equations of the kinetic energy of particles, with momenta
p_i = m_i w_i B x_i'.  Energies are evaluated at equidistant times and differentiated by central
differences; no formula for accelerations or second variations enters.

Integration is Gragg's modified midpoint rule with Bulirsch and Stoer's extrapolation (Hairer,
Norsett and Wanner, Solving Ordinary Differential Equations I, Section II.9): k columns are of order
2 k, so that short steps reach any number of digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Rows, VectorLike, entries, rows

Field = Callable[[list[Any]], list[Any]]
"""The right-hand side of an autonomous system in a list of numbers."""

VARIANTS = ("softmax", "exponential", "linear", "sigmoid", "l2")
"""Energies that are double integrals; l2 is centred, with Q = K, V = I and B = 2 Q^T Q."""

TWISTED = ("softmax", "l2")
"""Those whose metric has the weight Z."""

NODES = 5
"""Times at which the energy is evaluated on each side of 0; the differences are of twice that
order."""


@dataclass(frozen=True)
class Shot:
    """What a geodesic shows: derivatives of the energy, and how constant the speed is.

    ``first`` and ``second`` are d/dt F and d^2/dt^2 F at time 0, ``speed`` the squared speed there
    and ``drift`` its largest change at the other times, all mpf.
    """

    first: Any
    second: Any
    speed: Any
    drift: Any


def second_difference(
    A: MatrixLike | None,
    B: MatrixLike,
    positions: MatrixLike,
    weights: VectorLike,
    velocities: MatrixLike,
    digits: int = 50,
    *,
    variant: str = "softmax",
) -> Shot:
    """The second derivative of the energy along the geodesic with these positions and velocities.

    Args:
        A: the score matrix, d x d, symmetric; None for l2.
        B: the metric, d x d, symmetric positive definite; 2 Q^T Q for l2.
        positions: n rows of d numbers.
        weights: the n masses.
        velocities: n rows of d numbers.
        digits: of working precision; results have at least half as many.
        variant: one of ``VARIANTS``.

    Raises:
        ValueError: an unknown variant, or a matrix that is not symmetric.

    >>> shot = second_difference([[-1]], [[1]], [[2]], [1], [[1]], 40)
    >>> with mp.workdps(40):
    ...     print(mp.nstr(shot.second / shot.speed, 20))
    3.0
    """
    with mp.workdps(digits + 15):
        system = _System(variant, A, B, weights, len(rows(positions)[0]))
        x, v = rows(positions), rows(velocities)
        momenta = [
            [m * z * p for p in _times(system.B, one)]
            for m, z, one in zip(system.weights, system.scales(x), v, strict=True)
        ]
        state = [*_flat(x), *_flat(momenta)]
        step = _step(digits)
        path = _path(system.hamilton, state, step, digits)
        energies = [system.energy(_unflat(z[: len(z) // 2], system.d)) for z in path]
        speeds = [system.kinetic(z) for z in path]
        middle = speeds[NODES]
        drift = max(abs(speed - middle) for speed in speeds)
        return Shot(_first(energies, step), _second(energies, step), middle, drift)


def dissipation(
    A: MatrixLike | None,
    B: MatrixLike,
    positions: MatrixLike,
    weights: VectorLike,
    digits: int = 50,
    *,
    variant: str = "softmax",
) -> tuple[Any, Any]:
    """d/dt F along the tokens' own motion, and minus its squared speed (plus, for l2).

    The tokens move with the attention velocity, V = -B^{-1} A (l2: towards the mean that they
    see).  The score matrix A, the metric B, positions (n x d), weights (n), digits, variant and
    exceptions are those of `second_difference`.

    >>> rate, speed = dissipation([[-1]], [[1]], [[2], [1]], [1, 1], 40)
    >>> with mp.workdps(40):
    ...     abs(rate - speed) < mp.mpf(10) ** -20 * abs(rate)
    True
    """
    with mp.workdps(digits + 15):
        system = _System(variant, A, B, weights, len(rows(positions)[0]))
        x, step = rows(positions), _step(digits)
        path = _path(lambda z: _flat(system.velocity(_unflat(z, system.d))), _flat(x), step, digits)
        energies = [system.energy(_unflat(z, system.d)) for z in path]
        speed = sum(
            m * z * _dot(v, _times(system.B, v))
            for m, z, v in zip(system.weights, system.scales(x), system.velocity(x), strict=True)
        )
        return _first(energies, step), speed if variant == "l2" else -speed


class _System:
    """Energy, weights and motion of n particles in R^d at the working precision of mpmath."""

    def __init__(
        self, variant: str, A: MatrixLike | None, B: MatrixLike, weights: VectorLike, d: int
    ) -> None:
        if variant not in VARIANTS:
            raise ValueError(f"no energy for {variant!r}; there is one for: {', '.join(VARIANTS)}")
        self.variant, self.d = variant, d
        self.B, self.weights = rows(B), entries(weights)
        self.inverse = (mp.matrix(self.B) ** -1).tolist()
        self.A = [] if A is None else rows(A)
        for name, matrix in (("A", self.A), ("B", self.B)):
            if matrix and [list(column) for column in zip(*matrix, strict=False)] != matrix:
                raise ValueError(f"{name} must be a symmetric matrix of numbers")

    def pair(self, x: list[Any], y: list[Any]) -> tuple[Any, list[Any]]:
        """U(x, y) and its gradient in x."""
        if self.variant == "l2":
            gap = [p - q for p, q in zip(x, y, strict=True)]
            pulled = _times(self.B, gap)
            kernel = mp.exp(-_dot(gap, pulled) / 2)
            return kernel, [-kernel * p for p in pulled]
        pulled = _times(self.A, y)
        score = _dot(x, pulled)
        if self.variant == "linear":
            value, slope = score**2 / 2, score
        elif self.variant == "sigmoid":
            value, slope = mp.log1p(mp.exp(score)), 1 / (1 + mp.exp(-score))
        else:
            value = slope = mp.exp(score)
        return value, [slope * p for p in pulled]

    def energy(self, x: Rows) -> Any:
        """Half the double sum of m_i m_j U(x_i, x_j)."""
        return (
            sum(
                m * k * self.pair(a, b)[0]
                for m, a in zip(self.weights, x, strict=True)
                for k, b in zip(self.weights, x, strict=True)
            )
            / 2
        )

    def scales(self, x: Rows) -> list[Any]:
        """The weight of the metric at each particle."""
        if self.variant not in TWISTED:
            return [mp.one] * len(x)
        return self._sums(self._table(x))

    def _table(self, x: Rows) -> list[list[tuple[Any, list[Any]]]]:
        return [[self.pair(a, b) for b in x] for a in x]

    def _sums(self, table: list[list[tuple[Any, list[Any]]]]) -> list[Any]:
        return [
            sum(k * value for k, (value, _) in zip(self.weights, row, strict=True)) for row in table
        ]

    def velocity(self, x: Rows) -> Rows:
        """The attention velocity at each particle, as in the definition of the variant."""
        moved = []
        for a in x:
            total, mass = [mp.zero] * self.d, mp.zero
            for k, b in zip(self.weights, x, strict=True):
                weight = self.attention(a, b)
                total = [p + k * weight * q for p, q in zip(total, b, strict=True)]
                mass += k * weight
            mean = [p / mass for p in total] if self.variant in TWISTED else total
            if self.variant == "l2":
                moved.append([p - q for p, q in zip(mean, a, strict=True)])
            else:
                moved.append([-p for p in _times(self.inverse, _times(self.A, mean))])
        return moved

    def attention(self, x: list[Any], y: list[Any]) -> Any:
        """How much x attends to y."""
        if self.variant == "l2":
            gap = [p - q for p, q in zip(x, y, strict=True)]
            return mp.exp(-_dot(gap, _times(self.B, gap)) / 2)
        score = _dot(_times(self.A, x), y)
        if self.variant == "linear":
            return score
        if self.variant == "sigmoid":
            return 1 / (1 + mp.exp(-score))
        return mp.exp(score)

    def kinetic(self, state: list[Any]) -> Any:
        """Twice the Hamiltonian: the sum of <B^{-1} p_i, p_i> / (m_i w_i), the squared speed."""
        half = len(state) // 2
        x, p = _unflat(state[:half], self.d), _unflat(state[half:], self.d)
        return sum(
            _dot(q, _times(self.inverse, q)) / (m * z)
            for m, z, q in zip(self.weights, self.scales(x), p, strict=True)
        )

    def hamilton(self, state: list[Any]) -> list[Any]:
        """x' = dH/dp and p' = -dH/dx of half the squared speed."""
        half = len(state) // 2
        x, p = _unflat(state[:half], self.d), _unflat(state[half:], self.d)
        twisted = self.variant in TWISTED
        table = self._table(x) if twisted else []
        scales = self._sums(table) if twisted else [mp.one] * len(x)
        rates = [
            [q / (m * z) for q in _times(self.inverse, one)]
            for m, z, one in zip(self.weights, scales, p, strict=True)
        ]
        forces = [[mp.zero] * self.d for _ in x]
        # -dH/dw_i = m_i |x_i'|^2 / 2, and w_i, a sum of m_j U(x_i, x_j), contains x_i and x_j.
        for i, row in enumerate(table):
            load = self.weights[i] * _dot(rates[i], _times(self.B, rates[i])) / 2
            for j, (_, slope) in enumerate(row):
                for k, along in ((i, slope), (j, table[j][i][1])):
                    part = load * self.weights[j]
                    forces[k] = [f + part * s for f, s in zip(forces[k], along, strict=True)]
        return [*_flat(rates), *_flat(forces)]


# Integration and differences ----------------------------------------------------------------


def _step(digits: int) -> Any:
    """Time between nodes: the error of the differences and that of rounding are about equal."""
    return mp.mpf(10) ** (-mp.mpf(digits) / (2 * NODES + 2))


def _path(field: Field, state: list[Any], step: Any, digits: int) -> list[list[Any]]:
    """The states at the times -NODES step, ..., NODES step."""
    forward, backward = [state], [state]
    for _ in range(NODES):
        forward.append(_advanced(field, forward[-1], step, digits))
        backward.append(_advanced(field, backward[-1], -step, digits))
    return [*reversed(backward[1:]), *forward]


def _advanced(field: Field, state: list[Any], step: Any, digits: int) -> list[Any]:
    """One step: midpoint rules of 2, 4, 6, ... substeps, extrapolated until they agree."""
    limit = mp.mpf(10) ** -(digits + 5)
    table: list[list[Any]] = []
    start = field(state)
    for k in range(1, 40):
        row = [_midpoint(field, state, start, step, 2 * k)]
        for j, below in enumerate(table, start=1):
            ratio = (mp.mpf(k) / (k - j)) ** 2 - 1
            row.append([p + (p - q) / ratio for p, q in zip(row[-1], below, strict=True)])
        if k > 2:
            change = max(abs(p - q) for p, q in zip(row[-1], row[-2], strict=True))
            if change <= limit * max(1, *(abs(p) for p in row[-1])):
                return row[-1]
        # Column j of the next row needs column j - 1 of this one.
        table = row
    raise ArithmeticError("the extrapolation does not settle: the velocities are too large")


def _midpoint(field: Field, state: list[Any], start: list[Any], step: Any, count: int) -> list[Any]:
    """Gragg's rule with ``count`` (even) substeps; its error is even in the substep."""
    h = step / count
    before = state
    now = [p + h * q for p, q in zip(state, start, strict=True)]
    for _ in range(count - 1):
        slope = field(now)
        before, now = now, [p + 2 * h * q for p, q in zip(before, slope, strict=True)]
    slope = field(now)
    return [(p + q + h * r) / 2 for p, q, r in zip(now, before, slope, strict=True)]


def _first(values: Sequence[Any], step: Any) -> Any:
    """The first derivative in the middle, by the central difference of highest order."""
    return (
        sum(
            _weight(k) * (values[NODES + k] - values[NODES - k]) / (k * step)
            for k in range(1, NODES + 1)
        )
        / 2
    )


def _second(values: Sequence[Any], step: Any) -> Any:
    """The second derivative in the middle."""
    middle = values[NODES]
    return sum(
        _weight(k) * (values[NODES + k] - 2 * middle + values[NODES - k]) / (k * step) ** 2
        for k in range(1, NODES + 1)
    )


def _weight(k: int) -> Any:
    """Weight of the difference of step k in Richardson extrapolation, in even powers."""
    return mp.fprod(mp.mpf(j * j) / (j * j - k * k) for j in range(1, NODES + 1) if j != k)


def _times(matrix: Rows, vector: list[Any]) -> list[Any]:
    return [_dot(row, vector) for row in matrix]


def _dot(u: Sequence[Any], v: Sequence[Any]) -> Any:
    return mp.fdot(u, v)


def _flat(matrix: Rows) -> list[Any]:
    return [entry for row in matrix for entry in row]


def _unflat(vector: list[Any], d: int) -> Rows:
    return [vector[i : i + d] for i in range(0, len(vector), d)]
