"""Linear attention: half the square of the score, in a constant metric."""

from sympy import Expr, MatrixExpr

from symbolic.energies.base import Interaction
from symbolic.nodes import Inner
from symbolic.notation import A_symmetric


def half_square(x: MatrixExpr, y: MatrixExpr) -> Expr:
    """<A x, y>^2 / 2."""
    return Inner(A_symmetric * x, y) ** 2 / 2


ENERGY = Interaction("linear", "linear attention", half_square)
