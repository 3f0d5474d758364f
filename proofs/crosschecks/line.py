"""The variance on the line from elementary integrals, for the cross-checks of the scalar claims.

For tokens N(0, s) the velocity is linear, x -> m x, and s' = 2 m s.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import number
from numeric.precise.scalar import scalar_at

VALUE, SCORE, KEY = Fraction(3, 4), Fraction(2, 3), Fraction(4, 3)
START, TIME = Fraction(9, 16), Fraction(1, 3)
#: s'(0)/s(0), rational by the choice of the parameters
SOFTMAX_START, L2_START, SINKHORN_START = Fraction(9, 16), Fraction(3, 8), Fraction(1, 2)
VALUES = {"v": VALUE, "a": SCORE, "k": KEY, "s0": START, "t": TIME, "s": lambda t: START}


def softmax_rate(s: Any) -> Any:
    """The weight exp(a x y) moves the mean of N(0, s) to s a x."""
    return 2 * number(VALUE) * s * number(SCORE) * s


def l2_rate(s: Any) -> Any:
    """The weight exp(2 a x y - k^2 y^2) makes it a Gaussian of precision 1/s + 2 k^2."""
    mean = 2 * number(SCORE) / (1 / s + 2 * number(KEY) ** 2)
    return 2 * number(VALUE) * mean * s


def sinkhorn_rate(s: Any) -> Any:
    """The balanced coupling is Gaussian: its correlation r solves r = a s (1 - r^2)."""
    double = 2 * number(SCORE) * s
    return 2 * number(VALUE) * (mp.sqrt(1 + double**2) - 1) / double * s


def variance(rate: Callable[[Any], Any], digits: int) -> Any:
    """s(TIME)."""
    return scalar_at(rate, START, TIME, digits)


def growth(rate: Callable[[Any], Any], digits: int) -> Any:
    """START exp(r TIME) for the limit r of s'/s as s grows, which is reached like 1/s."""
    with mp.workdps(2 * digits + 30):
        far = mp.mpf(10) ** (digits + 10)
        return number(START) * mp.exp(rate(far) / far * number(TIME))
