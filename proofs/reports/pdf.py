"""A LaTeX article as PDF, by a TeX engine of the system."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ENGINES = ("pdflatex", "lualatex", "xelatex", "tectonic")
"""In the order in which they are looked for; the last may fetch packages from the network."""

SECONDS = 120
"""Time limit of one run."""

RUNS = 3
"""At most; cross-references and the widths of tables need a second one."""

_RERUN = re.compile(r"Rerun to get|Rerun LaTeX")
_ERROR = re.compile(r"^(?:! |error: )(?P<message>.+)$", re.MULTILINE)
_LINE = re.compile(r"^l\.(?P<number>\d+) ", re.MULTILINE)


class TexError(Exception):
    """There is no PDF; the message is one line that says why."""


def engine() -> str:
    """The path of the TeX engine.

    Raises:
        TexError: there is none on PATH.
    """
    for name in ENGINES:
        path = shutil.which(name)
        if path is not None:
            return path
    raise TexError(
        f"PDF needs a TeX engine on PATH, one of {', '.join(ENGINES)}: on Debian and Ubuntu, "
        "apt-get install texlive-latex-base texlive-latex-recommended"
    )


def compiled(source: str) -> tuple[bytes, str]:
    """The PDF of a LaTeX file, and what TeX printed in its last run.

    Raises:
        TexError: no engine, an error of TeX, or no end within the time limit.
    """
    path = engine()
    with tempfile.TemporaryDirectory(prefix="lemmaformer-") as name:
        folder = Path(name)
        (folder / "document.tex").write_text(source, encoding="utf-8")
        for _ in range(RUNS):
            printed = _run(path, folder)
            if not _RERUN.search(printed):
                break
        return (folder / "document.pdf").read_bytes(), printed


def _run(path: str, folder: Path) -> str:
    tectonic = Path(path).stem == "tectonic"
    options = [] if tectonic else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    output = folder / "printed"
    try:
        with output.open("wb") as stream:
            code = subprocess.run(
                [path, *options, "document.tex"],
                cwd=folder,
                env={**os.environ, "max_print_line": "1000"},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            ).returncode
    except subprocess.TimeoutExpired:
        raise TexError(f"{Path(path).name} did not end within {SECONDS} seconds") from None
    except OSError as error:
        raise TexError(f"{path}: {error.strerror}") from error
    printed = output.read_text(encoding="utf-8", errors="replace")
    if code != 0 or not (folder / "document.pdf").is_file():
        raise TexError(f"{Path(path).name}: {_first_error(printed, code)}")
    return printed


def _first_error(printed: str, code: int) -> str:
    match = _ERROR.search(printed)
    if match is None:
        return f"no PDF, exit code {code}"
    line = _LINE.search(printed, match.end())
    return match["message"].strip() + (f" (line {line['number']})" if line else "")
