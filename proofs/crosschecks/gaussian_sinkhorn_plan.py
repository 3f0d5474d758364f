"""The plan of a Gaussian with itself: its marginal, mean and correlation, by other ways."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.sinkhorn import sinkhorn_gaussian_velocity, sinkhorn_velocity
from proofs.claims.gaussian_sinkhorn_plan import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.gaussian_sinkhorn import A
from proofs.crosschecks.preservation import MEAN, POINT, REGULAR, SINGULAR, V
from proofs.crosschecks.structure import consequence, expect, instantiated, left_side, right_side
from proofs.language import dim, real, vec

d = dim("d")
u, w, x, s = vec("u", d), vec("w", d), vec("x", d), real("s")
ROWS, _, _, VELOCITY, VECTORS = expect(CLAIM.statement.conclusion, "and").args
MARGINAL = left_side(instantiated(ROWS, x))
MEAN_OF_VALUES = right_side(instantiated(VELOCITY, x))
CORRELATION = expect(right_side(consequence(instantiated(VECTORS, u, w, s))), "scale").args[0]
PLANE = {"d": 2, "A": A, "V": V, "alpha": MEAN, "x": POINT}
#: the density of its plan is not much sharper than the Gaussian
WEAKER = [[entry / 2 for entry in row] for row in A]
#: the variance and the score on the line, for the correlation
VARIANCE, SCORE = Fraction(5, 4), Fraction(-2, 3)
LINE = {"d": 1, "A": [[SCORE]], "V": [[1]], "alpha": [0], "Sigma": [[VARIANCE]]}
LINE["s"] = VARIANCE * SCORE


def correlation(digits: int) -> Any:
    """The mean of y, given x = 1, of a centred Gaussian on the line."""
    return sinkhorn_velocity([[1]], [[SCORE]], [0], [[VARIANCE]], [1], digits=digits)


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "integral of the density over y, d = 2 with singular Sigma",
            MARGINAL,
            {**PLANE, "A": WEAKER, "Sigma": SINGULAR},
            lambda digits: mp.one,
        ),
        Comparison(
            "mean of V y given x, d = 2, by normalising Gaussians",
            MEAN_OF_VALUES,
            {**PLANE, "Sigma": REGULAR},
            lambda digits: sinkhorn_gaussian_velocity(V, A, MEAN, REGULAR, POINT, digits=digits),
        ),
        Comparison(
            "mean of V y given x, d = 2 with singular Sigma, by normalising at nodes",
            MEAN_OF_VALUES,
            {**PLANE, "Sigma": SINGULAR},
            lambda digits: sinkhorn_velocity(V, A, MEAN, SINGULAR, POINT, digits=digits),
        ),
        Comparison(
            "correlation of x and y, d = 1, by normalising at nodes",
            CORRELATION,
            LINE,
            correlation,
        ),
    ),
)
