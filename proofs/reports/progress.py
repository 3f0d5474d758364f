"""Progress of long work, on stderr and only when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def bar(description: str) -> Iterator[Callable[[str, int], None]]:
    """A function to call after each part, with its name and the number of parts in all."""
    if not sys.stderr.isatty():
        yield lambda name, parts: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    shown = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    with shown:
        task = shown.add_task(description, total=None)

        def advance(name: str, parts: int) -> None:
            shown.update(task, advance=1, total=parts, description=name)

        yield advance
