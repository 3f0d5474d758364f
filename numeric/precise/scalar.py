"""One scalar equation s' = f(s): separation of variables, started by Taylor series."""

from collections.abc import Callable
from typing import Any

from mpmath import mp

from numeric.precise.convert import Number, number
from numeric.precise.taylor import PrecisionError

GUARD_DIGITS = 10
"""Digits carried beyond the ones asked for."""

FIRST_DIGITS = 15
"""Digits of the first approximation."""

ATTEMPTS = 8
"""Newton steps, each of which doubles the digits."""


def scalar_at(rate: Callable[[Any], Any], start: Number, t: Number, digits: int = 40) -> Any:
    """Return s(t) for s' = rate(s), s(0) = start, to ``digits`` digits.

    ``rate`` has no zero between start and s(t). A Taylor integrator finds s(t) roughly; Newton's
    method refines it until the time int ds / rate(s), by quadrature, is t. Raises
    :class:`PrecisionError` when the two do not agree.

    >>> print(mp.nstr(scalar_at(lambda s: s * s, 1, "1/2", digits=20), 15))
    2.0
    """
    with mp.workdps(FIRST_DIGITS):
        rough = mp.odefun(lambda _, s: rate(s), 0, number(start))(number(t))
    with mp.workdps(digits + GUARD_DIGITS):
        first, time, value = number(start), number(t), rough
        for _ in range(ATTEMPTS):
            step = (mp.quad(lambda s: 1 / rate(s), [first, value]) - time) * rate(value)
            value -= step
            if abs(value - rough) > abs(value) * mp.mpf(10) ** (5 - FIRST_DIGITS):
                break
            if abs(step) < abs(value) * mp.mpf(10) ** -digits:
                return value
    raise PrecisionError(f"{digits} digits are not reached")
