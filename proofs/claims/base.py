"""What a claim is, and the ledger of all claims."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Literal

from proofs import claims
from proofs.kernel import (
    KernelError,
    Lemma,
    Proof,
    Refutation,
    Session,
    Statement,
    Theorem,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

Status = Literal["proved", "refuted", "supported", "open"]

PAPER_ID = "arXiv:2501.18322"


@dataclass(frozen=True)
class Claim:
    """One statement, why it is believed, and how it is settled.

    Attributes:
        id: stable name, subject first.
        title: one informal line.
        source: where the statement comes from.
        statement: the statement itself; what is printed is printed from it.
        hypotheses: a name for each hypothesis of the statement.
        prove: makes the proof (of the statement, or of the counterexample).
        expected: the recorded status.
        counterexample: values that refute the statement, None for a claim to be proved.
        note: informal remark on the scope of the claim.
        notation: letters that shorten the printed statement and proof, nothing more.

    >>> claim = claim_named("seed.softmax-clustering")
    >>> type(claim.settle()).__name__
    'Refutation'
    """

    id: str
    title: str
    source: str
    statement: Statement
    hypotheses: tuple[str, ...]
    prove: Callable[[], Proof]
    expected: Status = "proved"
    counterexample: Mapping[str, Term] | None = None
    note: str = ""
    notation: tuple[Definition, ...] = ()

    @cached_property
    def proof(self) -> Proof:
        """The proof, made once."""
        return self.prove()

    def settle(self, session: Session | None = None) -> Theorem | Refutation:
        """Run the kernel on the proof, and on the lemmas that the session has not met.

        Raises:
            KernelError: the proof is rejected.
        """
        session = session or Session()
        if self.counterexample is None:
            return session.theorem(self.lemma())
        return session.refute(self.statement, self.counterexample, self.proof)

    def status(self, session: Session | None = None) -> tuple[Status, Theorem | Refutation | None]:
        """The status that the kernel gives, and what it made; see :meth:`settle`."""
        try:
            result = self.settle(session)
        except KernelError:
            return "open", None
        return ("proved" if isinstance(result, Theorem) else "refuted"), result

    def lemma(self) -> Lemma:
        """The claim as a lemma for other proofs, one object however often it is used."""
        return self._lemma

    @cached_property
    def _lemma(self) -> Lemma:
        return Lemma(self.statement, self.proof)


@cache
def ledger() -> Mapping[str, Claim]:
    """Id -> claim, sorted by id.

    Raises:
        ValueError: two files have claims of one id.

    >>> [name for name in ledger() if name.startswith("seed")]
    ['seed.l2-global', 'seed.softmax-blowup.does', 'seed.softmax-blowup.may',
     'seed.softmax-clustering']
    """
    found: dict[str, Claim] = {}
    for module in pkgutil.iter_modules(claims.__path__):
        claim = getattr(import_module(f"proofs.claims.{module.name}"), "CLAIM", None)
        if claim is None:
            continue
        if claim.id in found:
            raise ValueError(f"two claims are called {claim.id}")
        found[claim.id] = claim
    return dict(sorted(found.items()))


def claim_named(name: str) -> Claim:
    """The claim of that name, its id.

    Raises:
        ValueError: there is none; the message suggests the closest ids.

    >>> print(claim_named("gaussian.l2").hypotheses[0])
    Sigma0 positive semidefinite
    """
    table = ledger()
    if name in table:
        return table[name]
    close = difflib.get_close_matches(name, table, n=3)
    hint = f"; closest: {', '.join(close)}" if close else ""
    raise ValueError(f"unknown claim {name!r}{hint}")
