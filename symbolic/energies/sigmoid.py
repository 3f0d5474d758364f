"""Sigmoid attention: the softplus of the score, whose derivative is the logistic function."""

from sympy import Expr, Symbol, exp, log

from symbolic.energies.base import Interaction
from symbolic.energies.softmax import score
from symbolic.variants.sigmoid import logistic


def softplus(z: Expr) -> Expr:
    """log(1 + e^z)."""
    return log(1 + exp(z))


def logistic_slope(z: Expr) -> Expr:
    """The derivative of the logistic function, a product that does not cancel."""
    return logistic(z) * logistic(-z)


KERNELS = (
    (Symbol("U", real=True), softplus),
    (Symbol("sigma", real=True), logistic),
    (Symbol("sigmaprime", real=True), logistic_slope),
)

ENERGY = Interaction("sigmoid", "sigmoid attention", score, softplus, kernels=KERNELS)
