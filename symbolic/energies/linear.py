"""Linear attention: half the square of the score, in a constant metric."""

from sympy import Expr

from symbolic.energies.base import Interaction
from symbolic.energies.softmax import score


def half_square(z: Expr) -> Expr:
    """z^2 / 2."""
    return z**2 / 2


ENERGY = Interaction("linear", "linear attention", score, half_square, kernels=())
