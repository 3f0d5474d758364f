"""Softmax attention (arXiv:2501.18322)."""

from sympy import exp

from symbolic.variants.base import Attention, Normalisation

ATTENTION = Attention(
    name="softmax",
    title="Softmax attention",
    description="Values are averaged with weights proportional to the exponential of the score.",
    activation=exp,
    normalisation=Normalisation.ROW,
    # <Qx + b_q, b_k> does not depend on y and leaves the quotient.
    cancelling_biases=frozenset({"b_k"}),
)
