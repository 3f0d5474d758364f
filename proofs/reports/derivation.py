"""``derive``: the appendix of a paper, printed from what the kernel has checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from proofs.reports.document import Document
from proofs.reports.pdf import compiled, engine

DERIVATIONS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("softmax", "gaussian"): "softmax",
        ("l2", "gaussian"): "l2",
        ("sinkhorn", "gaussian"): "sinkhorn",
        ("linear", "gaussian"): "linear",
        ("sigmoid", "gaussian"): "obstructed",
        ("exponential", "gaussian"): "obstructed",
        ("multihead-softmax", "gaussian"): "multihead",
        ("multihead-l2", "gaussian"): "multihead",
        ("multihead-sinkhorn", "gaussian"): "multihead",
        ("multihead-linear", "gaussian"): "multihead",
        ("masked-linear", "gaussian"): "masked_linear",
        ("masked-softmax", "gaussian"): "obstructed",
    }
)
"""Variant and part -> the module of this package with a function of the part's name."""


def _pdf(document: Document) -> bytes:
    return compiled(document.latex())[0]


FORMATS: Mapping[str, Callable[[Document], str | bytes]] = MappingProxyType(
    {"md": Document.markdown, "tex": Document.latex, "html": Document.html, "pdf": _pdf}
)
"""The formats that are available."""


def require(variant: str, part: str, form: str) -> None:
    """Find out, before any work, whether there can be such a derivation in such a format.

    Raises:
        ValueError: there is none; the message names those that there are.
        TexError: the format needs a TeX engine, and there is none.
    """
    if (variant, part) not in DERIVATIONS:
        known = ", ".join(f"{name} --part {of}" for name, of in DERIVATIONS)
        raise ValueError(f"no derivation of {variant!r}, part {part!r}, yet; there is: {known}")
    if form not in FORMATS:
        raise ValueError(f"format {form!r} is not available yet; there are: {', '.join(FORMATS)}")
    if form == "pdf":
        engine()


def derive(variant: str, part: str = "gaussian") -> Document:
    """The derivation of a part of the theory for an attention variant.

    Raises:
        ValueError: there is none; the message names those that there are.
    """
    require(variant, part, next(iter(FORMATS)))
    module = import_module(f"proofs.reports.{DERIVATIONS[variant, part]}")
    document = getattr(module, part)(variant)
    assert isinstance(document, Document)
    return document


def rendered(document: Document, form: str) -> str | bytes:
    """The document in one of the ``FORMATS``: text, or the bytes of a PDF.

    Raises:
        TexError: there is no PDF.
    """
    return FORMATS[form](document)
