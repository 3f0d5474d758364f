"""Systems x' = sum over h of (x^T Q_h x) U_h, by Taylor coefficients from a recurrence.

Those with closed forms are written in coordinates (y, z) of the plane, x = BASIS (y, z).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.exact import transpose
from numeric.precise.convert import number, rows
from numeric.precise.flow import agreed, by_steps
from numeric.precise.poles import rational_function, smallest_positive_root
from proofs.crosschecks.commuting_family import Block, Rational, product, scaled

#: Coefficients that determine a rational function of degree 1, and some to confirm it
COEFFICIENTS = 12

BASIS: Block = [[1, 1], [0, 2]]
INVERSE: Block = [[1, Fraction(-1, 2)], [0, Fraction(1, 2)]]
#: w^T x = y
HEIGHT = INVERSE[0]


@dataclass(frozen=True)
class Quadratic:
    """Vectors U_h of length n and symmetric n x n matrices Q_h."""

    U: Sequence[Sequence[Rational]]
    Q: Sequence[Block]

    def field(self, state: Any) -> Any:
        """f(state), an n x 1 mpmath matrix."""
        return mp.matrix(self.series(list(state), 1)[1])

    def series(self, start: Sequence[Any], order: int) -> list[list[Any]]:
        """The Taylor coefficients of x at 0, as fractions when the start is one of fractions."""
        exact = all(isinstance(x, (int, Fraction)) for x in start)
        kind = Fraction if exact else number
        vectors = [[kind(x) for x in U] for U in self.U]
        forms = [[[kind(x) for x in row] for row in Q] for Q in self.Q]
        terms = [[kind(x) for x in start]]
        images: list[list[list[Any]]] = [[] for _ in forms]
        for n in range(order):
            for Q, known in zip(forms, images, strict=True):
                known.append([_dot(row, terms[n]) for row in Q])
            rates = [sum(map(_dot, reversed(terms), known)) for known in images]
            terms.append([_dot(rates, entries) / (n + 1) for entries in zip(*vectors, strict=True)])
        return terms

    def at(self, start: Sequence[Rational], time: Any, digits: int) -> Any:
        """x(time), n x 1, to ``digits`` digits of its largest entry.

        Raises:
            ArithmeticError: the solution does not reach the time, or the digits are out of reach.
        """

        def terms(state: Any, order: int) -> list[Any]:
            return [mp.matrix(term) for term in self.series(list(state), order)]

        return agreed(
            lambda: [by_steps(terms, mp.matrix([number(x) for x in start]), time)], digits
        )[0]

    def rate(self, form: Block, start: Sequence[Rational], digits: int) -> Any:
        """The derivative of x^T form x at the start, by a central difference along the solution."""
        half = digits // 2 + 3
        working = digits + half
        with mp.workdps(working + 5):
            step = mp.mpf(10) ** -half
            matrix = mp.matrix(rows(form))
            ends = [self.at(start, time, working) for time in (step, -step)]
            ahead, behind = ((x.T * matrix * x)[0] for x in ends)
            return (ahead - behind) / (2 * step)

    def blow_up_time(self, start: Sequence[Rational], digits: int) -> Any:
        """The smallest positive pole of y, when that is a rational function of degree 1.

        Raises:
            ArithmeticError: there is none.
        """
        heights = [_dot(HEIGHT, term) for term in self.series(start, COEFFICIENTS)]
        _, denominator = rational_function(heights, 1)
        pole = smallest_positive_root(denominator, digits + 5)
        if pole is None:
            raise ArithmeticError("the solution has no pole")
        with mp.workdps(digits + 5):
            return number(pole)


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(left, right, strict=True))


def form(diagonal: Sequence[Rational], mixed: Rational = 0) -> Block:
    """The matrix of a y^2 + 2 b y z + c z^2, where (a, c) is the diagonal and b mixed."""
    first, last = diagonal
    return product(transpose(scaled(1, INVERSE)), [[first, mixed], [mixed, last]], INVERSE)


def vector(y: Rational, z: Rational) -> list[Fraction]:
    """BASIS (y, z)."""
    return [Fraction(x) for (x,) in product(BASIS, [[y], [z]])]


def plane(square: Rational, other: Rational, turn: Rational) -> Quadratic:
    """y' = square y^2 + other z^2 and z' = turn y z."""
    forms = [form((square, other)), form((0, 0), Fraction(turn) / 2)]
    return Quadratic([vector(1, 0), vector(0, 1)], forms)
