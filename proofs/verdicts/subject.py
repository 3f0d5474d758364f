"""What a verdict is about: one head, a layer of several, or a stack of layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from numeric.errors import ParameterError
from numeric.exact import square_root
from numeric.mappings import model_from_mapping
from numeric.model import Layer, Model
from numeric.parameters import Parameters
from proofs.parameter_arrays import literal_of, model_of
from proofs.verdicts.factored.head import FactoredHead
from proofs.verdicts.factored.problem import FactoredProblem
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.l2.problem import L2Problem
from proofs.verdicts.problem import CovarianceProblem, Problem
from proofs.verdicts.sinkhorn.problem import SinkhornProblem
from proofs.verdicts.stack_problem import StackProblem, stages

#: beyond it matrices stay products, and only what their factors decide is decided
MAX_MULTIPLIED = 32
#: beyond it no verdict is tried
MAX_DIMENSION = 2048

Subject = Parameters | Model
"""One head with matrices multiplied out, or any other model."""

#: variant -> its covariance equation for one layer, where that is not the one of softmax
OTHER_EQUATIONS: Mapping[str, Callable[[Model], CovarianceProblem]] = {
    "l2": L2Problem.from_model,
    "sinkhorn": SinkhornProblem.from_model,
}


def subject_of(model: Model) -> Subject:
    """The subject that a model stands for.

    Raises:
        ParameterError: the model is not covered by this version.
    """
    source = model.source
    equation = equation_of(model)
    if equation is None:
        raise ParameterError(
            f"{source}: theorems and certificates on the covariance are about softmax, about one "
            "layer of linear attention with alpha0 = 0, without biases or a mask, and about one "
            f"layer of L2 or Sinkhorn attention with d <= {MAX_MULTIPLIED}, without biases, a "
            "mask, a time or heads of different scales"
        )
    if model.dimension > MAX_DIMENSION:
        raise ParameterError(
            f"{source}: d = {model.dimension}: this version decides up to d = {MAX_DIMENSION}"
        )
    for layer in model.layers:
        if len({head.scale_squared for head in layer.heads}) != 1:
            raise ParameterError(
                f"{source}: field heads: this version expects one scale for all heads of a layer"
            )
    irrational = {scale for layer in model.layers if (scale := _irrational(layer)) is not None}
    if len(irrational) > 1:
        raise ParameterError(
            f"{source}: field layers: this version expects one irrational scale for all layers, "
            "choose one with --layer"
        )
    if model.dimension > MAX_MULTIPLIED or is_stack(model):
        return model
    (layer,) = model.layers
    if len(layer.heads) == 1 and not any(layer.output_bias or ()):
        return Parameters.from_model(model)
    return model


def stated_subject(model: Model) -> Subject:
    """The subject of a certificate: a model that no covariance theorem is about stays as it is.

    Raises:
        ParameterError: the model is not covered by this version.
    """
    return model if equation_of(model) is None else subject_of(model)


def equation_of(model: Model) -> str | None:
    """The variant whose covariance equation a model follows, None where no theorem is about it.

    Linear attention follows that of softmax when the mean is 0 (``covariance.linear-centered``).
    """
    if model.mask is not None:
        return None
    if model.variant == "softmax":
        return "softmax"
    layer, *others = model.layers
    alone = not others and layer.time is None and not model.has_bias
    if model.variant == "linear" and alone and not any(model.alpha0):
        return "softmax"
    if model.variant in OTHER_EQUATIONS and alone and model.dimension <= MAX_MULTIPLIED:
        return model.variant if _is_uniform(layer) else None
    return None


def _is_uniform(layer: Layer) -> bool:
    """Whether all heads have the same scale, and as many queries and keys."""
    sizes = {None if head.K is None else head.K.rows for head in layer.heads}
    return len(sizes) == len({head.scale_squared for head in layer.heads}) == 1


def is_stack(subject: Subject) -> bool:
    """Whether layers act for a time each, in place of one layer for ever."""
    if isinstance(subject, Parameters):
        return False
    return len(subject.layers) > 1 or subject.layers[0].time is not None


def is_factored(subject: Subject) -> bool:
    """Whether the matrices are too large to be multiplied out."""
    return subject.dimension > MAX_MULTIPLIED


def _irrational(layer: Layer) -> Fraction | None:
    """The square of the scale of a layer when the scale is irrational."""
    square = layer.heads[0].scale_squared
    return square if square_root(square) is None else None


def layer_of(model: Model) -> Layer:
    """The only layer of a subject."""
    (layer,) = model.layers
    return layer


def head_count(subject: Subject) -> int:
    """The number of heads of a layer; the largest, when layers differ."""
    if isinstance(subject, Parameters):
        return 1
    return max(len(layer.heads) for layer in subject.layers)


def parts(subject: Subject) -> Iterator[tuple[str, Subject]]:
    """The subject itself (""), and each layer and each head of it alone, with their names."""
    yield "", subject
    if isinstance(subject, Parameters):
        return
    several = len(subject.layers) > 1
    for number, layer in enumerate(subject.layers):
        alone = subject.select(layer=number)
        name = f"layer {layer.index}"
        if is_stack(subject):
            yield name, stated_subject(alone)
        if len(layer.heads) == 1:
            continue
        for place, head in enumerate(layer.heads):
            own = f"head {head.index}"
            named = f"{name}, {own}" if several else own
            yield named, stated_subject(alone.select(head=place))


def read_subject(mapping: Mapping[str, Any], source: str) -> Subject:
    """The subject of decoded parameters.

    Raises:
        ParameterError: they are malformed or not covered.
    """
    return stated_subject(model_from_mapping(mapping, source=source))


def problem_of(subject: Subject) -> CovarianceProblem | StackProblem:
    """The covariance equation of a subject, as kernel terms."""
    if subject.variant in OTHER_EQUATIONS:
        return OTHER_EQUATIONS[subject.variant](model_of(subject))
    if isinstance(subject, Parameters):
        return Problem.from_parameters(subject)
    if is_stack(subject):
        return stack_problem(subject, [layer_problem(layer, subject) for layer in subject.layers])
    if is_factored(subject):
        return layer_problem(layer_of(subject), subject)
    return HeadsProblem.from_model(subject)


def layer_problem(layer: Layer, model: Model) -> FactoredProblem:
    """The covariance equation of a layer for ever, from the start of the model, in factors."""
    return FactoredProblem(
        scale_squared=_irrational(layer),
        start=None if model.Sigma0 is None else literal_of(model.Sigma0),
        mean=model.alpha0,
        biased=layer.has_bias,
        heads=tuple(FactoredHead.of(head) for head in layer.heads),
    )


def stack_problem(model: Model, layers: list[FactoredProblem]) -> StackProblem:
    """The covariance equation through the layers, from the equation of each."""
    times = tuple(layer.time for layer in model.layers)
    squares = {layer.scale_squared for layer in layers} - {None}
    shared = squares.pop() if squares else None
    return StackProblem(stages([replace(p, scale_squared=shared) for p in layers], times), times)
