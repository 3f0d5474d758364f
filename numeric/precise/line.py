"""Expectations over the standard normal law on the line, for integrands of any width.

The trapezoidal rule, with a step that is halved and a cut-off that moves outwards until nothing
changes: for integrands of which no more is known than that they are analytic near the line.
"""

from collections.abc import Callable, Sequence
from typing import Any

from flint import arb, ctx
from mpmath import mp

from numeric.precise.balls import SPARE_BITS, ball, midpoint

GUARD_DIGITS = 10
"""Digits beyond the ones asked for, against rounding in the sums."""

HALVINGS = 8
"""Number of halvings of the step after which the digits are out of reach."""

QUIET = 4
"""So many negligible terms in a row end a sum."""


def expectation(
    integrand: Callable[[arb], Sequence[arb]], *, digits: int = 40, center: Any = 0
) -> list[Any]:
    """Return E[integrand(z)] for a standard normal z, component by component, as a list of mpf.

    ``integrand`` maps a ball to balls, at the working precision of FLINT; ``center`` is where its
    product with the density is large. The digits are relative to E|integrand|, of each
    component. The sums over a lattice and over the points between have to agree to seven tenths of
    them: together they are better by a power of at least 3/2, for an error of exp(-c / step^p) with
    p >= 0.6 (p = 1 for an integrand that is analytic near the line, less for one that is smooth
    of a Gevrey class at a point).

    Raises :class:`ArithmeticError` after :data:`HALVINGS` halvings.

    >>> with mp.workdps(15):
    ...     [str(value) for value in expectation(lambda z: [z**4, z.cosh()], digits=20)]
    ['3.0', '1.64872127070013']
    """
    with mp.workdps(digits + GUARD_DIGITS), ctx.workprec(mp.prec + SPARE_BITS):
        middle = ball(mp.mpf(center))
        step = ball(mp.pi * mp.sqrt(2 / ((digits + 5) * mp.log(10))))
        agreement = arb(10) ** (-7 * digits // 10)
        sums, sizes = _sums(integrand, middle, step, digits)
        for _ in range(HALVINGS):
            between, between_sizes = _sums(integrand, middle + step / 2, step, digits)
            settled = all(
                abs(a - b) <= agreement * size
                for a, b, size in zip(sums, between, sizes, strict=True)
            )
            sums = [a + b for a, b in zip(sums, between, strict=True)]
            sizes = [a + b for a, b in zip(sizes, between_sizes, strict=True)]
            step /= 2
            if settled:
                density = step / (2 * arb.pi()).sqrt()
                return [midpoint(density * total) for total in sums]
    raise ArithmeticError(f"{digits} digits not reached after {HALVINGS} halvings")


def _sums(
    integrand: Callable[[arb], Sequence[arb]], start: arb, step: arb, digits: int
) -> tuple[list[arb], list[arb]]:
    """Sums of density times integrand and of absolute values over start + step Z."""

    def terms(z: arb) -> list[arb]:
        density = (-z * z / 2).exp()
        return [density * value for value in integrand(z)]

    sums = terms(start)
    sizes = [abs(value) for value in sums]
    negligible = arb(10) ** (-digits - 5)
    for direction in (step, -step):
        z, quiet = start + direction, 0
        while quiet < QUIET or abs(z - start) < 3:
            added = terms(z)
            small = all(
                abs(value) <= negligible * size for value, size in zip(added, sizes, strict=True)
            )
            quiet = quiet + 1 if small else 0
            sums = [a + b for a, b in zip(sums, added, strict=True)]
            sizes = [a + abs(b) for a, b in zip(sizes, added, strict=True)]
            z += direction
    return sums, sizes
