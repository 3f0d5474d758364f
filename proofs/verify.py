"""Which theorems hold for given parameters, and what they prove.

>>> from numeric import examples
>>> answer = verify(examples.load("softmax-clustering-counterexample"))
>>> answer.existence.verdict, [str(t) for t in answer.existence.time]
('blow-up', ['1', '1'])
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numeric.loading import load_model
from numeric.model import Model
from numeric.parameters import Parameters
from proofs import verdicts
from proofs.answers import (
    UNKNOWN,
    Answer,
    HeadAnswer,
    LayerAnswer,
    Verification,
    established,
)
from proofs.certificate_files import write_all
from proofs.claims.base import claim_named
from proofs.parameter_arrays import model_of
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.factored.existence import Start
from proofs.verdicts.factored.head_report import FAILURES
from proofs.verdicts.factored.layer_report import LayerReport
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import CovarianceProblem
from proofs.verdicts.several_heads import apply_heads
from proofs.verdicts.stack import StackProblem, in_first_layer, lasting
from proofs.verdicts.subject import (
    Subject,
    is_factored,
    is_stack,
    layer_of,
    layer_problem,
    problem_of,
    read_subject,
    stack_problem,
    subject_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numeric.covariance import Trend
    from numeric.stack import StackEvolution

#: (one head, with biases) -> the claim that Gaussians are preserved
GAUSSIAN = {
    (True, False): "gaussian.softmax",
    (True, True): "gaussian.bias",
    (False, False): "gaussian.multihead",
    (False, True): "gaussian.multihead-bias",
}
LAYERS = "gaussian.layers"
#: operations of the integration of one large head, about a second
FEW_OPERATIONS = 10**10
#: verdicts from the most to the least informative
EXISTENCE_ORDER = ("blow-up", "global", "unknown")
LIMIT_ORDER = ("converges", "bounded")

Progress = Callable[[str, int], None]
"""Called after each part of long work, with its name and the number of parts in all."""


def silent(name: str, parts: int) -> None:
    """No progress is shown."""


def verify(
    parameters: Subject | Mapping[str, Any] | str | Path,
    *,
    certificates_in: str | Path | None = None,
    trend: bool = True,
    progress: Progress = silent,
) -> Verification:
    """Decide every theorem's hypotheses exactly and prove what follows.

    Args:
        parameters: exact parameters, the fields of a parameter file as a mapping, or the path of
            one.
        certificates_in: folder for the certificates (made if missing); None writes nothing.
        trend: whether to integrate numerically where nothing is proved.
        progress: told about each part of long work.

    Raises:
        ParameterError: the file is wrong, or this version does not cover the variant.
    """
    subject = _subject(parameters)
    if isinstance(subject, Model) and is_stack(subject):
        verification = _stack(subject, trend, progress)
    elif isinstance(subject, Model) and is_factored(subject):
        verification = _factored(subject, trend, progress)
    else:
        verification = _multiplied(subject, trend, progress)
    if certificates_in is not None:
        verification = write_all(verification, Path(certificates_in))
    return verification


def _subject(parameters: Subject | Mapping[str, Any] | str | Path) -> Subject:
    if isinstance(parameters, Mapping):
        return read_subject(parameters, "parameters")
    if isinstance(parameters, str | Path):
        return subject_of(load_model(parameters))
    return subject_of(model_of(parameters))


# One layer, its matrices multiplied out


def _multiplied(subject: Subject, trend: bool, progress: Progress) -> Verification:
    """With a table of the heads when there are several."""
    verification = _by_theorems(subject, trend)
    if isinstance(subject, Parameters):
        return verification
    return replace(verification, heads=_heads(subject, progress))


def _by_theorems(subject: Subject, trend: bool) -> Verification:
    problem = problem_of(subject)
    assert isinstance(problem, CovarianceProblem)
    applications = (
        tuple(apply_heads(problem, one_head))
        if isinstance(problem, HeadsProblem)
        else tuple(one_head(problem))
    )
    existence = _best(applications, "existence", EXISTENCE_ORDER)
    limit = _limit(applications, existence)
    wanted = trend and existence.status == "open"
    return Verification(
        subject,
        _gaussian(subject),
        existence,
        limit,
        applications,
        _trend(model_of(subject)) if wanted and subject.Sigma0 is not None else None,
    )


def _gaussian(subject: Subject) -> Answer:
    """Whether Gaussians stay Gaussian: a claim of the ledger, settled now."""
    if is_stack(subject):
        claim = claim_named(LAYERS)
    else:
        claim = claim_named(GAUSSIAN[isinstance(subject, Parameters), subject.has_bias])
    return Answer("preserved", claim.status()[0], claim.id)


def one_head(problem: CovarianceProblem) -> Iterable[Application]:
    """All theorems for one head, applied to its parameters."""
    for apply in appliers():
        yield from apply(problem)


def appliers() -> Iterable[Any]:
    """The functions that apply a theorem to a problem, one a file of ``proofs/verdicts``."""
    for module in pkgutil.iter_modules(verdicts.__path__):
        apply = getattr(import_module(f"proofs.verdicts.{module.name}"), "apply", None)
        if apply is not None:
            yield apply


def _best(applications: Iterable[Application], section: str, order: tuple[str, ...]) -> Answer:
    """The most informative finding of a section, established by the kernel.

    Raises:
        AssertionError: two findings contradict each other.
    """
    found = [
        (order.index(finding.verdict), application.id, finding)
        for application in applications
        for finding in application.findings
        if finding.section == section
    ]
    if not found:
        return UNKNOWN
    decided = {finding.verdict for _, _, finding in found} - {"unknown"}
    assert not {"blow-up", "global"} <= decided, "the theorems contradict each other"
    _, name, finding = min(found, key=lambda item: (item[0], _width(item[2]), item[1]))
    return established(name, finding)


def _limit(applications: Iterable[Application], existence: Answer) -> Answer:
    """A solution that ends in finite time is unbounded, by definition of its maximality."""
    if existence.verdict == "blow-up":
        return replace(existence, verdict="unbounded")
    return _best(applications, "limit", LIMIT_ORDER)


def _width(finding: Finding) -> Fraction:
    """How far apart the bounds of the time are: exact times first."""
    if finding.time is None or finding.time[1] is None:
        return Fraction(0)
    return finding.time[1] - finding.time[0]


# One layer in factors


def _factored(model: Model, trend: bool, progress: Progress) -> Verification:
    (report,) = _reports(model, progress)
    return Verification(
        model,
        _gaussian_of_layer(model),
        _best(report.applications, "existence", EXISTENCE_ORDER),
        UNKNOWN,
        report.applications,
        _trend(model) if trend else None,
        heads=_answers(model, 0, report),
    )


def _gaussian_of_layer(model: Model) -> Answer:
    single = len(layer_of(model).heads) == 1 and not any(layer_of(model).output_bias or ())
    claim = claim_named(GAUSSIAN[single, model.has_bias])
    return Answer("preserved", claim.status()[0], claim.id)


def _heads(model: Model, progress: Progress) -> tuple[HeadAnswer, ...]:
    (report,) = _reports(model, progress)
    return _answers(model, 0, report)


def _reports(model: Model, progress: Progress) -> list[LayerReport]:
    """Decide about every layer and head alone, in factors."""
    start = Start.of(model.Sigma0)
    parts = sum(len(layer.heads) for layer in model.layers)
    reports = []
    for layer in model.layers:
        numbers = [head.index for head in layer.heads]
        name = f"layer {layer.index}"
        problem = layer_problem(layer, model)
        done = lambda name=name: progress(name, parts)  # noqa: E731
        reports.append(LayerReport.of(layer.index, numbers, problem, start, done))
    return reports


def _answers(model: Model, number: int, report: LayerReport) -> tuple[HeadAnswer, ...]:
    """The heads of a layer of the model, each alone; with all theorems when they are small."""
    answers = []
    for place, head in enumerate(report.heads):
        if is_factored(model):
            existence = _best(head.applications, "existence", EXISTENCE_ORDER)
        else:
            alone = _by_theorems(Parameters.from_model(model, layer=number, head=place), False)
            existence, head = alone.existence, replace(head, applications=alone.applications)
        answers.append(HeadAnswer(head, existence))
    return tuple(answers)


# Layers one after another


def _stack(model: Model, trend: bool, progress: Progress) -> Verification:
    reports = _reports(model, progress)
    problem = stack_problem(model, [report.problem for report in reports])
    layers = tuple(_layer_answer(model, number, report) for number, report in enumerate(reports))
    existence = _existence_of_stack(model, problem, reports, layers)
    limit = replace(existence, verdict="unbounded") if existence.verdict == "blow-up" else UNKNOWN
    return Verification(
        model,
        _gaussian(model),
        existence,
        limit,
        _applications_of_stack(layers),
        layers=layers,
        evolution=_evolution(model) if trend else None,
    )


def _layer_answer(model: Model, number: int, report: LayerReport) -> LayerAnswer:
    """A layer alone: multiplied out when it is small."""
    layer = model.layers[number]
    if is_factored(model):
        existence = _best(report.applications, "existence", EXISTENCE_ORDER)
        limit, applications = UNKNOWN, report.applications
    else:
        for_ever = replace(model, layers=(replace(layer, time=None),))
        alone = _by_theorems(subject_of(for_ever), trend=False)
        existence, limit, applications = alone.existence, alone.limit, alone.applications
    heads = _answers(model, number, report)
    return LayerAnswer(layer.index, layer.time, existence, limit, applications, heads)


def _existence_of_stack(
    model: Model, problem: StackProblem, reports: list[LayerReport], layers: tuple[LayerAnswer, ...]
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
        return established(staged[0].theorem, lasting(problem, staged, Start.of(model.Sigma0)))
    except FAILURES:
        return UNKNOWN


def _applications_of_stack(layers: tuple[LayerAnswer, ...]) -> tuple[Application, ...]:
    """What holds for the stack: a theorem applies when it applies to every layer."""
    every = Hypothesis(POSITIVE, True, None)
    shared = set.intersection(*({a.id for a in layer.applications} for layer in layers))
    result = [Application(LAYERS, (every,))]
    for name in sorted(shared - set(GAUSSIAN.values())):
        hypotheses = []
        for layer in layers:
            (one,) = (a for a in layer.applications if a.id == name)
            if not one.applies:
                decisive = next(h for h in one.hypotheses if h.holds is one.applies)
                shown = Hypothesis(f"layer {layer.index}", one.applies, decisive.witness)
                hypotheses.append(shown)
        result.append(Application(name, tuple(hypotheses) or (Hypothesis("every layer", True),)))
    return tuple(result)


# Evidence


def _start_floats(model: Model) -> NDArray[np.float64]:
    """Sigma0 in floating point, the identity when it is not given."""
    import numpy as np

    return np.identity(model.dimension) if model.Sigma0 is None else model.Sigma0.array()


def _trend(model: Model) -> Trend | None:
    """What integration suggests for one layer for ever."""
    from numeric.covariance import OPERATIONS, trend_of_heads
    from numeric.heads import float_layers

    try:
        (layer,) = float_layers(model)
        large = is_factored(model) and len(layer.heads) == 1
        operations = FEW_OPERATIONS if large else OPERATIONS
        return trend_of_heads(layer.heads, _start_floats(model), operations=operations)
    except (ArithmeticError, ValueError):  # outside the range of floating point
        return None


def _evolution(model: Model) -> StackEvolution | None:
    """Flow and residual steps through a stack."""
    from numeric.heads import float_layers
    from numeric.stack import evolve

    try:
        return evolve(float_layers(model), _start_floats(model))
    except (ArithmeticError, ValueError):
        return None
