"""Attention that does not keep Gaussians Gaussian: the velocity, and why it is not affine."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.reports.checked import (
    INTRODUCTION,
    cited,
    cross_checks,
    definitions,
    facts,
    letters,
    proofs_of,
    shown,
    theorem,
)
from proofs.reports.document import Block, Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants

#: variant -> its claim, and the facts that its proof turns on
OBSTRUCTIONS = {
    "sigmoid": (
        "gaussian.not-sigmoid",
        ("line-velocity", "exponential-growth", "strict-order-of-integrals"),
    ),
    "exponential": ("gaussian.not-exponential", ("line-velocity", "exponentials-independent")),
    "masked-softmax": (
        "gaussian.not-masked-softmax",
        ("line-velocity", "exponential-growth", "exponentials-independent"),
    ),
}


def gaussian(variant: str) -> Document:
    """The document of one of the ``OBSTRUCTIONS``."""
    claim_id, turning = OBSTRUCTIONS[variant]
    name = variant.replace("-", " ").capitalize()
    return Document(
        f"{name} attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            Heading("Gaussians are not kept"),
            Paragraph(
                "In dimension one a velocity that keeps Gaussians is affine, up to a part whose "
                "flux is constant. In higher dimension the part that is not affine could be "
                "divergence-free against the density, so that dimension one settles only that "
                "Gaussians are not kept in general."
            ),
            theorem(claim_id),
            *_turning_points(claim_id, turning),
            *facts((claim_id,)),
            *cross_checks((claim_id,)),
            *all_variants(),
        ],
    )


def _turning_points(claim_id: str, turning: tuple[str, ...]) -> Iterator[Block]:
    proof = proofs_of(claim_id)[""]
    yield Heading("What the proof turns on")
    for name in turning:
        yield cited(name)
    yield from letters(proof)
    for name in turning:
        for step in proof.by("fact", name)[:1]:
            yield shown(claim_id, step)
