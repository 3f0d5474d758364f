"""Writing exports: our own files may be overwritten, nobody else's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from proofs.reports.document import write_atomically

MARK = "Written by lemmaformer export; without this line the file is yours and stays as it is."
"""The first line of every file, as a comment."""

COMMENTS: Mapping[str, str] = {
    ".tex": "% {}",
    ".bib": "% {}",
    ".py": "# {}",
    ".html": "<!-- {} -->",
}

NOTATION = "macros.tex"
"""The file that is meant to be edited."""


class ExportError(ValueError):
    """Nothing was written; the message says why."""


def marked(name: str, text: str) -> str:
    """The text below the line that says that the file is ours."""
    return f"{COMMENTS[Path(name).suffix].format(MARK)}\n{text}"


def write(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """Write the files and return the names of those that were kept, as somebody edited them.

    Nothing is written when one of the files is there and not ours.

    Raises:
        ExportError: a file is there that is not ours.
        OSError: a file cannot be read or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    foreign = [name for name in texts if _is_foreign(folder / name)]
    kept = [name for name in foreign if name == NOTATION]
    for name in foreign:
        if name not in kept:
            raise ExportError(f"{folder / name} is not ours: nothing is written")
    for name, text in texts.items():
        if name not in kept:
            write_atomically(folder / name, marked(name, text))
    return kept


def _is_foreign(path: Path) -> bool:
    if not path.exists():
        return False
    if not path.is_file():
        return True
    with path.open("rb") as stream:
        return stream.readline().rstrip() != marked(path.name, "").rstrip().encode()
