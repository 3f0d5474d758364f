"""Tables of heads and of layers: what is decided about each, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from proofs.answers import Answer, HeadAnswer, Verification
from proofs.verdicts.base import Hypothesis
from proofs.verdicts.factored.spectrum import Interval

if TYPE_CHECKING:
    from numeric.stack import LayerRecord

HEAD_COLUMNS = (
    "layer",
    "head",
    "existence",
    "A = Aᵀ",
    "λ(A + Aᵀ) in",
    "λ(S) in",
    "ranks",
    "A + Aᵀ ≤ 0",
    "VS = SV",
    "PV ≥ 0",
)
LAYER_COLUMNS = ("layer", "time", "alone, proved", "flow (numerical)", "residual step (numerical)")
#: digits of what is shown, rounded to the safe side
DIGITS = 4
#: digits of eigenvalues
FEW = 3


def met_by_no_head(heads: Sequence[HeadAnswer]) -> list[str]:
    """The theorems for one head some hypothesis of which fails for every head."""
    states: dict[str, set[bool | None]] = {}
    for head in heads:
        for application in head.report.applications:
            states.setdefault(application.id, set()).add(application.applies)
    return sorted(name for name, found in states.items() if found == {False})


def head_rows(heads: Sequence[tuple[int | None, HeadAnswer]]) -> list[tuple[str, ...]]:
    """A row for each head, with the number of its layer."""
    return [_head_row(layer, head) for layer, head in heads]


def _head_row(layer: int | None, head: HeadAnswer) -> tuple[str, ...]:
    report = head.report
    named = {h.name: h for a in report.applications for h in a.hypotheses}
    ranks = report.ranks.values()
    return (
        "" if layer is None else str(layer),
        str(report.index),
        existence(head.existence),
        "yes" if report.symmetric.holds else "no",
        _span(*report.scores),
        _span(*report.drift),
        " ".join(map(str, ranks)),
        _state(named.get("A + A^T negative semidefinite")),
        _state(named.get("V commutes with S")),
        _state(named.get("P V symmetric positive semidefinite for some P > 0")),
    )


def layer_rows(verification: Verification) -> list[tuple[str, ...]]:
    """A row for each layer: what is proved for it alone, and what numerics show in the stack."""
    evolution = verification.evolution
    records = (None,) * len(verification.layers) if evolution is None else evolution.layers
    return [
        (
            str(layer.index),
            "∞" if layer.time is None else str(layer.time),
            existence(layer.existence),
            *_evolution(record),
        )
        for layer, record in zip(verification.layers, records, strict=True)
    ]


def _evolution(record: LayerRecord | None) -> tuple[str, str]:
    if record is None:
        return "", ""
    if record.flow is None:
        flow = "not reached"
    elif record.flow.verdict == "blow-up" and record.flow.time is not None:
        flow = f"blow-up at t ≈ {record.flow.time:.4g} of the layer"
    elif record.flow_end is not None:
        flow = f"λmax {_power(record.flow_end.log10_largest)}"
    else:
        flow = record.flow.verdict
    if record.residual is None:
        return flow, ""
    size = record.residual
    return flow, f"λmax {_power(size.log10_largest)}, effective rank {size.effective_rank:.3g}"


def _power(logarithm: float) -> str:
    if logarithm == float("-inf"):
        return "0"
    if abs(logarithm) < 6:
        return f"{10**logarithm:.4g}"
    return f"10^{logarithm:.1f}"


def existence(answer: Answer) -> str:
    """A few characters: global, blow-up by some time, or the time until which it surely exists."""
    if answer.verdict == "global":
        return "global"
    if answer.verdict == "blow-up":
        latest = None if answer.time is None else answer.time[1]
        return "blow-up" if latest is None else f"blow-up by {_shown(latest, ROUND_CEILING)}"
    return "unknown" if answer.time is None else f"t ≥ {_shown(answer.time[0], ROUND_FLOOR)}"


def _state(hypothesis: Hypothesis | None) -> str:
    if hypothesis is None:
        return ""
    if hypothesis.holds is None:
        return "?"
    if hypothesis.holds:
        return "yes"
    return "no" if hypothesis.short is None else hypothesis.short


def _span(lowest: Interval | None, highest: Interval | None) -> str:
    """An interval that holds all eigenvalues."""
    low = "?" if lowest is None else _shown(lowest[0], ROUND_FLOOR, FEW)
    high = "?" if highest is None else _shown(highest[1], ROUND_CEILING, FEW)
    return f"[{low}, {high}]"


def _shown(value: Fraction, rounding: str, digits: int = DIGITS) -> str:
    context = Context(prec=digits, rounding=rounding)
    number = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return f"{number:f}" if -4 <= number.adjusted() <= 6 else str(number)
