"""What the tests of enclosures compare with: exact solutions, and balls around others.

Nothing here uses coordinates but tr(P_k Sigma): solutions are followed as matrices.
"""

import math
from fractions import Fraction

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpq_poly

from numeric.enclosures.system import to_flint, to_rows

DIGITS = 45


def matrix(rows):
    return to_rows(rational(rows))


def rational(rows):
    if isinstance(rows, fmpq_mat):
        return rows
    return to_flint([[Fraction(x) for x in row] for row in rows])


def identity(d):
    return rational(_unit_rows(d))


def trace(M):
    return sum((M[i, i] for i in range(M.nrows())), fmpq(0))


def random_matrix(rng, rows, columns=None, spread=3):
    columns = columns or rows
    entries = [
        fmpq(rng.randint(-spread, spread), rng.choice((1, 2, 3))) for _ in range(rows * columns)
    ]
    return fmpq_mat(rows, columns, entries)


def random_semidefinite(rng, d, rank):
    G = random_matrix(rng, d, rank)
    return G * G.transpose()


def velocity(heads, Sigma):
    """sum of V Sigma A Sigma and its transpose, for fmpq_mat."""
    half = Sigma * 0
    for V, A in heads:
        half = half + V * Sigma * A * Sigma
    return half + half.transpose()


class Solution:
    """Of the covariance equation: the heads (V, A) and the start, by rows."""

    def __init__(self, heads, start):
        self.heads = tuple((rational(V), rational(A)) for V, A in heads)
        self.start = rational(start)
        with ctx.workdps(DIGITS + 20):
            self._known = [(fmpq(0), arb_mat(self.start))]

    @property
    def pairs(self):
        return [(to_rows(V), to_rows(A)) for V, A in self.heads]

    @property
    def covariance(self):
        return to_rows(self.start)

    def after(self, time):
        """Sigma(time) in balls: at each step a power series, with a bound of what it leaves out.

        The series is dominated by that of s' = 2 K s^2, s(0) = |Sigma|, for K = sum of |V| |A|.
        """
        time = fmpq(time.numerator, time.denominator)
        with ctx.workdps(DIGITS + 20):
            coupling = sum(_norm(arb_mat(V)) * _norm(arb_mat(A)) for V, A in self.heads)
            begun, Sigma = max((known for known in self._known if known[0] <= time), key=_first)
            while begun < time:
                pole = float(1 / (2 * coupling * _norm(Sigma)))
                step = min(time - begun, fmpq(*(pole / 4).as_integer_ratio()))
                ratio = int(step.p) / int(step.q) / pole * 1.001
                Sigma = self._advanced(Sigma, step, ratio)
                begun += step
            self._known.append((begun, Sigma))
            return Sigma

    def _advanced(self, Sigma, step, ratio):
        order = max(2, math.ceil(-DIGITS * math.log(10) / math.log(ratio)))
        size = _norm(Sigma)
        # the coefficients are those of powers of t/step
        coefficients, images, total = [Sigma], [[] for _ in self.heads], Sigma
        for n in range(order):
            half = Sigma * 0
            for (V, A), image in zip(self.heads, images, strict=True):
                image.append(arb_mat(A) * coefficients[n])
                inner = Sigma * 0
                for i in range(n + 1):
                    inner = inner + coefficients[i] * image[n - i]
                half = half + arb_mat(V) * inner
            coefficients.append((half + half.transpose()) * (arb(step) / (n + 1)))
            total = total + coefficients[-1]
        rest = (size * arb(ratio) ** (order + 1) / (1 - arb(ratio))).upper()
        return arb_mat([[x + arb(0, rest) for x in row] for row in total.tolist()])


def _first(known):
    return known[0]


def _norm(M):
    """A bound of the Frobenius norm."""
    return sum((x * x for x in M.entries()), arb(0)).sqrt().upper()


class Inverse(Solution):
    """A solution for V_h = I: Sigma = S (I - t B S)^-1 with B = sum of A_h + A_h^T."""

    def __init__(self, scores, start):
        d = len(start)
        super().__init__([(_unit_rows(d), A) for A in scores], start)
        self.B = self.start * 0
        for _, A in self.heads:
            self.B = self.B + A + A.transpose()

    def after(self, time):
        t = fmpq(time.numerator, time.denominator)
        return self.start * (identity(self.start.nrows()) - self.B * self.start * t).inv()


def _unit_rows(d):
    return [[int(i == j) for j in range(d)] for i in range(d)]


def coordinates(system, Sigma):
    """tr(P_k Sigma), for rationals or balls."""
    if isinstance(Sigma, fmpq_mat):
        return [trace(P * Sigma) for P in system.functionals]
    with ctx.workdps(DIGITS + 20):
        entries = Sigma.transpose().entries()
        return [sum(map(_times, P.entries(), entries), arb(0)) for P in system.functionals]


def _times(a, b):
    return arb(a) * b


def within(point, centre, radius):
    """Whether |x - M| <= r for sure; M and r are rational."""
    with ctx.workdps(DIGITS + 20):
        return bool(squared([x - c for x, c in zip(point, centre, strict=True)]) <= radius * radius)


def exact(numbers):
    return [fmpq(x.numerator, x.denominator) for x in numbers]


def polynomials(step):
    """y, one fmpq_poly for each coordinate."""
    return [fmpq_poly(exact(entries)) for entries in zip(*step.curve, strict=True)]


def forms_at(system, vector):
    """f(x), for a vector of numbers or polynomials."""
    n = system.size
    return [
        sum((Q[i, j] * (vector[i] * vector[j]) for i in range(n) for j in range(n)), 0 * vector[0])
        for Q in system.forms
    ]


def jacobian_at(system, vector):
    """The rows of Df(x)."""
    n = system.size
    return [
        [sum((2 * Q[i, j] * vector[j] for j in range(n)), 0 * vector[0]) for i in range(n)]
        for Q in system.forms
    ]


def squared(vector):
    return sum((x * x for x in vector), 0 * vector[0])
