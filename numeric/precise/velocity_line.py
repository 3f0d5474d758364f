"""Velocities on Gaussians of the line, d = 1, that are not affine: from the defining integrals.

Numbers V and A, and laws N(alpha, variance) with a positive variance. Velocities as in
arXiv:2501.18322 (Castin, Ablin, Carrillo, Peyré); masked variants have finitely many positions.
"""

from collections.abc import Sequence
from typing import Any

from flint import arb
from mpmath import mp

from numeric.precise.balls import ball
from numeric.precise.convert import Number, number
from numeric.precise.line import GUARD_DIGITS, expectation

Position = tuple[Number, Number, Number]
"""Mass, mean and variance of the tokens at one position."""


def sigmoid_velocity(
    V: Number, A: Number, alpha: Number, variance: Number, x: Number, *, digits: int = 40
) -> Any:
    """Return int V y / (1 + exp(-A x y)) dmu(y); the digits are relative to |V| int |y| dmu(y)."""
    with mp.workdps(digits + GUARD_DIGITS):
        center, width = ball(number(alpha)), ball(mp.sqrt(number(variance)))
        slope = ball(number(A) * number(x))

        def integrand(z: arb) -> list[arb]:
            y = center + width * z
            return [y / (1 + (-slope * y).exp())]

        return number(V) * expectation(integrand, digits=digits)[0]


def exponential_velocity(
    V: Number, A: Number, alpha: Number, variance: Number, x: Number, *, digits: int = 40
) -> Any:
    """Return int V y exp(A x y) dmu(y), relative to the same with |y|."""
    with mp.workdps(digits + GUARD_DIGITS):
        return number(V) * _tilted(number(A) * number(x), alpha, variance, digits)[1]


def masked_softmax_velocity(
    V: Number, A: Number, positions: Sequence[Position], index: int, x: Number, *, digits: int = 40
) -> Any:
    """Return the masked softmax velocity at ``x`` of position ``index``, from 0.

    The integrals of exp(A x y) V y and exp(A x y) over the laws of positions up to that one, times
    their masses, divided by each other.
    """
    with mp.workdps(digits + GUARD_DIGITS):
        slope, mass, moment = number(A) * number(x), mp.zero, mp.zero
        for weight, alpha, variance in positions[: index + 1]:
            total, first = _tilted(slope, alpha, variance, digits)
            mass += number(weight) * total
            moment += number(weight) * first
        return number(V) * moment / mass


def _tilted(slope: Any, alpha: Number, variance: Number, digits: int) -> list[Any]:
    """The integrals of exp(slope y) and y exp(slope y) over N(alpha, variance)."""
    deviation = mp.sqrt(number(variance))
    center, width, rate = ball(number(alpha)), ball(deviation), ball(slope)

    def integrand(z: arb) -> list[arb]:
        y = center + width * z
        weight = (rate * y).exp()
        return [weight, weight * y]

    return expectation(integrand, digits=digits, center=slope * deviation)
