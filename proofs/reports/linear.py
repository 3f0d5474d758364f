"""Linear attention on Gaussian measures: second moments and the equations."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.reports.checked import (
    INTRODUCTION,
    cited,
    cross_checks,
    definitions,
    equations,
    facts,
    letters,
    proofs_of,
    reduction_steps,
    shown,
    theorem,
)
from proofs.reports.document import Block, Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants
from symbolic.gaussian import reduction

CLAIMS = ("gaussian.linear", "covariance.linear-centered")
"""The claims that the document shows."""


def gaussian(variant: str) -> Document:
    """The document of the only variant that it is about, "linear"."""
    return Document(
        "Linear attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            Heading("The velocity on a Gaussian"),
            *reduction_steps(reduction("linear")),
            cited("gaussian-second-moment"),
            *_main_step(),
            *equations("gaussian.linear"),
            Heading("Mean zero"),
            Paragraph("Then the covariance moves as under softmax attention."),
            theorem("covariance.linear-centered"),
            *facts(CLAIMS),
            *cross_checks(CLAIMS),
            *all_variants(),
        ],
    )


def _main_step() -> Iterator[Block]:
    proof = proofs_of("gaussian.linear")[""]
    yield from letters(proof)
    yield shown("gaussian.linear", proof.by("fact", "gaussian-second-moment")[0])
