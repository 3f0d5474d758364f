"""How fast the form of the cone and the linear function change, where the bounds are attained."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from proofs.claims.covariance_clocked_cone import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.quadratic_systems import HEIGHT, form, plane, vector
from proofs.crosschecks.structure import consequence, greater_side, instantiated
from proofs.language import dim, vec

#: y' = y^2 and z' = -y z, and a clock that runs at the pace 2 y
RISING = plane(1, 0, -1)
CONE = form((1, -1))
START = vector(Fraction(5, 7), Fraction(1, 2))
VALUES: dict[str, Any] = {
    "n": 2,
    "f": RISING.field,
    "h": lambda state: [2 * (mp.matrix(rows([HEIGHT])) * state)[0]],
    "w": HEIGHT,
    "M": CONE,
    "x0": START,
    "k": Fraction(1, 2),
    "m": 2,
    "b": 0,
    "c": Fraction(1, 2),
    "z": START,
    "s": 5,
}

FOLLOWS = instantiated(CLAIM.statement.hypotheses[8], vec("z", dim("n")))
TURNS, _, RISES, _ = consequence(FOLLOWS).args


def growth(digits: int) -> Any:
    """The derivative of y along the solution, from y^2 = x^T (w w^T) x."""
    height = form((1, 0))
    with mp.workdps(digits + 5):
        square = RISING.rate(height, START, digits)
        return square / (2 * mp.mpf(5) / 7)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "derivative of x^T M x along a solution",
            greater_side(TURNS),
            VALUES,
            lambda digits: RISING.rate(CONE, START, digits),
            assumes=(FOLLOWS,),
        ),
        Comparison(
            "c (w^T x) h(x), the derivative of w^T x",
            greater_side(RISES),
            VALUES,
            growth,
            assumes=(FOLLOWS,),
        ),
    ),
)
