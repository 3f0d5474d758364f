"""Several heads: the sum of the velocities of one variant, with parameters of each head."""

from sympy import Basic, MatrixExpr

from symbolic.nodes import HeadSum
from symbolic.notation import A, H, K, Q, V, b_k, b_q, b_v
from symbolic.variants.base import Combined, Form, Variant


class MultiHead(Combined):
    """sum_h Gamma^h_mu(x); V_h (d x d) contains the output matrix, V_h = W_h V'_h."""

    prefix = "multihead"

    def __init__(self, base: Variant) -> None:
        super().__init__(base)
        self.title = f"Multi-head {base.title[0].lower()}{base.title[1:]}"
        self.description = f"The sum over heads. In each: {base.description}"

    def velocity(
        self, x: MatrixExpr, mu: Basic, *, form: Form = "QK", biases: bool = False
    ) -> MatrixExpr:
        body = self.base.velocity(x, mu, form=form, biases=biases)
        own = [letter for letter in (Q, K, A, V, b_q, b_k, b_v) if letter in body.free_symbols]
        return HeadSum(body, own, H)
