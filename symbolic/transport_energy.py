"""The energy of Sinkhorn attention on Gaussians, and its second derivative on a commuting family.

The plan of N(alpha, Sigma) with itself is Gaussian.  In coordinates in which the tokens are
standard normal the score matrix is M = Sigma^{1/2} A Sigma^{1/2}; along its singular vectors the
plan splits into pairs of normal variables of correlation c, of relative entropy -log(1 - c^2)/2.
So the energy is a sum over the singular values s of M, of the largest s c + log(1 - c^2)/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp
from sympy import Expr, Symbol

from symbolic.gaussian.base import Step
from symbolic.notation import t

s = Symbol("s", positive=True)
"""A singular value of Sigma^{1/2} A Sigma^{1/2}; zero adds nothing to the energy."""
c = Symbol("c", positive=True)
"""The correlation of the plan along it."""
b = Symbol("b", real=True)
"""A common eigenvalue of the velocity x -> b x on a commuting family."""


@dataclass(frozen=True)
class TransportEnergy:
    """E(N(alpha, Sigma)) = <A alpha, alpha> + sum of ``value`` over the singular values s.

    ``correlation`` is c as a function of s, ``value`` that of s c + log(1 - c^2)/2, ``slope`` its
    derivative in s, and ``second`` the second derivative of half of it along the geodesic
    s (1 + t b)^2, in terms of s, c and b; speeds are b^2 times the eigenvalue of Sigma.

    >>> transport_energy().correlation
    (sqrt(4*s**2 + 1) - 1)/(2*s)
    """

    objective: Expr
    correlation: Expr
    value: Expr
    slope: Expr
    second: Expr
    steps: tuple[Step, ...]


@cache
def transport_energy() -> TransportEnergy:
    """Energy and second derivative, derived from the relative entropy of normal pairs.

    >>> print(transport_energy().second)
    b**2*c**2*(3 - c**2)/(1 - c**4)
    """
    objective = s * c + sp.log(1 - c**2) / 2
    stationary = sp.numer(sp.together(sp.diff(objective, c)))
    (correlation,) = (root for root in sp.solve(stationary, c) if sp.limit(root, s, 0, "+") == 0)
    value = objective.subs(c, correlation)
    # Stationary in c: the derivative in s is the partial one.
    slope = sp.diff(objective, s)
    # s = c/(1 - c^2) along the family, so that c' = (1 - c^2)^2/(1 + c^2) there.
    score = c / (1 - c**2)
    rate = sp.cancel(1 / sp.diff(score, c))
    path = s * (1 + t * b) ** 2
    first, second = (sp.diff(path, t, k).subs(t, 0) for k in (1, 2))
    ratio = sp.cancel(((rate * first**2 + slope * second) / 2).subs(s, score) / (b * c) ** 2)
    above, below = (sp.expand(-part) for part in sp.fraction(ratio))
    bent = sp.Mul(b**2, c**2, above, 1 / below)
    steps = (
        Step(
            "value of a pair",
            objective,
            r"along a singular value $s$ of $\Sigma^{1/2} A \Sigma^{1/2}$, with correlation $c$: "
            r"the score has the mean $s c$, and the relative entropy is $-\log(1 - c^2)/2$",
        ),
        Step("correlation", correlation, "where its derivative in $c$ is zero, $0 < c < 1$", "c"),
        Step("slope", slope, r"derivative in $s$ of the largest value, that is with $c$ fixed"),
        Step(
            "score of a correlation", score, "the same equation, solved for the singular value", "s"
        ),
        Step("rate", rate, "derivative of the inverse function", r"\frac{dc}{ds}"),
        Step(
            "geodesic",
            path,
            r"tokens move as $x + t b x$, and the matrices commute",
            "s(t)",
        ),
        Step(
            "second derivative",
            bent,
            r"of half the value at $t = 0$, with $s$ in terms of $c$; the squared speed is "
            r"$b^2 \beta \sigma$ with $\beta$ and $\sigma$ the eigenvalues of $B$ and $\Sigma$",
        ),
    )
    return TransportEnergy(objective, correlation, value, slope, bent, steps)
