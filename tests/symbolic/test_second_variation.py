"""Second variations: the known formula exactly, what is near it rejected, and geodesics shot."""

import random

import mpmath
import pytest
from mpmath import mpf
from symbolic_semantics import evaluate, mul, rational_matrix
from symbolic_semantics import transpose as tr

from numeric.precise.geodesic import second_difference
from symbolic import energies
from symbolic.geodesics import geodesics
from symbolic.nodes import Inner
from symbolic.notation import A_symmetric as A
from symbolic.notation import B, G, Q, d, m, x, xdot, y, ydot
from symbolic.pair_densities import canonical, exchanged, expanded, same_integral
from symbolic.second_variation import second_variation

NAMES = ["exponential", "l2", "linear", "sigmoid", "softmax"]
S = A * B.inverse() * A
SPEEDS = Inner(B * xdot, xdot) + Inner(B * ydot, ydot)


def softmax(sign=1, half=1, bending=S, tilt=m, cross=1):
    """The second variation of softmax attention as a textbook would write it, with its traps."""
    tilted = Inner(A * (y - tilt), xdot)
    return G * (
        tilted**2
        + Inner(xdot, A * ydot)
        + cross * tilted * Inner(A * x, ydot)
        + sign * SPEEDS / (2 * half) * Inner(m, bending * y)
    )


def test_softmax_is_the_known_formula():
    form = second_variation("softmax")
    assert same_integral(form.hessian, softmax(), G)
    assert same_integral(form.compact, softmax(), G)
    assert canonical(form.hessian - softmax(), G) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        softmax(sign=-1),
        softmax(half=2),
        softmax(half=1) * 2,
        softmax(bending=B.inverse() * A * A),
        softmax(bending=A * A),
        softmax(tilt=x),
        softmax(cross=2),
        softmax(cross=0),
        softmax() - G * SPEEDS / 2 * Inner(m, S * y),
    ],
    ids=["sign", "half", "twice", "order", "metric", "mean", "cross", "no cross", "straight"],
)
def test_neighbours_of_the_formula_are_rejected(wrong):
    assert not same_integral(second_variation("softmax").hessian, wrong, G)


def test_weight_moves_by_its_total_derivative():
    """With the derivative at fixed y in place of the total one, another form comes out."""
    path, form = geodesics("softmax"), second_variation("softmax")
    total = Inner(A * xdot, y) + Inner(A * x, ydot)
    assert expanded(path.weight_rate - G * total) == 0
    partial = form.hessian + G * Inner(A * x, ydot) * Inner(A * m, xdot)
    assert not same_integral(form.hessian, partial, G)
    without = form.hessian + path.weight_rate * Inner(A * m, xdot)
    assert not same_integral(form.hessian, without, G)


def test_geodesic_equation_is_the_known_one():
    force = geodesics("softmax").force
    assert force is not None
    scalar, column = force.as_coeff_mmul()
    assert expanded(scalar - G * SPEEDS) == 0
    assert column == A * y
    assert all(
        geodesics(name).straight for name in ("exponential", "linear", "sigmoid", "sinkhorn")
    )


def test_dirac_mass():
    """H/M = <A v, v>/|v|_B^2 + |A x|^2 in the norm of the inverse of B."""
    at_one = {y: x, ydot: xdot, m: x}
    value = expanded(second_variation("softmax").hessian.xreplace(at_one))
    known = G * (Inner(A * xdot, xdot) + Inner(B * xdot, xdot) * Inner(x, S * x))
    assert expanded(value - known) == 0


def test_exchange_does_not_change_the_integral():
    for name in NAMES:
        density = second_variation(name).hessian
        kernel = second_variation(name).kernel
        if kernel is None:
            assert same_integral(density, exchanged(density))


def test_sinkhorn_has_none_on_tokens():
    with pytest.raises(ValueError, match="no double integral"):
        second_variation("sinkhorn")


def drawn(name, n, seed):
    """Parameters, tokens, masses and velocities, as rationals of small size."""
    rng = random.Random(f"{name} {n} {seed}")

    def draw(rows, columns):
        return [[p / 2 for p in row] for row in rational_matrix(rng, rows, columns, mpf)]

    M, N = draw(n, n), draw(n, n)
    score = [[M[i][j] + M[j][i] for j in range(n)] for i in range(n)]
    metric = [[p + (i == j) for j, p in enumerate(row)] for i, row in enumerate(mul(N, tr(N)))]
    tokens, velocities = (draw(3, n) for _ in range(2))
    factor = None
    if name == "l2":
        factor = draw(n, n)
        metric = [[2 * p for p in row] for row in mul(tr(factor), factor)]
        score = None
    return score, metric, factor, tokens, [mpf(1) / 2, mpf(1) / 3, mpf(1) / 6], velocities


def double_integral(name, density, case):
    """The double sum over tokens, term by term."""
    score, metric, factor, tokens, masses, velocities = case
    n = len(metric)
    definitions = energies.lookup(name).definitions()
    env = {B: metric, d: n, A: score, Q: factor}
    atoms = [tr([z]) for z in tokens], [tr([z]) for z in velocities]

    def kernel(u, v):
        return {k: evaluate(e, {**env, x: u, y: v}, mpf) for k, e in definitions.items()}

    total = mpf(0)
    for w, u, du in zip(masses, *atoms, strict=True):
        seen = [k * kernel(u, v).get(G, mpf(1)) for k, v in zip(masses, atoms[0], strict=True)]
        mean = [
            [sum(p * v[i][0] for p, v in zip(seen, atoms[0], strict=True)) / sum(seen)]
            for i in range(n)
        ]
        for k, v, dv in zip(masses, *atoms, strict=True):
            at = {**env, **kernel(u, v), x: u, y: v, xdot: du, ydot: dv, m: mean}
            total += w * k * evaluate(density, at, mpf)
    return total


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_geodesics_that_are_shot_give_it_to_twenty_digits(name, n):
    with mpmath.workdps(60):
        case = drawn(name, n, 0)
        score, metric, _, tokens, masses, velocities = case
        shot = second_difference(score, metric, tokens, masses, velocities, 50, variant=name)
        form = second_variation(name)
        for density in (form.hessian, form.compact):
            value = double_integral(name, density, case)
            assert abs(value - shot.second) < mpf(10) ** -20 * abs(shot.second)
        assert shot.drift < mpf(10) ** -20 * shot.speed
        speed = double_integral(name, form.metric, case)
        assert abs(speed - shot.speed) < mpf(10) ** -40 * speed


def test_geodesics_that_are_shot_reject_a_wrong_sign():
    with mpmath.workdps(60):
        case = drawn("softmax", 2, 0)
        score, metric, _, tokens, masses, velocities = case
        shot = second_difference(score, metric, tokens, masses, velocities, 50)
        for wrong in (softmax(sign=-1), softmax(half=2), softmax(cross=0)):
            value = double_integral("softmax", wrong, case)
            assert abs(value - shot.second) > mpf(10) ** -4 * abs(shot.second)
