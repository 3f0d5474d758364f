"""Energies of which an attention flow is a gradient flow: one file per variant, found by itself.

A module of this package that defines ``ENERGY`` (an `Energy`) adds one.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from symbolic import variants

if TYPE_CHECKING:
    from symbolic.energies.base import Energy

MASKED = (
    "a causal mask lets a token move later ones without being moved by them, but the mixed second "
    "derivatives of an energy are equal"
)
TWISTED = (
    "each head has its own denominator as the weight of the metric, and their energies do not add "
    "up in one metric"
)
CONSTANT = (
    "the energies of the heads add up when one B has B V_h = -A_h for all of them; see the one of "
    "a single head"
)


@cache
def table() -> dict[str, Energy]:
    """The energies by the name of their variant, in alphabetical order."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "ENERGY"):
            found[module.ENERGY.name] = module.ENERGY
    return dict(sorted(found.items()))


def names() -> list[str]:
    """The variants that have an energy.

    >>> names()
    ['exponential', 'l2', 'linear', 'sigmoid', 'sinkhorn', 'softmax']
    """
    return list(table())


def lookup(name: str) -> Energy:
    """The energy of the variant of that name.

    Raises ValueError when the variant is unknown or has none; the message says why.

    >>> lookup("softmax").energy()
    MeasureIntegral(MeasureIntegral(exp(Inner(A*x, y)), y, mu), x, mu)/2
    """
    variants.lookup(name)
    if name not in table():
        raise ValueError(f"no energy is derived for '{name}': {_reason(name)}")
    return table()[name]


def _reason(name: str) -> str:
    """Why a combined variant has no energy of its own."""
    if name.startswith("masked-"):
        return MASKED
    return TWISTED if table()[name.removeprefix("multihead-")].twisted else CONSTANT
