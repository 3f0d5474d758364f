"""Moved nodes of a quadrature against the equations of mean and covariance, to 12 digits."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from numeric import gaussian_velocity as gv
from numeric.precise import characteristics as ch

LINE = {
    "softmax": (ch.softmax_field, gv.softmax, ([[0.7]], [[-0.6]])),
    "l2": (ch.l2_field, gv.l2, ([[-0.8]], [[0.7]], [[0.5]])),
    "sinkhorn": (ch.sinkhorn_field, gv.sinkhorn, ([[0.6]], [[0.8]])),
    "linear": (ch.linear_field, gv.linear, ([[-0.5]], [[0.6]])),
}
V2, A2 = [[0.5, -0.3], [0.2, 0.4]], [[-0.4, 0.3], [0.1, -0.3]]
Q2, K2 = [[0.4, 0.3]], [[0.5, -0.2]]


def solved(affine, alpha, Sigma, points, time):
    """Mean, covariance and characteristics at the time, from the ordinary equations."""
    d = len(alpha)

    def derivative(_, state):
        mean, covariance, rest = state[:d], state[d : d + d * d].reshape(d, d), state[d + d * d :]
        velocity = affine(mean, covariance)
        rates = velocity.rates(mean, covariance)
        return np.concatenate([r.ravel() for r in (*rates, velocity(rest.reshape(-1, d)))])

    start = np.concatenate([alpha, Sigma.ravel(), points.ravel()])
    end = solve_ivp(derivative, (0, time), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return end[:d], end[d : d + d * d].reshape(d, d), end[d + d * d :].reshape(-1, d)


def compare(field, affine, alpha, factor, *, time=1.0, **lattice):
    alpha, factor = np.array(alpha), np.array(factor)
    d = len(alpha)
    points = np.linspace(-1.5, 2.0, 3 * d).reshape(3, d)
    nodes, weights = ch.gaussian_nodes(alpha, factor, **lattice)
    moved, carried = ch.transport(field, nodes, weights, time, points)
    mean, covariance = ch.moments(moved, weights)
    expected = solved(affine, alpha, factor @ factor.T, points, time)
    for computed, exact in zip((mean, covariance, carried), expected, strict=True):
        assert np.abs(computed - exact).max() <= 1e-12 * np.abs(exact).max()
    # The law has moved: the comparison is not one of zeros.
    assert np.abs(covariance - factor @ factor.T).max() > 0.05


def arrays(parameters):
    return [np.array(p) for p in parameters]


@pytest.mark.parametrize("name", LINE)
def test_line(name):
    field, affine, parameters = LINE[name]
    own = arrays(parameters)
    compare(field(*own), lambda m, c: affine(*own, m, c), [0.4], [[1.1]])


def test_two_heads_on_the_line():
    first, second = arrays(LINE["softmax"][2]), arrays([[[-0.4]], [[0.5]]])
    compare(
        ch.several_heads(ch.softmax_field(*first), ch.softmax_field(*second)),
        lambda m, c: gv.softmax(*first, m, c) + gv.softmax(*second, m, c),
        [0.4],
        [[1.1]],
    )


def test_plane_with_a_singular_covariance():
    V, A = arrays((V2, A2))
    compare(
        ch.softmax_field(V, A), lambda m, c: gv.softmax(V, A, m, c), [0.4, -0.2], [[1.0], [0.5]]
    )


@pytest.mark.acceptance
@pytest.mark.parametrize("name", ["l2", "sinkhorn"])
def test_plane(name):
    own = arrays((V2, Q2, K2) if name == "l2" else (V2, A2))
    field, affine, _ = LINE[name]
    factor = [[1.0, 0.0], [0.3, 0.8]]
    compare(field(*own), lambda m, c: affine(*own, m, c), [0.4, -0.2], factor, step=0.6, radius=9.5)


def test_nodes_have_the_moments_of_the_gaussian():
    factor = np.array([[1.0, 0.5], [0.0, 2.0]])
    nodes, weights = ch.gaussian_nodes(np.array([1.0, -3.0]), factor)
    mean, covariance = ch.moments(nodes, weights)
    assert np.abs(mean - [1, -3]).max() < 1e-14
    assert np.abs(covariance - factor @ factor.T).max() < 1e-13


def test_a_wrong_equation_is_noticed():
    V, A = arrays(LINE["softmax"][2])
    with pytest.raises(AssertionError):
        compare(
            ch.softmax_field(V, A),
            lambda m, c: gv.softmax(V, (1 + 1e-9) * A, m, c),
            [0.4],
            [[1.1]],
        )
