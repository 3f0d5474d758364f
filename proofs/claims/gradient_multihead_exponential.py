"""Several heads of exponential attention with one metric are a gradient flow."""

from __future__ import annotations

from proofs.claims.gradient_exponential import CLAIM as ONE_HEAD
from proofs.claims.gradient_exponential import SHOWN
from proofs.claims.gradient_heads import claim

CLAIM = claim(
    "exponential",
    "Several heads of exponential attention with one metric: a gradient flow of summed energies",
    ONE_HEAD,
    SHOWN,
)
