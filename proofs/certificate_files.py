"""The certificates of a verification, one file for each proved part."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from numeric.model import Model
from proofs import certificates
from proofs.answers import Answer, HeadAnswer, Verification
from proofs.parameter_arrays import model_of
from proofs.verdicts.subject import Subject, subject_of

Answered = TypeVar("Answered", bound=Answer)
SUFFIX = ".certificate.json"
PART = r"existence|limit|gradient-flow|head-\d+"
#: names of files of an earlier run
OURS = re.compile(rf"({PART}|layer-\d+\.({PART})){re.escape(SUFFIX)}")


def write_all(verification: Verification, folder: Path) -> Verification:
    """Write one certificate for each proved part; those of an earlier run go.

    One certificate says both that a solution ends and why it is unbounded.

    Raises:
        OSError: the folder cannot be written.
        ParameterError, CodecError, CertificateError: a number cannot be written.
    """
    files = _Files()
    model = model_of(verification.parameters)
    existence = files.add("existence", verification.parameters, verification.existence)
    if existence.verdict == "blow-up":
        limit = replace(existence, verdict="unbounded")
    else:
        limit = files.add("limit", verification.parameters, verification.limit)
    gradient_flow = files.add("gradient-flow", verification.parameters, verification.gradient_flow)
    if len(verification.heads) == 1:  # it is the model
        (head,) = verification.heads
        heads: tuple[HeadAnswer, ...] = (replace(head, existence=existence),)
    else:
        heads = tuple(_head(files, model, 0, "", head) for head in verification.heads)
    layers = []
    for number, layer in enumerate(verification.layers):
        stem = f"layer-{layer.index}"
        alone = subject_of(_alone(model, number))
        shared = files.add(f"{stem}.existence", alone, layer.existence)
        if shared.verdict == "blow-up":
            ending = replace(shared, verdict="unbounded")
        else:
            ending = files.add(f"{stem}.limit", alone, layer.limit)
        inner = tuple(_head(files, model, number, f"{stem}.", head) for head in layer.heads)
        layers.append(replace(layer, existence=shared, limit=ending, heads=inner))
    files.write(folder)
    return replace(
        verification,
        existence=existence,
        limit=limit,
        gradient_flow=gradient_flow,
        heads=heads,
        layers=tuple(layers),
    )


def _head(files: _Files, model: Model, layer: int, stem: str, head: HeadAnswer) -> HeadAnswer:
    number = head.report.index
    place = [h.index for h in model.layers[layer].heads].index(number)
    alone = subject_of(_alone(model.select(layer=layer, head=place), 0))
    return replace(head, existence=files.add(f"{stem}head-{number}", alone, head.existence))


def _alone(model: Model, layer: int) -> Model:
    """One layer, for ever."""
    return replace(model, layers=(replace(model.layers[layer], time=None),))


class _Files:
    """Documents to be written together, when all of them could be made."""

    def __init__(self) -> None:
        self._documents: dict[str, dict[str, Any]] = {}

    def add(self, name: str, subject: Subject, answer: Answered) -> Answered:
        """The answer with the path of its certificate."""
        if answer.finding is None:
            return answer
        path = name + SUFFIX
        self._documents[path] = certificates.make(
            subject, answer.finding.statement, answer.finding.proof
        )
        return replace(answer, certificate=path)

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        certificates.write_all(
            {folder / name: document for name, document in self._documents.items()}
        )
        for path in folder.iterdir():
            ours = OURS.fullmatch(path.name) and path.is_file()
            if ours and path.name not in self._documents:
                path.unlink()
