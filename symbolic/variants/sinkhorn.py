"""Sinkhorn attention (arXiv:2501.18322)."""

from sympy import exp

from symbolic.variants.base import Attention, Normalisation

ATTENTION = Attention(
    name="sinkhorn",
    title="Sinkhorn attention",
    description="The exponential kernel is made doubly stochastic by alternating normalisation.",
    activation=exp,
    normalisation=Normalisation.DOUBLY_STOCHASTIC,
    # Biases multiply the kernel by functions of x alone and of y alone.
    cancelling_biases=frozenset({"b_q", "b_k"}),
)
