"""L2 attention with Q = K and V = I, centred at the token: mean shift, an ascent in weight Z.

The velocity is the mean of y under the weights minus x; that of L2 attention itself is no gradient
flow in a metric of this kind unless Q or V is zero.
"""

from dataclasses import dataclass

from sympy import Basic, Expr, Identity, MatrixExpr

from symbolic.energies.base import Direction, Interaction
from symbolic.nodes import Inner
from symbolic.notation import B, G, K, Q, V, d, m, mu, x, xdot, y, ydot
from symbolic.variants import table


def score(x: MatrixExpr, y: MatrixExpr) -> Expr:
    """-|Q x - Q y|^2."""
    return table()["l2"].score(x, y).xreplace({K: Q})


@dataclass(frozen=True, repr=False)
class MeanShift(Interaction):
    """Centred L2 attention with tied queries and keys; B = 2 Q^T Q has to be invertible."""

    twisted: bool = True
    direction: Direction = "ascent"
    condition: str = r"$K = Q$, $V = I$ and $Q^\top Q$ invertible"

    def velocity(self, x: MatrixExpr, mu: Basic = mu) -> MatrixExpr:
        tied = table()["l2"].velocity(x, mu).xreplace({K: Q, V: Identity(d)}).doit()
        return tied - x

    def relation(self) -> tuple[MatrixExpr, MatrixExpr]:
        return B, 2 * Q.T * Q

    def metric_score(self) -> Expr:
        """-<B (x - y), x - y>/2 with B = 2 Q^T Q.

        >>> ENERGY.metric_score()
        -Inner(B*(x - y), x - y)/2
        """
        return -Inner(B * (x - y), x - y) / 2

    def second_variation(self) -> Expr:
        """With m the mean of y under the weights of x, all in the norm of B."""
        change = Inner(B * (x - y), xdot - ydot)
        speeds = Inner(xdot, B * xdot) + Inner(ydot, B * ydot)
        straight = G / 2 * change**2 - G / 2 * Inner(B * (xdot - ydot), xdot - ydot)
        bent = G / 2 * speeds * Inner(B * (x - m), x - y)
        return straight + bent - G * change * Inner(B * (x - m), xdot)


ENERGY = MeanShift("l2", "centred L2 attention", score)
