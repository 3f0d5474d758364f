"""What a cross-check is, and the table of all of them."""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from mpmath import mp

from numeric.precise.agreement import digits_of_agreement
from proofs import crosschecks
from proofs.crosschecks.evaluate import Value, evaluate
from proofs.terms import Term

DIGITS = 50
"""Digits that are compared unless asked otherwise."""

GUARD_DIGITS = 5
"""Digits that both sides are computed to beyond the ones compared."""

RANK_TOLERANCE = Fraction(1, 10**20)
"""For the ranks and pseudo-inverses in formulas, of matrices that are far from any other rank."""


@dataclass(frozen=True)
class CrossCheckResult:
    """The outcome of a cross-check.

    Attributes:
        digits: decimal digits to which all numbers agree, None when no number is compared.
        quantity: what was compared.
        reason: why there are no digits, or what went wrong; empty otherwise.
        seconds: time taken.
    """

    digits: int | None
    quantity: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """One number, vector or matrix, computed twice.

    Attributes:
        quantity: its name.
        formula: the claimed expression, taken from the statement of the claim.
        values: parameters that satisfy the hypotheses exactly, by the names in the statement.
        independent: the same from its definition, to so many digits, knowing parameters only.
        assumes: what has to hold at ``values`` beside the hypotheses of the statement.
        tolerance: for ranks and pseudo-inverses in the formula, None without.
    """

    quantity: str
    formula: Term
    values: Mapping[str, Value]
    independent: Callable[[int], Any]
    assumes: tuple[Term, ...] = ()
    tolerance: Fraction | None = None

    def claimed(self, digits: int) -> Any:
        """The value of the formula, an mpmath matrix."""
        return evaluate(self.formula, self.values, digits, tolerance=self.tolerance)

    def agreement(self, digits: int = DIGITS) -> int:
        """The number of digits to which both computations agree, at most ``digits``.

        Raises:
            ArithmeticError: the independent computation did not reach its digits.
            ValueError: the formula has no reliable value, or the shapes differ.
        """
        claimed = self.claimed(digits + GUARD_DIGITS)
        independent = self.independent(digits + GUARD_DIGITS)
        if not isinstance(independent, mp.matrix):
            independent = mp.matrix([[independent]])
        return digits_of_agreement(claimed, independent, cap=digits)


@dataclass(frozen=True)
class CrossCheck:
    """The cross-check of one claim: one or more comparisons, of which the worst counts."""

    claim: str
    comparisons: tuple[Comparison, ...]
    reason: str = field(default="", init=False)

    @property
    def quantity(self) -> str:
        """What is compared, in one line."""
        return "; ".join(dict.fromkeys(c.quantity for c in self.comparisons))

    def claimed(self, digits: int) -> list[Any]:
        """The claimed values, one mpmath matrix per comparison."""
        return [c.claimed(digits) for c in self.comparisons]

    def independent(self, digits: int) -> list[Any]:
        """The values computed from the definitions, one per comparison."""
        return [c.independent(digits) for c in self.comparisons]

    def run(self, digits: int = DIGITS) -> CrossCheckResult:
        """Compare; a computation that fails counts as no digit and is named."""
        start = time.perf_counter()
        least, reason = digits, ""
        for comparison in self.comparisons:
            try:
                least = min(least, comparison.agreement(digits))
            except (ArithmeticError, ValueError) as error:
                least, reason = 0, f"{comparison.quantity}: {error}"
                break
        return CrossCheckResult(least, self.quantity, reason, time.perf_counter() - start)


@dataclass(frozen=True)
class NoDigits:
    """A claim that has no number to compare, and why."""

    claim: str
    reason: str
    quantity: str = field(default="", init=False)

    def run(self, digits: int = DIGITS) -> CrossCheckResult:
        """The result without digits."""
        return CrossCheckResult(None, self.quantity, self.reason, 0.0)


@cache
def cross_checks() -> Mapping[str, CrossCheck | NoDigits]:
    """Id of the claim -> its cross-check, sorted by id.

    Raises:
        ValueError: two files are about one claim.
    """
    found: dict[str, CrossCheck | NoDigits] = {}
    for module in pkgutil.iter_modules(crosschecks.__path__):
        name = f"{crosschecks.__name__}.{module.name}"
        check = getattr(import_module(name), "CROSS_CHECK", None)
        if check is None:
            continue
        if check.claim in found:
            raise ValueError(f"two cross-checks of {check.claim}")
        found[check.claim] = check
    return dict(sorted(found.items()))


def cross_check_of(claim: str) -> CrossCheck | NoDigits:
    """The cross-check of a claim, by id; a claim without one has no digits.

    >>> cross_check_of("covariance.scalar-l2").run().digits
    50
    """
    return cross_checks().get(claim) or NoDigits(claim, "no cross-check has been written")
