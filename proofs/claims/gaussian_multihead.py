"""Heads of all preserving variants, side by side, keep Gaussian measures Gaussian."""

from __future__ import annotations

from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import d, t
from proofs.claims.preservation import MU, Layer
from proofs.claims.preserving_heads import Head, L2Head, LinearHead, SinkhornHead, SoftmaxHead
from proofs.language import curves, dim, head, lam
from proofs.printing.abbreviations import Definition

k = dim("k")


def heads_of(kind: type[Head], mark: str = "") -> Head:
    """A family of heads of one variant, with letters of its own where there is a mark."""
    end = f"_{mark}" if mark else ""
    count = dim(f"H{end}")
    rows = {"V": d, "A": d, "Q": k, "K": k}
    families = tuple(curves(f"{name}{end}", count, rows[name], d) for name in kind.names)
    return kind(families, head("h", count))


LAYER = Layer(
    tuple(
        heads_of(kind, mark)
        for kind, mark in (
            (SoftmaxHead, "soft"),
            (L2Head, "l2"),
            (SinkhornHead, "sink"),
            (LinearHead, "lin"),
        )
    )
)

CLAIM = Claim(
    id="gaussian.multihead",
    title="Several heads, of any preserving variants: the right-hand sides add up",
    source=PAPER_ID,
    statement=LAYER.statement,
    hypotheses=LAYER.hypotheses,
    prove=LAYER.prove,
    note="A variant without heads is one head with V = 0, and heads with fewer rows of Q and K "
    "have rows of zeros. Layers are parameters that jump in time; derivatives are from the right.",
    notation=(
        MU,
        Definition("Gamma", LAYER.velocity),
        Definition("B", lam(t, LAYER.linear)),
    ),
)
