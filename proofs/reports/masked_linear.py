"""Masked linear attention on Gaussian measures: second moments of the past."""

from __future__ import annotations

from proofs.reports.checked import (
    INTRODUCTION,
    cited,
    cross_checks,
    definitions,
    equations,
    facts,
    reduction_steps,
)
from proofs.reports.document import Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants
from symbolic.gaussian import reduction

CLAIMS = ("gaussian.masked-linear",)
"""The claims that the document shows."""


def gaussian(variant: str) -> Document:
    """The document of the only variant that it is about, "masked-linear"."""
    return Document(
        "Masked linear attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            Heading("The velocity at a position"),
            *reduction_steps(reduction(variant)),
            cited("gaussian-second-moment"),
            cited("linear-image-of-integral"),
            *equations("gaussian.masked-linear"),
            *facts(CLAIMS),
            *cross_checks(CLAIMS),
            *all_variants(),
        ],
    )
