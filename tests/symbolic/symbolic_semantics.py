"""What the expressions mean, in plain Python: an evaluator that shares nothing with SymPy's.

Matrices are lists of rows over any number type (Fraction, float, mpf, Dual).  A measure is a list
of atoms (weight, position, column).
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import sympy as sp

from symbolic.nodes import (
    DoublyStochastic,
    HeadSum,
    Inner,
    MeasureIntegral,
    Past,
    VectorMeasureIntegral,
)


def add(a, b):
    return [[p + q for p, q in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def times(number, a):
    return [[number * p for p in row] for row in a]


def mul(a, b):
    assert len(a[0]) == len(b)
    return [
        [sum(p * q for p, q in zip(row, col, strict=True)) for col in zip(*b, strict=True)]
        for row in a
    ]


def prod(first, *rest):
    for factor in rest:
        first = mul(first, factor)
    return first


def transpose(a):
    return [list(row) for row in zip(*a, strict=True)]


def eye(n, number=Fraction):
    return [[number(int(i == j)) for j in range(n)] for i in range(n)]


def dot(u, v):
    return mul(transpose(u), v)[0][0]


def inverse(a):
    n = len(a)
    zero = a[0][0] * 0  # of the number type of the entries
    rows = [[*row, *(zero + int(i == j) for j in range(n))] for i, row in enumerate(a)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [p / rows[i][i] for p in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [p - rows[r][i] * q for p, q in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]


NONZERO = [p for p in range(-6, 7) if p]


def root(a):
    """The positive semidefinite root, eigenvalues below zero by rounding counted as zero."""
    values, vectors = mpmath.eigsy(mpmath.matrix(a))
    roots = mpmath.diag([mpmath.sqrt(max(v, 0)) for v in values])
    return (vectors * roots * vectors.T).tolist()


def rational_matrix(rng: random.Random, rows: int, columns: int, number=Fraction):
    return [
        [number(rng.choice(NONZERO)) / number(rng.randint(2, 9)) for _ in range(columns)]
        for _ in range(rows)
    ]


def close(a, b, tolerance) -> bool:
    return all(
        abs(p - q) <= tolerance
        for r, s in zip(a, b, strict=True)
        for p, q in zip(r, s, strict=True)
    )


class Dual:
    """value + slope * epsilon: evaluates an expression and its exact derivative."""

    def __init__(self, value, slope=Fraction(0)):
        self.value, self.slope = Fraction(value), Fraction(slope)

    @staticmethod
    def of(other):
        return other if isinstance(other, Dual) else Dual(other)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = Dual.of(other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __sub__(self, other):
        return self + Dual.of(other) * -1

    def __rsub__(self, other):
        return Dual.of(other) - self

    def __rtruediv__(self, other):
        return Dual.of(other) / self

    def __truediv__(self, other):
        other = Dual.of(other)
        inverse_slope = -other.slope / other.value**2
        return self * Dual(1 / other.value, inverse_slope)

    def __eq__(self, other):
        other = Dual.of(other)
        return self.value == other.value and self.slope == other.slope

    __radd__, __rmul__ = __add__, __mul__


EXP = {float: math.exp, mpmath.mpf: mpmath.exp}
LOG = {float: math.log, mpmath.mpf: mpmath.log}


def evaluate(e, env, number=Fraction):
    """The value of an expression; ``env`` gives the letters, dimensions, measures and roots."""

    def go(f, **_):
        return evaluate(f, env, number)

    if e in env:
        return env[e]
    if e.is_Rational:
        return number(int(e.p)) / number(int(e.q))
    if isinstance(e, sp.Identity):
        return eye(env[e.shape[0]], number)
    if isinstance(e, sp.ZeroMatrix):
        rows, columns = (int(n) if n.is_Integer else env[n] for n in e.shape)
        return [[number(0)] * columns for _ in range(rows)]
    if isinstance(e, sp.MatAdd):
        first, *rest = map(go, e.args)
        for term in rest:
            first = add(first, term)
        return first
    if isinstance(e, sp.MatMul):
        scalar = number(1)
        matrices = []
        for f in e.args:
            if f.is_Matrix:
                matrices.append(go(f))
            else:
                scalar = scalar * go(f)
        return times(scalar, prod(*matrices))
    if isinstance(e, sp.Transpose):
        return transpose(go(e.arg))
    if isinstance(e, sp.Inverse):
        return inverse(go(e.arg))
    if isinstance(e, sp.MatPow):
        if e.exp == sp.Rational(1, 2):
            assert number is mpmath.mpf
            return root(go(e.base))
        assert e.exp.is_Integer
        base = go(e.base) if e.exp > 0 else inverse(go(e.base))
        return prod(*[base] * abs(int(e.exp)))
    if isinstance(e, sp.Add):
        return sum(map(go, e.args), number(0))
    if isinstance(e, sp.Mul):
        result = number(1)
        for f in e.args:
            result = result * go(f)
        return result
    if isinstance(e, sp.exp):
        return EXP[number](go(e.args[0]))
    if isinstance(e, sp.log):
        return LOG[number](go(e.args[0]))
    if isinstance(e, sp.Pow):
        result = number(1)
        for _ in range(abs(int(e.exp))):
            result = result * go(e.base)
        return result if e.exp > 0 else number(1) / result
    if isinstance(e, Inner):
        return dot(*map(go, e.args))
    if isinstance(e, MeasureIntegral):
        body, y, mu = e.args
        return sum(
            (w * evaluate(body, {**env, y: at}, number) for w, _, at in atoms(mu, env)), number(0)
        )
    if isinstance(e, VectorMeasureIntegral):
        body, y, mu = e.args
        first, *rest = (
            times(w, evaluate(body, {**env, y: at}, number)) for w, _, at in atoms(mu, env)
        )
        for term in rest:
            first = add(first, term)
        return first
    if isinstance(e, DoublyStochastic):
        kernel, (u, v), mu, (x, y) = e.args
        points = [(w, at) for w, _, at in atoms(mu, env)]

        def k(a, b):
            return evaluate(kernel, {**env, u: a, v: b}, number)

        return sinkhorn(k, points)(go(x), go(y))
    if isinstance(e, HeadSum):
        return go(e.explicit(env[e.args[2]]))
    raise TypeError(f"no meaning for {type(e).__name__}: {e}")


def atoms(mu, env):
    if mu in env:
        return env[mu]
    assert isinstance(mu, Past)
    inner, position = mu.args
    return [atom for atom in atoms(inner, env) if atom[1] <= env[position]]


def sinkhorn(k, points, rounds=400):
    """The doubly stochastic rescaling of k against weighted points, as a function of two points."""
    table = [[k(a, b) for _, b in points] for _, a in points]
    n = range(len(points))
    g = [1] * len(points)
    for _ in range(rounds):
        f = [1 / sum(points[j][0] * table[i][j] * g[j] for j in n) for i in n]
        g = [1 / sum(points[i][0] * table[i][j] * f[i] for i in n) for j in n]

    def rescaled(a, b):
        row = sum(w * k(a, z) * g[j] for j, (w, z) in enumerate(points))
        column = sum(w * k(z, b) * f[i] for i, (w, z) in enumerate(points))
        return k(a, b) / (row * column)

    return rescaled
