"""Attention on a line that does not keep Gaussians Gaussian, from the defining integrals.

They are taken over the density, by Gauss-Legendre quadrature in pieces.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

from numeric.precise.convert import Number, number

GUARD_DIGITS = 10
"""Digits beyond the ones asked for, against cancellation in the sums."""

PIECE = 2
"""Length of a piece of the line, in standard deviations."""

Weight = Callable[[Any], Any]
"""The weight of a value as a function of the score."""


def logistic(score: Any) -> Any:
    """1 / (1 + e^-score)."""
    return 1 / (1 + mp.exp(-score))


def gaussian_mean(
    function: Callable[[Any], Any],
    mean: Number,
    variance: Number,
    *,
    tilt: Number = 0,
    digits: int = 40,
) -> Any:
    """Return the mean of ``function`` under N(mean, variance), variance > 0, to about ``digits``.

    The function may grow like exp(tilt * y).
    """
    with mp.workdps(digits + GUARD_DIGITS):
        centre, spread = number(mean), mp.sqrt(number(variance))
        shift = number(tilt) * spread
        reach = mp.sqrt(2 * (digits + GUARD_DIGITS) * mp.log(10)) + 1
        ends = min(0, shift) - reach, max(0, shift) + reach
        count = int(mp.ceil((ends[1] - ends[0]) / PIECE))
        total: Any = mp.quad(
            lambda z: function(centre + spread * z) * mp.exp(-z * z / 2),
            mp.linspace(*ends, count + 1),
            method="gauss-legendre",
        )
        return total / mp.sqrt(2 * mp.pi)


def unnormalised_velocity(
    weight: Weight,
    v: Number,
    a: Number,
    mean: Number,
    variance: Number,
    x: Number,
    *,
    digits: int = 40,
) -> Any:
    """Return int weight(a x y) v y dmu(y) for mu = N(mean, variance), variance > 0.

    The weight may grow like the exponential function.
    """
    with mp.workdps(digits + GUARD_DIGITS):
        score = number(a) * number(x)
        return number(v) * gaussian_mean(
            lambda y: weight(score * y) * y, mean, variance, tilt=score, digits=digits
        )


def masked_softmax_velocity(
    v: Number,
    a: Number,
    seen: Sequence[tuple[Number, Number, Number]],
    x: Number,
    *,
    digits: int = 40,
) -> Any:
    """Return sum_i p_i int e^(a x y) v y dmu_i(y) / sum_i p_i int e^(a x y) dmu_i(y).

    ``seen`` are the masses p_i, means and variances (> 0) of mu_i at the positions seen.
    """
    with mp.workdps(digits + GUARD_DIGITS):
        score = number(a) * number(x)

        def moment(power: int) -> Any:
            """sum_i p_i int e^(a x y) y^power dmu_i(y)."""

            def integrand(y: Any) -> Any:
                return mp.exp(score * y) * y**power

            return mp.fsum(
                number(p) * gaussian_mean(integrand, mean, variance, tilt=score, digits=digits)
                for p, mean, variance in seen
            )

        return number(v) * moment(1) / moment(0)
