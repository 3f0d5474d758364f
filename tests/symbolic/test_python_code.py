"""Generated NumPy functions: what they compute, and how the source is written."""

import numpy as np
import pytest
from sympy import Identity, Symbol, exp

from symbolic import closed_forms
from symbolic.gaussian import derived, reduction
from symbolic.nodes import HeadSum, Inner, MeasureIntegral
from symbolic.notation import A, H, K, Q, Sigma, Sigma0, V, alpha, b_q, beta, c, d, mu, t, x, y
from symbolic.python_code import numpy_function, numpy_source, reduction_functions


def matrices(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def close(a, b):
    return a.shape == b.shape and np.abs(a - b).max() <= 1e-12 * max(np.abs(b).max(), 1)


def test_numbers_and_columns():
    score = numpy_function("score", exp(Inner(A * x, y) / 2) - c**2)
    a, u, v = matrices(0, 3, 3), matrices(1, 5, 3), matrices(2, 5, 3)
    expected = np.exp(np.einsum("bi,ij,bj->b", v, a, u) / 2) - 0.09
    assert close(score(A=a, x=u, y=v, c=0.3), expected)
    shifted = numpy_function("shifted", beta * (Q * x + b_q) - Q * alpha)
    q, b = matrices(3, 2, 3), matrices(4, 2)
    value = shifted(Q=q, b_q=b, alpha=v, x=u, beta=np.full(5, 2.0))
    assert close(value, 2 * (u @ q.T + b) - v @ q.T)


def test_closed_forms():
    solution = numpy_function("solution", closed_forms.self_similar().solution)
    assert close(solution(Sigma_0=np.eye(2), c=0.5, t=1.0), 2 * np.eye(2))
    form = closed_forms.commuting()
    commuting = numpy_function("commuting", form.solution, [V, A, Sigma0, t])
    a = -np.diag([1.0, 2.0])
    times = np.array([0.0, 0.5, 3.0])
    value = commuting(np.eye(2), a, np.diag([1.0, 4.0]), times)
    expected = np.array([np.diag([1 / (1 + 2 * s), 1 / (0.25 + 4 * s)]) for s in times])
    assert close(value, expected)


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_heads_are_on_axis_zero(batch):
    total = numpy_function(
        "total", HeadSum(V * (K.T * (Q * x + b_q)) + Sigma * x, (V, Q, K, b_q), H)
    )
    v, q, k = (matrices(i, 3, *batch, 2, 2) for i in (1, 2, 3))
    b, u, s = matrices(4, 3, *batch, 2), matrices(5, 2), matrices(6, *batch, 2, 2)
    expected = sum(
        (v[h] @ (k[h].mT @ (q[h] @ u[:, None] + b[h][..., None])) + s @ u[:, None])[..., 0]
        for h in range(3)
    )
    assert close(total(V=v, Q=q, K=k, b_q=b, Sigma=s, x=u), expected)


def test_inverses_are_solved():
    N = Identity(d) + A
    for expression, expected in (
        (V * N.inverse() * x, lambda v, n, u: v @ np.linalg.inv(n) @ u),
        (V * N.inverse(), lambda v, n, u: v @ np.linalg.inv(n)),
    ):
        source = numpy_source("f", expression)
        assert "np.linalg.solve(" in source
        assert "inv(" not in source
        v, a, u = matrices(1, 4, 4), 0.3 * matrices(2, 4, 4), matrices(3, 4)
        arguments = (v, a, u) if "x" in source.split("(")[1] else (v, a)
        value = numpy_function("f", expression)(*arguments)
        assert close(value, expected(v, np.eye(4) + a, u))
    inverse = numpy_function("g", N.inverse())
    assert close(inverse(a), np.linalg.inv(np.eye(4) + a))


def test_nothing_is_computed_twice():
    source = reduction_functions(reduction("multihead-sinkhorn")).source
    covariance = source.split("def ")[-1]
    before, loop = covariance.split("    for V_h, A_h in zip(V, A, strict=True):\n")
    assert before.count("_root(") == 1
    assert loop.count("_root(") == 1
    assert loop.count("np.linalg.solve(") == 1
    assignments = [line.split(" = ")[1] for line in covariance.splitlines() if " = m" in line]
    assert len(assignments) == len(set(assignments))


@pytest.mark.parametrize("name", derived())
def test_covariance_rates_are_symmetric_to_the_bit(name):
    made = reduction_functions(reduction(name))
    heads = (2,) if "multihead" in name else ()
    rng = np.random.default_rng(7)
    arguments = []
    for letter in made.arguments:
        if letter.startswith("alpha"):
            arguments.append(rng.standard_normal(3))
        elif letter.startswith(("Sigma", "M_s")):
            G = rng.standard_normal((3, 2))
            arguments.append(G @ G.T)
        else:
            arguments.append(rng.standard_normal((*heads, 3, 3)))
    rate = made.covariance_rhs(*arguments)
    assert np.array_equal(rate, rate.mT)
    assert made.velocity(*arguments, np.ones(3)).shape == (3,)
    assert close(made.velocity(*arguments, arguments[-2]), made.mean_rhs(*arguments))


def test_docstring():
    made = reduction_functions(reduction("multihead-l2"))
    text = made.velocity.__doc__
    for line in ("V: (H, ..., d, d)", "Q: (H, ..., k, d)", "x: (..., d)", "arXiv:2501.18322"):
        assert line in text
    assert "Sigma: (..., d, d), symmetric" in text
    assert "alpha: (..., d)" in made.mean_rhs.__doc__


def test_errors():
    with pytest.raises(ValueError, match="no argument for A, V"):
        numpy_source("f", V * A * x, [x])
    with pytest.raises(ValueError, match="no NumPy code for MeasureIntegral"):
        numpy_source("f", MeasureIntegral(Inner(x, y), y, mu), [x])
    with pytest.raises(ValueError, match="within another"):
        numpy_source("f", HeadSum(HeadSum(V * A, (A,), H), (V,), H))
    with pytest.raises(ValueError, match="no argument has the dimension d"):
        numpy_source("f", Symbol("z") * Identity(d))
