"""Several heads of sigmoid attention with one metric are a gradient flow."""

from __future__ import annotations

from proofs.claims.gradient_heads import claim
from proofs.claims.gradient_sigmoid import CLAIM as ONE_HEAD
from proofs.claims.gradient_sigmoid import SHOWN

CLAIM = claim(
    "sigmoid",
    "Several heads of sigmoid attention with one metric: a gradient flow of summed energies",
    ONE_HEAD,
    SHOWN,
)
