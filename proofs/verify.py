"""Which theorems hold for given parameters, and what they prove.

>>> from numeric import examples
>>> answer = verify(examples.load("softmax-clustering-counterexample"))
>>> answer.existence.verdict, [str(t) for t in answer.existence.time]
('blow-up', ['1', '1'])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from numeric.loading import load_model
from numeric.mappings import model_from_mapping
from numeric.model import Model
from numeric.parameters import Parameters
from proofs.answers import UNKNOWN, Verification
from proofs.certificate_files import write_all
from proofs.gaussian_preservation import preservation
from proofs.gradient_flows import gradient_flow
from proofs.layers import heads_of, verify_factored, verify_stack
from proofs.one_layer import by_theorems
from proofs.parameter_arrays import model_of
from proofs.scalar_theorems import on_the_line_theorems
from proofs.searches import BUDGET
from proofs.verdicts.base import Progress, silent
from proofs.verdicts.subject import Subject, equation_of, is_factored, is_stack, subject_of


def verify(
    parameters: Subject | Mapping[str, Any] | str | Path,
    *,
    certificates_in: str | Path | None = None,
    trend: bool = True,
    budget: float = BUDGET,
    progress: Progress = silent,
) -> Verification:
    """Decide every theorem's hypotheses exactly and prove what follows.

    Args:
        parameters: exact parameters, the fields of a parameter file as a mapping, or the path of
            one.
        certificates_in: folder for the certificates (made if missing); None writes nothing.
        budget: seconds for the searches where no theorem decides; 0 searches nothing.
        trend: whether to integrate numerically where nothing is proved.
        progress: told about each part of long work.

    Raises:
        ParameterError: the file is wrong, or beyond what this version covers.

    >>> answer = verify({"variant": "softmax", "A": [[2]], "V": [[1]], "Sigma0": [["1/3"]]})
    >>> answer.existence.verdict, answer.existence.time  # Sigma(t) = 1 / (3 - 4 t)
    ('blow-up', (Fraction(3, 4), Fraction(3, 4)))
    """
    model = _model(parameters)
    verification = _with_gradient_flow(_verified(model, trend, budget, progress), model)
    if certificates_in is not None:
        verification = write_all(verification, Path(certificates_in))
    return verification


def _model(parameters: Subject | Mapping[str, Any] | str | Path) -> Model:
    if isinstance(parameters, Mapping):
        return model_from_mapping(parameters, source="parameters")
    if isinstance(parameters, str | Path):
        return load_model(parameters)
    return model_of(parameters)


def _verified(model: Model, trend: bool, budget: float, progress: Progress) -> Verification:
    equation = equation_of(model)
    if equation is None:
        return verify_variant(model)
    subject = subject_of(model)
    if equation != "softmax":
        return by_theorems(subject, trend, budget, progress)
    if isinstance(subject, Model) and is_stack(subject):
        return verify_stack(subject, trend, progress)
    if isinstance(subject, Model) and is_factored(subject):
        return verify_factored(subject, trend, progress)
    return _multiplied(subject, trend, budget, progress)


def verify_variant(model: Model) -> Verification:
    """What is known where no theorem on the covariance is about the model."""
    gaussian, applications = preservation(model)
    theorems = (*applications, *on_the_line_theorems(model))
    return Verification(model, gaussian, UNKNOWN, UNKNOWN, theorems)


def _with_gradient_flow(verification: Verification, model: Model) -> Verification:
    answer, applications = gradient_flow(model)
    return replace(
        verification,
        gradient_flow=answer,
        applications=(*verification.applications, *applications),
    )


def _multiplied(subject: Subject, trend: bool, budget: float, progress: Progress) -> Verification:
    """With a table of the heads when there are several."""
    verification = by_theorems(subject, trend, budget, progress)
    if isinstance(subject, Parameters):
        return verification
    return replace(verification, heads=heads_of(subject, progress))
