"""The answer of ``verify`` as JSON; the schema is ``proofs/schemas/verify.json``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from proofs.answers import Answer, GradientFlow, HeadAnswer, LayerAnswer, Verification
from proofs.parameter_arrays import model_of
from proofs.reports.by_head import met_by_no_head
from proofs.reports.gaussian_equations import equations
from proofs.verdicts.base import Application
from proofs.verdicts.factored.spectrum import Interval
from proofs.verdicts.subject import head_count

if TYPE_CHECKING:
    from numeric.covariance import Trend
    from numeric.stack import LayerRecord, Size

FORMAT = "lemmaformer/verify/1"


def document(verification: Verification) -> dict[str, Any]:
    """The JSON document."""
    parameters = verification.parameters
    given = parameters.Sigma0 is not None
    result: dict[str, Any] = {
        "format": FORMAT,
        "variant": parameters.variant,
        "dimension": parameters.dimension,
        "heads": head_count(parameters),
    }
    if verification.layers:
        result["layers"] = _layers(verification, given)
    elif verification.heads:
        result["by_head"] = [_head(head, given) for head in verification.heads]
    if verification.every_head:
        result["met_by_no_head"] = met_by_no_head(verification.every_head)
    return result | {
        "gaussian": {
            "preserved": verification.gaussian.verdict == "preserved",
            "status": verification.gaussian.status,
            "theorem": verification.gaussian.theorem,
            "equations": equations(model_of(parameters), verification.gaussian),
        },
        "existence": _existence(verification.existence, given, verification.trend),
        "limit": _limit(verification.limit),
        "gradient_flow": _gradient_flow(verification.gradient_flow),
        "convexity": {
            "verdict": "unknown",
            "status": "open",
            "lambda": None,
            "ratio": None,
            "certificate": None,
        },
        "theorems": _theorems(verification.applications),
    }


def _theorems(applications: Iterable[Application]) -> list[dict[str, Any]]:
    return [
        {
            "id": application.id,
            "applies": application.applies,
            "hypotheses": [
                {"name": h.name, "holds": h.holds, "witness": h.witness}
                for h in application.hypotheses
            ],
        }
        for application in sorted(applications, key=lambda a: a.id)
    ]


def _existence(answer: Answer, given: bool, trend: Trend | None = None) -> dict[str, Any]:
    finding = answer.finding
    restricted = finding is not None and (finding.up_to is not None or bool(answer.witnesses))
    return {
        "verdict": answer.verdict,
        "for_sigma0": "given" if given else "some" if restricted else "all",
        "status": answer.status,
        "time": _bounds(answer.time),
        "theorem": answer.theorem,
        "certificate": answer.certificate,
        "witnesses": _witnesses(answer),
        "trend": _trend(trend),
    }


def _witnesses(answer: Answer) -> list[dict[str, Any]] | None:
    """The starts of the verdict depends."""
    if not answer.witnesses:
        return None
    return [
        {
            "Sigma0": [[str(x) for x in row] for row in witness.start],
            "verdict": witness.verdict,
            "time": _bounds(witness.time),
            "theorem": witness.theorem,
        }
        for witness in answer.witnesses
    ]


def _bounds(time: tuple[Fraction, Fraction | None] | None) -> list[str | None] | None:
    return None if time is None else [None if bound is None else str(bound) for bound in time]


def _trend(trend: Trend | None) -> dict[str, Any] | None:
    return None if trend is None else {"verdict": trend.verdict, "digits": trend.digits}


def _limit(answer: Answer) -> dict[str, Any]:
    finding = answer.finding
    covariance = None if finding is None else finding.covariance
    return {
        "verdict": answer.verdict,
        "status": answer.status,
        "rank": None if finding is None else finding.rank,
        "rank_at_most": None if finding is None else finding.rank_at_most,
        "covariance": None if covariance is None else [[str(x) for x in row] for row in covariance],
        "theorem": answer.theorem,
        "certificate": answer.certificate,
    }


def _gradient_flow(answer: GradientFlow) -> dict[str, Any]:
    metric = answer.metric
    return {
        "verdict": answer.verdict,
        "status": answer.status,
        "metric": None if metric is None else [[str(x) for x in row] for row in metric],
        "energy": answer.energy,
        "reason": answer.reason,
        "theorem": answer.theorem,
        "certificate": answer.certificate,
    }


# Heads and layers


def _head(head: HeadAnswer, given: bool) -> dict[str, Any]:
    report = head.report
    return {
        "head": report.index,
        "existence": _existence(head.existence, given),
        "symmetric": {"holds": report.symmetric.holds, "witness": report.symmetric.witness},
        "ranks": report.ranks,
        "eigenvalues": {
            name: {"lowest": _interval(lowest), "highest": _interval(highest)}
            for name, (lowest, highest) in (("A + A^T", report.scores), ("S", report.drift))
        },
        "theorems": _theorems(report.applications),
    }


def _interval(interval: Interval | None) -> list[str] | None:
    return None if interval is None else [str(end) for end in interval]


def _layers(verification: Verification, given: bool) -> list[dict[str, Any]]:
    evolution = verification.evolution
    records: tuple[LayerRecord | None, ...] = (
        (None,) * len(verification.layers) if evolution is None else evolution.layers
    )
    return [
        _layer(layer, given, record)
        for layer, record in zip(verification.layers, records, strict=True)
    ]


def _layer(layer: LayerAnswer, given: bool, record: LayerRecord | None) -> dict[str, Any]:
    return {
        "layer": layer.index,
        "time": "inf" if layer.time is None else str(layer.time),
        "existence": _existence(layer.existence, given),
        "limit": _limit(layer.limit),
        "theorems": _theorems(layer.applications),
        "heads": [_head(head, given) for head in layer.heads],
        "evolution": None
        if record is None
        else {
            "flow": _trend(record.flow),
            "flow_end": _size(record.flow_end),
            "residual": _size(record.residual),
        },
    }


def _size(size: Size | None) -> dict[str, Any] | None:
    """Floating-point evidence; a logarithm that is not finite is null."""
    if size is None:
        return None
    numbers = {
        "log10_trace": size.log10_trace,
        "log10_largest_eigenvalue": size.log10_largest,
        "effective_rank": size.effective_rank,
    }
    return {name: x if math.isfinite(x) else None for name, x in numbers.items()}
