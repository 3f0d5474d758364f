"""Claims that Gaussians stay Gaussian, against the integrals that define the velocity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from numeric.precise.moments import moment_rates
from proofs.claims.base import Claim
from proofs.crosschecks.base import Comparison
from proofs.crosschecks.commuting_family import Block, Rational
from proofs.crosschecks.evaluate import Value
from proofs.crosschecks.structure import consequence, expect, instantiated, right_side
from proofs.language import at, dim, real, vec
from proofs.terms import Term

F = Fraction
t, x = real("t"), vec("x", dim("d"))
Velocity = Callable[[Sequence[Rational], Block, Any, int], Any]
"""The velocity of N(mean, covariance) at a point, to so many digits."""

Matrices = Mapping[str, Block]
"""The matrices of a head by their names in the statement."""

#: matrices of a head in the plane, and a Gaussian; its covariance is regular, or of rank one
V: Block = [[1, 2], [F(-1, 2), 3]]
A: Block = [[F(3, 10), -1], [F(1, 2), F(1, 4)]]
MEAN: list[Rational] = [F(1, 2), -1]
REGULAR: Block = [[2, F(1, 2)], [F(1, 2), 1]]
SINGULAR: Block = [[1, F(2, 3)], [F(2, 3), F(4, 9)]]
POINT: list[Rational] = [1, F(2, 3)]


def constantly(value: Any) -> Callable[[Any], Any]:
    """The curve that stays at a value."""
    return lambda time: value


@dataclass(frozen=True, eq=False)
class Case:
    """A Gaussian, a point, and the parameters by their names in the statement.

    Attributes:
        where: what the parameters are, for the reader.
        velocity: computed from the definition.
    """

    where: str
    mean: Sequence[Rational]
    covariance: Block
    point: Sequence[Rational]
    parameters: Mapping[str, Value]
    velocity: Velocity

    def values(self) -> dict[str, Value]:
        return {
            "d": len(self.mean),
            **self.parameters,
            "Sigma0": self.covariance,
            "Sigma": constantly(self.covariance),
            "alpha": constantly(self.mean),
            "t": 0,
            "x": self.point,
        }

    def at_point(self, digits: int) -> Any:
        return self.velocity(self.mean, self.covariance, self.point, digits)

    @cache  # noqa: B019 (the cases are module constants)
    def rates(self, digits: int) -> tuple[Any, Any]:
        """The rates of mean and covariance."""
        return moment_rates(
            lambda point: self.velocity(self.mean, self.covariance, point, digits),
            self.mean,
            self.covariance,
            digits=digits,
        )


def case(
    where: str,
    matrices: Matrices,
    law: tuple[Sequence[Rational], Block],
    point: Sequence[Rational],
    compute: Callable[..., Any],
) -> Case:
    """One head: ``compute`` takes the matrices in their order, mean, covariance, point, digits."""

    def velocity(mean: Sequence[Rational], covariance: Block, x: Any, digits: int) -> Any:
        return compute(*matrices.values(), mean, covariance, x, digits=digits)

    curves = {name: constantly(matrix) for name, matrix in matrices.items()}
    rows = {"k": len(matrices["Q"])} if "Q" in matrices else {}
    return Case(where, *law, point, rows | curves, velocity)


#: mean and covariance, and a point, on the line and in the plane
ON_LINE: tuple[Any, list[Rational]] = (([F(2, 7)], [[F(5, 4)]]), [F(3, 5)])
IN_PLANE: tuple[Any, list[Rational]] = ((MEAN, REGULAR), POINT)
FLAT: tuple[Any, list[Rational]] = ((MEAN, SINGULAR), POINT)


def formula_of(claim: Claim) -> Term:
    """The claimed velocity at x."""
    everywhere = expect(claim.statement.conclusion, "and").args[1]
    return right_side(instantiated(consequence(instantiated(everywhere, t)), x))


def velocities(claim: Claim, cases: Sequence[Case]) -> Iterator[Comparison]:
    """The velocity at a point."""
    for case in cases:
        yield Comparison(
            f"velocity at x, {case.where}", formula_of(claim), case.values(), case.at_point
        )


def rates(claim: Claim, case: Case) -> Iterator[Comparison]:
    """How mean and covariance move, by integrating the velocity."""
    sides = {
        str(hypothesis.args[1].data): at(hypothesis.args[2], t)
        for hypothesis in claim.statement.hypotheses
        if hypothesis.op == "ode"
    }
    values = case.values()
    yield Comparison(
        f"rate of the mean, {case.where}",
        sides["alpha"],
        values,
        lambda digits: case.rates(digits)[0],
    )
    yield Comparison(
        f"rate of the covariance, {case.where}",
        sides["Sigma"],
        values,
        lambda digits: case.rates(digits)[1],
    )
