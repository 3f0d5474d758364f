"""Variants about which no claim says whether they keep Gaussians Gaussian."""

from __future__ import annotations

from proofs.reports.checked import INTRODUCTION, definitions
from proofs.reports.document import Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants
from symbolic.variants import lookup


def gaussian(variant: str) -> Document:
    """The definitions of a variant, and that the question is open in the ledger."""
    return Document(
        f"{lookup(variant).title} on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            Heading("Gaussians"),
            Paragraph(
                "Open: no claim of the ledger says whether this variant keeps Gaussians Gaussian. "
                "The table says what is known of the others."
            ),
            *all_variants(),
        ],
    )
