"""Sigmoid attention (arXiv:2501.18322)."""

from sympy import Expr, exp

from symbolic.variants.base import Attention


def logistic(z: Expr) -> Expr:
    """1 / (1 + e^{-z})."""
    return 1 / (1 + exp(-z))


ATTENTION = Attention(
    name="sigmoid",
    title="Sigmoid attention",
    description="Values are summed with the logistic function of the score as weight.",
    activation=logistic,
)
