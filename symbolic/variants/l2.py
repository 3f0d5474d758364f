"""L2 attention (arXiv:2501.18322)."""

from sympy import Expr, MatrixExpr, exp

from symbolic.nodes import Inner
from symbolic.variants.base import Attention, Normalisation


def minus_squared_distance(query: MatrixExpr, key: MatrixExpr) -> Expr:
    """-|query - key|^2."""
    difference = (query - key).doit()
    return -Inner(difference, difference)


ATTENTION = Attention(
    name="l2",
    title="L2 attention",
    description="Softmax attention whose score is minus the squared distance of query and key.",
    activation=exp,
    normalisation=Normalisation.ROW,
    pairing=minus_squared_distance,
    # |Ky|^2 depends on K^T K as well.
    score_matrix_suffices=False,
)
