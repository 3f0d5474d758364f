"""The ledger, settled by the kernel."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proofs.claims.base import Claim, Status, claim_named, ledger
from proofs.kernel import Refutation, Session, Theorem


@dataclass(frozen=True)
class Result:
    """A claim, the status that the kernel gave it, and the agreement of its cross-check.

    Attributes:
        settled: what the kernel made, None when it rejected the proof.
        digits: to which the formula agrees with an independent computation; None where no
            number can be compared, with the reason in ``digits_of``.
        seconds: taken by the kernel and the cross-check.
    """

    claim: Claim
    status: Status
    settled: Theorem | Refutation | None
    digits: int | None
    digits_of: str
    seconds: float

    @property
    def as_recorded(self) -> bool:
        return self.status == self.claim.expected


def check(ids: Sequence[str] = ()) -> Iterator[Result]:
    """Settle the claims of these ids one by one (all of them when there are none).

    The kernel runs every proof anew, once: lemmas and claims that others rest on as well.

    Raises:
        ValueError: an unknown id.

    >>> for result in check(["covariance.multihead-scalar"]):
    ...     print(result.claim.id, result.status, result.digits)
    covariance.multihead-scalar proved 50
    """
    claims = [claim_named(name) for name in ids] or list(ledger().values())
    session = Session()
    return (_settle(claim, session) for claim in claims)


def _settle(claim: Claim, session: Session) -> Result:
    from proofs.crosschecks.base import cross_check_of

    start = time.perf_counter()
    status, settled = claim.status(session)
    compared = cross_check_of(claim.id).run()
    return Result(
        claim,
        status,
        settled,
        compared.digits,
        compared.reason or compared.quantity,
        time.perf_counter() - start,
    )
