"""Blow-up times and limits from Taylor coefficients, when the covariance is rational in t.

Whether a sequence of Taylor coefficients is that of a rational function p / q is decided exactly:
the shortest linear recurrence that produces it (Berlekamp-Massey; in other words, the Hankel
determinants that vanish) has q for its characteristic polynomial, and further coefficients,
not used to find it, must obey it too. Roots of q are isolated by Sturm sequences over the
rationals. Nothing here knows a closed form of the covariance.

Polynomials are lists of fractions, lowest degree first. Parameters must be integers or
fractions. For an attention matrix s A with irrational s > 0, pass A: times are those of s A
multiplied by s.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from mpmath import mp

from numeric.precise.convert import MatrixLike, Rows, number, plain_rows
from numeric.precise.flow import series

SPARE_COEFFICIENTS = 4
"""Coefficients beyond the ones that determine the recurrence, which must confirm it."""

Polynomial = list[Fraction]


class NotRationalError(ValueError):
    """The function is not a rational function of the degree allowed."""


def blow_up_time(
    V: MatrixLike,
    A: MatrixLike,
    Sigma0: MatrixLike,
    *,
    weight: MatrixLike | None = None,
    degree: int | None = None,
    digits: int = 40,
) -> Any:
    """Return the smallest positive pole of tr(weight Sigma(t)), an mpf, or None without one.

    ``V``, ``A``, ``Sigma0`` are d x d, and so is ``weight``, the identity unless given: the trace
    of a positive semidefinite matrix is infinite as soon as some entry is. ``degree`` bounds
    numerator and denominator (d unless given), ``digits`` counts those of the result.

    Raises :class:`NotRationalError` when the function is not rational of that degree, and
    :class:`TypeError` for parameters that are not integers or fractions.

    >>> print(blow_up_time([[1]], [[1]], [[1]]))  # Sigma(t) = 1 / (1 - 2 t)
    0.5
    """
    d = len(plain_rows(Sigma0))
    degree = d if degree is None else degree
    weights = (
        [[Fraction(i == j) for j in range(d)] for i in range(d)]
        if weight is None
        else plain_rows(weight)
    )
    scalars = [
        sum((Fraction(weights[i][j]) * c[j][i] for i in range(d) for j in range(d)), Fraction(0))
        for c in _exact_series(V, A, Sigma0, degree)
    ]
    _, denominator = rational_function(scalars, degree)
    root = smallest_positive_root(denominator, digits)
    if root is None:
        return None
    with mp.workdps(digits + 5):
        return number(root)


def limit_at_infinity(
    V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, *, degree: int | None = None
) -> list[list[Fraction]] | None:
    """Return the limit of Sigma(t) for t to infinity, d x d, exact; None when unbounded.

    ``V``, ``A``, ``Sigma0`` are d x d. Every entry must be a rational function of t with
    numerator and denominator of degree at most ``degree`` (d unless given), else
    :class:`NotRationalError` is raised. Raises :class:`ArithmeticError` when an entry has a pole
    at a positive time.

    >>> limit_at_infinity([[1, 0], [0, 1]], [[-1, 0], [0, 0]], [[2, 1], [1, 1]])
    [[Fraction(0, 1), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 2)]]
    """
    d = len(plain_rows(Sigma0))
    degree = d if degree is None else degree
    coefficients = _exact_series(V, A, Sigma0, degree)
    limit = [[Fraction(0)] * d for _ in range(d)]
    for i in range(d):
        for j in range(i + 1):
            numerator, denominator = rational_function([c[i][j] for c in coefficients], degree)
            if smallest_positive_root(denominator, 5) is not None:
                raise ArithmeticError(f"entry ({i}, {j}) has a pole at a positive time")
            if len(numerator) > len(denominator):
                return None
            if numerator and len(numerator) == len(denominator):
                limit[i][j] = limit[j][i] = numerator[-1] / denominator[-1]
    return limit


def rational_function(
    coefficients: Sequence[Fraction], degree: int
) -> tuple[Polynomial, Polynomial]:
    """Return coprime p and q, q(0) = 1, with p / q of the given Taylor coefficients at 0.

    Both have degree at most ``degree``; p is empty for the zero function. Needs at least
    2 ``degree`` + 2 + :data:`SPARE_COEFFICIENTS` coefficients (else :class:`ValueError`). Raises
    :class:`NotRationalError` when there is no such p / q.

    >>> p, q = rational_function([Fraction(2) ** n for n in range(10)], 2)  # 1 / (1 - 2 t)
    >>> [str(c) for c in p], [str(c) for c in q]
    (['1'], ['1', '-2'])
    """
    needed = 2 * degree + 2 + SPARE_COEFFICIENTS
    if len(coefficients) < needed:
        raise ValueError(f"{len(coefficients)} coefficients, degree {degree} needs {needed}")
    denominator, length = _shortest_recurrence(coefficients)
    if length > degree + 1 or len(denominator) > degree + 1:
        raise NotRationalError(f"not a rational function of degree at most {degree}")
    numerator = [
        sum(
            (c * coefficients[n - k] for k, c in enumerate(denominator) if k <= n),
            Fraction(0),
        )
        for n in range(length)
    ]
    return _trim(numerator), denominator


def smallest_positive_root(polynomial: Polynomial, digits: int) -> Fraction | None:
    """Return the smallest positive root to ``digits`` digits, or None when there is none.

    The root is isolated by a Sturm sequence and bisected, in exact arithmetic. The polynomial
    must not vanish at 0 (:class:`ValueError`).
    """
    if not polynomial or polynomial[0] == 0:
        raise ValueError("the polynomial vanishes at 0")
    polynomial = _square_free(polynomial)
    sturm = _sturm_sequence(polynomial)
    high = 1 + max(abs(c / polynomial[-1]) for c in polynomial)
    if _roots_between(sturm, Fraction(0), high) == 0:
        return None
    # No root is below |c_0| / (|c_0| + max |c_i|).
    size = max((abs(c) for c in polynomial[1:]), default=Fraction(0))
    low = abs(polynomial[0]) / (abs(polynomial[0]) + size) / 2
    tolerance = Fraction(1, 10 ** (digits + 1))
    while high - low > tolerance * low:
        middle = _short_between(low, high)
        if _roots_between(sturm, low, middle) > 0:
            high = middle
        else:
            low = middle
    simple = ((low + high) / 2).limit_denominator(10 ** (digits // 2))
    return simple if _value(polynomial, simple) == 0 else (low + high) / 2


def _exact_series(V: MatrixLike, A: MatrixLike, Sigma0: MatrixLike, degree: int) -> list[Rows]:
    coefficients = series(V, A, Sigma0, 2 * degree + 1 + SPARE_COEFFICIENTS)
    if not isinstance(coefficients[0][0][0], Fraction):
        raise TypeError("expected integers or fractions")
    return coefficients


def _shortest_recurrence(sequence: Sequence[Fraction]) -> tuple[Polynomial, int]:
    """Return the connection polynomial and the length of the shortest recurrence.

    Berlekamp-Massey (Massey, IEEE Trans. Inform. Theory 15, 1969): sum_k c_k s_{n-k} = 0 for all
    n >= length, with c_0 = 1.
    """
    current, before = [Fraction(1)], [Fraction(1)]
    length, gap, last = 0, 1, Fraction(1)
    for n in range(len(sequence)):
        discrepancy = sum(
            (c * sequence[n - k] for k, c in enumerate(current) if k <= n), Fraction(0)
        )
        if discrepancy == 0:
            gap += 1
            continue
        correction = [Fraction(0)] * gap + [-discrepancy / last * c for c in before]
        updated = [
            (current[k] if k < len(current) else 0)
            + (correction[k] if k < len(correction) else Fraction(0))
            for k in range(max(len(current), len(correction)))
        ]
        if 2 * length <= n:
            length, before, last, gap = n + 1 - length, current, discrepancy, 1
        else:
            gap += 1
        current = updated
    return _trim(current), length


def _sturm_sequence(polynomial: Polynomial) -> list[Polynomial]:
    """Return the Sturm sequence; its last member is a greatest common divisor with p'."""
    result = [polynomial]
    following = [k * c for k, c in enumerate(polynomial)][1:]
    while following:
        result.append(following)
        following = [-c for c in _divide(result[-2], following)[1]]
    return result


def _square_free(polynomial: Polynomial) -> Polynomial:
    """Return the polynomial with the same roots, all simple.

    Then a Sturm sequence counts right even when an end of the interval is a root.
    """
    return _divide(polynomial, _sturm_sequence(polynomial)[-1])[0]


def _divide(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return quotient and remainder."""
    rest = list(dividend)
    quotient: Polynomial = []
    while len(rest) >= len(divisor):
        factor, offset = rest[-1] / divisor[-1], len(rest) - len(divisor)
        for k, c in enumerate(divisor):
            rest[offset + k] -= factor * c
        rest.pop()
        quotient.insert(0, factor)
    return quotient, _trim(rest)


def _value(polynomial: Polynomial, point: Fraction) -> Fraction:
    value = Fraction(0)
    for c in reversed(polynomial):
        value = value * point + c
    return value


def _roots_between(sturm: Sequence[Polynomial], low: Fraction, high: Fraction) -> int:
    """Return the number of distinct roots in (low, high], by Sturm's theorem."""
    return _sign_changes(sturm, low) - _sign_changes(sturm, high)


def _sign_changes(sturm: Sequence[Polynomial], point: Fraction) -> int:
    values = [_value(polynomial, point) for polynomial in sturm]
    signs = [value > 0 for value in values if value != 0]
    return sum(a != b for a, b in pairwise(signs))


def _short_between(low: Fraction, high: Fraction) -> Fraction:
    """Return a point with a short binary expansion in the middle half of an interval."""
    # the least number of bits such that a quarter of the interval is no shorter than 2^-bits
    bits = (math.ceil(4 / (high - low)) - 1).bit_length()
    return Fraction(round((low + high) / 2 * 2**bits), 2**bits)


def _trim(polynomial: Sequence[Fraction]) -> Polynomial:
    result = list(polynomial)
    while result and result[-1] == 0:
        result.pop()
    return result
