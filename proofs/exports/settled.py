"""Claims after the kernel has settled them: what exports are made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proofs.claims.base import Claim, Status
from proofs.facts.base import Fact, fact_named
from proofs.kernel import Refutation, Session, Statement, Theorem


@dataclass(frozen=True)
class Settled:
    """A claim, and what the kernel made of it: None when it rejected the proof.

    ``digits`` is a sentence on the cross-check, empty when none was asked for.
    """

    claim: Claim
    status: Status
    result: Theorem | Refutation | None
    digits: str = ""

    @property
    def statement(self) -> Statement:
        """The statement that the kernel returned."""
        return self.claim.statement if self.result is None else self.result.statement

    @property
    def facts(self) -> list[Fact]:
        """The facts that the kernel recorded, by name."""
        names = [] if self.result is None else sorted(self.result.facts)
        return [fact_named(name) for name in names]


def settle(claims: Sequence[Claim], digits: bool = False) -> Iterator[Settled]:
    """Settle claims one by one, each lemma once; with the digits of the cross-check if asked."""
    session = Session()
    for claim in claims:
        status, result = claim.status(session)
        yield Settled(claim, status, result, _digits(claim) if digits else "")


def _digits(claim: Claim) -> str:
    from proofs.crosschecks.base import cross_check_of

    compared = cross_check_of(claim.id).run()
    if compared.digits is None:
        return f"No number is compared: {compared.reason}."
    return f"{compared.digits} digits agree with an independent computation: {compared.quantity}."
