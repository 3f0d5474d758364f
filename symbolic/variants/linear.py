"""Linear attention (arXiv:2501.18322)."""

from sympy import Expr

from symbolic.variants.base import Attention


def identity(score: Expr) -> Expr:
    """The score itself is the weight."""
    return score


ATTENTION = Attention(
    name="linear",
    title="Linear attention",
    description="Values are summed with the score itself as weight.",
    activation=identity,
)
