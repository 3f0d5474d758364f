"""Which theorems hold for given parameters, and what they prove.

>>> from numeric import examples
>>> answer = verify(examples.load("softmax-clustering-counterexample"))
>>> answer.existence.verdict, [str(t) for t in answer.existence.time]
('blow-up', ['1', '1'])
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numeric.errors import ParameterError
from numeric.loading import load_model
from numeric.model import Model
from numeric.parameters import Parameters
from proofs import certificates, verdicts
from proofs.claims.base import claim_named
from proofs.kernel import Theorem
from proofs.verdicts.base import Application, Finding
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.problem import CovarianceProblem, Problem
from proofs.verdicts.several_heads import apply_heads
from proofs.verdicts.subject import Subject, problem_of, read_subject, subject_of

if TYPE_CHECKING:
    from numeric.covariance import Trend

#: (one head, with biases) -> the claim that Gaussians are preserved
GAUSSIAN = {
    (True, False): "gaussian.softmax",
    (True, True): "gaussian.bias",
    (False, False): "gaussian.multihead",
    (False, True): "gaussian.multihead-bias",
}
#: verdicts from the most to the least informative
EXISTENCE_ORDER = ("blow-up", "global", "unknown")
LIMIT_ORDER = ("converges", "bounded")


@dataclass(frozen=True)
class Answer:
    """One proved (or open) part of the answer.

    Attributes:
        verdict: as in the JSON of ``verify``.
        status: ``proved`` or ``open``.
        theorem: id of the claim that was applied, None when nothing applies.
        finding: statement, proof and numbers; None when nothing applies.
        certificate: path of the certificate, relative to the output folder.
    """

    verdict: str
    status: str
    theorem: str | None = None
    finding: Finding | None = None
    certificate: str | None = None

    @property
    def time(self) -> tuple[Any, Any] | None:
        """Bounds of the blow-up time (None: no bound), exact rationals."""
        return None if self.finding is None else self.finding.time


@dataclass(frozen=True)
class Verification:
    """What is proved about given parameters; prints as a table, in Jupyter too."""

    parameters: Subject
    gaussian: Answer
    existence: Answer
    limit: Answer
    applications: tuple[Application, ...]
    trend: Trend | None

    def to_json(self) -> dict[str, Any]:
        """The JSON document of ``verify``."""
        from proofs.reports.verification import document

        return document(self)

    def __repr__(self) -> str:
        from proofs.reports.verification import plain

        return plain(self)

    def _repr_markdown_(self) -> str:
        from proofs.reports.verification import markdown

        return markdown(self)


def verify(
    parameters: Subject | Mapping[str, Any] | str | Path,
    *,
    certificates_in: str | Path | None = None,
    trend: bool = True,
) -> Verification:
    """Decide every theorem's hypotheses exactly and prove what follows.

    Args:
        parameters: exact parameters, the fields of a parameter file as a mapping, or the path of
            one.
        certificates_in: folder for the certificates (made if missing); None writes nothing.
        trend: whether to integrate numerically where nothing is proved.

    Raises:
        ParameterError: the file is wrong, or this version does not cover the variant.
    """
    subject = _subject(parameters)
    problem = problem_of(subject)
    applications = (
        tuple(apply_heads(problem, one_head))
        if isinstance(problem, HeadsProblem)
        else tuple(one_head(problem))
    )
    existence = _best(applications, "existence", EXISTENCE_ORDER)
    limit = _limit(applications, existence)
    verification = Verification(
        subject,
        _gaussian(subject),
        existence,
        limit,
        applications,
        _trend(problem, existence) if trend else None,
    )
    if certificates_in is not None:
        verification = _with_certificates(verification, Path(certificates_in))
    return verification


def _subject(parameters: Subject | Mapping[str, Any] | str | Path) -> Subject:
    if isinstance(parameters, Mapping):
        return read_subject(parameters, "parameters")
    if isinstance(parameters, str | Path):
        return subject_of(load_model(parameters))
    if isinstance(parameters, Model):
        return subject_of(parameters)
    if parameters.variant != "softmax":
        raise ParameterError(
            f"{parameters.source}: field variant: this version verifies softmax, "
            f"not {parameters.variant}"
        )
    return parameters


def _gaussian(subject: Subject) -> Answer:
    """Whether Gaussians stay Gaussian: a claim of the ledger, settled now."""
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
        return Answer("unknown", "open")
    decided = {finding.verdict for _, _, finding in found} - {"unknown"}
    assert not {"blow-up", "global"} <= decided, "the theorems contradict each other"
    _, name, finding = min(found, key=lambda item: (item[0], _width(item[2]), item[1]))
    theorem = finding.theorem()
    assert isinstance(theorem, Theorem)
    status = "open" if finding.verdict == "unknown" else "proved"
    return Answer(finding.verdict, status, name, finding)


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


def _trend(problem: CovarianceProblem, existence: Answer) -> Trend | None:
    """What numerical integration suggests, for one head with a start, where nothing is proved."""
    if existence.status == "proved" or problem.start is None or not isinstance(problem, Problem):
        return None
    import numpy as np

    from numeric.covariance import trend

    matrices = (problem.V, problem.score, problem.start)
    try:
        scale = float(problem.scale_squared or 1) ** 0.5
        value, score, start = (np.array([[float(x) for x in row] for row in m]) for m in matrices)
        return trend(value, scale * score, start)
    except (ArithmeticError, ValueError):  # outside the range of floating point
        return None


def _with_certificates(verification: Verification, folder: Path) -> Verification:
    """Write one certificate for each proved part; one says both that and why it is unbounded."""
    parts = {"existence": verification.existence, "limit": verification.limit}
    if verification.existence.verdict == "blow-up":
        del parts["limit"]
    documents = {
        name: certificates.make(
            verification.parameters, answer.finding.statement, answer.finding.proof
        )
        for name, answer in parts.items()
        if answer.finding is not None
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("existence", "limit"):
        path = f"{name}.certificate.json"
        if name not in documents:
            (folder / path).unlink(missing_ok=True)  # of an earlier run
            continue
        certificates.write(folder / path, documents[name])
        parts[name] = replace(parts[name], certificate=path)
    existence = parts["existence"]
    limit = parts.get("limit", replace(existence, verdict="unbounded"))
    return replace(verification, existence=existence, limit=limit)
