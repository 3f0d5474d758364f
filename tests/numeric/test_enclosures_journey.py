"""Rehearsals against exact solutions, and coordinates in which errors grow less."""

import json
import random
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from enclosures_truth import Inverse, Solution, coordinates, identity, random_matrix
from flint import fmpq, fmpq_mat

from numeric.enclosures.journey import Journey, rehearsed
from numeric.enclosures.metric import ENOUGH, adapted, growth_of
from numeric.enclosures.system import QuadraticSystem, floats_of, to_rows
from numeric.enclosures.taylor import Rehearsal, rehearse
from numeric.mappings import model_from_mapping
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.subject import problem_of, subject_of

CASES = Path(__file__).parents[1] / "proofs" / "cases" / "existence.jsonl"
ACCURACY = 1e-6
"""Relative error of the integrated blow-up times."""

I2 = [[1, 0], [0, 1]]
TURN = [[0, 1], [-1, 0]]


def stored(name):
    """The system, the start, and the time of the blow-up of a stored case."""
    (case,) = [c for c in map(json.loads, CASES.read_text().splitlines()) if c["name"] == name]
    problem = problem_of(subject_of(model_from_mapping(case["parameters"])))
    system = QuadraticSystem.of(AsHeads.of(problem).pairs)
    return system, problem.start, case["time"]


def walked(system, start, count):
    """States and steps, the last state too."""
    states, steps = [floats_of(start)[:, 0]], []
    for _ in range(count):
        steps.append(rehearse(system, states[-1]))
        states.append(steps[-1].end)
    return states, steps


@pytest.mark.parametrize(
    ("solution", "full"),
    [
        (Inverse([[[1, 2], [0, 1]]], [[2, 1], [1, 3]]), False),
        (Inverse([[[-1, 0], [0, -2]]], [[2, 1], [1, 3]]), True),
        (Inverse([[[1, 0], [0, -1]], [[0, 1], [1, 0]]], I2), False),
        (Solution([([[1, 1], [0, 2]], [[1, 2], [1, 2]])], [[1, 1], [1, 2]]), False),
        (Solution([(TURN, TURN)], [[2, 1], [1, 3]]), True),
    ],
)
def test_rehearsals_follow_the_solution(solution, full):
    system = QuadraticSystem.of(solution.pairs, full)
    start = system.state(solution.covariance)
    journey = rehearsed(system, start, 1e-3)
    assert len(journey.steps) == len(journey.states) >= 8
    # the coordinates may be others, for the same matrix
    assert journey.start == journey.system.state(solution.covariance)
    elapsed = Fraction(0)
    for state, step, time in zip(journey.states, journey.steps, journey.times, strict=False):
        assert time == pytest.approx(float(elapsed), rel=1e-12)
        if elapsed < 8 * journey.steps[0].length:
            exact = np.array(
                [float(x) for x in coordinates(journey.system, solution.after(elapsed))]
            )
            np.testing.assert_allclose(state, exact, rtol=0, atol=1e-7 * np.abs(exact).max())
        elapsed += step.length
    assert journey.elapsed == elapsed
    assert journey.growth == pytest.approx(growth_of(journey.steps))
    first = journey.until(3)
    assert (first.states, first.steps) == (journey.states[:3], journey.steps[:3])
    assert first.elapsed == sum(step.length for step in journey.steps[:3])


@pytest.mark.parametrize("seed", range(6))
def test_blow_up_times(seed):
    """Of (S^-1 - t B)^-1 for a positive definite S: 1 over the largest eigenvalue of B S."""
    rng = random.Random(seed)
    d = 2 + seed % 2
    scores = [to_rows(random_matrix(rng, d) + identity(d) * 3) for _ in range(2)]
    G = random_matrix(rng, d)
    solution = Inverse(scores, to_rows(G * G.transpose() + identity(d)))
    largest = np.linalg.eigvals(floats_of(solution.B * solution.start)).real.max()
    system = QuadraticSystem.of(solution.pairs)
    journey = rehearsed(system, system.state(solution.covariance), 1e-6)
    assert largest > 0
    assert journey.blows_up
    assert journey.times[-1] == pytest.approx(1 / largest, rel=1e-5)
    assert float(journey.elapsed) < 1 / largest


def test_no_journey_from_an_equilibrium():
    system = QuadraticSystem.of(Inverse([I2], I2).pairs)
    journey = rehearsed(system, fmpq_mat(3, 1), 1e-3)
    assert (journey.states, journey.steps, journey.elapsed) == ((), (), 0)
    assert not journey.blows_up
    assert journey.growth == 0
    empty = Journey(system, fmpq_mat(3, 1), (), ())
    assert empty == journey


def test_good_coordinates_are_kept():
    """Sigma' = -2 Sigma^2: errors do not grow, and in few steps they grow little anyway."""
    decays = Inverse([[[-1, 0], [0, -1]]], [[2, 1], [1, 3]])
    system = QuadraticSystem.of(decays.pairs)
    states, steps = walked(system, system.state(decays.covariance), 60)
    assert growth_of(steps) <= ENOUGH
    assert adapted(system, states[:-1], steps) is None
    assert rehearsed(system, system.state(decays.covariance), 1e-3).system is system
    hard, covariance, _ = stored("softmax-d3-2")
    states, steps = walked(hard, hard.state(covariance), 2)
    assert growth_of(steps) <= ENOUGH
    assert adapted(hard, states[:-1], steps) is None


@pytest.mark.parametrize("name", ["softmax-d3-2", "softmax-d3-18", "multihead-d2-25"])
def test_adapted_coordinates_make_errors_grow_less(name):
    system, covariance, end = stored(name)
    start = system.state(covariance)
    journey = rehearsed(system, start, ACCURACY)
    states, steps = walked(system, start, len(journey.steps))
    before = growth_of(steps)
    assert before > ENOUGH
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = adapted(system, states[:-1], steps)
    n = system.size
    assert (frame.nrows(), frame.ncols()) == (n, n)
    assert all(frame[i, j] == 0 for i in range(n) for j in range(i))
    assert all(frame[i, i] > 0 for i in range(n))
    # the logarithmic norms of B^-1 J B, by a product of floats
    B = floats_of(frame)
    after = 0.0
    for state, step in zip(states[:-1], steps, strict=True):
        turned = np.linalg.solve(B, system.jacobian(state) @ B)
        slope = np.linalg.eigvalsh((turned + turned.T) / 2)[-1]
        after += max(0.0, slope) * float(step.length)
    assert after < before / 3
    assert journey.growth < before / 3
    assert journey.times[-1] == pytest.approx(end, rel=4 * ACCURACY)
    # entries with few digits, which the kernel multiplies
    assert all(max(int(x.p).bit_length(), int(x.q).bit_length()) < 40 for x in frame.entries())
    assert journey.system != system
    assert journey.start == journey.system.state(covariance)


def test_doubtful_solvers_are_silent():
    """One of the semidefinite programs here is solved inaccurately."""
    system, covariance, _ = stored("multihead-d3-20")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        journey = rehearsed(system, system.state(covariance), ACCURACY)
    assert journey.system != system


def test_growth_is_that_of_errors():
    """In one dimension an error grows like the square of the solution: x' = x^2, dx' = 2 x dx."""
    system = QuadraticSystem.of([([[Fraction(1, 2)]], [[Fraction(1)]])])
    (Q,) = system.forms
    assert Q[0, 0] == 1
    states, steps = walked(system, fmpq_mat([[fmpq(1)]]), 10)
    for state, step in zip(states, steps, strict=False):
        real = 2 * np.log(step.end[0] / state[0])
        assert real <= step.growth <= 2 * real
    assert growth_of(steps) >= 2 * np.log(states[-1][0])
    assert (
        growth_of([Rehearsal(Fraction(1), 2.5, states[0]), Rehearsal(Fraction(1), 1.0, states[0])])
        == 3.5
    )
