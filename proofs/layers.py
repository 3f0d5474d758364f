"""Layers and heads one by one, and layers one after another."""

from __future__ import annotations

from dataclasses import replace

from numeric.model import Model
from numeric.parameters import Parameters
from proofs.answers import UNKNOWN, Answer, HeadAnswer, LayerAnswer, Verification, established
from proofs.evidence import evolution_of, trend_of
from proofs.gaussian_preservation import preservation, preserved_by
from proofs.gradient_flows import gradient_theorems
from proofs.one_layer import (
    EXISTENCE_ORDER,
    GAUSSIAN,
    LAYERS,
    best,
    by_theorems,
    gaussian,
    limit_of,
)
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Hypothesis, Progress
from proofs.verdicts.factored.existence import Start
from proofs.verdicts.factored.head_report import FAILURES
from proofs.verdicts.factored.layer_report import LayerReport
from proofs.verdicts.in_sequence import shared
from proofs.verdicts.stack import in_first_layer, lasting
from proofs.verdicts.stack_problem import StackProblem
from proofs.verdicts.subject import (
    is_factored,
    layer_of,
    layer_problem,
    stack_problem,
    subject_of,
)


def verify_factored(model: Model, trend: bool, progress: Progress) -> Verification:
    (report,) = _reports(model, Start.of(model.Sigma0), progress)
    existence = best(report.applications, "existence", EXISTENCE_ORDER)
    return Verification(
        model,
        _gaussian_of_layer(model),
        existence,
        limit_of(report.applications, existence),
        report.applications,
        trend_of(model) if trend and existence.status == "open" else None,
        heads=_answers(model, 0, report),
    )


def _gaussian_of_layer(model: Model) -> Answer:
    if model.variant != "softmax":
        return preservation(model)[0]
    single = len(layer_of(model).heads) == 1 and not any(layer_of(model).output_bias or ())
    return preserved_by(GAUSSIAN[single, model.has_bias])


def heads_of(model: Model, progress: Progress) -> tuple[HeadAnswer, ...]:
    (report,) = _reports(model, Start.of(model.Sigma0), progress)
    return _answers(model, 0, report)


def _reports(model: Model, start: Start, progress: Progress) -> list[LayerReport]:
    """Decide about every layer and head alone, in factors."""
    parts = sum(len(layer.heads) for layer in model.layers)
    reports = []
    for layer in model.layers:
        numbers = [head.index for head in layer.heads]
        name = f"layer {layer.index}"
        problem = layer_problem(layer, model)
        several = len(layer.heads) > 1
        biased = [head.has_bias if several else layer.has_bias for head in layer.heads]
        done = lambda name=name: progress(name, parts)  # noqa: E731
        reports.append(LayerReport.of(layer.index, numbers, biased, problem, start, done))
    return reports


def _answers(model: Model, number: int, report: LayerReport) -> tuple[HeadAnswer, ...]:
    """The heads of a layer of the model, each alone; with all theorems when they are small."""
    answers = []
    for place, head in enumerate(report.heads):
        if is_factored(model):
            existence = best(head.applications, "existence", EXISTENCE_ORDER)
        else:
            alone = by_theorems(Parameters.from_model(model, layer=number, head=place), False)
            gradient = gradient_theorems(model.select(layer=number, head=place))
            theorems = (*alone.applications, *gradient)
            existence, head = alone.existence, replace(head, applications=theorems)
        answers.append(HeadAnswer(head, existence))
    return tuple(answers)


# Layers one after another


def verify_stack(model: Model, trend: bool, progress: Progress) -> Verification:
    start = Start.of(model.Sigma0)
    reports = _reports(model, start, progress)
    problem = stack_problem(model, [report.problem for report in reports])
    layers = tuple(_layer_answer(model, number, report) for number, report in enumerate(reports))
    existence = _existence_of_stack(problem, reports, layers, start)
    limit = replace(existence, verdict="unbounded") if existence.verdict == "blow-up" else UNKNOWN
    return Verification(
        model,
        gaussian(model),
        existence,
        limit,
        _applications_of_stack(model, layers),
        layers=layers,
        evolution=evolution_of(model) if trend else None,
    )


def _layer_answer(model: Model, number: int, report: LayerReport) -> LayerAnswer:
    """A layer alone: multiplied out when it is small."""
    layer = model.layers[number]
    if is_factored(model):
        applications = report.applications
        existence = best(applications, "existence", EXISTENCE_ORDER)
        limit = limit_of(applications, existence)
    else:
        for_ever = replace(model, layers=(replace(layer, time=None),))
        alone = by_theorems(subject_of(for_ever), trend=False)
        existence, limit = alone.existence, alone.limit
        applications = (*alone.applications, *gradient_theorems(for_ever))
    heads = _answers(model, number, report)
    return LayerAnswer(layer.index, layer.time, existence, limit, applications, heads)


def _existence_of_stack(
    problem: StackProblem,
    reports: list[LayerReport],
    layers: tuple[LayerAnswer, ...],
    start: Start,
) -> Answer:
    """The fate of the first layer where it is the fate of the stack; else how far bounds reach."""
    first = layers[0].existence
    if first.finding is not None and first.theorem is not None and first.status == "proved":
        finding = in_first_layer(problem, first.finding)
        if finding is not None:
            return established(first.theorem, finding)
    growths = [report.growth for report in reports if report.growth is not None]
    if len(growths) < len(reports):
        return UNKNOWN
    staged = [
        replace(growth, problem=layer)
        for growth, layer in zip(growths, problem.layers, strict=True)
    ]
    try:
        return established(staged[0].theorem, lasting(problem, staged, start))
    except FAILURES:
        return UNKNOWN


def _applications_of_stack(
    model: Model, layers: tuple[LayerAnswer, ...]
) -> tuple[Application, ...]:
    """What holds for the stack: a theorem applies when it applies to every layer."""
    every = Hypothesis(POSITIVE, True, None)
    alone = [(layer.index, layer.applications) for layer in layers]
    found = shared(alone, model.Sigma0 is not None)
    others = (one for one in found if one.id not in GAUSSIAN.values())
    return Application(LAYERS, (every,)), *others
