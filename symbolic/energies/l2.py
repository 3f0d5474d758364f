"""L2 attention with Q = K and V = I, centred at the token: mean shift, an ascent in weight Z.

The velocity is the mean of y under the weights minus x; that of L2 attention itself is no gradient
flow in a metric of this kind unless Q or V is zero.
"""

from dataclasses import dataclass

from sympy import Basic, Expr, Identity, MatrixExpr

from symbolic.energies.base import Direction, Interaction
from symbolic.notation import B, K, Q, V, d, mu
from symbolic.variants import table


def kernel(x: MatrixExpr, y: MatrixExpr) -> Expr:
    """exp(-|Q x - Q y|^2)."""
    return table()["l2"].kernel(x, y).xreplace({K: Q})


@dataclass(frozen=True, repr=False)
class MeanShift(Interaction):
    """Centred L2 attention with tied queries and keys; B = 2 Q^T Q has to be invertible."""

    direction: Direction = "ascent"
    condition: str = r"$K = Q$, $V = I$ and $Q^\top Q$ invertible"

    def velocity(self, x: MatrixExpr, mu: Basic = mu) -> MatrixExpr:
        tied = table()["l2"].velocity(x, mu).xreplace({K: Q, V: Identity(d)}).doit()
        return tied - x

    def relation(self) -> tuple[MatrixExpr, MatrixExpr]:
        return B, 2 * Q.T * Q


ENERGY = MeanShift("l2", "centred L2 attention", kernel, twisted=True)
