"""Softmax attention: half the double integral of the kernel, in the metric with weight Z."""

from sympy import Expr, MatrixExpr, exp

from symbolic.energies.base import Interaction
from symbolic.nodes import Inner
from symbolic.notation import A_symmetric


def kernel(x: MatrixExpr, y: MatrixExpr) -> Expr:
    """exp(<A x, y>)."""
    return exp(Inner(A_symmetric * x, y))


ENERGY = Interaction("softmax", "softmax attention", kernel, twisted=True)
