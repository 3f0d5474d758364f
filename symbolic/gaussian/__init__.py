"""Reductions of the dynamics to mean and covariance: one file per derivation, found by itself.

A module of this package that defines ``REDUCTIONS``, a dict from variant names to functions that
return a `GaussianReduction`, adds reductions.  Each of them has a reduction for several heads too,
the sum over the heads.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from symbolic.variants import lookup

if TYPE_CHECKING:
    from symbolic.gaussian.base import GaussianReduction


@cache
def _derivations() -> dict[str, Callable[[], GaussianReduction]]:
    from symbolic.gaussian.multihead import derive, multihead_name

    found: dict[str, Callable[[], GaussianReduction]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.update(getattr(module, "REDUCTIONS", {}))
    found.update({multihead_name(name): partial(derive, name, one) for name, one in found.items()})
    return dict(sorted(found.items()))


def derived() -> list[str]:
    """The names of the variants with a derived reduction.

    >>> "multihead-l2" in derived(), "sigmoid" in derived()
    (True, False)
    """
    return list(_derivations())


@cache
def reduction(name: str) -> GaussianReduction:
    """The reduction of the variant of that name.

    Raises ValueError when the variant is unknown or has no derived reduction.

    >>> reduction("softmax").covariance_rhs
    V*Sigma*A*Sigma + Sigma*A.T*Sigma*V.T
    """
    lookup(name)
    if name not in _derivations():
        raise ValueError(
            f"no Gaussian reduction is derived for '{name}'; there is one for: "
            + ", ".join(derived())
        )
    return _derivations()[name]()
