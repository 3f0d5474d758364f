"""Velocity, and the rates of mean and covariance, against the integrals that define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from numeric.precise.convert import MatrixLike, VectorLike
from numeric.precise.moments import moment_rates
from numeric.precise.velocity import softmax_velocity
from proofs.claims.gaussian_softmax import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import at, real, vec
from proofs.language import dim as size_named


@dataclass(frozen=True, eq=False)
class Case:
    """Parameters, the Gaussian N(alpha, Sigma), and a point x."""

    V: MatrixLike
    A: MatrixLike
    alpha: VectorLike
    Sigma: MatrixLike
    x: VectorLike

    def values(self) -> dict[str, Any]:
        """The same by the names in the statement, where the law depends on time."""
        return {
            "d": len(self.x),
            "V": self.V,
            "A": self.A,
            "Sigma0": self.Sigma,
            "Sigma": lambda t: self.Sigma,
            "alpha": lambda t: self.alpha,
            "t": 0,
            "x": self.x,
        }

    def velocity(self, x: Any, digits: int) -> Any:
        return softmax_velocity(self.V, self.A, self.alpha, self.Sigma, x, digits=digits)

    @cache  # noqa: B019 (the cases are module constants)
    def rates(self, digits: int) -> tuple[Any, Any]:
        return moment_rates(
            lambda x: self.velocity(x, digits), self.alpha, self.Sigma, digits=digits
        )


F = Fraction
LINE = Case([[F(3, 2)]], [[F(-2, 3)]], [F(2, 7)], [[F(5, 4)]], [F(3, 5)])
V, A = [[1, 2], [F(-1, 2), 3]], [[F(3, 10), -1], [F(1, 2), F(1, 4)]]
ALPHA, X = [F(1, 2), -1], [1, F(2, 3)]
PLANE = Case(V, A, ALPHA, [[2, F(1, 2)], [F(1, 2), 1]], X)
SINGULAR = Case(V, A, ALPHA, [[1, F(2, 3)], [F(2, 3), F(4, 9)]], X)

_, SOLUTION, MEAN = CLAIM.statement.hypotheses
t, x = real("t"), vec("x", size_named("d"))
EQUATION = consequence(instantiated(CLAIM.statement.conclusion.args[0], t))
VELOCITY = right_side(instantiated(EQUATION, x))
MEAN_RATE = at(expect(MEAN, "ode").args[2], t)
COVARIANCE_RATE = at(*expect(SOLUTION, "maximal").args[2:])


def velocity_of(case: Case) -> Callable[[int], Any]:
    return lambda digits: case.velocity(case.x, digits)


def rate_of(case: Case, index: int) -> Callable[[int], Any]:
    return lambda digits: case.rates(digits)[index]


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        *(
            Comparison(f"velocity at x, {where}", VELOCITY, case.values(), velocity_of(case))
            for case, where in (
                (LINE, "d = 1"),
                (PLANE, "d = 2"),
                (SINGULAR, "d = 2 with singular Sigma"),
            )
        ),
        *(
            Comparison(
                f"rate of the {name}, d = 2 with singular Sigma",
                formula,
                SINGULAR.values(),
                rate_of(SINGULAR, index),
            )
            for index, (name, formula) in enumerate(
                (("mean", MEAN_RATE), ("covariance", COVARIANCE_RATE))
            )
        ),
    ),
)
