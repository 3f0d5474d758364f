"""How fast a Gaussian on the line stops being one: rates of its third and fourth cumulants.

For d/dt mu + div(mu v) = 0 and mu = N(alpha, variance) at the moment, the cumulants of mu of order
three and four, which vanish, change at the rates

    kappa_3' = 3 int (xi^2 - variance) v dmu,
    kappa_4' = 4 int (xi^3 - 3 variance xi) v dmu,    xi = x - alpha.

One of them not zero means that the law is not Gaussian right after. Nothing is known about v but
its values.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from flint import arb
from mpmath import mp

from numeric.precise.balls import ball, midpoint
from numeric.precise.convert import Number, number
from numeric.precise.line import GUARD_DIGITS, expectation
from numeric.precise.velocity_line import (
    Position,
    exponential_velocity,
    masked_softmax_velocity,
    sigmoid_velocity,
)

LEAST_DIGITS = 5
"""Digits of a velocity where it counts least."""


def cumulant_rates(
    velocity: Callable[[Any, int], Any],
    alpha: Number,
    variance: Number,
    *,
    digits: int = 20,
    bounded: bool = False,
) -> tuple[Any, Any]:
    """Return kappa_3' and kappa_4', two mpf, to ``digits`` digits.

    ``velocity`` maps a point and a number of digits to the velocity there. The digits are relative
    to the integrals of absolute values. A ``bounded`` velocity, or one of polynomial growth, is
    asked for fewer digits where the density is small.

    Raises :class:`ArithmeticError` when the digits are out of reach, as for integrals that do not
    converge.
    """
    with mp.workdps(digits + GUARD_DIGITS):
        center, width = number(alpha), mp.sqrt(number(variance))

        def integrand(z: arb) -> list[arb]:
            spared = int(float(z) ** 2 / (2 * math.log(10))) if bounded else 0
            x = center + width * midpoint(z)
            v = ball(velocity(x, max(LEAST_DIGITS, digits + 5 - spared)))
            return [(z**2 - 1) * v, (z**3 - 3 * z) * v]

        third, fourth = expectation(integrand, digits=digits)
        return 3 * width**2 * third, 4 * width**3 * fourth


def sigmoid_cumulant_rates(
    V: Number, A: Number, alpha: Number, variance: Number, *, digits: int = 20
) -> tuple[Any, Any]:
    """Return kappa_3' and kappa_4' under sigmoid attention, d = 1."""

    def velocity(x: Any, wanted: int) -> Any:
        return sigmoid_velocity(V, A, alpha, variance, x, digits=wanted)

    return cumulant_rates(velocity, alpha, variance, digits=digits, bounded=True)


def exponential_cumulant_rates(
    V: Number, A: Number, alpha: Number, variance: Number, *, digits: int = 20
) -> tuple[Any, Any]:
    """Return kappa_3' and kappa_4' under exponential attention, d = 1.

    Raises :class:`ValueError` unless |A| variance < 1: then moments of the velocity are infinite.
    """
    if abs(number(A) * number(variance)) >= 1:
        raise ValueError("|A| variance >= 1: the velocity has no moments")

    def velocity(x: Any, wanted: int) -> Any:
        return exponential_velocity(V, A, alpha, variance, x, digits=wanted)

    return cumulant_rates(velocity, alpha, variance, digits=digits)


def masked_softmax_cumulant_rates(
    V: Number, A: Number, positions: Sequence[Position], index: int, *, digits: int = 20
) -> tuple[Any, Any]:
    """Return kappa_3' and kappa_4' of the law at position ``index`` under masked softmax, d = 1."""
    _, alpha, variance = positions[index]

    def velocity(x: Any, wanted: int) -> Any:
        return masked_softmax_velocity(V, A, positions, index, x, digits=wanted)

    return cumulant_rates(velocity, alpha, variance, digits=digits, bounded=True)
