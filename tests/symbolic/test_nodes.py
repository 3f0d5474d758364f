"""Binders substitute as binders; derivatives are compared with exact finite ones."""

import random
from fractions import Fraction

import pytest
from symbolic_semantics import Dual, add, evaluate, mul, rational_matrix, times
from symbolic_semantics import transpose as tr
from sympy import Add, Identity, Integer, MatrixSymbol, Pow, Rational, ZeroMatrix, exp
from sympy.matrices.exceptions import ShapeError

from symbolic.calculus import gradient, jacobian, time_derivative
from symbolic.nodes import Gaussian, HeadSum, Inner, MeasureIntegral, VectorMeasureIntegral
from symbolic.notation import A, H, K, Q, Sigma, Sigma0, V, alpha, c, d, eta, mu, t, x, y
from symbolic.variants import lookup


def test_inner_refuses_shapes_and_vanishes_at_zero():
    with pytest.raises(ShapeError):
        Inner(Q * x, y)
    with pytest.raises(ShapeError):
        Gaussian(x, Q)
    assert Inner(ZeroMatrix(d, 1), y) == 0
    assert Inner(x, y).is_real


def test_bound_letter_is_not_substituted():
    integral = MeasureIntegral(Inner(x, y), y, mu)
    assert integral.subs(y, alpha) == integral
    assert integral.free_symbols == {x, mu}
    assert integral.subs(mu, Gaussian(alpha, Sigma)).free_symbols == {x, alpha, Sigma}
    heads = HeadSum(V * Sigma * A, (V, A), H)
    assert heads.subs(V, A) == heads
    assert heads.free_symbols == {Sigma, H}


def test_substitution_does_not_capture():
    integral = MeasureIntegral(exp(Inner(x, y)), y, mu).subs(x, A * y)
    other = MatrixSymbol("y'", d, 1)
    assert integral == MeasureIntegral(exp(Inner(A * y, other)), other, mu)
    nested = MeasureIntegral(
        MeasureIntegral(Inner(x, y) * Inner(y, other) * Inner(x, other), other, mu), y, mu
    )
    rng = random.Random(0)
    atoms = [(Fraction(1, i), 0, rational_matrix(rng, 2, 1)) for i in (2, 3)]
    env = {A: rational_matrix(rng, 2, 2), y: rational_matrix(rng, 2, 1), mu: atoms}
    value = evaluate(nested, {**env, x: mul(env[A], env[y])})
    assert evaluate(nested.subs(x, A * y), env) == value != 0
    heads = HeadSum(V * Sigma, (V,), H).subs(Sigma, V * Sigma)
    assert heads.explicit(1).doit() == MatrixSymbol("V'_1", d, d) * V * Sigma


def test_dimension_can_be_substituted():
    integral = VectorMeasureIntegral(Inner(x, y) * V * y, y, mu).subs(d, 2)
    assert integral.shape == (2, 1)
    assert integral.args[1].shape == (2, 1)


def test_doubly_stochastic_kernel_survives_evaluation_at_a_point():
    weight = lookup("sinkhorn").velocity(x, mu).args[0].args[0]
    at_zero = weight.subs(x, ZeroMatrix(d, 1))
    assert at_zero.args[0] == exp(Inner(Q * x, K * y))
    assert at_zero.args[3][0] == ZeroMatrix(d, 1)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_gradient_and_jacobian(n):
    rng = random.Random(n)
    env = {m: rational_matrix(rng, n, n) for m in (A, V)}
    env[Sigma] = add(env[A], tr(env[A]))
    env |= {v: rational_matrix(rng, n, 1) for v in (x, alpha, eta)}
    step = rational_matrix(rng, n, 1)
    ahead = {**env, x: add(env[x], step)}
    behind = {**env, x: add(env[x], times(-1, step))}

    column = A * (alpha - V * x) + Inner(alpha, eta) * Sigma * x + x
    rise = add(evaluate(column, ahead), times(-1, evaluate(column, env)))
    assert rise == mul(evaluate(jacobian(column, x), {**env, d: n}), step)

    quadratic = 3 * Inner(A * x + alpha, V * x) - Inner(x, eta) * Inner(Sigma * x, alpha) / 2
    slope = mul(tr(step), evaluate(gradient(quadratic, x), env))[0][0]
    assert evaluate(quadratic, ahead) - evaluate(quadratic, behind) == 2 * slope


@pytest.mark.parametrize("n", [1, 2, 4])
def test_time_derivative(n):
    rng = random.Random(n)
    env = {m: rational_matrix(rng, n, n) for m in (A, V)} | {d: n, c: Fraction(2, 3)}
    env |= {Sigma0: rational_matrix(rng, n, n)}
    inner = Identity(d) - t * A * V
    e = (1 - c * t) ** -2 * A * inner.inverse() * V + t**2 * Sigma0 * inner.inverse() * A * inner
    value = evaluate(e, {**env, t: Dual(Fraction(1, 5), 1)}, Dual)
    slope = evaluate(time_derivative(e, t), {**env, t: Fraction(1, 5)})
    assert [[entry.slope for entry in row] for row in value] == slope
    assert any(any(row) for row in slope)


def test_rules_refuse_what_they_do_not_cover():
    with pytest.raises(ValueError, match="not visibly affine"):
        jacobian(Inner(x, x) * V * x, x)
    with pytest.raises(ValueError, match="no rule for the derivative"):
        gradient(Pow(Inner(x, y), Rational(1, 2)), x)
    with pytest.raises(ValueError, match="no rule"):
        time_derivative(MatrixSymbol("B", d, d).subs(d, 2) ** t, t)
    assert gradient(Add(Inner(y, y), Integer(1)), x) == ZeroMatrix(d, 1)
