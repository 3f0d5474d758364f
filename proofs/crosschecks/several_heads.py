"""Several heads, computed from the definitions: the sum of velocities, and the covariance's series.

The velocity of the layer is the sum of the velocities of its heads. For the covariance equation
Sigma' = sum over h of V_h Sigma A_h Sigma + its transpose, a polynomial, Taylor coefficients
follow from a recurrence: in fixed point for the covariance at a time, as fractions for its poles
and its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from mpmath import mp

from numeric.precise.convert import number
from numeric.precise.flow import covariance_of_heads_at, series_of_heads
from numeric.precise.poles import rational_function, smallest_positive_root
from numeric.precise.velocity import GUARD_DIGITS, softmax_velocity
from proofs.crosschecks.commuting_family import Block, Rational

#: Coefficients beyond those that determine a rational function, to confirm it.
SPARE_COEFFICIENTS = 8


@dataclass(frozen=True)
class Heads:
    """Matrices V_h and A_h of the heads, d x d, and the biases, if there are any."""

    V: Sequence[Block]
    A: Sequence[Block]
    tilts: Sequence[Sequence[Rational]] | None = None
    value_biases: Sequence[Sequence[Rational]] | None = None

    def velocity(self, mean: Sequence[Rational], covariance: Block, x: Any, digits: int) -> Any:
        """The sum of the softmax velocities at x, each from its integrals over N(mean, .)."""
        none = [None] * len(self.V)
        biases = zip(self.tilts or none, self.value_biases or none, strict=True)
        with mp.workdps(digits + GUARD_DIGITS):
            summands = [
                softmax_velocity(
                    V, A, mean, covariance, x, tilt=tilt, value_bias=value_bias, digits=digits
                )
                for V, A, (tilt, value_bias) in zip(self.V, self.A, biases, strict=True)
            ]
            return reduce(add, summands)

    def covariance_at(self, start: Block, time: Rational, digits: int) -> Any:
        """Sigma(t), to ``digits`` digits of its largest entry.

        Raises:
            ArithmeticError: the solution does not reach the time, or the digits are out of reach.
        """
        return covariance_of_heads_at(self.V, self.A, start, time, digits)

    def blow_up_time(self, start: Block, digits: int) -> Any:
        """The smallest positive pole of the trace, when it is rational of degree at most d.

        Raises:
            ArithmeticError: there is none.
        """
        degree = len(start)
        terms = self._exact_series(start)
        traces = [sum(term[i][i] for i in range(degree)) for term in terms]
        _, denominator = rational_function(traces, degree)
        pole = smallest_positive_root(denominator, digits + 5)
        if pole is None:
            raise ArithmeticError("the covariance has no pole")
        with mp.workdps(digits + 5):
            return number(pole)

    def limit_at_infinity(self, start: Block) -> list[list[Fraction]]:
        """The limit of Sigma(t), when its entries are rational of degree at most d.

        Raises:
            ArithmeticError: an entry has a pole at a positive time, or no limit.
        """
        degree, terms = len(start), self._exact_series(start)

        def entry(i: int, j: int) -> Fraction:
            coefficients = [term[i][j] for term in terms]
            numerator, denominator = rational_function(coefficients, degree)
            if smallest_positive_root(denominator, 5) is not None:
                raise ArithmeticError("the covariance has a pole")
            if len(numerator) > len(denominator):
                raise ArithmeticError("the covariance is unbounded")
            equal = numerator and len(numerator) == len(denominator)
            return numerator[-1] / denominator[-1] if equal else Fraction(0)

        return [[entry(i, j) for j in range(degree)] for i in range(degree)]

    def _exact_series(self, start: Block) -> list[Any]:
        """As many Taylor coefficients of Sigma as determine rational functions of degree d."""
        order = 2 * len(start) + 1 + SPARE_COEFFICIENTS
        return series_of_heads(self.V, self.A, start, order)
