"""The claims on the variance in dimension one, at the parameters of a model of L2 or Sinkhorn."""

from __future__ import annotations

from numeric.model import Model
from numeric.parameters import Parameters
from proofs.gaussian_preservation import no_biases, on_the_line, one_head, spread
from proofs.verdicts.base import Application, Hypothesis

CLOSED_FORM = "covariance.scalar"
FATES = {"l2": "covariance.scalar-l2", "sinkhorn": "covariance.scalar-sinkhorn"}


def on_the_line_theorems(model: Model) -> tuple[Application, ...]:
    """For one layer in dimension one without a mask; nothing in other cases."""
    if model.variant not in FATES or model.mask is not None or model.dimension > 1:
        return ()
    several = len(model.layers) > 1
    hypotheses = [
        on_the_line(model),
        Hypothesis("one layer", not several, f"{len(model.layers)} layers" if several else None),
        one_head(model),
        no_biases(model),
        spread(model),
    ]
    return (
        Application(CLOSED_FORM, (*hypotheses, _regular(model))),
        Application(FATES[model.variant], tuple(hypotheses)),
    )


def _regular(model: Model) -> Hypothesis:
    """K, or A, which the closed form divides by."""
    first = Parameters.from_model(model)
    name, matrix = ("K", first.K) if model.variant == "l2" else ("A", first.A_unscaled)
    holds = any(any(row) for row in matrix or ())
    return Hypothesis(f"{name} is not 0", holds, None if holds else f"{name} = 0")
