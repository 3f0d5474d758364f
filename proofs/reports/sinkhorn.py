"""Sinkhorn attention on Gaussian measures: the Schroedinger system, the plan, the equations."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.claims.sinkhorn_roots import E, F, M
from proofs.language import eq, mul
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

CLAIMS = (
    "gaussian.sinkhorn-plan",
    "gaussian.sinkhorn",
    "covariance.scalar",
    "covariance.scalar-sinkhorn",
)
"""The claims that the document shows."""


def gaussian(variant: str) -> Document:
    """The document of the only variant that it is about, "sinkhorn"."""
    return Document(
        "Sinkhorn attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions(variant),
            *_plan(),
            *equations("gaussian.sinkhorn"),
            Heading("Dimension one"),
            theorem("covariance.scalar"),
            theorem("covariance.scalar-sinkhorn"),
            *facts(CLAIMS),
            *cross_checks(CLAIMS),
            *all_variants(),
        ],
    )


def _plan() -> Iterator[Block]:
    claim_id = "gaussian.sinkhorn-plan"
    proof = proofs_of(claim_id)[""]
    yield Heading("The Schrödinger system")
    yield Paragraph(
        "The potentials are sought among the exponentials of quadratic functions; the two marginal "
        "equations then are equations of matrices."
    )
    yield from reduction_steps(reduction("sinkhorn"))
    yield cited("gaussian-quadratic-tilt")
    yield cited("balanced-kernel")
    yield theorem(claim_id)
    yield Paragraph(
        "The main steps of the proof: the two roots intertwine, they invert the precisions of both "
        "conditional laws, and the constant is the same for both marginals. The kernel is the one "
        "in (c) by uniqueness."
    )
    yield from letters(proof)
    intertwined = proof.proving(eq(mul(M, F), mul(E, M)))
    inverses = proof.by("fact", "one-sided-inverse")
    swapped = proof.by("fact", "determinant-of-products")
    for step in (intertwined, *inverses, *swapped):
        yield shown(claim_id, step)
