"""Exponential attention: softmax attention without its denominator."""

from sympy import exp

from symbolic.variants.base import Attention

ATTENTION = Attention(
    name="exponential",
    title="Exponential attention",
    description="Values are summed with the exponential of the score, without normalisation.",
    activation=exp,
)
