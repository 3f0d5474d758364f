"""What a verdict is about: the parameters of one head, or a layer of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numeric.errors import ParameterError
from numeric.mappings import model_from_mapping
from numeric.model import Layer, Model
from numeric.parameters import Parameters
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import CovarianceProblem, Problem

#: beyond it exact decisions take too long
MAX_DIMENSION = 32

Subject = Parameters | Model
"""One head, or a model with one layer of several heads."""


def subject_of(model: Model) -> Subject:
    """The subject that a model stands for.

    Raises:
        ParameterError: the model is not covered by this version.
    """
    source = model.source
    if model.variant != "softmax":
        raise ParameterError(
            f"{source}: field variant: this version verifies softmax, not {model.variant}"
        )
    if model.dimension > MAX_DIMENSION:
        raise ParameterError(
            f"{source}: d = {model.dimension}: this version decides up to d = {MAX_DIMENSION}"
        )
    if model.mask is not None:
        raise ParameterError(f"{source}: field mask: this version verifies attention without mask")
    if len(model.layers) != 1:
        raise ParameterError(
            f"{source}: field layers: this version verifies one layer of {len(model.layers)}, "
            "choose it with --layer"
        )
    (layer,) = model.layers
    if len(layer.heads) == 1 and not any(layer.output_bias or ()):
        return Parameters.from_model(model)
    if len({head.scale_squared for head in layer.heads}) != 1:
        raise ParameterError(f"{source}: field heads: this version expects one scale for all heads")
    return model


def layer_of(model: Model) -> Layer:
    """The only layer of a subject."""
    (layer,) = model.layers
    return layer


def head_count(subject: Subject) -> int:
    return 1 if isinstance(subject, Parameters) else len(layer_of(subject).heads)


def read_subject(mapping: Mapping[str, Any], source: str) -> Subject:
    """The subject of decoded parameters.

    Raises:
        ParameterError: they are malformed or not covered.
    """
    return subject_of(model_from_mapping(mapping, source=source))


def problem_of(subject: Subject) -> CovarianceProblem:
    """The covariance equation of a subject, as kernel terms."""
    if isinstance(subject, Parameters):
        return Problem.from_parameters(subject)
    heads = [Parameters.from_model(subject, head=i) for i in range(len(layer_of(subject).heads))]
    return HeadsProblem.from_heads(heads, biased=subject.has_bias)
