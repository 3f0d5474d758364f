"""How fast L2 heads grow, where the bounds are attained: for covariances c I, c to infinity.

There 2 V (I + 2 Z K^T K)^{-1} Z K^T Q tends to V K^+ Q, which is N Q if V = N K and K has full row
rank, and l V P if Q = l K, P the projector on the rows of K.  Up to 1/c, and c = 10^70.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import rows
from numeric.precise.flow_l2 import l2_covariance_at, l2_series
from proofs.claims.covariance_l2_global import CLAIM
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.commuting_family import Block, product, scaled
from proofs.crosschecks.structure import consequence, expect, greater_side, instantiated
from proofs.language import dim, family, head, mat, real, vec
from proofs.terms import ONE

F = Fraction
Head = tuple[Block, Block, Block]
"""Q, K and V."""

LARGE = 10**70
#: digits lost where 1 is added to a multiple of c
LOST = 80
TIME = F(1, 20)
#: orthonormal, as columns
UNIT: Block = [[F(3, 5)], [F(4, 5)]]
OTHER: Block = [[F(-4, 5)], [F(3, 5)]]
ROW, OTHER_ROW = ([[x for (x,) in column]] for column in (UNIT, OTHER))


def diagonal(first: int | Fraction, second: int | Fraction) -> Block:
    """first u u^T + second w w^T for the unit vectors above."""
    parts = zip(
        product(scaled(first, UNIT), ROW), product(scaled(second, OTHER), OTHER_ROW), strict=True
    )
    return [[a + b for a, b in zip(*lines, strict=True)] for lines in parts]


#: V = N K with N = (3/2) u and Q = 2 u^T, where |N| = 3/2 and |Q| = 2
N, QUERY = scaled(F(3, 2), UNIT), scaled(2, ROW)
KEY: Block = [[1, F(-1, 2)]]
THROUGH = (QUERY, KEY, product(N, KEY))
#: Q = -K for K = 3 u^T, and |V| = 4/3
MULTIPLE = (scaled(-3, ROW), scaled(3, ROW), diagonal(F(-4, 3), F(1, 3)))
#: K^T K = diag(4, 9) for these axes: |V| |Q| / 2 is attained at u
DEFINITE = (diagonal(F(1, 2), F(1, 3)), diagonal(2, 3), diagonal(F(4, 3), -1))

#: the same bounds with d = k = 1: V = -(3/2) K with Q = -2, and Q = -K
ON_LINE: list[Head] = [([[-2]], [[F(1, 3)]], [[F(-1, 2)]]), ([[-3]], [[3]], [[F(-4, 3)]])]

d, k, count = dim("d"), dim("k"), dim("H")
h, Z, t = head("h", count), mat("Z", d, d), real("t")
c, s, u = real("c"), real("s"), vec("u", d)


GENERAL, BY_KEYS, PROPORTIONAL, BY_DEFINITE_KEYS = expect(CLAIM.statement.conclusion, "and").args
l, a, v, n, q, kappa = (real(name) for name in ("l", "a", "v", "n", "q", "kappa"))  # noqa: E741
#: what is assumed of each kind of heads, and their bounds rho c |u|^2
KINDS = [
    instantiated(kind, h, *letters)
    for kind, letters in (
        (BY_KEYS, (mat("N", d, k), n, q)),
        (PROPORTIONAL, (l, a, v)),
        (BY_DEFINITE_KEYS, (kappa, v, q)),
    )
]
ASSUMED = [expect(kind, "implies").args[0] for kind in KINDS]
BOUNDS = [greater_side(consequence(instantiated(consequence(kind), Z, c, u))) for kind in KINDS]
GLOBAL = consequence(instantiated(GENERAL, family("rho", count, ONE, ONE)))
CEILING = consequence(instantiated(expect(GLOBAL, "and").args[1], s))
EXPONENTIAL = greater_side(consequence(instantiated(CEILING, t)))


def growth_of(which: Head) -> Callable[[int], Any]:
    """u^T B(c I) c u, half of u^T Sigma' u for this head alone."""

    def growth(digits: int) -> Any:
        with mp.workdps(digits + 2 * LOST):
            rate = l2_series([which], [[LARGE, 0], [0, LARGE]], 1)[1]
            direction = mp.matrix(rows(UNIT))
            return (direction.T * mp.matrix(rows(rate)) * direction)[0] / 2

    return growth


def variance(digits: int) -> Any:
    """Sigma(t) for two heads on the line, started from c."""
    with mp.workdps(digits + 5):
        return l2_covariance_at(ON_LINE, [[LARGE]], TIME, digits + LOST)


def families(*heads: Head) -> dict[str, Any]:
    matrices = dict(zip("QKV", map(list, zip(*heads, strict=True)), strict=True))
    return {"k": len(heads[0][0]), "H": len(heads), **matrices}


def values(which: Head, **bounds: Any) -> dict[str, Any]:
    state = {"c": LARGE, "u": [x for (x,) in UNIT], "Sigma0": [[1, 0], [0, 2]]}
    return {"d": 2, "h": 1, **families(which), **state, **bounds}


CROSS_CHECK = CrossCheck(
    CLAIM.id,
    (
        Comparison(
            "growth of a head with V = N K, |N| |Q|",
            BOUNDS[0],
            values(THROUGH, N=N, n=F(3, 2), q=2),
            growth_of(THROUGH),
            assumes=(ASSUMED[0],),
        ),
        Comparison(
            "growth of a head with Q = l K, |l| |V|",
            BOUNDS[1],
            values(MULTIPLE, l=-1, a=1, v=F(4, 3)),
            growth_of(MULTIPLE),
            assumes=(ASSUMED[1],),
        ),
        Comparison(
            "growth of a head with K^T K > 0, |V| |Q| / kappa",
            BOUNDS[2],
            values(DEFINITE, kappa=2, v=F(4, 3), q=F(1, 2)),
            growth_of(DEFINITE),
            assumes=(ASSUMED[2],),
        ),
        Comparison(
            f"bound of Sigma(t) at t = {TIME}, two heads on the line",
            EXPONENTIAL,
            {
                "d": 1,
                **families(*ON_LINE),
                "Sigma0": LARGE,
                "rho": [3, F(4, 3)],
                "s": LARGE,
                "t": TIME,
            },
            variance,
        ),
    ),
)
