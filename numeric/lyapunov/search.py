"""Searching linear Lyapunov functions tr(P Z), with exact certificates.

A solver proposes, rationals are rounded from it, and the certificate is verified exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from numeric.exact import Matrix
from numeric.lyapunov.certificate import Certificate, Kind, Term, definite, verify_exactly
from numeric.lyapunov.faces import (
    Face,
    Inequality,
    from_flint,
    inequality,
    rank,
    to_flint,
    vanishing,
    whole,
)
from numeric.lyapunov.forms import (
    Heads,
    Objects,
    as_objects,
    as_rows,
    skew_from,
    symmetric_from,
    triangle,
)
from numeric.lyapunov.rounding import rational_columns, roundings, squares
from numeric.lyapunov.slopes import slopes
from numeric.lyapunov.solving import Array, Clock, Programme, programme, solve, spectra

MAX_DIMENSION = 8
"""Largest d that is tried: a solver takes minutes beyond."""

OPTIMA = ((12, 1e-5), (1000, 1e-7))
"""Largest denominators of a bound that may be the best one exactly, and relative errors."""

SHARES = (1e-3, 1e-2, 0.1, 0.5)
"""What is given away of the best bound to have room for rounding."""

SEEDED = 4
"""Weights besides the identity that a search for growth without a start tries."""

NEAR = 0.1
"""How far a rounding for growth may be from what is rounded: central ones are the nicer."""

TINY = 1e-8
"""A margin above this is worth rounding."""

THRESHOLDS = (1e-6, 1e-5, 1e-4, 1e-3)
"""Eigenvalues below are taken for zero, in this order."""

ATTEMPTS = ((4, 1e-3), (12, 2e-4), (64, 1e-5), (1000, 1e-8), (10000, 1e-10))
"""Largest denominators of a rounded subspace, and the errors they may leave."""

INFEASIBLE = 1e-5
"""A margin below minus this is no rounding error: there is no solution."""

MAX_REDUCTIONS = 6

CONDITIONINGS = 3
"""Changes of coordinates that may make P well-conditioned."""

WELL = 30.0
"""A condition number of P that is good enough."""

LEVELS = {"decrease": 1, "growth": 2}
"""The last relaxation by default: 0 has squares alone, 1 congruences too, 2 all terms.

At level 2 growth is found where it is not at level 1, with V = I and A indefinite of size 3 for
one; for decrease no random case was seen that needs it. Level 3 is for growth from a start: where
tr(P Z) > 0 only, by a slope. It takes many more programmes.
"""


class Status(Enum):
    """How a search ended. Only ``FOUND`` says anything about the equation itself."""

    FOUND = "found"
    INFEASIBLE = "infeasible relaxation"
    FAILED = "solver failed"
    BUDGET = "out of budget"


@dataclass(frozen=True)
class Outcome:
    """The end of a search.

    Attributes:
        status: see :class:`Status`.
        certificate: exact, and verified exactly; None unless found.
        level: of the relaxation that decided.
        reductions: facial reductions that were needed.
    """

    status: Status
    certificate: Certificate | None
    level: int
    reductions: int = 0


def decrease(heads: Heads, *, seconds: float = 10.0, level: int = LEVELS["decrease"]) -> Outcome:
    """Search P > 0 with d/dt tr(P Z) <= 0 for every Z >= 0: then Z is global and bounded.

    ``heads`` are pairs (V_h, A_h) of exact d x d matrices, ``level`` the last relaxation that is
    tried. Standard linear matrix inequalities; for d = 2 level 1 is exact up to closure (S-lemma).
    """
    return _search(heads, "decrease", Clock(seconds), level, None)


def growth(
    heads: Heads,
    start: Matrix | None = None,
    *,
    seconds: float = 10.0,
    level: int = LEVELS["growth"],
) -> Outcome:
    """Search P with d/dt tr(P Z) >= tr(P Z)^2 for every Z >= 0, at level 3 where tr(P Z) > 0.

    With a ``start``, tr(P start) > 0 is maximised: the solution from there ends no later than at
    1 / tr(P start). Without, P has a positive eigenvalue.
    """
    return _search(heads, "growth", Clock(seconds), level, start)


def _search(heads: Heads, kind: Kind, clock: Clock, level: int, start: Matrix | None) -> Outcome:
    d = len(heads[0][0])
    if d > MAX_DIMENSION:
        return Outcome(Status.BUDGET, None, 0)
    unit = tuple(tuple(Fraction(int(i == j)) for j in range(d)) for i in range(d))
    scaled, factor = _normalised(heads)
    if factor == 0:
        if kind == "growth":
            return Outcome(Status.INFEASIBLE, None, 0)
        return Outcome(Status.FOUND, Certificate(kind, unit, (), ()), 0)
    if kind == "decrease":
        plain = _plain(heads, unit)
        if plain is not None:
            return Outcome(Status.FOUND, plain, 0)
    outcome = Outcome(Status.BUDGET, None, 0)
    # For growth, a relaxation with fewer terms would find a worse bound.
    for relaxation in range(0 if kind == "decrease" else min(level, 2), level + 1):
        task = _Task(heads, scaled, factor, kind, relaxation, start, clock)
        try:
            if kind == "decrease":
                outcome = _attempt(task)
            elif relaxation < 3:
                outcome = _growth(task)
            else:
                outcome = _on_half_space(task) or outcome
        except (OverflowError, np.linalg.LinAlgError):
            outcome = task.lost(Status.FAILED, 0)
        if outcome.status in (Status.FOUND, Status.BUDGET):
            break
    return outcome


def _limited(face: Face, level: int) -> Face:
    """The face for a level: at level 0 there are squares alone."""
    if level > 0:
        return face
    return replace(face, symmetric=face.symmetric[:, :0], skew=face.skew[:, :0])


def _root(metric: Array) -> Objects | None:
    """A rational R with metric ~ R^T R, None when the metric is well-conditioned already."""
    values, vectors = np.linalg.eigh(metric)
    if values[-1] <= WELL * values[0] or values[-1] <= 0:
        return None
    raised = np.maximum(values, 1e-8 * values[-1])
    root = (vectors * np.sqrt(raised / raised[-1])) @ vectors.T
    for bits in range(3, 20):
        rounded = np.round(root * 2.0**bits)
        if np.linalg.matrix_rank(rounded) < len(root):
            continue
        inverse = np.linalg.inv(rounded)
        if np.linalg.cond(root @ inverse) < 4:
            return np.array([[Fraction(int(x), 2**bits) for x in row] for row in rounded])
    return None


def transformed(heads: Heads, root: Objects) -> Heads:
    """Return the heads of the equation of R Z R^T: V' = R V R^-1, A' = R^-T A R^-1."""
    inverse = from_flint(to_flint(root).inv())
    return [
        (
            as_rows(root.dot(as_objects(V)).dot(inverse)),
            as_rows(inverse.T.dot(as_objects(A)).dot(inverse)),
        )
        for V, A in heads
    ]


def _transformed_back(certificate: Certificate, root: Objects) -> Certificate:
    """A certificate for R Z R^T as one for Z."""

    def back(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(_primitive(a, root.T.dot(as_objects(M)).dot(root)) for a, M in terms)

    return Certificate(
        certificate.kind,
        as_rows(root.T.dot(as_objects(certificate.P)).dot(root)),
        back(certificate.congruences),
        back(certificate.squares),
        back(certificate.variances),
    )


def _primitive(coefficient: Fraction, matrix: Objects) -> Term:
    """The term with coprime integers in its matrix; every term is quadratic in it."""
    size = _content(matrix)
    return coefficient * size * size, as_rows(matrix / size)


def _content(matrix: Objects) -> Fraction:
    """The positive rational that leaves coprime integers when it is divided by; 1 for zero."""
    denominator = math.lcm(*(x.denominator for x in matrix.ravel()))
    divisor = math.gcd(*(int(x * denominator) for x in matrix.ravel()))
    return Fraction(divisor or 1, denominator)


def _plain(heads: Heads, unit: Matrix) -> Certificate | None:
    """The certificate with P = I and squares alone, if that is one."""
    d = len(unit)
    face = whole(d, "decrease")
    column = np.array([[Fraction(int(i == j))] for i, j in triangle(d)], dtype=object)
    face = replace(face, metrics=column, symmetric=face.symmetric[:, :0], skew=face.skew[:, :0])
    system = inequality(heads, "decrease", 0, face)
    found = None if system is None else certificate_at(system, [Fraction(1)], Fraction(1))
    return found if found is not None and verify_exactly(found, heads) else None


def _normalised(heads: Heads) -> tuple[Heads, Fraction]:
    """Divide the V_h by one rational, so that the products V_h A_h have size one.

    Up to a power of 2 it is what all entries have in common, so that units do not matter.
    """
    size = max(_size(V) * _size(A) for V, A in heads)
    if size == 0:
        return heads, Fraction(0)
    common = math.prod(
        _content(np.concatenate([as_objects(M) for M in side])) for side in zip(*heads, strict=True)
    )
    size /= common
    factor = common * Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length())
    divided = [(tuple(tuple(x / factor for x in row) for row in V), A) for V, A in heads]
    return divided, factor


def _size(matrix: Matrix) -> Fraction:
    return max(abs(x) for row in matrix for x in row)


@dataclass(frozen=True, eq=False)
class _Task:
    """One search: of which heads, divided by a factor, what, and for which start."""

    heads: Heads
    scaled: Heads
    factor: Fraction
    kind: Kind
    level: int
    start: Matrix | None
    clock: Clock
    slope: Matrix | None = None

    def inequality(self, face: Face) -> Inequality | None:
        return inequality(self.scaled, self.kind, min(self.level, 2), face, self.slope)

    def lost(self, status: Status, reductions: int) -> Outcome:
        return Outcome(status, None, self.level, reductions)


def _attempt(task: _Task, conditionings: int = CONDITIONINGS) -> Outcome:
    """Search in the given coordinates, then in those in which P is well-conditioned."""
    face = _limited(vanishing(task.scaled, task.kind), task.level)
    outcome, metric = _reduce(task, face)
    root = None if outcome.certificate or metric is None else _root(metric)
    if root is None or conditionings == 0:
        return outcome
    heads = transformed(task.heads, root)
    scaled, factor = _normalised(heads)
    changed = replace(task, heads=heads, scaled=scaled, factor=factor)
    inner = _attempt(changed, conditionings - 1)
    if inner.certificate is None:
        return inner if inner.status == Status.BUDGET else outcome
    return replace(inner, certificate=_transformed_back(inner.certificate, root))


def _growth(task: _Task) -> Outcome:
    """Search P for growth, for the start or for several weights."""
    if task.start is not None:
        return _grow(task, task.start)
    outcome = task.lost(Status.FAILED, 0)
    for weight in _weights(task.heads):
        outcome = _grow(task, weight)
        if outcome.status in (Status.FOUND, Status.BUDGET):
            break
    return outcome


def _on_half_space(task: _Task) -> Outcome | None:
    """Search P for growth from the start where tr(P Z) > 0; None when no slope seems to do."""
    outcome = None
    if task.start is None:
        return None
    for slope in slopes(task.scaled, task.start, task.clock):
        outcome = _grow(replace(task, slope=slope), task.start)
        if outcome.status in (Status.FOUND, Status.BUDGET):
            break
    return outcome


def _weights(heads: Heads) -> Iterator[Matrix]:
    """The identity, and seeded positive definite integer matrices close to rank one."""
    d = len(heads[0][0])
    unit = np.array([[Fraction(int(i == j)) for j in range(d)] for i in range(d)], dtype=object)
    yield as_rows(unit)
    random = np.random.default_rng(d)
    for _ in range(SEEDED if d > 1 else 0):
        u = np.array([Fraction(int(x)) for x in random.integers(-3, 4, d)], dtype=object)
        yield as_rows(unit + 2 * np.multiply.outer(u, u))


def _grow(task: _Task, weight: Matrix) -> Outcome:
    """Search P for growth that maximises tr(P W): exactly so if that is a simple rational."""
    # With a slope the form need not vanish where q_P does.
    face = vanishing(task.scaled, task.kind) if task.slope is None else whole(len(weight), "growth")
    face = _limited(face, task.level)
    system = task.inequality(face)
    if system is None:
        return task.lost(Status.INFEASIBLE, 0)
    problem = programme(system)
    size = _size(weight)
    goal = np.array([[float(x / size) for x in row] for row in weight])
    best = solve(problem, task.clock, goal=goal, floor=0.0)
    if best is None:
        return task.lost(Status.FAILED if task.clock.left else Status.BUDGET, 0)
    P = np.tensordot(best.w, problem.metric, 1)
    value = float((P * goal).sum())
    if value < INFEASIBLE:
        return task.lost(Status.INFEASIBLE, 0)
    lowered = 0
    for largest, tolerance in OPTIMA:
        simple = Fraction(value).limit_denominator(largest)
        # The goal is W / size, and P is divided by the factor.
        exact = simple if size == 1 else (Fraction(value) * size).limit_denominator(largest) / size
        if abs(float(exact) - value) > tolerance * value or exact <= 0:
            continue
        pinned = replace(face, value=(weight, exact * size))
        outcome, _ = _reduce(task, pinned)
        if outcome.status in (Status.FOUND, Status.BUDGET):
            return outcome
        lowered += 1
    for share in SHARES:
        pinned = replace(face, value=(weight, _simple(value * (1 - share), share) * size))
        outcome, _ = _reduce(task, pinned)
        if outcome.status in (Status.FOUND, Status.BUDGET):
            return outcome
    return outcome


def _simple(value: float, share: float) -> Fraction:
    """A rational of small denominator below the value and close to it."""
    for largest in (1, 2, 3, 4, 6, 8, 12, 24, 48, 100, 1000, 10**4):
        found = Fraction(math.floor(value * largest), largest)
        if found > value * (1 - share):
            return found
    return Fraction(value)


def _reduce(task: _Task, face: Face) -> tuple[Outcome, Array | None]:
    """Search with facial reductions; also returns the first P for :func:`_root`."""
    metric = None
    for reductions in range(MAX_REDUCTIONS):
        system = task.inequality(face)
        # Only the first face is exact: what follows from a guess is no statement.
        lost = task.lost(Status.FAILED if reductions else Status.INFEASIBLE, reductions)
        if system is None:
            return lost, metric
        problem = programme(system)
        solution = solve(problem, task.clock)
        if solution is None:
            ended = Status.BUDGET if task.clock.left <= 0 else Status.FAILED
            return task.lost(ended, reductions), metric
        if reductions == 0 and task.kind == "decrease":
            metric = np.tensordot(solution.w, problem.metric, 1)
        if solution.margin > TINY:
            found = _rounded(problem, solution.w, task)
            if found is not None:
                return Outcome(Status.FOUND, found, task.level, reductions), metric
        if solution.margin < -INFEASIBLE:
            return lost, metric
        narrower = _narrower(problem, solution.w)
        if narrower is None:
            return task.lost(Status.FAILED, reductions), metric
        if narrower == "singular":
            return lost, metric
        face = narrower
    return task.lost(Status.FAILED, MAX_REDUCTIONS), metric


def _narrower(problem: Programme, w: Array) -> Face | Literal["singular"] | None:
    """A smaller face, from the directions in which the blocks are numerically zero.

    ``singular`` when P itself is; None when no such directions are found and rounded.
    """
    face = problem.inequality.face
    listed = spectra(problem, w)
    for threshold in THRESHOLDS:
        candidate = face
        for name, values, vectors in listed:
            zero = values < threshold
            if not zero.any():
                continue
            if name == "metric":
                if threshold == THRESHOLDS[0]:
                    return "singular"
                continue
            if name == "squares":
                old = face.kernel.astype(float)
                new = np.linalg.qr(np.hstack([old, vectors[:, zero]]))[0]
                columns = rational_columns(new, ATTEMPTS)
                if columns is None:
                    continue
                kernel = np.array(columns, dtype=object).T
                if rank(np.hstack([kernel, face.kernel])) == kernel.shape[1]:
                    candidate = replace(candidate, kernel=kernel)
                continue
            old = getattr(face, name)
            columns = rational_columns(vectors[:, ~zero], ATTEMPTS)
            if columns is None:
                continue
            span = np.array(columns, dtype=object).T.reshape(len(old), -1)
            if rank(np.hstack([span, old])) == old.shape[1]:
                smaller: dict[str, Any] = {name: span}
                candidate = replace(candidate, **smaller)
        if candidate.freedom != face.freedom:
            return candidate
    return None


def _rounded(problem: Programme, w: Array, task: _Task) -> Certificate | None:
    """Round a point to a certificate of the unscaled heads."""
    system = problem.inequality
    if system.kind != "growth":
        w = w / np.abs(np.tensordot(w, problem.metric, 1)).max()
    free = list(system.free)
    x = (problem.unknowns @ w)[free]
    metrics = sum(index < system.sizes[0] for index in free)
    near = np.inf if system.kind == "decrease" else NEAR * np.abs(x[:metrics]).max(initial=0.0)
    for rounded in roundings(x, metrics):
        if any(abs(a - float(b)) > near for a, b in zip(x[:metrics], rounded, strict=False)):
            continue
        found = certificate_at(system, rounded, task.factor)
        if found is None or not _useful(found, task.start):
            continue
        if verify_exactly(found, task.heads):
            return found
    return None


def _useful(found: Certificate, start: Matrix | None) -> bool:
    if found.kind != "growth":
        return True
    if start is not None:
        return found.trace_with(start) > 0
    negated = as_rows(-np.array(found.P, dtype=object))
    from numeric.exact import negative_direction

    return negative_direction(negated) is not None


def certificate_at(
    system: Inequality, x: Sequence[Fraction], factor: Fraction
) -> Certificate | None:
    """Return the certificate at rational unknowns, None unless all blocks are semidefinite.

    ``factor`` is what the V_h were divided by.
    """
    d = system.d
    P, tau, Cs, Ck, G = system.unknowns(x)
    if tau <= 0:
        return None
    if system.kind == "decrease":
        # Any positive multiple will do: the one with coprime integers.
        divisor = _content(P)
        P, Cs, Ck, G = P / divisor, Cs / divisor, Ck / divisor, G / divisor
    if system.kind == "growth":
        P, Cs, Ck = P / tau * factor, Cs / tau * factor**2, Ck / tau * factor**2
        # Schur complement: of [[G, p], [p^T, tau]] there remains G - p p^T / tau.
        G = (G[:-1, :-1] - np.multiply.outer(G[:-1, -1], G[-1, :-1]) / tau) / tau * factor**2
    else:
        if not definite(as_rows(P)):
            return None
        Cs, Ck, G = Cs * factor, Ck * factor, G * factor
    terms = []
    for block in (Cs, Ck, G):
        listed = squares(block) if len(block) else []
        if listed is None:
            return None
        terms.append(listed)
    symmetric = tuple((a, as_rows(symmetric_from(v, d))) for a, v in terms[0])
    skew = tuple((a, as_rows(skew_from(v, d))) for a, v in terms[1])
    linear = tuple(_linear(b, v, d) for b, v in terms[2])
    if system.level == 2:
        slope = None if system.slope is None else as_rows(as_objects(system.slope) * factor)
        return Certificate(system.kind, as_rows(P), skew, linear, symmetric, slope)
    return Certificate(system.kind, as_rows(P), symmetric + skew, linear)


def _linear(coefficient: Fraction, vector: Sequence[Fraction], d: int) -> Term:
    """The square (v . z)^2 as tr(N Z)^2."""
    half = Fraction(1, 2)
    halved = [x if i == j else x * half for x, (i, j) in zip(vector, triangle(d), strict=True)]
    return _primitive(coefficient, symmetric_from(halved, d))
