"""L2 and Sinkhorn reductions: quadrature of the definitions, and the equations of the potentials.

Numbers are those of mpmath at 30 digits, since roots are irrational.
"""

import itertools
import random

import mpmath
import pytest
from mpmath import mp
from symbolic_semantics import add, close, eye, inverse, mul, prod, rational_matrix, times
from symbolic_semantics import evaluate as value
from symbolic_semantics import transpose as tr
from sympy import Symbol, simplify, solve, sqrt

from symbolic.gaussian import reduction
from symbolic.gaussian.base import damped_covariance
from symbolic.gaussian.sinkhorn import contraction
from symbolic.nodes import Gaussian
from symbolic.notation import A, K, M_s, P, Q, R, Sigma, V, alpha, d, k, score_matrix, x

N = Gaussian(alpha, Sigma)
CASES = [(1, 1, 1), (2, 2, 2), (2, 1, 1), (3, 2, 2), (4, 4, 3), (3, 2, 0)]


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(30):
        yield


def evaluate(expression, env):
    return value(expression, env, mpmath.mpf)


def parameters(n, keys, rank):
    """Random letters, A = K^T Q, and a factor of Sigma, n x rank."""
    rng = random.Random(f"{n}{keys}{rank}")
    env = {d: n, k: keys}
    for letter, shape in (
        (V, (n, n)),
        (Q, (keys, n)),
        (K, (keys, n)),
        (x, (n, 1)),
        (alpha, (n, 1)),
    ):
        env[letter] = rational_matrix(rng, *shape, mpmath.mpf)
    env[A] = evaluate(score_matrix(), env)
    factor = [row[:rank] for row in rational_matrix(rng, n, n, mpmath.mpf)]
    env[Sigma] = mul(factor, tr(factor)) if rank else times(mpmath.mpf(0), eye(n, mpmath.mpf))
    return env, factor


def step(name, title):
    return next(s.expression for s in reduction(name).steps if s.name == title)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("name", ["l2", "sinkhorn"])
def test_parts_are_those_of_the_velocity(name, case):
    env, _ = parameters(*case)
    r = reduction(name)
    B = evaluate(r.linear, env)
    at = {point: evaluate(r.velocity, {**env, x: env[point]}) for point in (x, alpha)}
    assert close(at[x], add(mul(B, env[x]), evaluate(r.constant, env)), 1e-25)
    assert close(at[alpha], evaluate(r.mean_rhs, env), 1e-25)
    rate = add(mul(B, env[Sigma]), mul(env[Sigma], tr(B)))
    assert close(evaluate(r.covariance_rhs, env), rate, 1e-25)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_l2_by_hand(case):
    env, _ = parameters(*case)
    identity = eye(case[0], mpmath.mpf)
    damping = inverse(add(identity, times(2, prod(env[Sigma], tr(env[K]), env[K]))))
    B = times(2, prod(env[V], damping, env[Sigma], env[A]))
    assert close(evaluate(reduction("l2").linear, env), B, 1e-25)
    behind = add(identity, times(2, mul(env[Sigma], env[A])))
    mean = prod(env[V], damping, behind, env[alpha])
    assert close(evaluate(reduction("l2").mean_rhs, env), mean, 1e-25)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_potentials_solve_the_marginal_equations(case):
    env, _ = parameters(*case)
    row = evaluate(step("sinkhorn", "row potential"), env)
    column = evaluate(step("sinkhorn", "column potential"), env)
    assert close(row, evaluate(step("sinkhorn", "row equation"), {**env, R: column}), 1e-24)
    assert close(column, evaluate(step("sinkhorn", "column equation"), {**env, P: row}), 1e-24)
    covariance = evaluate(damped_covariance(R), {**env, R: column})
    B = prod(env[V], covariance, env[A])
    assert close(B, evaluate(reduction("sinkhorn").linear, env), 1e-24)


def test_contraction_is_the_positive_root():
    m, e = Symbol("m", positive=True), Symbol("e", positive=True)
    (positive,) = solve(e + m * e**2 - 1, e)
    assert simplify(positive - 2 / (1 + sqrt(1 + 4 * m))) == 0
    assert str(contraction(A)) == "2*(I + (I + 4*A*A.T)**(1/2))**(-1)"


def atoms(env, factor, cells, step):
    """Nodes of the trapezoidal rule for N(alpha, Sigma) in whitened coordinates."""
    grid = [step * i for i in range(-cells, cells + 1)]
    for z in itertools.product(grid, repeat=len(factor[0])):
        weight = mpmath.exp(-sum(p * p for p in z) / 2) * (
            step / mpmath.sqrt(2 * mpmath.pi)
        ) ** len(z)
        yield weight, 0, add(env[alpha], mul(factor, [[mpmath.mpf(p)] for p in z]))


@pytest.mark.parametrize("case", [(1, 1, 1), (2, 2, 2), (2, 1, 1)], ids=str)
def test_l2_velocity_is_the_quadrature_of_its_definition(case):
    env, factor = parameters(*case)
    factor = times(mpmath.mpf(1) / 2, factor)
    env[Sigma] = mul(factor, tr(factor))
    nodes = list(atoms(env, factor, 18, 0.4))
    computed = evaluate(step("l2", "definition"), {**env, N: nodes})
    assert close(computed, evaluate(reduction("l2").velocity, env), 1e-8)


def test_sinkhorn_velocity_is_the_quadrature_of_its_definition():
    env, factor = parameters(1, 1, 1)
    expected = evaluate(reduction("sinkhorn").velocity, env)
    rounded = {u: [[float(p) for p in row] for row in m] for u, m in env.items() if u not in (d, k)}
    nodes = [(float(w), 0, [[float(y)]]) for w, _, [[y]] in atoms(env, factor, cells=9, step=0.8)]
    computed = value(step("sinkhorn", "definition"), {**rounded, N: nodes}, float)
    assert close(computed, expected, 1e-8)


def test_masked_linear_in_plain_form():
    r = reduction("masked-linear")
    assert r.linear == V * M_s * A
    assert [letter.name for letter in (r.mean, r.covariance)] == ["alpha_s", "Sigma_s"]
    assert r.covariance_rhs == r.linear * r.covariance + r.covariance * A.T * M_s * V.T
    ((letter, meaning),) = r.definitions
    assert letter == M_s
    assert meaning.args[0] == Sigma + alpha * alpha.T


@pytest.mark.parametrize("name", ["softmax", "l2", "linear", "sinkhorn"])
def test_heads_add_up(name):
    one, several = reduction(name), reduction(f"multihead-{name}")
    parts = ("velocity", "linear", "constant", "mean_rhs", "covariance_rhs")
    for part in parts:
        single, total = getattr(one, part), getattr(several, part)
        if single.is_ZeroMatrix:
            assert total == single
            continue
        assert total.args[0] == single
        shared = {alpha, Sigma, x, d}
        assert set(total.bound_symbols) == single.free_symbols - shared
