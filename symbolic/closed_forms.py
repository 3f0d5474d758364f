"""Explicit solutions of the softmax covariance equation Sigma' = V Sigma A Sigma + transpose.

Source: arXiv:2501.18322 for the commuting case with V = I.  A closed form here is only a
candidate with its hypotheses: `residual` is what has to vanish, and nothing in this module claims
that it does.
"""

from dataclasses import dataclass

from sympy import Identity, MatrixExpr, Rational

from symbolic.calculus import time_derivative
from symbolic.gaussian import reduction
from symbolic.notation import A, Sigma, Sigma0, V, c, d, t

root = Sigma0 ** Rational(1, 2)
"""Sigma_0^{1/2} (d x d)."""
S = V * A + A.T * V.T
"""S = V A + A^T V^T (d x d)."""
M = root * S * root
"""M = Sigma_0^{1/2} S Sigma_0^{1/2} (d x d)."""


@dataclass(frozen=True)
class ClosedForm:
    """Sigma(t) as an expression in Sigma_0, V, A and t, with the hypotheses that it needs.

    Each hypothesis is a pair (left, right) of d x d expressions that must be equal.
    """

    name: str
    solution: MatrixExpr
    hypotheses: tuple[tuple[MatrixExpr, MatrixExpr], ...]

    @property
    def derivative(self) -> MatrixExpr:
        """Sigma'(t), by the product rule and (N^{-1})' = -N^{-1} N' N^{-1}."""
        return time_derivative(self.solution, t)

    @property
    def right_hand_side(self) -> MatrixExpr:
        """V Sigma A Sigma + Sigma A^T Sigma V^T at the solution."""
        return reduction("softmax").covariance_rhs.subs(Sigma, self.solution).doit()

    @property
    def residual(self) -> MatrixExpr:
        """Derivative minus right-hand side: zero under the hypotheses."""
        return self.derivative - self.right_hand_side


def commuting() -> ClosedForm:
    """Sigma_0^{1/2} (I - t M)^{-1} Sigma_0^{1/2}, when V commutes with Sigma_0 and with S.

    Source: arXiv:2501.18322, there for V = I; claim ``covariance.commuting``.  The inverse exists
    until the largest eigenvalue of t M is 1.

    >>> commuting().hypotheses[0]
    (V*Sigma_0, Sigma_0*V)
    >>> commuting().solution.subs(t, 0).doit()
    Sigma_0
    """
    solution = root * (Identity(d) - t * M).inverse() * root
    return ClosedForm("commuting", solution, ((V * Sigma0, Sigma0 * V), (V * S, S * V)))


def self_similar() -> ClosedForm:
    """Sigma_0 / (1 - c t), when the right-hand side at Sigma_0 is c Sigma_0.

    Claim ``covariance.self-similar``; for c > 0 it blows up at t = 1/c.

    >>> self_similar().solution
    1/(-c*t + 1)*Sigma_0
    """
    at_start = reduction("softmax").covariance_rhs.subs(Sigma, Sigma0)
    return ClosedForm("self-similar", Sigma0 / (1 - c * t), ((at_start, c * Sigma0),))
