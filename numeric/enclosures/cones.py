"""Cones around a direction that attracts a quadratic system, invariant by exact certificates.

Near a direction U with f(U) = g U the coordinates are x = T (y, z), with y along U and n - 1
others z, so that y' and z' are quadratic forms again. The cone is {y > 0, |z| <= p y}. It is
invariant when 2 (p^2 y y' - z z') - m y (p^2 y^2 - |z|^2) >= 0 on the slightly wider cone
|z| <= P y, which is seen from y (y, z)^T S (y, z) plus the sum over j of
(P y - z_j) z^T (B_j + C_j) z + (P y + z_j) z^T (B_j - C_j) z, S and B_j +- C_j semidefinite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.linalg import LinAlgError, null_space, solve_continuous_lyapunov

from numeric.enclosures.system import QuadraticSystem, float_of, floats_of

#: bits of the coordinates and of the other numbers of a certificate
FRAME_BITS, BITS = 30, 24
#: where the rate in the Lyapunov equation is between the slowest one and that along the ray
SHIFTS = (0.1, 0.3, 0.5, 0.7, 0.9)
#: how far the rate m is from twice that along the ray: parts of what there is, at most MOST_RATE
RATES, MOST_RATE = tuple(np.linspace(1.0, 0.02, 15)), 2.0
#: room for rounding: relative to the cone, and of semidefinite matrices
ROOM, MARGIN = 0.1, 1e-7
#: rates across the ray that are no slower than along it by this are not told apart
NEUTRAL = 1e-9
LEAST_OPENING, MOST_OPENING = 1e-6, 2.0
#: the wider cone beside the cone
WIDER = fmpq(33, 32)
NEWTON_STEPS = 30


@dataclass(frozen=True)
class Cone:
    """An invariant cone, with exact numbers.

    Attributes:
        system: in the coordinates (y, z).
        frame: T, n x n, with x = T (y, z) for the coordinates x of the given system.
        opening, wider: p and P.
        rate: m.
        bounds: the B_j, n - 1 x n - 1 each.
        cubic: the C_j, so that z z' is y times a form plus the sum of z_j z^T C_j z.
        rest: S, n x n.
    """

    system: QuadraticSystem
    frame: fmpq_mat
    opening: fmpq
    wider: fmpq
    rate: fmpq
    bounds: tuple[fmpq_mat, ...]
    cubic: tuple[fmpq_mat, ...]
    rest: fmpq_mat

    @property
    def holds(self) -> bool:
        """Whether S and all B_j +- C_j are positive semidefinite, as far as floats tell."""
        sides = [
            B + C * sign for B, C in zip(self.bounds, self.cubic, strict=True) for sign in (1, -1)
        ]
        rest = in_units(floats_of(self.rest), float_of(self.opening))
        return all(np.linalg.eigvalsh(M)[0] > 0 for M in (rest, *map(floats_of, sides)))


@dataclass(frozen=True)
class Speed:
    """c y^2 <= y' <= b y^2 on the wider cone: y' - c y^2 = t (P^2 y^2 - |z|^2) + a form >= 0.

    Attributes:
        least, most: c and b.
        weights: t for either inequality.
        rests: the forms, n x n.
    """

    least: fmpq
    most: fmpq
    weights: tuple[fmpq, fmpq]
    rests: tuple[fmpq_mat, fmpq_mat]


@dataclass(frozen=True)
class Ray:
    """U with f(U) = g U, where g is 1 for growth and -1 for decay."""

    point: np.ndarray
    sign: int


def ray_near(system: QuadraticSystem, state: np.ndarray) -> Ray | None:
    """The ray near a state, by Newton's method; None where there is none."""
    x = np.asarray(state, dtype=float)
    speed = float(x @ system.velocity(x)) / float(x @ x)
    if speed == 0:
        return None
    sign = 1 if speed > 0 else -1
    x = x / abs(speed)
    for _ in range(NEWTON_STEPS):
        residual = system.velocity(x) - sign * x
        try:
            change = np.linalg.solve(system.jacobian(x) - sign * np.eye(len(x)), residual)
        except np.linalg.LinAlgError:
            return None
        x = x - change
        if np.linalg.norm(change) <= 1e-14 * np.linalg.norm(x):
            break
    settled = np.linalg.norm(system.velocity(x) - sign * x) <= 1e-10 * np.linalg.norm(x)
    cosine = float(x @ state) / float(np.linalg.norm(x) * np.linalg.norm(state) or 1)
    return Ray(x, sign) if settled and cosine > 0.5 else None


def frames(system: QuadraticSystem, ray: Ray) -> Iterator[tuple[np.ndarray, float]]:
    """T, for several norms in which the deviation from a ray contracts, and the slowest rate."""
    n = len(ray.point)
    if n == 1:
        return
    jacobian = system.jacobian(ray.point)
    values, left = np.linalg.eig(jacobian.T)
    along = int(np.argmin(np.abs(values - 2 * ray.sign)))
    normal = np.real(left[:, along])
    along_ray = float(normal @ ray.point)
    if abs(along_ray) <= 1e-12 * float(np.linalg.norm(normal) * np.linalg.norm(ray.point)):
        return
    normal = normal / along_ray
    across = null_space(normal[None, :])
    inner = np.linalg.pinv(across) @ jacobian @ across
    slowest = float(np.linalg.eigvals(inner).real.max())
    if slowest >= ray.sign - NEUTRAL:
        return
    for shift in SHIFTS:
        rate = slowest + (ray.sign - slowest) * shift
        moved = (inner - rate * np.eye(n - 1)).T
        try:
            metric = solve_continuous_lyapunov(moved, -np.eye(n - 1))
            root = np.linalg.cholesky((metric + metric.T) / 2)
        except (LinAlgError, np.linalg.LinAlgError):
            continue
        yield np.column_stack([ray.point, across @ np.linalg.inv(root.T)]), slowest


def aperture(frame: np.ndarray, state: np.ndarray) -> float:
    """|z|/y, infinite when y <= 0."""
    y, *z = np.linalg.solve(frame, state)
    return float(np.linalg.norm(z)) / float(y) if y > 0 else np.inf


class Opening:
    """Cones of one frame, in floating point; ``slowest`` is the rate across the ray."""

    def __init__(
        self, system: QuadraticSystem, frame: np.ndarray, sign: int, slowest: float
    ) -> None:
        self.sign, self.span = sign, min(MOST_RATE, 2 * (sign - slowest))
        inverse = np.linalg.inv(frame)
        tensor = np.einsum("ak,klm,lp,mq->apq", inverse, system.tensor, frame, frame)
        self.tensor = (tensor + tensor.transpose(0, 2, 1)) / 2
        self.cubic = symmetrised(self.tensor[1:, 1:, 1:])
        self.bounds = np.array([absolute(C) for C in self.cubic])

    def rate(self, opening: float) -> float | None:
        """m for which a cone with this opening is invariant, None where none was found."""
        wider = opening * float(WIDER)
        for part in RATES:
            rate = 2 * self.sign - part * self.span
            rest = in_units(self.rest(opening, wider, rate, self.bounds), opening)
            if np.linalg.eigvalsh(rest)[0] > MARGIN * max(1.0, float(np.abs(rest).max())):
                return float(rate)
        return None

    def rest(self, opening: float, wider: float, rate: float, bounds: np.ndarray) -> np.ndarray:
        """S, n x n."""
        n = len(self.tensor)
        rest = 2 * opening**2 * self.tensor[0]
        for j in range(1, n):
            form = self.tensor[j].copy()
            rest[0, j] -= form[0, 0]
            rest[j, 0] -= form[0, 0]
            rest[j, 1:] -= 2 * form[0, 1:]
            rest[1:, j] -= 2 * form[0, 1:]
        rest[0, 0] -= rate * opening**2
        rest[1:, 1:] += rate * np.eye(n - 1)
        rest[1:, 1:] -= 2 * wider * bounds.sum(axis=0)
        return np.asarray(rest)


def in_units(form: np.ndarray, opening: float) -> np.ndarray:
    """A form of (y, z) in the coordinates (p y, z), in which the cone is round."""
    units = np.ones(len(form))
    units[0] = 1 / opening
    return np.asarray(form * np.outer(units, units))


def symmetrised(tensor: np.ndarray) -> np.ndarray:
    """The symmetric part of a tensor with three places."""
    places = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    return np.asarray(sum(tensor.transpose(place) for place in places) / 6)


def absolute(matrix: np.ndarray) -> np.ndarray:
    """|C|, for symmetric C."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.abs(values)) @ vectors.T)


def exact_cone(system: QuadraticSystem, frame: np.ndarray, opening: float, rate: float) -> Cone:
    """The cone with rational numbers; what they do not prove the kernel will not accept."""
    T = rounded(frame / np.abs(frame[:, 0]).max(), FRAME_BITS)
    own = system.changed(T)
    n = own.size
    p = short(opening)
    wider = p * WIDER
    m = short(rate)
    cubic = _exact_cubic(own)
    bounds = []
    for C in map(floats_of, cubic):
        size = float(np.abs(C).max()) or 1.0
        bounds.append(rounded(absolute(C) + size * 2.0**-16 * np.eye(n - 1), BITS))
    # along the ray y' is g y^2, and 1 is taken for |g| above
    m *= abs(own.forms[0][0, 0])
    rest = _exact_rest(own, p, wider, m, bounds)
    return Cone(own, T, p, wider, m, tuple(bounds), cubic, rest)


def speed(cone: Cone) -> Speed | None:
    """Bounds of y'/y^2 in the wider cone; None where y' may be of either sign."""
    form = cone.system.forms[0]
    floats, P2 = floats_of(form), float_of(cone.wider) ** 2
    found = []
    for sign in (1.0, -1.0):
        signed = sign * floats
        inner, cross, here = signed[1:, 1:], signed[0, 1:], signed[0, 0]
        size = float(np.abs(inner).max()) + abs(here) * 1e-6
        t = short(max(0.0, -float(np.linalg.eigvalsh(inner)[0])) + 0.02 * size)
        weight = float_of(t)
        value = (
            here - weight * P2 - cross @ np.linalg.solve(inner + weight * np.eye(len(inner)), cross)
        )
        value -= 1e-9 * abs(here)
        c = below(value)
        rest = form * fmpq(int(sign))
        rest[0, 0] = rest[0, 0] - c - t * cone.wider**2
        for j in range(1, rest.nrows()):
            rest[j, j] = rest[j, j] + t
        found.append((c, t, rest))
    (c, t, first), (b, u, second) = found
    if c <= 0 <= -b:
        return None
    return Speed(c, -b, (t, u), (first, second))


def _exact_cubic(system: QuadraticSystem) -> tuple[fmpq_mat, ...]:
    n = system.size
    tensor = [[[Q[i, j] for j in range(1, n)] for i in range(1, n)] for Q in system.forms[1:]]
    cubic = []
    for i in range(n - 1):
        matrix = fmpq_mat(n - 1, n - 1)
        for j in range(n - 1):
            for k in range(n - 1):
                matrix[j, k] = (tensor[i][j][k] + tensor[j][i][k] + tensor[k][i][j]) / 3
        cubic.append(matrix)
    return tuple(cubic)


def _exact_rest(
    system: QuadraticSystem, p: fmpq, wider: fmpq, rate: fmpq, bounds: list[fmpq_mat]
) -> fmpq_mat:
    n = system.size
    rest = system.forms[0] * (2 * p * p)
    for j in range(1, n):
        form = system.forms[j]
        rest[0, j] = rest[0, j] - form[0, 0]
        rest[j, 0] = rest[j, 0] - form[0, 0]
        for k in range(1, n):
            rest[j, k] = rest[j, k] - 2 * form[0, k]
            rest[k, j] = rest[k, j] - 2 * form[0, k]
    rest[0, 0] = rest[0, 0] - rate * p * p
    for j in range(1, n):
        rest[j, j] = rest[j, j] + rate
    for B in bounds:
        for j in range(1, n):
            for k in range(1, n):
                rest[j, k] = rest[j, k] - 2 * wider * B[j - 1, k - 1]
    return rest


def rounded(matrix: np.ndarray, bits: int) -> fmpq_mat:
    """Dyadic entries, relative to the largest one."""
    unit = 2.0 ** (np.ceil(np.log2(float(np.abs(matrix).max()) or 1.0)) - bits)
    exact = fmpq(*unit.as_integer_ratio())
    return fmpq_mat([[round(float(x) / unit) * exact for x in row] for row in matrix])


def short(value: float) -> fmpq:
    """A dyadic number near one."""
    if value == 0:
        return fmpq(0)
    mantissa, exponent = np.frexp(value)
    return fmpq(round(float(mantissa) * 2**BITS)) * fmpq(2) ** (int(exponent) - BITS)


def below(value: float) -> fmpq:
    """A dyadic number at most one, near it."""
    mantissa, exponent = np.frexp(value)
    down = np.floor(float(mantissa) * 2.0**48)
    return fmpq(int(down)) * fmpq(2) ** (int(exponent) - 48)


@dataclass(frozen=True)
class Entry:
    """A cone that a rehearsed solution enters.

    Attributes:
        step: the number of steps before that.
        cone: the cone, and how fast the solution grows in it.
        width: about the relative distance of the bounds of the blow-up time.
    """

    step: int
    cone: Cone
    speed: Speed
    width: float


def entries(
    system: QuadraticSystem,
    states: Sequence[np.ndarray],
    times: Sequence[float],
    width: float,
) -> Iterator[Entry]:
    """Cones ever later, each of which gives the blow-up time better than those before it.

    They end with the first one that gives it to a relative width, or in which the solution decays.

    Args:
        states: along the solution, n each.
        times: of the states, and the last one about that of the blow-up.
    """
    ray = ray_near(system, states[-1])
    if ray is None:
        return
    found = list(frames(system, ray))
    openings = [Opening(system, frame, ray.sign, slowest) for frame, slowest in found]
    apertures = [[aperture(frame, x) for x in states] for frame, _ in found]
    best: Entry | None = None
    for step in range(len(states)):
        left = (times[-1] - times[step]) / times[-1]
        for (frame, _), opening, ratios in zip(found, openings, apertures, strict=True):
            wanted = max(ratios[step] * (1 + ROOM), LEAST_OPENING)
            rate = opening.rate(wanted) if wanted < MOST_OPENING else None
            if rate is None:
                continue
            cone = exact_cone(system, frame, wanted, rate)
            bounds = speed(cone) if cone.holds else None
            if bounds is None:
                continue
            reached = left * float_of(bounds.most / bounds.least - 1) if ray.sign > 0 else 0.0
            if best is None or reached < best.width:
                best = Entry(step, cone, bounds, reached)
                yield best
        if best is not None and best.width <= width:
            return
