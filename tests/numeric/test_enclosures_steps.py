"""Steps around solutions: every bound holds, by exact polynomials and along exact solutions."""

import math
import random
import warnings
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from enclosures_truth import (
    Inverse,
    Solution,
    coordinates,
    exact,
    forms_at,
    identity,
    jacobian_at,
    polynomials,
    random_matrix,
    random_semidefinite,
    rational,
    squared,
    within,
)
from flint import fmpq, fmpq_mat, fmpq_poly

from numeric.enclosures.journey import rehearsed
from numeric.enclosures.system import QuadraticSystem, float_of, floats_of, fraction, to_rows
from numeric.enclosures.taylor import (
    Rehearsal,
    Stepper,
    bernstein,
    form_norms,
    norm_above,
    rehearse,
    spectral_norm,
)
from proofs.checkers import univariate
from proofs.checkers.rational import is_semidefinite_flint

F = Fraction
BITS = 80
#: how loose bounds may be
LOOSE = 1e3
LARGE = 10**12

I2 = [[1, 0], [0, 1]]
TURN = [[0, 1], [-1, 0]]
SHEAR = [[0, 1], [0, 0]]


def seeded(seed, d, count, rank):
    rng = random.Random(seed)
    heads = [(random_matrix(rng, d), random_matrix(rng, d)) for _ in range(count)]
    return Solution(heads, random_semidefinite(rng, d, rank))


#: name: the solution, whether in all coordinates, and how many steps
CASES = {
    "identity, blows up": (Inverse([I2], [[2, 1], [1, 3]]), True, 6),
    "two heads, identity": (Inverse([[[1, 2], [0, -1]], [[0, 1], [1, 1]]], I2), False, 6),
    "decays": (Inverse([[[-1, 0], [0, -1]]], [[2, 1], [1, 3]]), True, 8),
    "decays in one direction": (Inverse([[[-1, -2], [-2, -4]]], [[2, 1], [1, 3]]), True, 6),
    "small": (
        Inverse([[[1, 2], [0, 1]]], [[F(2, LARGE), F(1, LARGE)], [F(1, LARGE), F(3, LARGE)]]),
        False,
        4,
    ),
    "large": (Inverse([[[1, 2], [0, 1]]], [[2 * LARGE, LARGE], [LARGE, 3 * LARGE]]), False, 4),
    "scales apart": (Inverse([[[1, 2], [0, -1]]], [[LARGE, 1], [1, F(3, LARGE)]]), True, 4),
    "rank one": (Inverse([[[1, 2], [0, -1]]], [[1, 2], [2, 4]]), True, 6),
    "nearly rank one": (Inverse([[[1, 2], [0, -1]]], [[1, 2], [2, 4 + F(1, 10**30)]]), False, 6),
    "rank one score": (
        Solution([([[1, 1], [0, 2]], [[1, 2], [1, 2]])], [[1, 1], [1, 2]]),
        False,
        4,
    ),
    "turning": (Solution([(TURN, TURN)], [[2, 1], [1, 3]]), True, 4),
    "odd functions": (Solution([(SHEAR, [[1, 0], [0, -1]])], I2), True, 4),
    "one dimension": (Inverse([[[F(1, 3)]]], [[F(1, 7)]]), False, 8),
    "random, d = 2": (seeded(1, 2, 2, 2), False, 3),
    "random, d = 2, rank one": (seeded(2, 2, 1, 1), True, 3),
    "random, d = 3": (seeded(3, 3, 1, 3), False, 1),
    "random, d = 3, two heads": (seeded(4, 3, 2, 2), True, 2),
}


@cache
def chain(name):
    """The system, its norms, and the steps of a case, from the start itself."""
    solution, full, count = CASES[name]
    system = QuadraticSystem.of(solution.pairs, full)
    stepper = Stepper(system, BITS)
    state = system.state(solution.covariance)
    centre, radius = tuple(map(fraction, state.entries())), F(0)
    steps = []
    for _ in range(count):
        rehearsal = rehearse(system, np.array(centre, dtype=float))
        step = stepper.step(centre, radius, rehearsal)
        assert step is not None
        assert step.length == rehearsal.length
        np.testing.assert_allclose(
            rehearsal.end,
            np.array(step.end, dtype=float),
            rtol=1e-9,
            atol=1e-9 * np.abs(rehearsal.end).max(),
        )
        steps.append(step)
        centre, radius = step.end, step.reached
    return system, stepper.norms, steps


def matrices(rows):
    """The coefficients of a matrix of polynomials."""
    degree = max(0, *(entry.degree() for row in rows for entry in row))
    return [fmpq_mat([[entry[k] for entry in row] for row in rows]) for k in range(degree + 1)]


def nonnegative(polynomial, end):
    return univariate.is_semidefinite(matrices([[polynomial]]), end)


def residual(system, step):
    """y' - f(y)."""
    y = polynomials(step)
    return [p.derivative() - q for p, q in zip(y, forms_at(system, y), strict=True)]


def sloped(system, step, slope):
    """slope I - (J + J^T)/2 along y."""
    J = jacobian_at(system, polynomials(step))
    n = system.size
    return [
        [fmpq_poly([slope * (i == j)]) - (J[i][j] + J[j][i]) / 2 for j in range(n)]
        for i in range(n)
    ]


def sampled(step, count=16):
    end = exact([step.length])[0]
    return [end * k / count for k in range(count + 1)]


def size_of(step):
    return max(abs(x) for x in step.curve[0])


@pytest.mark.parametrize("name", CASES)
def test_what_the_proof_needs_holds_exactly(name):
    system, norms, steps = chain(name)
    for step in steps:
        c, slope, b, m, e = exact([step.defect, step.slope, step.tube, step.rounding, step.reached])
        s = step.length
        assert min(s, step.defect, step.tube, step.rounding, step.radius[0]) > 0 <= step.slope
        assert nonnegative(c * c - squared(residual(system, step)), s)
        assert univariate.is_semidefinite(matrices(sloped(system, step, slope)), s)
        r = fmpq_poly(exact(step.radius))
        rate = slope + b * sum(exact(norms), fmpq(0))
        assert nonnegative(r.derivative() - rate * r - c, s)
        at_end = exact([s])[0]
        last = r(at_end)
        assert last < b
        assert last + m <= e
        arrived = [p(at_end) for p in polynomials(step)]
        assert within(arrived, exact(step.end), m)


@pytest.mark.parametrize("name", CASES)
def test_bounds_are_not_loose(name):
    system, norms, steps = chain(name)
    for step in steps:
        defects = residual(system, step)
        largest = max(float(squared([p(t) for p in defects])) ** 0.5 for t in sampled(step))
        assert step.defect <= LOOSE * largest
        # and that is rounding: in time s it moves the solution by about the unit
        assert step.defect * step.length <= LOOSE * size_of(step) / 2**BITS
        matrix = sloped(system, step, fmpq(0))
        slopes = [
            -np.linalg.eigvalsh(floats_of(fmpq_mat([[p(t) for p in row] for row in matrix])))[0]
            for t in sampled(step)
        ]
        width = float(sum(norms)) * float(size_of(step))
        assert step.slope <= 1.01 * max(0.0, *slopes) + 1e-10 * width
        rate = float(step.slope + step.tube * sum(norms))
        r = fmpq_poly(exact(step.radius))
        grown = float(step.radius[0] + step.defect * step.length) * math.exp(
            rate * float(step.length)
        )
        assert float(r(exact([step.length])[0])) <= 3 * grown
        assert step.rounding <= LOOSE * max(map(abs, step.end)) / 2**BITS


@pytest.mark.parametrize("name", CASES)
def test_the_solution_stays_in_the_tube(name):
    system, _, steps = chain(name)
    solution = CASES[name][0]
    elapsed = F(0)
    for step in steps:
        y, r = polynomials(step), fmpq_poly(exact(step.radius))
        for part in (0, F(1, 3), F(3, 4), 1):
            x = coordinates(system, solution.after(elapsed + part * step.length))
            t = exact([part * step.length])[0]
            assert within(x, [p(t) for p in y], r(t))
        elapsed += step.length
        assert within(x, exact(step.end), exact([step.reached])[0])
        # and no tube reaches the blow-up
        assert step.reached <= size_of(step)


@pytest.mark.parametrize("name", CASES)
def test_steps_follow_on_each_other(name):
    system, _, steps = chain(name)
    for one, other in pairwise(steps):
        assert other.curve[0] == one.end
        assert other.radius[0] >= one.reached
    start = system.state(CASES[name][0].covariance)
    first = steps[0]
    assert within(start.entries(), exact(first.curve[0]), exact([first.radius[0]])[0])


def test_odd_functions_do_not_end_the_series():
    # Sigma = [[1, -th], [-th, 1]]-like: Sigma_12' = Sigma_12^2 - 1, so that c_2 = 0
    solution, full, _ = CASES["odd functions"]
    system, _, steps = chain("odd functions")
    assert full
    assert not any(steps[0].curve[2])
    assert any(steps[0].curve[3])
    x, end = exact(steps[0].end), steps[0].length
    tanh = -math.tanh(float(end)) * 1.4
    assert abs(float_of(x[1]) - tanh) < 1e-15
    assert abs(float_of(x[0]) - 1) < 1e-15
    assert solution.covariance == to_rows(system.lifts[0] + system.lifts[2])


def test_polynomials_end_the_series():
    # Sigma_22 = 1, Sigma_12 = t, Sigma_11 = 1 + t^2
    system = QuadraticSystem.of(Solution([(SHEAR, [[0, 0], [0, 1]])], I2).pairs, full=True)
    step = Stepper(system, BITS).step(
        (F(1), F(0), F(1)), F(0), rehearse(system, np.array([1.0, 0, 1]))
    )
    assert step.length > 1
    assert step.curve == ((1, 0, 1), (0, F(7, 5), 0), (1, 0, 0)) or _nearly_polynomial(step)
    for t in sampled(step):
        x = coordinates(system, rational([[1 + fraction(t) ** 2, fraction(t)], [fraction(t), 1]]))
        assert within(x, [p(t) for p in polynomials(step)], fmpq_poly(exact(step.radius))(t))


def _nearly_polynomial(step):
    return len(step.curve) == 3 and abs(step.curve[1][1] - F(7, 5)) < F(1, 2 ** (BITS - 4))


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("start", [F(1, LARGE), F(2, 3), F(LARGE)])
def test_up_to_a_blow_up(d, start):
    """Sigma' = 2 Sigma^2 from s I blows up at 1/(2 s)."""
    unit = to_rows(identity(d))
    solution = Inverse([unit], [[start * x for x in row] for row in unit])
    system = QuadraticSystem.of(solution.pairs)
    end = 1 / (2 * start)
    width = 1e-4
    journey = rehearsed(system, system.state(solution.covariance), width)
    assert journey.blows_up
    system = journey.system
    stepper = Stepper(system, BITS)
    centre, radius = tuple(map(fraction, journey.start.entries())), F(0)
    elapsed = F(0)
    for rehearsal in journey.steps:
        step = stepper.step(centre, radius, rehearsal)
        elapsed += step.length
        assert elapsed < end
        x = coordinates(system, solution.after(elapsed))
        assert within(x, exact(step.end), exact([step.reached])[0])
        centre, radius = step.end, step.reached
    assert radius <= size_of(step) / 2**20
    assert (end - elapsed) / end < 2 * width
    assert abs(journey.times[-1] / float(end) - 1) < 2 * width


OFF = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (F(2, 3), F(2, 3), F(1, 3)), (F(-2, 3), F(1, 3), F(2, 3))]


@pytest.mark.parametrize("score", [[[1, 0], [0, 1]], [[-1, 0], [0, -1]], [[1, 2], [0, -2]]])
@pytest.mark.parametrize("size", [F(1, 2**60), F(1, 100)])
def test_what_starts_anywhere_in_the_ball_stays_in_the_tube(score, size):
    """For V = I, from the ends of several rays in the ball, whose ends nearly fill the tube."""
    middle = rational([[2, 1], [1, 3]])
    system = QuadraticSystem.of(Inverse([score], to_rows(middle)).pairs, full=True)
    centre = system.state(to_rows(middle))
    rehearsal = rehearse(system, floats_of(centre)[:, 0])
    step = Stepper(system, BITS).step(tuple(map(fraction, centre.entries())), size, rehearsal)
    y, r = polynomials(step), fmpq_poly(exact(step.radius))
    furthest = 0.0
    for direction in OFF:
        assert squared(exact(map(F, direction))) == 1
        for sign in (1, -1):
            Sigma = middle
            for a, N in zip(exact(map(F, direction)), system.lifts, strict=True):
                Sigma = Sigma + N * (a * exact([sign * size])[0])
            moving = Inverse([score], to_rows(Sigma))
            for t in sampled(step, 4):
                x = coordinates(system, moving.after(t))
                assert within(x, [p(t) for p in y], r(t))
            distance = squared([a - p(t) for a, p in zip(x, y, strict=True)])
            furthest = max(furthest, float(distance) ** 0.5)
    assert furthest >= 0.3 * float(r(t))


@pytest.mark.parametrize("bits", [30, 80, 120])
def test_more_bits(bits):
    system, _, _ = chain("random, d = 2")
    solution = CASES["random, d = 2"][0]
    centre = tuple(map(fraction, system.state(solution.covariance).entries()))
    step = Stepper(system, bits).step(centre, F(0), rehearse(system, np.array(centre, dtype=float)))
    unit = size_of(step) / 2**bits
    assert unit / LOOSE <= step.defect * step.length <= unit * LOOSE
    assert step.reached <= 10 * unit * LOOSE
    x = coordinates(system, solution.after(step.length))
    assert within(x, exact(step.end), exact([step.reached])[0])
    grid = fmpq(2) ** (math.floor(math.log2(max(map(abs, step.end)))) - bits - 2)
    assert all((a / grid).q == 1 for a in exact(step.end))


def test_slopes_at_rounding():
    """Where the largest eigenvalue is 10^-14 of the others, floats may call it negative."""
    score = [[-1, 0], [0, 0]]
    small = F(1, 10**7)
    plain = Inverse([score], [[1, small], [small, 1]])
    rng, checked = random.Random(0), 0
    for _ in range(80):
        K = random_matrix(rng, 3)
        K = K - K.transpose()
        turn = (identity(3) - K) * (identity(3) + K).inv()
        assert turn.transpose() * turn == identity(3)
        system = QuadraticSystem.of(plain.pairs, full=True).changed(turn)
        centre = system.state(plain.covariance)
        rehearsal = rehearse(system, floats_of(centre)[:, 0])
        step = Stepper(system, 20).step(tuple(map(fraction, centre.entries())), F(0), rehearsal)
        matrix = sloped(system, step, exact([step.slope])[0])
        for t in sampled(step, 1):
            assert is_semidefinite_flint(fmpq_mat([[p(t) for p in row] for row in matrix]))
            checked += 1
    assert checked == 160


def test_equilibria():
    zero = [[0, 0], [0, 0]]
    still = QuadraticSystem.of(Solution([(I2, zero)], I2).pairs, full=True)
    moving = QuadraticSystem.of(Solution([(I2, I2)], I2).pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rehearse(still, np.array([1.0, 0, 1])) is None
        assert rehearse(moving, np.zeros(3)) is None
        assert (
            Stepper(moving, BITS).step((F(0),) * 3, F(0), Rehearsal(F(1), 0.0, np.zeros(3))) is None
        )
        assert set(form_norms(still)) == {0}
        assert rehearsed(still, still.state(Solution([], I2).covariance), 1e-3).steps == ()
    step = Stepper(still, BITS).step((F(1), F(0), F(1)), F(1, 8), Rehearsal(F(5), 0.0, np.zeros(3)))
    assert step.curve == ((1, 0, 1),)
    assert step.end == (1, 0, 1)
    assert F(1, 8) <= step.reached < F(1, 4)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("exponent", [-320, -140, 140, 300])
def test_extreme_sizes_are_refused_or_followed(exponent):
    size = fmpq(10) ** exponent
    solution = Inverse([I2], to_rows(identity(2) * size))
    system = QuadraticSystem.of(solution.pairs)
    state = floats_of(system.state(solution.covariance))[:, 0]
    rehearsal = rehearse(system, state)
    if rehearsal is None:
        assert abs(exponent) >= 300
        return
    centre = tuple(map(fraction, system.state(solution.covariance).entries()))
    step = Stepper(system, BITS).step(centre, F(0), rehearsal)
    x = coordinates(system, solution.after(step.length))
    assert within(x, exact(step.end), exact([step.reached])[0])


def test_no_step_over_a_blow_up():
    solution = Inverse([I2], I2)
    system = QuadraticSystem.of(solution.pairs)
    stepper = Stepper(system, BITS)
    for length in (F(1, 2), F(3, 4), F(2)):
        assert stepper.step((F(1), F(0), F(1)), F(0), Rehearsal(length, 0.0, np.ones(3))) is None
    # a wide ball has solutions that blow up before the time, from (1 + r) I
    assert stepper.step((F(1), F(0), F(1)), F(3), Rehearsal(F(3, 16), 0.0, np.ones(3))) is None
    assert stepper.step((F(1), F(0), F(1)), F(1, 99), Rehearsal(F(3, 16), 0.0, np.ones(3)))


def test_norms_of_forms():
    rng = random.Random(2)
    for d in (1, 2, 3, 4):
        heads = [(to_rows(random_matrix(rng, d)), to_rows(random_matrix(rng, d)))]
        system = QuadraticSystem.of(heads)
        unit = identity(system.size)
        for Q, norm in zip(system.forms, exact(form_norms(system)), strict=True):
            assert is_semidefinite_flint(unit * norm - Q)
            assert is_semidefinite_flint(unit * norm + Q)
            less = unit * (norm * fmpq(99, 100))
            assert norm == 0 or not (
                is_semidefinite_flint(less - Q) and is_semidefinite_flint(less + Q)
            )


def test_norms_of_vectors():
    rng = random.Random(3)
    for exponent in (-3000, -120, -1, 0, 1, 90, 3000):
        for _ in range(20):
            entries = [
                fmpq(rng.randint(-9, 9), rng.randint(1, 9)) * fmpq(2) ** exponent for _ in range(3)
            ]
            norm = norm_above(entries)
            assert squared(entries) <= norm * norm
            assert norm * norm <= squared(entries) * (1 + fmpq(1, 2**30)) + (exponent > 50)
    assert norm_above([fmpq(0), fmpq(0)]) == 0
    assert norm_above([fmpq(3), fmpq(4)]) <= 5 + fmpq(1, 2**30)


def test_spectral_norms():
    rng = random.Random(4)
    for n in (1, 2, 3, 6):
        M = random_matrix(rng, n)
        k = exact([spectral_norm(M)])[0]
        assert is_semidefinite_flint(identity(n) * (k * k) - M.transpose() * M)
        less = k * fmpq(99, 100)
        assert M == M * 0 or not is_semidefinite_flint(
            identity(n) * (less * less) - M.transpose() * M
        )


def test_bernstein_coefficients():
    rng = random.Random(5)
    for degree in (0, 1, 2, 7):
        p = fmpq_poly([fmpq(rng.randint(-9, 9), 4) for _ in range(degree)] + [fmpq(3)])
        control = bernstein([p[k] for k in range(degree + 1)])
        x = fmpq_poly([0, 1])
        total = sum(
            (
                b * math.comb(degree, i) * x**i * (1 - x) ** (degree - i)
                for i, b in enumerate(control)
            ),
            fmpq_poly([0]),
        )
        assert total == p
