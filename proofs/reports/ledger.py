"""The ledger as JSON and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofs.printing.statement import statement_text
from proofs.reports.progress import bar

if TYPE_CHECKING:
    from proofs.check import Result

FORMAT = "lemmaformer/check/1"

STATUS_STYLES = {"proved": "green", "refuted": "magenta", "supported": "yellow", "open": "red"}
"""Colour of each status, in the order in which they are counted."""


def progress(results: Iterable[Result], total: int | None) -> Iterator[Result]:
    """The same results, with a progress bar on stderr when that is a terminal.

    ``total`` is the number of results, None for the whole ledger.
    """
    from proofs.claims.base import ledger

    count = len(ledger()) if total is None else total
    with bar("checking") as advance:
        for result in results:
            advance(result.claim.id, count)
            yield result


def document(results: Sequence[Result]) -> dict[str, Any]:
    """The JSON document of ``check --json``."""
    return {"format": FORMAT, "claims": [_entry(result) for result in results]}


def _entry(result: Result) -> dict[str, Any]:
    claim = result.claim
    return {
        "id": claim.id,
        "statement": statement_text(claim.statement, claim.notation),
        "source": claim.source,
        "status": result.status,
        "expected": claim.expected,
        "facts": facts_of(result),
        "certificate": None,
        "digits": result.digits,
        "digits_of": result.digits_of,
        "seconds": round(result.seconds, 3),
    }


def facts_of(result: Result) -> list[str]:
    """The facts that the kernel recorded, by name; none for a rejected proof."""
    return [] if result.settled is None else sorted(result.settled.facts)


def show(results: Sequence[Result], console: Console) -> None:
    """Print a table with one line for each claim, and the totals."""
    table = Table(title="Claims, settled by the kernel", title_justify="left")
    table.add_column("claim", overflow="fold")
    table.add_column("status", no_wrap=True)
    for column in ("facts", "digits", "seconds"):
        table.add_column(column, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            Text(result.claim.id),
            _status(result),
            str(len(facts_of(result))),
            "-" if result.digits is None else str(result.digits),
            f"{result.seconds:.1f}",
        )
    console.print(table)
    console.print(Text("digits: agreement of the formula with an independent computation"))
    console.print(summary(results), soft_wrap=True)


def _status(result: Result) -> Text:
    text = Text(result.status, style=STATUS_STYLES[result.status])
    if not result.as_recorded:
        text.append(f"  ✗ recorded: {result.claim.expected}", style="bold red")
    return text


def summary(results: Sequence[Result]) -> Text:
    """How many claims have each status, and the names of those that differ from the record."""
    counts: Counter[str] = Counter(result.status for result in results)
    counted = [f"{counts[status]} {status}" for status in STATUS_STYLES if counts[status]]
    differing = [result.claim.id for result in results if not result.as_recorded]
    text = Text(", ".join(counted) or "no claims")
    if not differing:
        return text.append("; all as recorded.")
    return text.append(f"; not as recorded: {', '.join(differing)}.", style="bold red")
