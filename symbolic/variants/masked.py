"""Causal masks: a token at position s sees the tokens at positions tau <= s."""

from sympy import Basic, MatrixExpr

from symbolic.nodes import Past
from symbolic.notation import s
from symbolic.variants.base import Combined, Form, Normalisation, Variant


class Masked(Combined):
    """Gamma_mu(s, x) for a law mu on [0, 1] x R^d whose positions do not move.

    Every integral is over positions tau <= s; normalised kernels need mass at position 0.
    """

    prefix = "masked"

    def __init__(self, base: Variant) -> None:
        if base.normalisation is Normalisation.DOUBLY_STOCHASTIC:
            raise ValueError(
                f"masked {base.name} attention is not defined: a causal kernel is triangular, and "
                "alternating normalisation of a triangular kernel with equal masses tends to the "
                "identity, whatever the scores"
            )
        super().__init__(base)
        self.title = f"Masked {base.title[0].lower()}{base.title[1:]}"
        self.description = f"Only positions up to one's own are seen. {base.description}"
        self.lhs = r"\Gamma_\mu(s, x)"

    def velocity(
        self, x: MatrixExpr, mu: Basic, *, form: Form = "QK", biases: bool = False
    ) -> MatrixExpr:
        return self.base.velocity(x, Past(mu, s), form=form, biases=biases)
