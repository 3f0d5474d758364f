"""The closing table of a derivation: what every variant does to Gaussian measures."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.claims import gaussian_masked_linear as masked
from proofs.claims.covariance_equation import d, t
from proofs.claims.preserving_heads import Head, L2Head, LinearHead, SinkhornHead, SoftmaxHead
from proofs.language import at, dim, lam, mat, mul, vec
from proofs.printing.latex import latex
from proofs.reports.checked import verdict
from proofs.reports.document import Block, Heading, Paragraph, Table
from proofs.terms import substitute

#: variant -> the claim that it does not preserve Gaussians, on the line
OBSTRUCTED = {
    "sigmoid": "gaussian.not-sigmoid",
    "exponential": "gaussian.not-exponential",
    "masked softmax": "gaussian.not-masked-softmax",
}
KEPT = {
    SoftmaxHead: "gaussian.softmax",
    L2Head: "gaussian.l2",
    SinkhornHead: "gaussian.sinkhorn",
    LinearHead: "gaussian.linear",
}
HEADER = ("variant", "Gaussians", "linear part $B$ of the velocity", "$\\dot\\alpha$", "claim")


def all_variants() -> Iterator[Block]:
    """Whether Gaussians are kept, the equations, and the claim."""
    rows = [*map(_kept, KEPT), _masked_linear(), *map(_obstructed, OBSTRUCTED)]
    yield Heading("All variants")
    yield Paragraph(
        "With $\\dot\\Sigma = B \\Sigma + \\Sigma B^\\top$. The right-hand sides of several heads "
        f"add up, `gaussian.multihead` ({verdict('gaussian.multihead')})."
    )
    yield Table(HEADER, tuple(rows))


def _kept(kind: type[Head]) -> tuple[str, ...]:
    k = dim("k")
    rows = {"V": d, "A": d, "Q": k, "K": k}
    head = kind(tuple(lam(t, mat(name, rows[name], d)) for name in kind.names))
    still = {"Sigma": lam(t, mat("Sigma", d, d)), "alpha": lam(t, vec("alpha", d))}
    linear, mean = (substitute(term, still) for term in (head.linear, head.mean_velocity))
    claim_id = KEPT[kind]
    return (
        kind.variant,
        "kept",
        f"${latex(linear)}$",
        f"${latex(mean)}$",
        f"`{claim_id}` ({verdict(claim_id)})",
    )


def _masked_linear() -> tuple[str, ...]:
    letters = {
        "V": lam(t, mat("V", d, d)),
        "A": lam(t, mat("A", d, d)),
    }
    M = mat("M_s", d, d)
    linear = mul(at(masked.V, t), M, at(masked.A, t))
    mean = mul(linear, vec("alpha_s", d))
    claim_id = masked.CLAIM.id
    return (
        "masked linear",
        "kept at each position",
        f"${latex(substitute(linear, letters))}$",
        f"${latex(substitute(mean, letters))}$",
        f"`{claim_id}` ({verdict(claim_id)})",
    )


def _obstructed(variant: str) -> tuple[str, ...]:
    claim_id = OBSTRUCTED[variant]
    return variant, "not kept, $d = 1$", "", "", f"`{claim_id}` ({verdict(claim_id)})"
