"""What numerical integration suggests of given parameters: evidence, no proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from numeric.model import Model
from proofs.verdicts.subject import equation_of, is_factored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numeric.covariance import Trend
    from numeric.stack import StackEvolution

#: operations of the integration of one large head, about a second
FEW_OPERATIONS = 10**10


def _start_floats(model: Model) -> NDArray[np.float64]:
    """Sigma0 in floating point, the identity when it is not given."""
    import numpy as np

    return np.identity(model.dimension) if model.Sigma0 is None else model.Sigma0.array()


def trend_of(model: Model) -> Trend | None:
    """What integration suggests for one layer for ever, where it follows the softmax equation."""
    from numeric.covariance import OPERATIONS, trend_of_heads
    from numeric.heads import float_layers

    if equation_of(model) != "softmax":
        return None
    try:
        (layer,) = float_layers(replace(model, variant="softmax"))
        large = is_factored(model) and len(layer.heads) == 1
        operations = FEW_OPERATIONS if large else OPERATIONS
        return trend_of_heads(layer.heads, _start_floats(model), operations=operations)
    except (ArithmeticError, ValueError):  # outside the range of floating point
        return None


def evolution_of(model: Model) -> StackEvolution | None:
    """Flow and residual steps through a stack."""
    from numeric.heads import float_layers
    from numeric.stack import evolve

    try:
        return evolve(float_layers(model), _start_floats(model))
    except (ArithmeticError, ValueError):
        return None
