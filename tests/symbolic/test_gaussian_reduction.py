"""Reductions against moments, quadrature of the definition, and formulas written out by hand."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from symbolic_semantics import add, close, evaluate, mul, prod, rational_matrix, times
from symbolic_semantics import transpose as tr

from symbolic.gaussian import derived, reduction
from symbolic.gaussian.base import from_velocity, second_moment
from symbolic.nodes import Gaussian, Inner
from symbolic.notation import A, Sigma, V, alpha, d, x

N = Gaussian(alpha, Sigma)


def parameters(seed, n, number=Fraction, rank=None):
    """Random letters and a factor L (n x n, some columns zero) with Sigma = L L^T."""
    rng = random.Random(seed)
    env = {m: rational_matrix(rng, n, n, number) for m in (A, V)} | {d: n}
    env |= {v: rational_matrix(rng, n, 1, number) for v in (x, alpha)}
    factor = rational_matrix(rng, n, n, number)
    for row in factor:
        row[rank if rank is not None else n :] = [number(0)] * (n - (n if rank is None else rank))
    env[Sigma] = mul(factor, tr(factor))
    return env, factor


def by_hand(name, env):
    """B and c from the finite formulas."""
    if name == "softmax":
        return prod(env[V], env[Sigma], env[A]), mul(env[V], env[alpha])
    moment = add(env[Sigma], mul(env[alpha], tr(env[alpha])))
    return prod(env[V], moment, env[A]), times(0, env[alpha])


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("name", ["softmax", "linear"])
def test_parts_and_equations(name, n):
    env, _ = parameters(f"{name}{n}", n)
    r = reduction(name)
    B, c = by_hand(name, env)
    assert evaluate(r.linear, env) == B
    assert evaluate(r.constant, env) == c
    assert evaluate(r.velocity, env) == add(mul(B, env[x]), c)
    assert evaluate(r.mean_rhs, env) == add(mul(B, env[alpha]), c)
    assert evaluate(r.covariance_rhs, env) == add(mul(B, env[Sigma]), mul(env[Sigma], tr(B)))
    assert r.steps[-1].expression == r.velocity


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (2, 1), (3, 3), (4, 2)])
def test_linear_velocity_is_exact_on_points_with_the_same_moments(n, rank):
    """Two moments determine linear attention: points alpha, alpha +- L e_i carry the right ones."""
    env, factor = parameters(f"moments{n}{rank}", n, rank=rank)
    atoms = [(Fraction(1 - n), 0, env[alpha])]
    for column in zip(*factor, strict=True):
        for sign in (1, -1):
            atoms.append((Fraction(1, 2), 0, add(env[alpha], [[sign * p] for p in column])))
    definition = reduction("linear").steps[0].expression
    assert evaluate(definition, {**env, N: atoms}) == evaluate(reduction("linear").velocity, env)


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (2, 1)])
def test_softmax_velocity_is_the_quadrature_of_its_definition(n, rank):
    """The trapezoidal rule in whitened coordinates is exact to rounding for Gaussians."""
    env, factor = parameters(f"quadrature{n}", n, float, rank=rank)
    env[x] = times(0.3, env[x])
    grid = [0.5 * i for i in range(-20, 21)]
    atoms = []
    for z in itertools.product(grid, repeat=n):
        weight = 0.5**n * math.exp(-sum(p * p for p in z) / 2) / (2 * math.pi) ** (n / 2)
        atoms.append((weight, 0, add(env[alpha], mul(factor, [[p] for p in z]))))
    definition = reduction("softmax").steps[0].expression
    value = evaluate(definition, {**env, N: atoms}, float)
    assert close(value, evaluate(reduction("softmax").velocity, env, float), 1e-11)


def test_second_moment_is_symmetric_and_has_no_tilt():
    assert second_moment() == Sigma + alpha * alpha.T
    assert second_moment().T.doit() == second_moment()


def test_plain_forms():
    r = reduction("softmax")
    assert r.linear == V * Sigma * A
    assert r.constant == V * alpha
    assert r.covariance_rhs == V * Sigma * A * Sigma + Sigma * A.T * Sigma * V.T
    assert reduction("linear").linear == V * (Sigma + alpha * alpha.T) * A


def test_errors():
    one_head = ["l2", "linear", "masked-linear", "sinkhorn", "softmax"]
    several = [f"multihead-{name}" for name in one_head if name != "masked-linear"]
    assert derived() == sorted([*one_head, *several, "masked-multihead-linear"])
    with pytest.raises(ValueError, match="derived for 'sigmoid'; there is one for: l2, linear"):
        reduction("sigmoid")
    with pytest.raises(ValueError, match="did you mean 'softmax'"):
        reduction("softmx")
    with pytest.raises(ValueError, match="not visibly affine"):
        from_velocity("cubic", [], Inner(x, x) * V * x)
