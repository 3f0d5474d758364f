"""Softmax attention: half the double integral of the kernel, in the metric with weight Z."""

from dataclasses import dataclass

from sympy import Expr, MatrixExpr

from symbolic.energies.base import Interaction
from symbolic.nodes import Inner
from symbolic.notation import A_symmetric as A
from symbolic.notation import B, G, m, x, xdot, y, ydot


def score(x: MatrixExpr, y: MatrixExpr) -> Expr:
    """<A x, y>."""
    return Inner(A * x, y)


@dataclass(frozen=True, repr=False)
class Softmax(Interaction):
    """The energy of softmax attention."""

    twisted: bool = True

    def second_variation(self) -> Expr:
        """With m the mean of y under the weights of x: covariances, and a term of the bending.

        G {<A(y - m), x'>^2 + <A x', y'> + <A(y - m), x'> <A x, y'> + (|x'|_B^2 + |y'|_B^2)/2
        <A m, B^{-1} A y>}.
        """
        tilted = Inner(A * (y - m), xdot)
        speeds = Inner(xdot, B * xdot) + Inner(ydot, B * ydot)
        mixed = G * Inner(A * xdot, ydot) + G * tilted * Inner(A * x, ydot)
        return G * tilted**2 + mixed + G / 2 * speeds * Inner(A * m, B.inverse() * A * y)


ENERGY = Softmax("softmax", "softmax attention", score)
