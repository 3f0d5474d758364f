"""Closed forms are differentiated exactly (dual numbers) and put into the equation."""

import random
from fractions import Fraction

import pytest
from symbolic_semantics import Dual, add, evaluate, inverse, mul, prod, rational_matrix, times
from symbolic_semantics import transpose as tr
from sympy import MatPow, Rational

from symbolic.closed_forms import M, S, commuting, root, self_similar
from symbolic.notation import A, Sigma0, V, c, d, t


def block(a, b):
    n, m = len(a), len(b)
    return [row + [0] * m for row in a] + [[0] * n + row for row in b]


def scalar_value(rng, n):
    """V = v I, everything else arbitrary."""
    half = rational_matrix(rng, n, n)
    return times(Fraction(-2, 3), [[Fraction(i == j) for j in range(n)] for i in range(n)]), (
        add(half, tr(half)),
        rational_matrix(rng, n, n),
    )


def block_value(rng, n):
    """V = diag(v_1 I, v_2 I) with Sigma_0 and A of the same blocks."""
    (v1, (r1, a1)), (v2, (r2, a2)) = scalar_value(rng, n), scalar_value(rng, n)
    return block(v1, times(5, v2)), (block(r1, r2), block(a1, a2))


def parameters(make, n):
    value, (half, score) = make(random.Random(n), n)
    env = {d: len(value), V: value, A: score, root: half, Sigma0: mul(half, half)}
    return env


def right_hand_side(env, sigma):
    half = prod(env[V], sigma, env[A], sigma)
    return add(half, tr(half))


@pytest.mark.parametrize("make", [scalar_value, block_value])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_commuting(make, n):
    env = parameters(make, n)
    form = commuting()
    assert all(evaluate(left, env) == evaluate(right, env) for left, right in form.hypotheses)

    s = add(mul(env[V], env[A]), mul(tr(env[A]), tr(env[V])))
    m = prod(env[root], s, env[root])
    assert evaluate(S, env) == s
    assert evaluate(M, env) == m

    time = Fraction(1, 97)
    identity = [[Fraction(i == j) for j in range(len(m))] for i in range(len(m))]
    direct = prod(env[root], inverse(add(identity, times(-time, m))), env[root])
    assert evaluate(form.solution, {**env, t: time}) == direct
    assert evaluate(form.solution, {**env, t: Fraction(0)}) == env[Sigma0]

    dual = evaluate(form.solution, {**env, t: Dual(time, 1)}, Dual)
    slope = [[entry.slope for entry in row] for row in dual]
    assert evaluate(form.derivative, {**env, t: time}) == slope
    assert right_hand_side(env, direct) == slope
    assert evaluate(form.right_hand_side, {**env, t: time}) == slope
    assert not any(map(any, evaluate(form.residual, {**env, t: time})))
    assert any(map(any, slope))


ONE_THREE = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(3)]]


@pytest.mark.parametrize(("half", "holding"), [(None, [False, False]), (ONE_THREE, [True, False])])
def test_commuting_needs_its_hypotheses(half, holding):
    """V = diag(1, 3) commutes with a diagonal Sigma_0, but not with S for a general A."""
    env = parameters(scalar_value, 2) | {V: ONE_THREE}
    if half:
        env |= {root: half, Sigma0: mul(half, half)}
    form = commuting()
    assert [
        evaluate(left, env) == evaluate(right, env) for left, right in form.hypotheses
    ] == holding
    assert any(map(any, evaluate(form.residual, {**env, t: Fraction(1, 97)})))


def test_self_similar():
    """S = V A + A^T V^T is negative definite here, and the solution blows up at t = 1."""
    half = Fraction(1, 2)
    env = {
        V: [[1, -1], [-2, 4]],
        A: [[-half, 7 * half / 2], [-half / 2, half / 2]],
        Sigma0: [[1, 0], [0, 4]],
        c: Fraction(1),
    }
    form = self_similar()
    ((left, right),) = form.hypotheses
    time = Fraction(2, 5)
    assert evaluate(left, env) == evaluate(right, env)
    assert evaluate(form.solution, {**env, t: time}) == times(Fraction(5, 3), env[Sigma0])
    dual = evaluate(form.solution, {**env, t: Dual(time, 1)}, Dual)
    slope = [[entry.slope for entry in row] for row in dual]
    assert evaluate(form.derivative, {**env, t: time}) == slope
    assert not any(map(any, evaluate(form.residual, {**env, t: time})))
    env[c] = Fraction(2)
    assert evaluate(left, env) != evaluate(right, env)
    assert any(map(any, evaluate(form.residual, {**env, t: time})))


def test_only_powers_one_half():
    powers = commuting().residual.atoms(MatPow)
    assert {p.exp for p in powers if p.base == Sigma0} == {Rational(1, 2)}
