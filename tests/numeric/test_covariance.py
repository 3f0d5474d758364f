"""Trends against solutions whose fate is known."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from numeric import examples
from numeric.covariance import trend, trend_of_heads
from numeric.exact import multiply, transpose
from numeric.heads import FloatHead
from numeric.precise.flow import BlowUpError, covariance_at
from numeric.precise.poles import blow_up_time
from numeric.rescaled import GRID_ENTRIES, grid

I2 = np.eye(2)
UNEVEN = (np.diag([1.0, 2.0]), np.array([[0, 1], [-0.5, 0]]))


def floats(matrix, scale=1.0):
    return scale * np.array([[float(x) for x in row] for row in matrix])


def of_example(name, start=None):
    p = examples.load(name)
    start = floats(p.Sigma0) if start is None else start
    return trend(floats(p.value_matrix), floats(p.A_unscaled, float(p.scale_squared) ** 0.5), start)


@pytest.mark.parametrize(
    ("name", "time"),
    [("softmax-clustering-counterexample", 1.0), ("softmax-clustering-rank-one", 5 / 22)],
)
def test_known_blow_up_times(name, time):
    result = of_example(name)
    assert result.verdict == "blow-up"
    assert result.digits >= 6
    assert abs(result.time / time - 1) < 10.0 ** (1 - result.digits)


def test_blow_up_of_the_figure():
    p = examples.load("softmax-blowup")
    exact = blow_up_time(p.value_matrix, p.A_unscaled, [[1, 0], [0, 1]]) * 2**0.5
    result = of_example("softmax-blowup", I2)
    assert result.verdict == "blow-up"
    assert abs(result.time / float(exact) - 1) < 10.0 ** (1 - result.digits)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("softmax-identity", None),
        ("softmax-to-zero", I2 / 2),
        ("softmax-to-line", I2 / 2),
        ("softmax-definite-value", np.diag([1.0, 0.5, 0.25])),
    ],
)
def test_known_convergence(name, start):
    result = of_example(name, start)
    assert result.verdict == "converges"
    assert result.digits >= 4
    assert result.time is None


def test_blow_up_with_a_degenerate_shape():
    # Sigma_12' = (3/2) Sigma_12^2, and Sigma_22 grows like Sigma_12^2.
    result = trend(*UNEVEN, [[1, 0.5], [0.5, 1]])
    assert result.verdict == "blow-up"
    assert result.time == pytest.approx(4 / 3, rel=1e-5)
    assert trend(*UNEVEN, [[1, -0.5], [-0.5, 1]]).verdict == "converges"


def test_rotation_is_bounded_and_does_not_converge():
    attention = np.zeros((3, 3))
    attention[0, 1], attention[1, 0] = 1, -1
    start = [[1, 0, 0.5], [0, 1, 0.25], [0.5, 0.25, 1]]
    assert trend(np.diag([1.0, 1.0, 2.0]), attention, start).verdict == "bounded"


def test_exponential_growth_is_not_called_blow_up():
    # Sigma_11' = 2 Sigma_22 Sigma_11 and Sigma_22' = 0.
    result = trend([[0, 1], [0, 0]], [[0, 0], [1, 0]], I2)
    assert result.verdict == "unknown"
    assert result.digits is None


@pytest.mark.parametrize("seed", [*range(8), 11, 16, 24, 37, 55, 57])
def test_unstable_rays_are_never_called_bounded(seed):
    # B = V S A = c/2 I + N S^-1 with N skew makes S / (1 - c t) a solution, whatever V is.
    rng = np.random.default_rng(seed)
    d = 2 + seed % 2
    factor = rng.integers(-3, 4, (d, d)) + 4 * np.eye(d)
    start = factor @ factor.T
    inverse = np.linalg.inv(start)
    V = rng.integers(-3, 4, (d, d)) + rng.random((d, d))
    skew = rng.integers(-2, 3, (d, d))
    B = np.eye(d) / 2 + (skew - skew.T) @ inverse
    attention = inverse @ np.linalg.solve(V, B)
    result = trend(V, attention, start)
    assert result.verdict in ("blow-up", "unknown")
    if result.verdict == "blow-up":
        assert result.time == pytest.approx(1, rel=1e-4)


def test_slow_start_is_followed_to_the_blow_up():
    # The norms of V, A and Sigma exceed the speed at the start by far: nothing moves for long.
    F = Fraction
    V = [[F(-3, 4), F(5, 4), F(3, 2)], [F(-1, 4), F(5, 4), F(3, 2)], [F(-1, 2), F(7, 4), F(-1)]]
    Q = [[F(-7, 4), F(-1, 4), F(5, 4)], [F(-5, 4), F(-1, 4), F(-3, 2)], [F(-3, 4), F(0), F(3, 4)]]
    K = [
        [F(-5, 4), F(1, 4), F(3, 4)],
        [F(7, 4), F(-1, 4), F(-3, 2)],
        [F(-3, 2), F(-1, 2), F(-3, 4)],
    ]
    start = [[F(39, 8), F(33, 8), F(2)], [F(33, 8), F(11, 2), F(27, 8)], [F(2), F(27, 8), F(33, 8)]]
    attention = multiply(transpose(K), Q)
    result = trend(floats(V), floats(attention), floats(start))
    assert result.verdict == "blow-up"
    # The Taylor integrator, in many digits, still finds a solution shortly before that time only.
    before, after = (Fraction(result.time) * (1 + e * F(1, 10**5)) for e in (-1, 1))
    assert mp.isfinite(covariance_at(V, attention, start, before, digits=15)[0, 0])
    with pytest.raises(BlowUpError):
        covariance_at(V, attention, start, after, digits=15)


def test_units_of_time():
    # Sigma' = 2 v a Sigma^2: t* = 1 / (2 v a s), for sizes that overflow when multiplied out.
    result = trend([[3e200]], [[1e-150]], [[2e-40]])
    assert result.verdict == "blow-up"
    assert result.time == pytest.approx(1 / 12 * 1e-10, rel=1e-6)


def factors(matrix, seed):
    """Write a d x d matrix as a product of d x (d + 1) and (d + 1) x d."""
    right = np.random.default_rng(seed).standard_normal((len(matrix) + 1, len(matrix)))
    return matrix @ np.linalg.pinv(right), right


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("name", ["softmax-blowup", "softmax-to-line", "softmax-to-zero"])
def test_heads_that_add_up_to_one(name, factored, parts):
    p = examples.load(name)
    V, A = floats(p.value_matrix), floats(p.A_unscaled, float(p.scale_squared) ** 0.5)
    expected = trend(V, A, I2 / 2)
    heads = []
    for share in np.arange(1, parts + 1) / sum(range(1, parts + 1)):
        (W, right), (K, Q) = factors(share * V, 0), factors(A, 1)
        heads.append(FloatHead(right, Q, W, K.T) if factored else FloatHead(share * V, A))
    result = trend_of_heads(heads, I2 / 2)
    assert result.verdict == expected.verdict
    if expected.time is not None:
        assert result.time == pytest.approx(expected.time, rel=10.0 ** (1 - expected.digits))


def scalar_values(S, seed):
    """Two heads with V_h = v_h I and sum_h v_h (A_h + A_h^T) = S: Sigma' = Sigma S Sigma."""
    d = len(S)
    part = np.random.default_rng(seed).standard_normal((d, d))
    rest = (S / 2 - 2 * part) / -3
    return [FloatHead(V=2 * np.eye(d), Q=part), FloatHead(V=-3 * np.eye(d), Q=rest)]


def test_scalar_values_and_equal_growth_in_all_directions():
    # From I it is I / (1 - 4 t): shapes part at once, but the time is certain.
    result = trend_of_heads(scalar_values(4 * np.eye(3), 0), np.eye(3))
    assert result.verdict == "blow-up"
    assert result.time == pytest.approx(1 / 4, rel=1e-7)


@pytest.mark.parametrize("d", [2, 5, 150])
def test_scalar_values(d):
    # Sigma^-1 = Sigma0^-1 - t S is singular first at 1 / (largest eigenvalue of Sigma0 S).
    rng = np.random.default_rng(d)
    S = rng.standard_normal((d, d))
    root = np.diag(rng.random(d) + 0.5)
    S = S + S.T
    largest = np.linalg.eigvalsh(root @ S @ root)[-1]
    result = trend_of_heads(scalar_values(S, d), root @ root)
    assert result.verdict == "blow-up"
    assert result.time == pytest.approx(1 / largest, rel=10.0 ** (1 - result.digits))


def test_verdict_is_unknown_when_it_would_take_too_long():
    head = FloatHead(V=np.diag([1.0, 1.0, 2.0]), Q=np.diag([1.0, 0.5, 0.25]))
    assert trend_of_heads([head], np.eye(3)).verdict == "blow-up"
    assert trend_of_heads([head], np.eye(3), operations=10**8).verdict == "unknown"


@pytest.mark.parametrize("d", [1, 100, 384, 768, 1600])
def test_memory_of_a_run_is_limited(d):
    points = grid(d)
    assert (points[0], points[-1]) == (0, 1)
    assert (np.diff(points) > 0).all()
    assert {0.5, 0.25, 0.125} <= set(points)  # for the limit of time
    assert len(points) * d * d <= max(1.01 * GRID_ENTRIES, 14 * d * d)


def test_trivial_and_bad_parameters():
    assert trend([[0]], [[1]], [[1]]).verdict == "converges"
    assert trend([[1]], [[1]], [[0]]).verdict == "converges"
    with pytest.raises(ValueError, match="shape"):
        trend(I2, I2, [[1]])
    with pytest.raises(ValueError, match="finite"):
        trend([[np.nan]], [[1]], [[1]])
