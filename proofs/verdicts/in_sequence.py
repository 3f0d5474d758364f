"""Which theorems hold for every layer of a stack, from where the layer starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proofs.claims.covariance_commuting_every_start import CLAIM as EVERY_START
from proofs.claims.covariance_multihead_scalar import CLAIM as SCALAR
from proofs.claims.covariance_self_similar import CLAIM as SELF_SIMILAR
from proofs.verdicts import commuting, one_head
from proofs.verdicts.always import STATIONARY
from proofs.verdicts.base import Application, Hypothesis

COMMUTING = (commuting.NAMES[0], one_head.NAMES[0])
#: hypotheses on the start of a layer, which only the first layer has from the parameters
ON_START = (
    *COMMUTING,
    commuting.NEGATIVE_NAME,
    commuting.POSITIVE_NAME,
    STATIONARY,
    SELF_SIMILAR.hypotheses[0],
)
ELSEWHERE = "depends on where the layer before ends"

Alone = tuple[int, tuple[Application, ...]]
"""The number of a layer, and the theorems for it alone, from the start of the stack."""


def shared(layers: Sequence[Alone], given: bool) -> list[Application]:
    """The theorems that apply to every layer; ``given`` says whether Sigma0 is."""
    first, *later = layers
    moved = [
        first,
        *((number, from_elsewhere(alone)) if given else (number, alone) for number, alone in later),
    ]
    names = set.intersection(*({a.id for a in alone} for _, alone in moved))
    return [Application(name, _hypotheses(name, moved)) for name in sorted(names)]


def _hypotheses(name: str, layers: Sequence[Alone]) -> tuple[Hypothesis, ...]:
    """What decides in each layer to which a theorem does not apply, or may not."""
    hypotheses = []
    for number, alone in layers:
        (one,) = (a for a in alone if a.id == name)
        if not one.applies:
            decisive = next(h for h in one.hypotheses if h.holds is one.applies)
            hypotheses.append(Hypothesis(f"layer {number}", one.applies, decisive.witness))
    return tuple(hypotheses) or (Hypothesis("every layer", True),)


def from_elsewhere(alone: tuple[Application, ...]) -> tuple[Application, ...]:
    """The theorems for a layer that does not start at Sigma0."""
    always = any(a.applies for a in alone if a.id in (EVERY_START.id, SCALAR.id))
    return tuple(
        replace(a, hypotheses=tuple(_from_elsewhere(h, always) for h in a.hypotheses))
        for a in alone
    )


def _from_elsewhere(hypothesis: Hypothesis, always: bool) -> Hypothesis:
    """``always``: V is a multiple of the identity, which commutes with every start."""
    if hypothesis.name not in ON_START or (always and hypothesis.name in COMMUTING):
        return hypothesis
    return Hypothesis(hypothesis.name, None, ELSEWHERE)
