"""Energies against their definitions: first variations by differences, dissipation by the flow."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from symbolic_semantics import close, dot, evaluate, eye, inverse, mul, rational_matrix
from symbolic_semantics import transpose as tr
from sympy import exp, lambdify

from symbolic import energies
from symbolic.calculus import gradient
from symbolic.gaussian import reduction
from symbolic.gradient_flow import gradient_flow
from symbolic.nodes import Inner
from symbolic.notation import A, A_symmetric, B, Q, V, d, mu, x, y
from symbolic.python_code import reduction_functions
from symbolic.transport_energy import b, c, s, transport_energy

NAMES = ["exponential", "l2", "linear", "sigmoid", "sinkhorn", "softmax"]
STEP = mpf(10) ** -12


@pytest.fixture(autouse=True)
def forty_digits():
    with mpmath.workdps(40):
        yield


def setting(n, seed=0, atoms=3):
    """Letters with B V = -A (or B = 2 Q^T Q, V = I), and a measure of mass one."""
    rng = random.Random(seed)

    def draw(rows, columns):
        return rational_matrix(rng, rows, columns, mpf)

    G, F = draw(n, n), draw(n, n)
    score = [[G[i][j] + G[j][i] for j in range(n)] for i in range(n)]
    metric = mul(F, tr(F))
    metric = [[metric[i][j] + (i == j) for j in range(n)] for i in range(n)]
    weights = [mpf(1) / 2, mpf(1) / 3, mpf(1) / 6] if atoms == 3 else [mpf(2) / 3, mpf(1) / 3]
    measure = [(w, Fraction(0), draw(n, 1)) for w in weights]
    value = mul(inverse(metric), [[-p for p in row] for row in score])
    return {A_symmetric: score, A: score, B: metric, V: value, mu: measure, d: n}


def of_l2(env, seed=0):
    n = env[d]
    factor = rational_matrix(random.Random(seed), n, n, mpf)
    twice = [[2 * p for p in row] for row in mul(tr(factor), factor)]
    return {**env, Q: factor, B: twice, V: eye(n, mpf)}


def parameters(name, n):
    env = setting(n, atoms=2 if name == "sinkhorn" else 3)
    return of_l2(env) if name == "l2" else env


def moved(env, i, direction, amount):
    measure = list(env[mu])
    w, position, at = measure[i]
    shifted = [[p[0] + amount * q[0]] for p, q in zip(at, direction, strict=True)]
    measure[i] = (w, position, shifted)
    return {**env, mu: measure}


def test_there_is_one_for_every_plain_variant():
    assert energies.names() == NAMES


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_gradient_is_the_slope_of_the_energy_in_each_token(name, n):
    env = parameters(name, n)
    energy, flow = energies.lookup(name).energy(), gradient_flow(name)
    direction = rational_matrix(random.Random(5), n, 1, mpf)
    for i, (w, _, at) in enumerate(env[mu]):
        ahead, behind = (evaluate(energy, moved(env, i, direction, h), mpf) for h in (STEP, -STEP))
        slope = (ahead - behind) / (2 * STEP)
        derived = w * dot(evaluate(flow.gradient, {**env, x: at}, mpf), direction)
        assert abs(slope - derived) < mpf(10) ** -20
        assert abs(slope - 2 * derived) > mpf(10) ** -6


@pytest.mark.parametrize("name", NAMES)
def test_first_variation_is_the_slope_of_the_energy_in_each_mass(name):
    """In mass that is moved from one token to another, so that the total stays one."""
    env = parameters(name, 2)
    energy, flow = energies.lookup(name).energy(), gradient_flow(name)

    def at(amount):
        (p, _, u), (q, _, v), *rest = env[mu]
        changed = [(p + amount, 0, u), (q - amount, 0, v), *rest]
        return evaluate(energy, {**env, mu: changed}, mpf)

    slope = (at(STEP) - at(-STEP)) / (2 * STEP)
    first, second = (
        evaluate(flow.first_variation, {**env, x: atom}, mpf) for _, _, atom in env[mu][:2]
    )
    assert abs(slope - (first - second)) < mpf(10) ** -20


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_velocity_is_the_gradient_in_the_metric(name, n):
    env = parameters(name, n)
    energy, flow = energies.lookup(name), gradient_flow(name)
    env[x] = env[mu][0][2]
    w = evaluate(energy.weight(x), env, mpf)
    velocity = evaluate(energy.velocity(x), env, mpf)
    momentum = [[w * p for p in row] for row in mul(env[B], velocity)]
    assert close(momentum, evaluate(flow.momentum, env, mpf), mpf(10) ** -30)
    slope = evaluate(flow.gradient, env, mpf)
    assert close(momentum, [[energy.sign * p for p in row] for row in slope], mpf(10) ** -30)


def test_weight_is_needed():
    """Without Z the softmax velocity is no gradient: the weights of its tokens differ."""
    env = parameters("softmax", 2)
    energy = energies.lookup("softmax")
    scales = [evaluate(energy.weight(x), {**env, x: at}, mpf) for _, _, at in env[mu]]
    assert max(scales) - min(scales) > mpf("0.01")


def test_slope_of_a_score_has_the_transpose():
    """For A that is not symmetric the gradient in x of <A x, y> has A^T, not A."""
    rng = random.Random(3)
    env = {A: rational_matrix(rng, 2, 2, mpf), d: 2}
    env |= {u: rational_matrix(rng, 2, 1, mpf) for u in (x, y)}
    kernel = exp(Inner(A * x, y))
    slope = evaluate(gradient(kernel, x), env, mpf)
    value = evaluate(kernel, env, mpf)
    right, wrong = mul(tr(env[A]), env[y]), mul(env[A], env[y])
    assert close(slope, [[value * p for p in row] for row in right], mpf(10) ** -30)
    assert not close(slope, [[value * p for p in row] for row in wrong], mpf(10) ** -3)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("masked-softmax", "causal mask"),
        ("masked-multihead-linear", "causal mask"),
        ("multihead-softmax", "own denominator"),
        ("multihead-sinkhorn", "add up"),
    ],
)
def test_variants_without_an_energy_say_why(name, why):
    with pytest.raises(ValueError, match=why):
        energies.lookup(name)


# Sinkhorn attention on Gaussians -------------------------------------------------------------


@pytest.mark.parametrize("score", [mpf(1) / 7, mpf(2), mpf(30)])
def test_transport_energy_of_a_normal_pair(score):
    form = transport_energy()

    def value(z):
        return mpf(form.value.subs(s, z).evalf(40))

    correlation = mpf(form.correlation.subs(s, score).evalf(40))
    assert abs(correlation - (mpmath.sqrt(1 + 4 * score**2) - 1) / (2 * score)) < mpf(10) ** -30
    assert abs(mpmath.diff(value, score, h=STEP) - correlation) < mpf(10) ** -8
    for other in (correlation * mpf("0.99"), correlation * mpf("1.005")):
        if other < 1:
            assert mpf(form.objective.subs({s: score, c: other}).evalf(40)) < value(score)


def test_second_derivative_of_the_transport_energy():
    form, score, rate = transport_energy(), mpf(3) / 4, mpf(2) / 5
    correlation = mpf(form.correlation.subs(s, score).evalf(40))

    def half(t):
        return mpf(form.value.subs(s, score * (1 + t * rate) ** 2).evalf(40)) / 2

    step = mpf(10) ** -6
    second = (half(step) - 2 * half(0) + half(-step)) / step**2
    derived = mpf(form.second.subs({b: rate, c: correlation}).evalf(40))
    assert abs(second - derived) < mpf(10) ** -10
    assert derived > 0


def test_transport_energy_is_that_of_a_fine_grid():
    """A normal law on a grid, with the plan by alternating normalisation."""
    with mpmath.workdps(15):
        score, nodes = 0.7, [k / 4 for k in range(-36, 37)]
        masses = [mpmath.npdf(z) / 4 for z in nodes]
        kernel = [[mpmath.exp(score * u * v) for v in nodes] for u in nodes]
        scale = [mpf(1)] * len(nodes)
        for _ in range(60):
            row = [1 / mpmath.fsum(m * k * g for m, k, g in zip(masses, line, scale, strict=True))
                   for line in kernel]  # fmt: skip
            scale = [mpmath.sqrt(p * q) for p, q in zip(row, scale, strict=True)]
        energy = -2 * mpmath.fsum(m * mpmath.log(g) for m, g in zip(masses, scale, strict=True))
        assert abs(energy - float(transport_energy().value.subs(s, score))) < 1e-9


def test_transport_energy_dissipates_along_the_gaussian_flow():
    """With V = -A, B = I and matrices that do not commute: dF/dt = -E|velocity|^2."""
    rng = np.random.default_rng(4)
    M, N = rng.standard_normal((2, 3, 3)) / 2
    score, covariance, mean = M + M.T, N @ N.T + np.eye(3) / 4, rng.standard_normal(3)
    flow = reduction_functions(reduction("sinkhorn"))
    assert flow.arguments == ("V", "A", "alpha", "Sigma")
    values = lambdify(s, transport_energy().value)

    def energy(alpha, Sigma):
        root = np.linalg.cholesky(Sigma)
        singular = np.linalg.svd(root.T @ score @ root, compute_uv=False)
        return (alpha @ score @ alpha + sum(map(values, singular))) / 2

    rates = (rhs(-score, score, mean, covariance) for rhs in (flow.mean_rhs, flow.covariance_rhs))
    mean_rate, covariance_rate = rates
    h = 1e-5
    ahead, behind = (
        energy(mean + k * mean_rate, covariance + k * covariance_rate) for k in (h, -h)
    )
    zero = np.zeros(3)
    at_zero = flow.velocity(-score, score, zero, covariance, zero)
    linear = np.column_stack(
        [flow.velocity(-score, score, zero, covariance, e) - at_zero for e in np.eye(3)]
    )
    squared = mean_rate @ mean_rate + np.trace(linear @ covariance @ linear.T)
    assert np.isclose((ahead - behind) / (2 * h), -squared, rtol=1e-8)
