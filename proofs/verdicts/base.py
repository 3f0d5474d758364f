"""What applying a theorem to a problem yields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal as Choice

from proofs.builder import SESSION
from proofs.kernel import Lemma, Proof, Statement, Theorem
from proofs.verdicts.problem import Problem, Rows

Section = Choice["existence", "limit", "gradient_flow"]
Progress = Callable[[str, int], None]
"""Called after each part of long work, with its name and the number of parts in all."""


def silent(name: str, parts: int) -> None:
    """No progress is shown."""


@dataclass(frozen=True)
class Hypothesis:
    """One hypothesis of a theorem at the user's parameters; None: not decided.

    ``short`` says in a few characters where it fails.
    """

    name: str
    holds: bool | None
    witness: str | None = None
    short: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Witness:
    """A start of its own for which a verdict is proved, by the theorem of that id."""

    start: Rows
    verdict: str
    time: tuple[Fraction, Fraction | None] | None
    theorem: str


@dataclass(frozen=True)
class Finding:
    """A proved verdict: what it says, and the statement with its proof.

    Attributes:
        section: the part of the answer that it settles.
        verdict: global, blow-up, depends or unknown; converges, bounded, unbounded or unknown;
            descent, ascent or none.
        statement, proof: what the kernel is asked to establish.
        time: rational bounds of the blow-up time; None where there is none.
        covariance: the exact limit, where it is rational.
        by: the theorems that were applied, when not the one that is asked.
        witnesses: starts with different fates, for the verdict depends.
        built: what the kernel made of the last step while a long proof was built, which spares
            running it again.
        up_to: a number m when it is proved for the starts Sigma0 <= m I only.
    """

    section: Section
    verdict: str
    statement: Statement = field(repr=False)
    proof: Proof = field(repr=False)
    time: tuple[Fraction, Fraction | None] | None = None
    rank: int | None = None
    rank_at_most: int | None = None
    covariance: Rows | None = None
    up_to: Fraction | None = None
    by: str | None = None
    witnesses: tuple[Witness, ...] = ()
    built: Theorem | None = field(default=None, repr=False, compare=False)

    def theorem(self) -> Theorem:
        """Run the kernel.

        Raises:
            KernelError: the proof is rejected.
        """
        if self.built is None:
            return SESSION.establish(self.statement, self.proof)
        return SESSION.theorem(self.lemma())

    def lemma(self) -> Lemma:
        """What is proved, for use in other proofs.

        Raises:
            KernelError: what was built is not what is stated.
        """
        lemma = Lemma(self.statement, self.proof)
        if self.built is not None:
            SESSION.know(lemma, self.built)
        return lemma


@dataclass(frozen=True)
class Application:
    """A theorem at the user's parameters."""

    id: str
    hypotheses: tuple[Hypothesis, ...]
    findings: tuple[Finding, ...] = field(default=())

    @property
    def applies(self) -> bool | None:
        """True when every hypothesis holds, False when one fails, None otherwise."""
        states = [h.holds for h in self.hypotheses]
        if False in states:
            return False
        return None if None in states else True


Apply = Callable[[Problem], Application]
Table = Mapping[str, Apply]
