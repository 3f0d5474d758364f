"""Verdicts on random parameters against an independent high-precision integration."""

import random
from fractions import Fraction

import pytest
from mpmath import mp

from numeric.parameters import from_mapping
from numeric.precise.flow import BlowUpError, covariance_at
from proofs.verify import verify

KINDS = ("scalar value", "definite value", "ray", "commuting", "any")


def fraction(generator, span=3):
    return Fraction(generator.randint(-4 * span, 4 * span), generator.choice((1, 2, 4)))


def matrix(generator, d):
    return [[fraction(generator) for _ in range(d)] for _ in range(d)]


def product(a, b):
    return [
        [sum(x * y for x, y in zip(r, c, strict=True)) for c in zip(*b, strict=True)] for r in a
    ]


def transposed(a):
    return [list(row) for row in zip(*a, strict=True)]


def gram(generator, d):
    factor = matrix(generator, d)
    one = [[Fraction(i == j) for j in range(d)] for i in range(d)]
    square = product(factor, transposed(factor))
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(square, one, strict=True)]


def parameters(kind, seed):
    """V, A and Sigma0 of a kind that some theorem decides, or any."""
    generator = random.Random(f"{kind} {seed}")
    d = generator.choice((1, 2, 3))
    A, start = matrix(generator, d), gram(generator, d)
    one = [[Fraction(i == j) for j in range(d)] for i in range(d)]
    if kind == "scalar value":
        factor = fraction(generator)
        V = [[factor * x for x in row] for row in one]
    elif kind == "definite value":
        V = gram(generator, d)
        skew = matrix(generator, d)
        square = gram(generator, d)
        A = [[skew[i][j] - skew[j][i] - square[i][j] for j in range(d)] for i in range(d)]
    elif kind == "ray":
        # a rank-one start u u^T with V u = e u
        u = [[fraction(generator) or Fraction(1)] for _ in range(d)]
        V = matrix(generator, d)
        norm = sum(x[0] ** 2 for x in u)
        image = product(V, u)
        shift = fraction(generator)
        V = [
            [V[i][j] - (image[i][0] - shift * u[i][0]) * u[j][0] / norm for j in range(d)]
            for i in range(d)
        ]
        start = product(u, transposed(u))
    elif kind == "commuting":
        # polynomials in one symmetric matrix commute
        C, sign = gram(generator, d), generator.choice((-1, 1))
        V, start = C, product(C, C)
        A = [
            [sign * (x - y) for x, y in zip(r, s, strict=True)] for r, s in zip(C, one, strict=True)
        ]
    else:
        V = matrix(generator, d)
    return V, A, start


def mapping(V, A, start):
    text = [[[str(x) for x in row] for row in m] for m in (V, A, start)]
    return from_mapping(dict(zip(("V", "A", "Sigma0"), text, strict=True), variant="softmax"))


def check_ray(A, V, start, existence):
    """Rays can be unstable, so that integration leaves them: the rate is computed by hand.

    For V u = e u and Sigma0 = u u^T: F(Sigma0) = 2 e (u^T A u) Sigma0.
    """
    d = len(start)
    i = next(i for i in range(d) if start[i][i])
    u = [[start[j][i]] for j in range(d)]  # a multiple of u
    e = product(V, u)[i][0] / u[i][0]
    form = product(product(transposed(u), A), u)[0][0] / start[i][i]
    rate = 2 * e * form
    if rate > 0:
        assert existence.time == (1 / rate, 1 / rate)
    else:
        assert existence.verdict == "global"
    return existence.status


def check_case(kind, seed):
    V, A, start = parameters(kind, seed)
    answer = verify(mapping(V, A, start))
    existence = answer.existence
    if kind == "ray":
        return check_ray(A, V, start, existence)
    scale = mp.norm(mp.matrix([[mp.mpf(x.numerator) / x.denominator for x in r] for r in start]))
    if existence.verdict == "blow-up":
        low, high = existence.time
        assert 0 < low <= high
        # alive just before, and large when the bounds are close; gone after
        before = covariance_at(V, A, start, low * Fraction(999, 1000), digits=15)
        assert mp.norm(before) > scale or high - low > low / 1000
        with pytest.raises(BlowUpError):
            covariance_at(V, A, start, high * Fraction(1001, 1000), digits=15)
    elif existence.verdict == "global":
        late = covariance_at(V, A, start, Fraction(1), digits=15)
        assert mp.isfinite(mp.norm(late))
        assert answer.trend is None
    else:
        low, high = existence.time
        assert high is None
        assert mp.isfinite(mp.norm(covariance_at(V, A, start, low, digits=15)))
    return existence.status


@pytest.mark.parametrize("kind", KINDS)
def test_sample_of_random_parameters(kind):
    statuses = [check_case(kind, seed) for seed in range(2)]
    assert kind == "any" or statuses == ["proved"] * 2


@pytest.mark.acceptance
@pytest.mark.parametrize("kind", KINDS)
def test_many_random_parameters(kind):
    statuses = [check_case(kind, seed) for seed in range(2, 50)]
    assert kind == "any" or statuses == ["proved"] * len(statuses)
