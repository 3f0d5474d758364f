"""L2 attention on Gaussian measures: the tilt with a precision, the equations, dimension one."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.claims.l2_velocity import NAME
from proofs.reports.checked import (
    INTRODUCTION,
    cited,
    cross_checks,
    definitions,
    equations,
    facts,
    lemma,
    letters,
    proofs_of,
    reduction_steps,
    shown,
    theorem,
)
from proofs.reports.document import Block, Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants
from symbolic.gaussian import reduction

CLAIMS = ("gaussian.l2", "covariance.scalar", "covariance.scalar-l2")
"""The claims that the document shows."""


def gaussian(variant: str) -> Document:
    """The document of the only variant that it is about, "l2"."""
    return Document(
        "L2 attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            *_velocity(),
            *equations("gaussian.l2"),
            Heading("Dimension one"),
            theorem("covariance.scalar"),
            theorem("covariance.scalar-l2"),
            *facts(CLAIMS),
            *cross_checks(CLAIMS),
            *all_variants(),
        ],
    )


def _velocity() -> Iterator[Block]:
    claim_id = "gaussian.l2"
    proof = proofs_of(claim_id)[NAME]
    yield Heading("The velocity on a Gaussian")
    yield from reduction_steps(reduction("l2"))
    yield Paragraph(
        "The kernel takes the integral from a fact, and the rest is algebra. No inverse of the "
        "covariance is needed, so that it may be singular."
    )
    yield cited("gaussian-quadratic-tilt")
    yield lemma(claim_id, NAME)
    yield from letters(proof)
    (inverse,) = proof.by("fact", "one-sided-inverse")
    for step in (inverse, proof.steps[-3]):
        yield shown(claim_id, step)
