"""The counterexample to inevitable blow-up: S has a positive eigenvalue, yet the trace falls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.moments import moment_rates
from numeric.precise.velocity import softmax_velocity
from proofs.claims.seed_softmax_blowup_does import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.structure import expect, instantiated, refuted
from proofs.language import at, mat, real, time_to, tr
from proofs.language import dim as size_named

VALUE, SCORE = [[1, 0], [0, 4]], [[-1, 3], [-3, -1]]
IDENTITY, ORIGIN = [[1, 0], [0, 1]], [0, 0]
#: a start on a line
LINE = [[4, Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 9)]]

d = size_named("d")
START = mat("Sigma0", d, d)
BODY = instantiated(CLAIM.statement.conclusion, START, real("r"), time_to("Sigma", d, d))
FIELD = expect(BODY.args[1], "maximal").args[2]
LARGEST = refuted(CLAIM, expect(CLAIM.statement.hypotheses[0], "pd").args[0])
DECAY = refuted(CLAIM, tr(at(FIELD, START)))


def velocity(covariance: Any, x: Any, digits: int) -> Any:
    return softmax_velocity(VALUE, SCORE, ORIGIN, covariance, x, digits=digits)


def growth(digits: int) -> Any:
    """The largest eigenvalue of B + B^T for the velocity x -> B x of N(0, I)."""
    columns = [velocity(IDENTITY, unit, digits) for unit in IDENTITY]
    with mp.workdps(digits + 5):
        symmetric = mp.matrix(2, 2)
        for i in range(2):
            for j in range(2):
                symmetric[i, j] = columns[j][i] + columns[i][j]
        return max(mp.eigsy(symmetric, eigvals_only=True))


def decay(digits: int) -> Any:
    """The derivative of tr Sigma for the law N(0, LINE)."""
    rate = moment_rates(lambda x: velocity(LINE, x, digits), ORIGIN, LINE, digits=digits)[1]
    with mp.workdps(digits + 5):
        return rate[0, 0] + rate[1, 1]


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "largest eigenvalue of S = growth at N(0, I), counterexample", LARGEST, {}, growth
        ),
        Comparison(
            "derivative of tr Sigma, negative, for the counterexample and a start of rank 1",
            DECAY,
            {"Sigma0": LINE},
            decay,
        ),
    ),
)
