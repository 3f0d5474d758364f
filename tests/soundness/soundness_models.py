"""Numerical models of statements: terms evaluated with NumPy and SciPy.

Independent of the kernel and of the checkers.  A :class:`Model` gives values to free variables
and lists of values over which quantifiers run; a proposition is then true or false up to a
tolerance.  Quantifiers are sampled, so that a true proposition can never look false by a "for
all", only by a missing witness for an "exists": those are given with the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import sqrtm

from proofs.terms import EXT, REAL, Term

TOLERANCE = 1e-5
Kernel = Callable[[np.ndarray], Callable[[np.ndarray], np.ndarray]]


def close(a: Any, b: Any, tolerance: float = TOLERANCE) -> bool:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        return False
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return bool(np.array_equal(a, b))
    return bool(np.abs(a - b).max() <= tolerance * (1 + np.abs(a).max() + np.abs(b).max()))


def semidefinite(a: np.ndarray, strict: bool) -> bool:
    if not close(a, a.T):
        return False
    least = np.linalg.eigvalsh((a + a.T) / 2)[0]
    bound = TOLERANCE * (1 + np.abs(a).max())
    return bool(least > bound if strict else least >= -bound)


def inverse(a: np.ndarray) -> np.ndarray:
    if np.linalg.matrix_rank(a) < len(a):
        return np.zeros_like(a)
    return np.linalg.inv(a)


def root(a: np.ndarray) -> np.ndarray:
    if not semidefinite(a, strict=False):
        return np.zeros_like(a)
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def slit(a: np.ndarray) -> bool:
    values = np.linalg.eigvals(a)
    return not any(value.real <= 1e-9 and abs(value.imag) < 1e-9 for value in values)


def is_smooth_at(function: Callable[[np.ndarray], np.ndarray], point: np.ndarray) -> bool:
    """Central differences of two widths agree, which those across a jump or a kink do not."""
    if not np.isfinite(function(point)).all():
        return False
    generator = np.random.default_rng(0)
    for _ in range(4):
        step = generator.normal(size=point.shape)
        slopes = [
            (function(point + s * h * step) - function(point)) / (s * h)
            for h in (1e-4, 1e-5)
            for s in (1, -1)
        ]
        if not all(close(slope, slopes[0], 1e-2) for slope in slopes):
            return False
    return True


@dataclass
class Gaussian:
    """N(mean, covariance); of an indefinite covariance, where all is left open, without moments."""

    mean: np.ndarray
    covariance: np.ndarray
    count: int = 28

    def nodes(self, count: int) -> Discrete:
        """Gauss-Hermite quadrature, exact enough for polynomials times exponentials."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(count)
        half, n = root(self.covariance), len(self.mean)
        points, masses = [], []
        for index in np.ndindex(*(count,) * n):
            masses.append(float(np.prod(weights[list(index)])) / math.sqrt(2 * math.pi) ** n)
            points.append(self.mean + half @ nodes[list(index)][:, None])
        return Discrete(points, masses)

    def integrate(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return self.nodes(self.count).integrate(function)

    def integrable(self, function: Callable[[np.ndarray], np.ndarray]) -> bool:
        """The integrand times the density is negligible twenty standard deviations away."""
        if not semidefinite(self.covariance, strict=False):
            return False
        half = root(self.covariance)
        for direction in (*half.T, *-half.T):
            far = function(self.mean + 20 * direction[:, None])
            if not np.abs(far).max() * math.exp(-200) < 1e-9:
                return False
        return True

    def balanced(self, kernel: Kernel) -> Kernel:
        return self.nodes(min(self.count, 20 if len(self.mean) == 1 else 9)).balanced(kernel)


@dataclass
class Discrete:
    """A finite sum of point masses."""

    points: Sequence[np.ndarray]
    weights: Sequence[float]

    def integrate(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        pairs = zip(self.points, self.weights, strict=True)
        return sum(weight * function(point) for point, weight in pairs)

    def integrable(self, function: Callable[[np.ndarray], np.ndarray]) -> bool:
        return all(np.isfinite(function(point)).all() for point in self.points)

    def before(self, time: float) -> Discrete:
        """On the line: what is at most ``time``, the point itself too."""
        pairs = zip(self.points, self.weights, strict=True)
        return Discrete(self.points, [w if point[0, 0] <= time else 0.0 for point, w in pairs])

    def balanced(self, kernel: Kernel) -> Kernel:
        """By alternating normalisation at the atoms; elsewhere one normalisation more."""
        if not any(self.weights):
            return lambda x: lambda y: real(0)
        table = np.array([[kernel(x)(y)[0, 0] for y in self.points] for x in self.points])
        mass = np.asarray(self.weights)
        columns = np.ones(len(mass))
        for _ in range(5000):
            rows = 1 / (table @ (columns * mass))
            old, columns = columns, 1 / ((rows * mass) @ table)
            if np.abs(columns / old - 1).max() < 1e-14:
                break

        known: dict[tuple[bool, bytes], float] = {}

        def factor(point: np.ndarray, row: bool) -> float:
            key = row, point.tobytes()
            if key not in known:
                if row:
                    values = [kernel(point)(y)[0, 0] for y in self.points]
                else:
                    values = [kernel(x)(point)[0, 0] for x in self.points]
                known[key] = 1 / float(np.dot(values, (columns if row else rows) * mass))
            return known[key]

        return lambda x: lambda y: factor(x, True) * factor(y, False) * kernel(x)(y)


@dataclass
class Model:
    """Sizes and values of the free variables.

    ``times`` are where quantifiers over reals look, besides ``reals``; ``states`` are matrices
    and vectors that other quantifiers try (by shape), ``motions`` the functions that they try;
    ``witnesses`` are tried by "exists".
    """

    sizes: dict[str, int]
    values: dict[str, Any]
    times: Sequence[float] = (0.0, 0.1, 0.3, 0.55, 0.8, 0.95, 1.7, 5.0)
    states: Sequence[Any] = ()
    witnesses: Sequence[Any] = ()
    limit_points: Sequence[np.ndarray] = ()
    motions: Sequence[Callable] = ()
    late: float = 1e7
    nodes: int = 28
    stuck: Any = None
    kernels: dict[Any, Kernel] = field(default_factory=dict, repr=False)
    bound: tuple[Any, ...] = field(default=(), repr=False)

    def size(self, term: Term) -> int:
        return int(str(term.data)) if term.op == "size" else self.sizes[str(term.data)]

    def __call__(self, term: Term, bound: tuple[Any, ...] = ()) -> Any:
        op, args = term.op, term.args
        handler = getattr(self, f"_{op}", None)
        if handler is not None:
            return handler(term, bound)
        if op in ("identity", "zero"):
            n, m = self.size(args[0]), self.size(args[-1])
            return np.eye(n) if op == "identity" else np.zeros((n, m))
        if op == "dimension":
            return np.array([[float(self.size(args[0]))]])
        if op in ("psd", "pd"):
            return semidefinite(self(args[0], bound), op == "pd")
        values = [self(a, bound) for a in args]
        return OPERATIONS[op](self, *values)

    def _var(self, term: Term, bound: tuple) -> Any:
        return self.values[str(term.data)]

    def _bound(self, term: Term, bound: tuple) -> Any:
        return bound[int(str(term.data))]

    def _literal(self, term: Term, bound: tuple) -> np.ndarray:
        data = term.data
        return np.array([float(x) for x in data.entries]).reshape(data.rows, data.columns)

    def _lambda(self, term: Term, bound: tuple) -> Callable:
        return lambda x: self(term.args[1], (x, *bound))

    def _apply(self, term: Term, bound: tuple) -> Any:
        return self(term.args[0], bound)(self(term.args[1], bound))

    def _and(self, term: Term, bound: tuple) -> bool:
        return all(self(a, bound) for a in term.args)

    def _implies(self, term: Term, bound: tuple) -> bool:
        return not self(term.args[0], bound) or self(term.args[1], bound)

    def _not(self, term: Term, bound: tuple) -> bool:
        return not self(term.args[0], bound)

    def _index(self, term: Term, bound: tuple) -> int:
        return int(str(term.data))

    def _sum(self, term: Term, bound: tuple) -> np.ndarray:
        function = self(term.args[0], bound)
        if term.args[0].op == "family":
            return sum(map(function, range(1, len(term.args[0].args) + 1)))
        return sum(function(i) for i in self.indices(term.args[0].args[0]))

    def _atoms(self, term: Term, bound: tuple) -> Discrete:
        """No mass at all if one is negative; the sizes are those of the masses."""
        masses, points = (self(a, bound) for a in term.args)
        if term.args[0].op == "family":
            indices = range(1, len(term.args[0].args) + 1)
        else:
            indices = self.indices(_source(term.args[0]))
        weights = [masses(i)[0, 0] for i in indices]
        if min(weights) < 0:
            weights = [0.0] * len(weights)
        return Discrete([points(i) for i in indices], weights)

    def _family(self, term: Term, bound: tuple) -> Callable[[int], Any]:
        members = [self(a, bound) for a in term.args]
        return lambda i: members[i - 1]

    def balance(self, measure: Gaussian | Discrete, kernel: Kernel) -> Kernel:
        """Kernels with the same values at some points are balanced once."""
        is_gaussian = isinstance(measure, Gaussian)
        n = len(measure.mean if is_gaussian else measure.points[0])
        probes = [np.cos(np.arange(1, n + 1) * k)[:, None] for k in range(1, 5)]
        key = repr(measure), *(kernel(x)(y)[0, 0] for x in probes for y in probes)
        if key not in self.kernels:
            self.kernels[key] = measure.balanced(kernel)
        return self.kernels[key]

    def indices(self, sort: Term) -> range:
        """The members of Index n; the sort of a family may stand for that of its indices."""
        sort = sort.args[0] if sort.op == "Fun" else sort
        return range(1, self.size(sort.args[0]) + 1)

    def candidates(self, sort: Term, extra: Sequence[Any]) -> list[Any]:
        if sort.op == "Index":
            return list(self.indices(sort))
        if sort == REAL:
            return [np.array([[float(t)]]) for t in (*self.times, *np.ravel(self._reals(extra)))]
        if sort.op == "Mat":
            shape = tuple(self.size(n) for n in sort.args)
            pool = [*self.states, *self.limit_points, *extra]
            return [x for x in pool if isinstance(x, np.ndarray) and x.shape == shape]
        if sort == EXT:
            return [x for x in extra if isinstance(x, float)]
        return [x for x in extra if callable(x)]

    def _reals(self, extra: Sequence[Any]) -> list[float]:
        pool = [*self.states, *extra]
        return [float(x) for x in pool if np.isscalar(x)]

    def _forall(self, term: Term, bound: tuple) -> bool:
        function = self(term.args[0], bound)
        return all(function(x) for x in self.candidates(term.args[0].args[0], self.motions))

    def _exists(self, term: Term, bound: tuple) -> bool:
        function = self(term.args[0], bound)
        return any(function(x) for x in self.candidates(term.args[0].args[0], self.witnesses))

    def _continuous(self, term: Term, bound: tuple) -> bool:
        """Small steps away from the points that quantifiers try change little."""
        function = self(term.args[0], bound)
        points = self.candidates(_source(term.args[0]), ())
        return all(
            close(function(x + step), function(x), 1e-6) for x in points for step in (1e-9, -1e-9)
        )

    def _smooth(self, term: Term, bound: tuple) -> bool:
        function = self(term.args[0], bound)
        points = self.candidates(_source(term.args[0]), ())
        return all(is_smooth_at(function, point) for point in points)

    # Curves

    def grid(self, end: float) -> list[float]:
        return [t for t in self.times if t < end]

    def is_ode(self, end: float, curve: Callable, velocity: Callable, both: bool = False) -> bool:
        """A continuous curve with this derivative, from the right or from both sides."""
        for t in self.grid(end):
            h = 1e-5
            ahead = 4 * curve(real(t + h)) - curve(real(t + 2 * h)) - 3 * curve(real(t))
            if not close(ahead / (2 * h), velocity(real(t)), 1e-4):
                return False
            if t > 0 and not close(curve(real(t - 1e-9)), curve(real(t))):
                return False
            behind = 3 * curve(real(t)) - 4 * curve(real(t - h)) + curve(real(t - 2 * h))
            if t > 0 and both and not close(behind / (2 * h), velocity(real(t)), 1e-4):
                return False
        return True

    def is_piecewise(self, end: float, curve: Callable) -> bool:
        """Right-continuous with left limits at the times of the grid."""
        for t in self.grid(end):
            if not close(curve(real(t + 1e-9)), curve(real(t))):
                return False
            if t > 0 and not close(curve(real(t - 1e-9)), curve(real(t - 1e-8))):
                return False
        return True

    def escapes(self, end: float, curve: Callable) -> bool:
        if math.isinf(end):
            return False
        sizes = [np.abs(curve(real(end - h))).max() for h in (1e-3, 1e-5, 1e-7)]
        return sizes[0] < sizes[1] < sizes[2] and sizes[2] > 1e3


def real(x: float) -> np.ndarray:
    return np.array([[float(x)]])


def _scale(model: Model, factor: np.ndarray, value: np.ndarray) -> np.ndarray:
    return factor[0, 0] * value


def _equal(model: Model, a: Any, b: Any) -> bool:
    return a == b if isinstance(a, float) else close(a, b)


def _maximal(model: Model, end: float, curve: Callable, flow: Callable, start: Any) -> bool:
    """A differentiable solution that cannot go on: on [0, oo), one that escapes, or one of a field
    that the model says to be ``stuck``, as there is no solution from where it ends.
    """
    return (
        end > 0
        and close(curve(real(0)), start)
        and model.is_ode(end, curve, lambda t: flow(curve(t)), both=True)
        and (math.isinf(end) or model.escapes(end, curve) or flow is model.stuck)
    )


def _limit(model: Model, curve: Callable, value: np.ndarray) -> bool:
    return close(curve(real(model.late)), value)


def _limit_point(model: Model, curve: Callable, value: np.ndarray) -> bool:
    return any(close(value, point) for point in model.limit_points)


def _source(function: Term) -> Term:
    """The sort of the arguments of a function without bound variables at its head."""
    if function.op in ("lambda", "var"):
        sort = function.args[0]
        return sort if function.op == "lambda" else sort.args[0]
    head, depth = function, 0
    while head.op == "apply":
        head, depth = head.args[0], depth + 1
    sort = head.args[0]
    for _ in range(depth):
        sort = sort.args[1]
    return sort.args[0]


def _continuity(model: Model, end: float, measures: Callable, velocity: Callable) -> bool:
    """The right derivative of the integral of phi is that of grad phi . v, for two phi."""
    waves = np.array([0.7, 1.3])

    def phi(x: np.ndarray) -> np.ndarray:
        return np.sin(waves * x.sum()) + np.cos(waves * x[0, 0])

    def slope(x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return waves * (np.cos(waves * x.sum()) * v.sum() - np.sin(waves * x[0, 0]) * v[0, 0])

    for t in model.grid(end):
        h = 1e-4
        now, ahead, beyond = (measures(real(t + s * h)).integrate(phi) for s in (0, 1, 2))
        flux = measures(real(t)).integrate(lambda x, t=t: slope(x, velocity(real(t))(x)))
        if not close((4 * ahead - beyond - 3 * now) / (2 * h), flux, 1e-4):
            return False
    return True


def _polynomial(model: Model, time: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    powers = time[0, 0] ** np.arange(coefficients.shape[1])
    return (coefficients @ powers)[:, None]


OPERATIONS: dict[str, Callable] = {
    "add": lambda m, *x: sum(x[1:], x[0]),
    "mul": lambda m, *x: np.linalg.multi_dot(x),
    "scale": _scale,
    "polynomial": _polynomial,
    "transpose": lambda m, x: x.T,
    "inverse": lambda m, x: inverse(x),
    "root": lambda m, x: root(x),
    "principal_root": lambda m, x: sqrtm(x).real if slit(x) else np.zeros_like(x),
    "slit": lambda m, x: slit(x),
    "pinv": lambda m, x: np.linalg.pinv(x, rcond=1e-9),
    "trace": lambda m, x: real(np.trace(x)),
    "det": lambda m, x: real(np.linalg.det(x)),
    "lmax": lambda m, x: real(np.linalg.eigvalsh((x + x.T) / 2)[-1]),
    "rank": lambda m, x: real(np.linalg.matrix_rank(x)),
    "exp": lambda m, x: real(math.exp(x[0, 0])),
    "log": lambda m, x: real(math.log(x[0, 0]) if x[0, 0] > 0 else 0.0),
    "gaussian": lambda m, a, c: Gaussian(a, c, m.nodes),
    "integral": lambda m, mu, f: mu.integrate(f),
    "past": lambda m, mu, s: mu.before(s[0, 0]),
    "balanced": lambda m, mu, kernel: m.balance(mu, kernel),
    "integrable": lambda m, mu, f: mu.integrable(f),
    "infinity": lambda m: math.inf,
    "finite": lambda m, x: float(x[0, 0]),
    "eq": _equal,
    "invertible": lambda m, x: bool(np.linalg.matrix_rank(x) == len(x)),
    "within": lambda m, t, end: bool(0 <= t[0, 0] < end),
    "at_most": lambda m, a, b: a <= b + 1e-9 if math.isfinite(b) else True,
    "ode": lambda m, end, x, g: m.is_ode(end, x, g),
    "piecewise": lambda m, end, x: m.is_piecewise(end, x),
    "maximal": _maximal,
    "escapes": lambda m, end, x: m.escapes(end, x),
    "limit": _limit,
    "limit_point": _limit_point,
    "smooth_at": lambda m, f, x: is_smooth_at(f, x),
    "continuity": _continuity,
}
