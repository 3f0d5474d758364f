"""The table of attention variants: one file per variant, found by itself.

A module of this package that defines ``ATTENTION`` (an `Attention`) adds a variant.  The prefixes
``multihead-`` and ``masked-`` combine with every variant for which they make sense.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symbolic.variants.base import Attention, Variant


@cache
def table() -> dict[str, Attention]:
    """The plain variants by name, in alphabetical order."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "ATTENTION"):
            found[module.ATTENTION.name] = module.ATTENTION
    return dict(sorted(found.items()))


def names() -> list[str]:
    """The names of the plain variants.

    >>> names()
    ['exponential', 'l2', 'linear', 'sigmoid', 'sinkhorn', 'softmax']
    """
    return list(table())


@cache
def lookup(name: str) -> Variant:
    """The variant of that name, such as "softmax", "multihead-l2" or "masked-multihead-linear".

    Raises ValueError for an unknown name or a combination that is not defined.

    >>> lookup("softmacs")
    Traceback (most recent call last):
    ...
    ValueError: unknown attention variant 'softmacs' (did you mean 'softmax'?); known: \
exponential, l2, linear, sigmoid, sinkhorn, softmax, each also with the prefixes multihead- and \
masked- (masked-multihead- for both)
    """
    from symbolic.variants.masked import Masked
    from symbolic.variants.multihead import MultiHead

    plain = name.removeprefix("masked-").removeprefix("multihead-")
    if plain not in table():
        close = difflib.get_close_matches(plain, names(), n=1)
        prefix = name.removesuffix(plain)
        hint = f" (did you mean '{prefix}{close[0]}'?)" if close else ""
        raise ValueError(
            f"unknown attention variant '{name}'{hint}; known: {', '.join(names())}, each also "
            "with the prefixes multihead- and masked- (masked-multihead- for both)"
        )
    variant: Variant = table()[plain]
    if name.removeprefix("masked-").startswith("multihead-"):
        variant = MultiHead(variant)
    return Masked(variant) if name.startswith("masked-") else variant
