"""``derive``: the appendix of a paper, printed from what the kernel has checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from proofs.reports.document import Document

PARTS = ("gaussian", "gradient", "second-variation")
FORMATS = ("md", "tex", "pdf", "html")
AVAILABLE_FORMATS = ("md", "tex")


def _softmax_gaussian() -> Document:
    from proofs.reports.softmax import gaussian

    return gaussian()


DERIVATIONS: Mapping[tuple[str, str], Callable[[], Document]] = MappingProxyType(
    {("softmax", "gaussian"): _softmax_gaussian}
)
"""Variant and part -> the document."""


def derive(variant: str, part: str = "gaussian") -> Document:
    """The derivation of a part of the theory for an attention variant.

    Raises:
        ValueError: there is none; the message names those that there are.
    """
    if (variant, part) in DERIVATIONS:
        return DERIVATIONS[variant, part]()
    known = ", ".join(f"{name} --part {of}" for name, of in DERIVATIONS)
    raise ValueError(f"no derivation of part {part!r} for {variant!r} yet; there is: {known}")


def rendered(document: Document, form: str) -> str:
    """The document as text.

    Raises:
        ValueError: a format that is not available.
    """
    if form not in AVAILABLE_FORMATS:
        available = ", ".join(AVAILABLE_FORMATS)
        raise ValueError(f"format {form!r} is not available yet; there are: {available}")
    return document.markdown() if form == "md" else document.latex()
