"""Between mpmath numbers and the balls of FLINT, which compute several times faster.

A ball is a midpoint and a radius; here radii come from rounding only.
"""

from typing import Any

from flint import arb
from mpmath import mp

SPARE_BITS = 30
"""Bits of balls beyond those of mpmath: rounding in long computations stays below the latter."""


def ball(value: Any) -> arb:
    """Return an mpf as a ball of radius zero, whatever the working precision of FLINT."""
    mantissa, exponent = mp.mpf(abs(value)).man_exp  # which drops the sign
    return arb((int(mantissa) if value >= 0 else -int(mantissa), int(exponent)))


def midpoint(value: arb) -> Any:
    """Return the midpoint of a ball as an mpf at the working precision of mpmath."""
    mantissa, exponent = value.mid().man_exp()
    return mp.ldexp(mp.mpf(int(mantissa)), int(exponent))
