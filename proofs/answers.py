"""What ``verify`` answers: the parts, and how they print."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from proofs.verdicts.base import Application, Finding, Witness
from proofs.verdicts.factored.head_report import HeadReport
from proofs.verdicts.problem import Rows
from proofs.verdicts.subject import Subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from numeric.covariance import Trend
    from numeric.stack import StackEvolution


#: times beyond it are not drawn
MOST_DRAWN = 10**300


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

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """Starts with different fates, for the verdict depends."""
        return () if self.finding is None else self.finding.witnesses


UNKNOWN = Answer("unknown", "open")


@dataclass(frozen=True)
class GradientFlow(Answer):
    """Whether attention is a gradient flow of the energy of its variant.

    Attributes:
        verdict: ``descent``, ``ascent``, ``none`` (no constant matrix B does for that energy) or
            ``unknown``.
        metric: B, a symmetric positive definite matrix with B V = -A or B V = A, up to the scale
            of the scores when that is irrational.
        energy: what descends or ascends, in LaTeX.
        reason: what decides, or why nothing does.
    """

    metric: Rows | None = None
    energy: str | None = None
    reason: str | None = None


def established(name: str, finding: Finding) -> Answer:
    """The answer that a finding gives, once the kernel has established it.

    Raises:
        KernelError: its proof is rejected.
    """
    finding.theorem()
    status = "open" if finding.verdict == "unknown" else "proved"
    return Answer(finding.verdict, status, finding.by or name, finding)


@dataclass(frozen=True)
class HeadAnswer:
    """One head of a layer, as if it were alone: what is decided, and the time it surely has."""

    report: HeadReport
    existence: Answer


@dataclass(frozen=True)
class LayerAnswer:
    """One layer of a stack, as if it acted alone and for ever.

    Attributes:
        index: number of the layer in the file, from 0.
        time: how long it acts in the stack, None for ever.
        existence, limit: answers for the layer alone, from the start of the stack.
        applications: the theorems for it.
        heads: its heads, each alone.
    """

    index: int
    time: Fraction | None
    existence: Answer
    limit: Answer
    applications: tuple[Application, ...]
    heads: tuple[HeadAnswer, ...]


@dataclass(frozen=True)
class Verification:
    """What is proved about given parameters; prints as a table, in Jupyter too.

    Attributes:
        parameters: what was verified.
        gaussian, existence, limit, gradient_flow: the answers.
        applications: the theorems, their hypotheses decided.
        trend: what integration suggests where nothing is proved.
        heads: the heads of one layer, each alone, when there are several or they are large.
        layers: the layers of a stack, each alone.
        evolution: flow and residual steps through a stack, evidence only.

    >>> from proofs.verify import verify
    >>> answer = verify({"variant": "softmax", "A": [[-1]], "V": [[1]], "Sigma0": [[2]]})
    >>> answer.gaussian.verdict, answer.existence.verdict, answer.limit.verdict
    ('preserved', 'global', 'converges')
    """

    parameters: Subject
    gaussian: Answer
    existence: Answer
    limit: Answer
    applications: tuple[Application, ...]
    trend: Trend | None = None
    heads: tuple[HeadAnswer, ...] = ()
    layers: tuple[LayerAnswer, ...] = ()
    evolution: StackEvolution | None = None
    gradient_flow: GradientFlow = GradientFlow("unknown", "open")

    @property
    def every_head(self) -> tuple[HeadAnswer, ...]:
        """The heads of all layers."""
        return (*self.heads, *(head for layer in self.layers for head in layer.heads))

    def to_json(self) -> dict[str, Any]:
        """The JSON document of ``verify``."""
        from proofs.reports.verification_json import document

        return document(self)

    def plot(self) -> Figure:
        """Draw flow and residual steps through a stack, and the times proved for its heads.

        Raises:
            ValueError: this is no stack, or its evolution was not computed.
        """
        from numeric.plots import plot_stack

        if self.evolution is None:
            raise ValueError("only the evolution through several layers is drawn")
        proved = [
            [
                float(head.existence.time[0])
                for head in layer.heads
                if head.existence.time is not None and head.existence.time[0] < MOST_DRAWN
            ]
            for layer in self.layers
        ]
        return plot_stack(self.evolution, existence=proved)

    def __repr__(self) -> str:
        from proofs.reports.verification import plain

        return plain(self)

    def _repr_markdown_(self) -> str:
        from proofs.reports.verification import markdown

        return markdown(self)
