"""Cones around rays: exact identities and inequalities, and the blow-up times that they bound."""

import json
import math
import random
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from enclosures_truth import Inverse, forms_at, identity, random_matrix, rational, squared
from flint import fmpq, fmpq_mat

from numeric.enclosures.cones import (
    MOST_OPENING,
    Cone,
    Opening,
    Ray,
    aperture,
    below,
    entries,
    exact_cone,
    frames,
    ray_near,
    rounded,
    short,
    speed,
)
from numeric.enclosures.journey import rehearsed
from numeric.enclosures.system import QuadraticSystem, float_of, floats_of
from numeric.mappings import model_from_mapping
from proofs.checkers.rational import is_semidefinite_flint
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.subject import problem_of, subject_of

CASES = Path(__file__).parents[1] / "proofs" / "cases" / "existence.jsonl"
ACCURACY = 1e-6
"""Relative error of the integrated blow-up times."""
WIDTH = 1e-6


def quadratic(*forms):
    """x_k' = x^T Q_k x; what heads it is of plays no part for cones."""
    n = len(forms)
    dummy = tuple(fmpq_mat(1, 1) for _ in range(n))
    return QuadraticSystem((), (), fmpq_mat(1, 1), dummy, dummy, tuple(map(rational, forms)))


def plane(square, other, turn):
    """y' = square y^2 + other z^2, z' = turn y z."""
    half = Fraction(turn) / 2
    return quadratic([[square, 0], [0, other]], [[0, half], [half, 0]])


def spiral(sign, rate, turn, cubic):
    """y' = sign y^2 + z^2/3, and z' = y (rate z + a turn) + quadratic terms in z, in three."""
    r, w, c = Fraction(rate) / 2, Fraction(turn) / 2, Fraction(cubic)
    return quadratic(
        [[sign, 0, 0], [0, Fraction(1, 3), 0], [0, 0, Fraction(1, 3)]],
        [[0, r, w], [r, c, c / 2], [w, c / 2, -c]],
        [[0, -w, r], [-w, c, c / 3], [r, c / 3, -c / 2]],
    )


#: name: the system in its own coordinates, in which the ray is e_1
SYSTEMS = {
    "plane": plane(1, -1, Fraction(1, 2)),
    "contracting": plane(3, 2, Fraction(-1, 2)),
    "no coupling": plane(1, 0, Fraction(1, 3)),
    "spiral": spiral(1, Fraction(1, 4), 2, Fraction(1, 2)),
    "cubic": spiral(2, 1, Fraction(1, 5), 1),
    "decaying plane": plane(-1, Fraction(1, 2), -2),
    "decaying spiral": spiral(-1, Fraction(-7, 4), 1, Fraction(-1, 3)),
}
TURNS = (0, 1, 2)


def turned(system, seed):
    """The system for x = T u, and T; seed 0 leaves it as it is."""
    n = system.size
    T = identity(n)
    while seed and (identity(n) == T or T.det() == 0):
        T = random_matrix(random.Random(f"{n} {seed}"), n)
    return system.changed(T.inv()), T


def along(T, vector):
    return floats_of(T * fmpq_mat([[fmpq(*float(x).as_integer_ratio())] for x in vector]))[:, 0]


def openings(system, state):
    ray = ray_near(system, state)
    return [(frame, Opening(system, frame, ray.sign, slow)) for frame, slow in frames(system, ray)]


def cones(system, state, sizes):
    """All that hold, of some openings."""
    found = []
    for frame, opening in openings(system, state):
        for size in sizes:
            rate = opening.rate(size)
            if rate is not None:
                found.append(exact_cone(system, frame, size, rate))
    return [cone for cone in found if cone.holds]


def outer_points(rng, cone, count):
    """(y, z) with y > 0 and |z| <= P y."""
    n, points = cone.system.size, []
    while len(points) < count:
        y = fmpq(rng.randint(1, 9), rng.randint(1, 9))
        z = [cone.wider * y * fmpq(rng.randint(-64, 64), 64) for _ in range(n - 1)]
        if n == 2 and rng.random() < 0.3:
            z = [cone.wider * y * rng.choice((-1, 1))]
        if squared(z) <= (cone.wider * y) ** 2:
            points.append((y, z))
    return points


def value(form, vector):
    x = fmpq_mat([[a] for a in vector])
    return (x.transpose() * form * x)[0, 0]


def change_of_form(cone, y, z):
    """2 (p^2 y y' - z z') - m y (p^2 y^2 - |z|^2)."""
    p2 = cone.opening**2
    rising, *others = forms_at(cone.system, [y, *z])
    crossed = sum((a * b for a, b in zip(z, others, strict=True)), fmpq(0))
    return 2 * (p2 * y * rising - crossed) - cone.rate * y * (p2 * y * y - squared(z))


def as_sum(cone, y, z):
    """y (y, z)^T S (y, z) and the sum over j, as the header of the module has them."""
    total = y * value(cone.rest, [y, *z])
    for z_j, B, C in zip(z, cone.bounds, cone.cubic, strict=True):
        total += (cone.wider * y - z_j) * value(B + C, z) + (cone.wider * y + z_j) * value(B - C, z)
    return total


def check(cone, given, bounds):
    """A cone of a given system, and bounds of y'/y^2 in it, by exact arithmetic alone."""
    n = cone.system.size
    assert cone.system == given.changed(cone.frame)
    assert cone.wider > cone.opening > 0
    assert len(cone.bounds) == len(cone.cubic) == n - 1
    sides = [B + C * sign for B, C in zip(cone.bounds, cone.cubic, strict=True) for sign in (1, -1)]
    assert all(map(is_semidefinite_flint, (cone.rest, *sides)))
    rng = random.Random(n)
    # a cubic polynomial that vanishes at so many random points is zero
    for _ in range(40):
        y, *z = (fmpq(rng.randint(-99, 99), rng.randint(1, 9)) for _ in range(n))
        assert change_of_form(cone, y, z) == as_sum(cone, y, z)
    for y, z in outer_points(rng, cone, 25):
        assert change_of_form(cone, y, z) >= 0
    # a state on the boundary turns inwards
    y, z = fmpq(1), [cone.opening] + [fmpq(0)] * (n - 2)
    rising, first, *_ = forms_at(cone.system, [y, *z])
    assert cone.opening * rising - first >= 0
    if bounds is None:
        return
    P2 = cone.wider**2
    for sign, bound, weight, rest in zip(
        (1, -1), (bounds.least, bounds.most), bounds.weights, bounds.rests, strict=True
    ):
        assert weight >= 0
        assert is_semidefinite_flint(rest)
        for _ in range(20):
            y, *z = (fmpq(rng.randint(-99, 99), rng.randint(1, 9)) for _ in range(n))
            form = value(cone.system.forms[0], [y, *z]) - bound * y * y
            assert sign * form == weight * (P2 * y * y - squared(z)) + value(rest, [y, *z])
    for y, z in outer_points(rng, cone, 25):
        rising = forms_at(cone.system, [y, *z])[0]
        assert bounds.least * y * y <= rising <= bounds.most * y * y


@pytest.mark.parametrize("seed", TURNS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_known_rays(name, seed):
    system, T = turned(SYSTEMS[name], seed)
    along_ray = SYSTEMS[name].forms[0][0, 0]
    ray = ray_near(system, along(T, [1, *[0.05] * (system.size - 1)]))
    assert ray.sign == (1 if along_ray > 0 else -1)
    expected = along(T, [1 / abs(float_of(along_ray)), *[0] * (system.size - 1)])
    np.testing.assert_allclose(ray.point, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(
        system.velocity(ray.point), ray.sign * ray.point, atol=1e-9 * np.abs(expected).max()
    )


def test_no_ray():
    # x x' = 0 on circles: y' = -y z, z' = y^2
    circles = quadratic([[0, Fraction(-1, 2)], [Fraction(-1, 2), 0]], [[1, 0], [0, 0]])
    assert ray_near(circles, np.array([1.0, 2.0])) is None
    assert ray_near(plane(0, 0, 0), np.array([1.0, 2.0])) is None
    # Newton's method ends at another ray, or the negative one
    far = plane(1, -1, Fraction(1, 2))
    found = ray_near(far, np.array([1.0, 1e-3]))
    assert found.sign == 1
    assert found.point[0] == pytest.approx(1)


@pytest.mark.parametrize("seed", TURNS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_cones_are_invariant_exactly(name, seed):
    system, T = turned(SYSTEMS[name], seed)
    state = along(T, [1, *[0.01] * (system.size - 1)])
    found = cones(system, state, (1e-6, 0.05, 0.3, 1.0, 1.9))
    assert found
    for cone in found:
        bounds = speed(cone)
        check(cone, system, bounds)
        if bounds is None:
            continue
        on_ray = cone.system.forms[0][0, 0]
        assert bounds.least <= on_ray <= bounds.most
        # bounds of a small cone are close: y' depends on z/y, by a quadratic polynomial
        gap = float_of((bounds.most - bounds.least) / abs(on_ray))
        size = max(np.abs(floats_of(Q)).max() for Q in cone.system.forms)
        assert gap <= 30 * size * float_of(cone.opening) / abs(float_of(on_ray)) + 1e-8
    assert any(speed(cone) for cone in found)


@pytest.mark.parametrize("seed", range(8))
def test_cones_of_random_systems(seed):
    rng = random.Random(seed)
    n = rng.choice((2, 3, 4))
    forms = []
    for k in range(n):
        M = random_matrix(rng, n)
        Q = (M + M.transpose()) / 8
        # e_1 is a ray with f(e_1) = e_1, which attracts
        Q[0, 0] = fmpq(int(k == 0))
        for j in range(1, n):
            Q[0, j] = Q[j, 0] = Q[0, j] / 4 - (fmpq(1, 4) if j == k else 0)
        forms.append(Q)
    system, T = turned(quadratic(*forms), seed)
    found = cones(system, along(T, [1, *[0] * (n - 1)]), (1e-4, 0.1, 0.4, 1.5))
    assert found
    for cone in found:
        check(cone, system, speed(cone))


def path(name, seed):
    """States and times of y' = y^2, z' = z y/3, z = (y/9)^(1/3)/2, up to the blow-up at 1."""
    system, T = turned(SYSTEMS[name], seed)
    times = [1 - 2.0**-k for k in range(21)]
    heights = [1 / (1 - t) for t in times]
    states = [along(T, [y, 0.5 * y ** (1 / 3)]) for y in heights]
    return system, T, states, [*times, 1.0]


@pytest.mark.parametrize("seed", TURNS)
def test_entries_bound_an_exact_blow_up(seed):
    system, _, states, times = path("no coupling", seed)
    found = list(entries(system, states, times, WIDTH))
    assert found
    for entry in found:
        check(entry.cone, system, entry.speed)
        _inside(entry, states)
        y = np.linalg.solve(floats_of(entry.cone.frame), states[entry.step])[0]
        left = 1 - times[entry.step]
        rounding = 1e-12
        assert 1 / (float_of(entry.speed.most) * y) <= left * (1 + rounding)
        assert left * (1 - rounding) <= 1 / (float_of(entry.speed.least) * y)
    _ordered(found)
    assert found[-1].width <= WIDTH
    # y' = y^2 in all of the cone, whatever its opening, so that an early one is good enough
    assert found[-1].step <= 2


def _inside(entry, states):
    """The state is in the cone, with room."""
    cone = entry.cone
    inverse = floats_of(cone.frame.inv())
    y, *z = inverse @ states[entry.step]
    assert y > 0
    assert math.hypot(*z) <= float_of(cone.opening) * y * (1 - 0.05)
    assert cone.opening < fmpq(*MOST_OPENING.as_integer_ratio()) * 2
    assert aperture(floats_of(cone.frame), states[entry.step]) == pytest.approx(math.hypot(*z) / y)


def _ordered(found):
    """Ever later, ever better."""
    assert [entry.step for entry in found] == sorted(entry.step for entry in found)
    widths = [entry.width for entry in found]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    ("a", "heights"),
    [(1, lambda t, T: 1 / math.tanh(T - t)), (-1, lambda t, T: 1 / math.tan(T - t))],
)
def test_entries_bound_hyperbolic_blow_ups(a, heights):
    """z = 1 and y' = y^2 - z^2 or y^2 + z^2."""
    system, T = turned(plane(1, -a, 0), 1)
    end = 0.5
    times = [end * (1 - 2.0**-k) for k in range(24)]
    states = [along(T, [heights(t, end), 1]) for t in times]
    found = list(entries(system, states, [*times, end], WIDTH))
    assert found[-1].width <= WIDTH
    for entry in found:
        check(entry.cone, system, entry.speed)
        _inside(entry, states)
        y = np.linalg.solve(floats_of(entry.cone.frame), states[entry.step])[0]
        left = end - times[entry.step]
        lower, upper = 1 / (float_of(entry.speed.most) * y), 1 / (float_of(entry.speed.least) * y)
        assert lower <= left * (1 + 1e-12)
        assert left * (1 - 1e-12) <= upper
        assert (upper - lower) / end == pytest.approx(entry.width, rel=0.6, abs=1e-12)
    _ordered(found)


@pytest.mark.parametrize("seed", TURNS)
def test_entries_into_decay(seed):
    """y = 1/(1 + t), z = y^2/2: z' = -2 y z, y' = -y^2."""
    system, T = turned(plane(-1, 0, -2), seed)
    times = [2.0**k - 1 for k in range(12)]
    states = [along(T, [1 / (1 + t), 0.5 / (1 + t) ** 2]) for t in times]
    (entry,) = entries(system, states, [*times, 2.0**12], WIDTH)
    check(entry.cone, system, entry.speed)
    _inside(entry, states)
    assert entry.speed.least <= entry.speed.most < 0
    assert entry.width == 0


@pytest.mark.parametrize("seed", TURNS)
@pytest.mark.parametrize(
    "system",
    [
        plane(1, 0, Fraction(3, 2)),
        plane(1, -1, 2),
        plane(1, 1, 1),  # neutral
        plane(-1, 0, Fraction(-1, 2)),
        plane(-1, 1, -1),
        spiral(1, Fraction(5, 4), 3, 1),
        spiral(-1, Fraction(-1, 2), 0, 0),
    ],
)
def test_no_cone_around_a_ray_that_repels(system, seed):
    given, T = turned(system, seed)
    n = given.size
    sign = 1 if system.forms[0][0, 0] > 0 else -1
    point = Ray(along(T, [1, *[0] * (n - 1)]), sign)
    assert list(frames(given, point)) == []
    states = [point.point * 2.0**k for k in range(8)]
    assert list(entries(given, states, [1 - 2.0**-k for k in range(9)], WIDTH)) == []


def test_no_cone_for_the_identity():
    """For V = I each start has a direction of its own, so that none attracts."""
    solution = Inverse([[[1, 2], [0, 1]]], [[2, 1], [1, 3]])
    system = QuadraticSystem.of(solution.pairs)
    journey = rehearsed(system, system.state(solution.covariance), 1e-9)
    assert journey.blows_up
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(entries(journey.system, journey.states, journey.times, WIDTH)) == []


def test_one_dimension_has_no_cone():
    system = quadratic([[2]])
    assert list(entries(system, [np.array([1.0])], [0.0, 0.5], WIDTH)) == []


@pytest.mark.parametrize("name", ["softmax-d4-16", "softmax-d2-34", "softmax-d2-13"])
def test_degenerate_rays_are_silent(name):
    """Eigenvalues that are double, or neutral up to rounding."""
    system, covariance, _ = stored(name)
    journey = rehearsed(system, system.state(covariance), 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(entries(journey.system, journey.states, journey.times, WIDTH)) == []


def stored(name):
    (case,) = [c for c in map(json.loads, CASES.read_text().splitlines()) if c["name"] == name]
    problem = problem_of(subject_of(model_from_mapping(case["parameters"])))
    return QuadraticSystem.of(AsHeads.of(problem).pairs), problem.start, case["time"]


@pytest.mark.parametrize(
    "name", ["softmax-d2-19", "multihead-d2-11", "multihead-d2-25", "softmax-d3-39", "softmax-d3-2"]
)
def test_entries_of_stored_blow_ups(name):
    system, covariance, end = stored(name)
    journey = rehearsed(system, system.state(covariance), 1e-9)
    found = list(entries(journey.system, journey.states, journey.times, WIDTH))
    assert found[-1].width <= WIDTH
    for entry in (found[0], found[-1]):
        check(entry.cone, journey.system, entry.speed)
        _inside(entry, journey.states)
        y = np.linalg.solve(floats_of(entry.cone.frame), journey.states[entry.step])[0]
        time = journey.times[entry.step]
        assert time + 1 / (float_of(entry.speed.most) * y) <= end * (1 + ACCURACY)
        assert end * (1 - ACCURACY) <= time + 1 / (float_of(entry.speed.least) * y)
    _ordered(found)


def test_what_does_not_hold_is_not_said_to():
    system, T = turned(SYSTEMS["spiral"], 1)
    (frame, opening), *_ = openings(system, along(T, [1, 0.01, 0]))
    rate = opening.rate(0.3)
    cone = exact_cone(system, frame, 0.3, rate)
    assert cone.holds
    n = system.size
    corner = fmpq_mat(n, n, [int(i == 0) for i in range(n * n)])
    inner = identity(n - 1)
    spoilt = [
        Cone(**{**vars(cone), "rest": cone.rest - corner * (cone.rest[0, 0] + 1)}),
        Cone(**{**vars(cone), "bounds": (cone.bounds[0] - inner * 9, *cone.bounds[1:])}),
        Cone(**{**vars(cone), "cubic": (cone.cubic[0] + inner * 9, *cone.cubic[1:])}),
    ]
    assert not any(one.holds for one in spoilt)
    # y' of either sign in a wide cone
    either = exact_cone(plane(1, -4, 0), np.eye(2), 1.9, 0.0)
    assert speed(either) is None


def test_rounding():
    rng = np.random.default_rng(0)
    for size in (1e-9, 1.0, 1e9):
        M = rng.standard_normal((3, 3)) * size
        close = floats_of(rounded(M, 24))
        assert np.abs(close - M).max() <= np.abs(M).max() * 2.0**-23
        for x in (*M[0], 0.0):
            assert abs(float_of(short(x)) - x) <= abs(x) * 2.0**-24
            assert abs(x) * 2.0**-46 >= x - float_of(below(x)) >= 0
    assert rounded(np.zeros((2, 2)), 24) == fmpq_mat(2, 2)
    assert aperture(np.eye(3), np.array([-1.0, 0.5, 0])) == math.inf
    assert aperture(np.eye(3), np.array([2.0, 3.0, 4.0])) == 2.5
