"""Several heads on Gaussian measures: the right-hand sides add up."""

from __future__ import annotations

from proofs.reports.checked import (
    INTRODUCTION,
    cross_checks,
    definitions,
    facts,
    reduction_steps,
    theorem,
)
from proofs.reports.document import Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants
from symbolic.gaussian import reduction

CLAIMS = ("gaussian.multihead",)
"""The claims that the document shows."""


def gaussian(variant: str) -> Document:
    """The document of several heads of a variant, such as "multihead-l2"."""
    one_head = variant.removeprefix("multihead-")
    claims = (*CLAIMS, "gaussian.layers") if one_head == "softmax" else CLAIMS
    return Document(
        f"Several heads of {one_head} attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            Heading("The velocity on a Gaussian"),
            *reduction_steps(reduction(variant)),
            Heading("Mean and covariance"),
            Paragraph(
                "The theorem is about heads of all variants side by side: the other variants are "
                "heads with $V = 0$."
            ),
            *map(theorem, claims),
            *facts(claims),
            *cross_checks(claims),
            *all_variants(),
        ],
    )
