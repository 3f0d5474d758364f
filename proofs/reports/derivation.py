"""``derive``: the appendix of a paper, printed from what was checked or derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from proofs.reports.document import Document
from proofs.reports.pdf import compiled, engine
from symbolic import energies
from symbolic.variants import lookup

GAUSSIAN: Mapping[str, str] = MappingProxyType(
    {
        "softmax": "softmax",
        "l2": "l2",
        "sinkhorn": "sinkhorn",
        "linear": "linear",
        "sigmoid": "obstructed",
        "exponential": "obstructed",
        "multihead-softmax": "multihead",
        "multihead-l2": "multihead",
        "multihead-sinkhorn": "multihead",
        "multihead-linear": "multihead",
        "masked-linear": "masked_linear",
        "masked-softmax": "obstructed",
    }
)
"""Variant -> the module of this package that writes its part on Gaussian measures."""

OPEN = "undecided"
"""The module for other variants: definitions, and what is known of the others."""

PARTS = ("gaussian", "gradient", "second-variation")
"""On Gaussian measures; as a gradient flow; the energy of that flow along geodesics."""


def _pdf(document: Document) -> bytes:
    return compiled(document.latex())[0]


FORMATS: Mapping[str, Callable[[Document], str | bytes]] = MappingProxyType(
    {"md": Document.markdown, "tex": Document.latex, "html": Document.html, "pdf": _pdf}
)
"""The formats that are available."""


def require(variant: str, part: str, form: str) -> None:
    """Find out, before any work, whether there can be such a derivation in such a format.

    Raises:
        ValueError: there is no such variant, part or format, or the variant has no energy; the
            message names those there are, or says why.
        TexError: the format needs a TeX engine, and there is none.
    """
    lookup(variant)
    if part not in PARTS:
        raise ValueError(f"there is no part {part!r}; there are: {', '.join(PARTS)}")
    if part != "gaussian":
        energies.lookup(variant)
    if form not in FORMATS:
        raise ValueError(f"format {form!r} is not available yet; there are: {', '.join(FORMATS)}")
    if form == "pdf":
        engine()


def derive(variant: str, part: str = "gaussian") -> Document:
    """The derivation of a part of the theory for an attention variant (arXiv:2501.18322).

    Args:
        variant: as in the table of variants, with the prefixes ``multihead-`` and ``masked-``.
        part: one of ``PARTS``.

    Raises:
        ValueError: there is no such variant or part, or the variant has no energy.

    >>> document = derive("multihead-sigmoid")
    >>> print(document.markdown()[:52])
    # Multi-head sigmoid attention on Gaussian measures
    <BLANKLINE>
    """
    require(variant, part, next(iter(FORMATS)))
    if part == "gaussian":
        module = import_module(f"proofs.reports.{GAUSSIAN.get(variant, OPEN)}")
        document = module.gaussian(variant)
    else:
        module = import_module(f"proofs.reports.{part.replace('-', '_')}")
        document = module.written(variant)
    assert isinstance(document, Document)
    return document


def rendered(document: Document, form: str) -> str | bytes:
    """The document in one of the ``FORMATS``: text, or the bytes of a PDF.

    Raises:
        TexError: there is no PDF.
    """
    return FORMATS[form](document)
