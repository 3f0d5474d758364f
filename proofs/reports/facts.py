"""The facts that proofs quote, with the claims that rest on them."""

from __future__ import annotations

from collections import Counter

from proofs.claims.base import ledger
from proofs.facts.base import all_facts
from proofs.printing.markup import to_plain


def uses() -> Counter[str]:
    """Fact -> number of claims that rest on it, as the kernel reports them."""
    return Counter(name for claim in ledger().values() for name in claim.settle().facts)


def table() -> str:
    """A Markdown table of all facts: name, text, reference, number of claims."""
    count = uses()
    lines = ["| fact | says | reference | claims |", "|---|---|---|---|"]
    lines += [
        f"| `{fact.name}` | {_cell(fact.text)} | {_cell(fact.reference)} | {count[fact.name]} |"
        for fact in all_facts().values()
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return to_plain(text).replace("|", r"\|")
