"""Ranks that are counted with digits."""

from typing import Any

from mpmath import mp

SPARE_DIGITS = 3
"""Digits by which the scale that tells singular values apart is finer than the ones returned."""


def counted_rank(matrix: Any, digits: int) -> Any:
    """Return sum s^2 / (s^2 + e^2) over singular values s, e = 10^-(digits/2 + 3) times the first.

    That is the rank up to about 10^-digits when the singular values that should vanish are below
    10^-(digits + 6) times the largest and the others are not small: ``matrix``, an mpmath matrix,
    must be known to that many digits. One that should vanish but is larger than e adds nearly 1.

    >>> print(mp.nstr(counted_rank(mp.matrix([[1, 2], [2, 4]]), 10), 10))
    1.0
    """
    with mp.workdps(digits + 20):
        values = mp.svd_r(matrix, compute_uv=False)
        scale = max(values) * mp.mpf(10) ** -(digits // 2 + SPARE_DIGITS)
        return mp.fsum(s**2 / (s**2 + scale**2) for s in values)
