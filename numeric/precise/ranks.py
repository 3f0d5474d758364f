"""Ranks that are counted with digits."""

from typing import Any

from mpmath import mp

SPARE_DIGITS = 3
"""Digits between the scale at which singular values are told apart and the ones returned."""


def counted_rank(matrix: Any, digits: int) -> Any:
    """Return sum s / (s + e s_1) over the singular values s, with e = 10^-(digits + 3).

    That is the rank r up to 10^-digits when the other singular values are below
    10^-(2 digits + 6) times the largest, s_1, and the r-th is not small: ``matrix``, an mpmath
    matrix, must be known to that many digits. A singular value that should vanish but
    is 10^-k times the largest, k < digits, adds nearly one.

    >>> print(mp.nstr(counted_rank(mp.matrix([[1, 2], [2, 4]]), 5), 5))
    1.0
    """
    with mp.workdps(2 * digits + 20):
        values = mp.svd_r(matrix, compute_uv=False)
        small = max(values) * mp.mpf(10) ** -(digits + SPARE_DIGITS)
        return mp.fsum(s / (s + small) for s in values)
