"""Sigmoid attention: the softplus of the score, whose derivative is the logistic function."""

from sympy import Expr, MatrixExpr, exp, log

from symbolic.energies.base import Interaction
from symbolic.nodes import Inner
from symbolic.notation import A_symmetric


def softplus(x: MatrixExpr, y: MatrixExpr) -> Expr:
    """log(1 + exp(<A x, y>))."""
    return log(1 + exp(Inner(A_symmetric * x, y)))


ENERGY = Interaction("sigmoid", "sigmoid attention", softplus)
