"""Tubes against the solution: to many digits by integration, exactly where there is a formula.

Bounds are compared as fractions, and what a step says of itself is computed again from it.
"""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat
from mpmath import mp

from numeric import tubes
from numeric.exact import multiply, transpose
from numeric.precise.flow import covariance_of_heads_at
from numeric.tubes import Stepper

DIGITS = 30
#: several times the error of the integration, relative to the largest entry
SLACK = Fraction(1, 10 ** (DIGITS - 2))
ORDER, BITS, STEPS = 16, 64, 3
RADIUS = Fraction(1, 2**BITS)
MOMENTS = [Fraction(k, 8) for k in range(9)]


def matrix(rows):
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def combination(*pairs):
    d = len(pairs[0][1])
    return tuple(
        tuple(sum((Fraction(c) * M[i][j] for c, M in pairs), Fraction(0)) for j in range(d))
        for i in range(d)
    )


def scaled(factor, M):
    return combination((factor, M))


def identity(d):
    return matrix([[int(i == j) for j in range(d)] for i in range(d)])


def square(M):
    """|M|_F^2."""
    return sum((x * x for row in M for x in row), Fraction(0))


def distance(M, N):
    """|M - N|_F^2."""
    return square(combination((1, M), (-1, N)))


def product_of(heads):
    """A bound of the sum of |V| |A|."""
    return sum((root_above(square(V)) * root_above(square(A)) for V, A in heads), Fraction(0))


def root_above(value):
    """A fraction slightly above a square root, of any scale."""
    root = Fraction(float(value) ** 0.5) * (1 + Fraction(1, 10**9))
    assert root * root >= value
    return root


def field(heads, X):
    total = scaled(0, X)
    for V, A in heads:
        half = multiply(multiply(V, X), multiply(A, X))
        total = combination((1, total), (1, half), (1, transpose(half)))
    return total


def value_and_slope(step, time):
    powers = [(time**k, C) for k, C in enumerate(step.coefficients)]
    slopes = [(k * time ** (k - 1), C) for k, C in enumerate(step.coefficients) if k]
    return combination(*powers), combination(*slopes)


def broken(step, heads, product):
    """What a step says that is not so; Y is looked at where MOMENTS are."""
    found = set()
    for moment in MOMENTS:
        Y, slope = value_and_slope(step, moment * step.length)
        if transpose(Y) != Y:
            found.add("symmetric")
        if square(Y) > step.size**2:
            found.add("size")
        if distance(slope, field(heads, Y)) > step.defect**2:
            found.add("defect")
    reached = radius(step, product)
    if reached >= step.tube:
        found.add("tube")
    if distance(value_and_slope(step, step.length)[0], step.centre) > step.rounding**2:
        found.add("rounding")
    if reached + step.rounding > step.end:
        found.add("end")
    if step.start < 0 or min(step.length, step.size, step.tube, step.defect, step.rounding) <= 0:
        found.add("sign")
    return found


def radius(step, product):
    slope = 2 * (2 * step.size + step.tube) * product
    return step.start + (slope * step.tube + step.defect) * step.length


def followed(heads, start, *, steps=STEPS, bits=BITS, order=ORDER, radius=RADIUS):
    """Steps from a start, each of which is what it says."""
    product = product_of(heads)
    stepper = Stepper(heads, product, order, bits)
    centre, found = start, []
    for _ in range(steps):
        step = stepper.step(centre, radius)
        assert step is not None
        assert step.coefficients[0] == centre
        assert step.start == radius
        assert broken(step, heads, product) == set()
        found.append(step)
        centre, radius = step.centre, step.end
    return found


def fractions(M):
    """An mpmath matrix, exactly."""

    def exact(x):
        sign, mantissa, exponent, _ = x._mpf_
        return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent

    return tuple(tuple(exact(M[i, j]) for j in range(M.cols)) for i in range(M.rows))


def assert_encloses(steps, heads, start):
    """The solution from ``start``, integrated, is within every bound."""
    V, A = ([head[i] for head in heads] for i in range(2))
    time = Fraction(0)
    for step in steps:
        time += step.length
        with mp.workdps(2 * DIGITS):
            solution = fractions(covariance_of_heads_at(V, A, start, time, DIGITS))
        error = SLACK * root_above(square(step.centre))
        assert distance(solution, step.centre) <= (step.end + error) ** 2
        # the bound is of use
        assert step.end**2 <= square(step.centre) / 10**8


# Against integration


def seeded(seed):
    """Heads and a start: d = 1..4, one or two heads, of full rank, of rank 1, nearly singular."""
    rng = random.Random(seed)
    d, count = 1 + seed % 4, 1 + seed // 4 % 2

    def entries(rows, columns):
        return matrix(
            [
                Fraction(rng.choice((-5, -3, -1, 1, 2, 4)), rng.choice((2, 3, 4)))
                for _ in range(columns)
            ]
            for _ in range(rows)
        )

    heads = [(entries(d, d), entries(d, d)) for _ in range(count)]
    G = entries(d, 1 if seed % 3 else d)
    start = multiply(G, transpose(G))
    if seed % 3 == 2:
        start = combination((1, start), (Fraction(1, 10**9), identity(d)))
    return heads, start


@pytest.mark.parametrize("seed", range(10))
def test_seeded_cases(seed):
    heads, start = seeded(seed)
    assert_encloses(followed(heads, start), heads, start)


@pytest.mark.parametrize("scale", [Fraction(1, 10**12), Fraction(10**12)])
@pytest.mark.parametrize("which", ["start", "heads"])
@pytest.mark.parametrize("seed", [1, 6])
def test_scales(seed, which, scale):
    heads, start = seeded(seed)
    radius = RADIUS
    if which == "start":
        start, radius = scaled(scale, start), scale * RADIUS
    else:
        heads = [(scaled(scale, V), A) for V, A in heads]
    assert_encloses(followed(heads, start, radius=radius), heads, start)


def test_a_solution_that_starts_elsewhere_is_enclosed():
    heads, start = seeded(7)
    other = combination((1, start), (Fraction(1, 10**9), identity(4)))
    steps = followed(heads, start, radius=Fraction(2, 10**9))
    V, A = ([head[i] for head in heads] for i in range(2))
    time = sum(step.length for step in steps)
    with mp.workdps(2 * DIGITS):
        solution = fractions(covariance_of_heads_at(V, A, other, time, DIGITS))
    apart = distance(solution, steps[-1].centre)
    assert 10**-20 < apart < steps[-1].end ** 2


# Closed forms, compared exactly


def without_scores(start, time):
    """Sigma0 (I - 2 t Sigma0)^{-1}, for V = A = I."""
    d = len(start)
    system = combination((1, identity(d)), (-2 * time, start))
    inverse = fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in system]).inv()
    rows = [[Fraction(int(x.p), int(x.q)) for x in row] for row in inverse.tolist()]
    return multiply(start, matrix(rows))


STARTS = [
    matrix([[3]]),
    matrix([[1, 2], [2, 4]]),
    matrix([[2, 1, 0], [1, 1, Fraction(1, 3)], [0, Fraction(1, 3), 5]]),
    matrix([[1, 1], [1, 1 + Fraction(1, 10**15)]]),
    scaled(Fraction(1, 10**12), matrix([[2, 1], [1, 3]])),
    scaled(10**12, matrix([[2, 1], [1, 3]])),
]


@pytest.mark.parametrize("start", STARTS)
def test_identities(start):
    unit = identity(len(start))
    radius = RADIUS * root_above(square(start))
    time = Fraction(0)
    for step in followed([(unit, unit)], start, radius=radius):
        time += step.length
        assert distance(without_scores(start, time), step.centre) <= step.end**2


@pytest.mark.parametrize("sign", [1, -1])
def test_a_start_at_the_given_distance(sign):
    """Sigma0 = I is an unstable ray: the greater eigenvalue leaves the other one behind."""
    unit, radius = identity(2), Fraction(1, 2**20)
    start = combination((1, unit), (sign * radius, matrix([[1, 0], [0, 0]])))
    time = Fraction(0)
    for step in followed([(unit, unit)], unit, radius=radius):
        time += step.length
        apart = distance(without_scores(start, time), step.centre)
        assert radius**2 < apart <= step.end**2


def test_a_self_similar_ray():
    """F(Sigma0) = c Sigma0: Sigma = Sigma0 / (1 - c t)."""
    heads = [
        (
            matrix([[1, -1], [-2, 4]]),
            matrix([[Fraction(-1, 2), Fraction(7, 4)], [Fraction(-1, 4), Fraction(1, 4)]]),
        )
    ]
    start = matrix([[1, 0], [0, 4]])
    rate = field(heads, start)[0][0]
    assert field(heads, start) == scaled(rate, start)
    assert rate != 0
    time = Fraction(0)
    for step in followed(heads, start, steps=4):
        time += step.length
        assert distance(scaled(1 / (1 - rate * time), start), step.centre) <= step.end**2


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("radius", [Fraction(0), Fraction(1, 1000), Fraction(10**9)])
def test_from_zero(count, radius):
    """A solution stays at 0; those from nearby stay near."""
    heads = [(identity(2), matrix([[1, 2], [0, 1]]))] * count
    (step,) = followed(heads, scaled(0, identity(2)), steps=1, radius=radius)
    assert step.centre == scaled(0, identity(2))
    # not for so long that Sigma0 = r e1 e1^T is gone
    assert 2 * count * radius * step.length < 1


@pytest.mark.parametrize("factors", [(0, 0), (1, 0)])
def test_without_growth(factors):
    """V = 0 or A = 0: nothing moves."""
    heads = [tuple(scaled(x, identity(2)) for x in factors)]
    start = matrix([[2, 1], [1, 1]])
    step = Stepper(heads, Fraction(0), ORDER, BITS).step(start, Fraction(0))
    assert step is not None
    assert broken(step, heads, 0) == set()
    assert distance(step.centre, start) <= step.end**2


def test_no_room(monkeypatch):
    unit = identity(1)
    stepper = Stepper([(unit, unit)], Fraction(1), ORDER, BITS)
    monkeypatch.setattr(tubes, "ATTEMPTS", 3)
    assert stepper.step(unit, RADIUS) is None


# What a step says is no more than it has to be


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", ["size", "defect", "tube", "end"])
def test_half_is_not_enough(start, name):
    """For V = A = I, where bounds are nearly attained."""
    heads = [(identity(len(start)), identity(len(start)))]
    product = Fraction(1)
    radius = RADIUS * root_above(square(start))
    step = Stepper(heads, product, ORDER, BITS).step(start, radius)
    assert step is not None
    assert broken(step, heads, product) == set()
    half = replace(step, **{name: getattr(step, name) / 2})
    assert name in broken(half, heads, product)
