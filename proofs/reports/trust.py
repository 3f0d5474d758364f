"""What a verdict rests on: the files that make theorems, measured as they are installed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import proofs
from proofs.facts.base import SUBJECTS

ROLES = {
    "kernel": "what a proof is; the only place that makes theorems and refutations",
    "terms": "the language of statements, its sorts, substitution",
    "checkers": "exact algebra, positivity, elimination, differentiation",
    "facts": "what analysis contributes, stated as terms and cited",
    "language": "short constructors that the facts are written with",
}


@dataclass(frozen=True, slots=True)
class TrustedFile:
    """One file of the trusted base.

    Attributes:
        path: inside the package, such as ``proofs/kernel.py``.
        part: one of ``ROLES``.
        lines: its number of lines.
    """

    path: str
    part: str
    lines: int


@cache
def trusted_base() -> tuple[TrustedFile, ...]:
    """The kernel, the facts, and every module of this project that one of them imports."""
    root = Path(proofs.__file__).parent
    waiting = ["proofs.kernel", *(f"proofs.facts.{subject}" for subject in SUBJECTS)]
    found: dict[str, TrustedFile] = {}
    while waiting:
        module = waiting.pop()
        path = root.joinpath(*module.split(".")[1:]).with_suffix(".py")
        if module in found or not path.exists():
            continue
        source = path.read_text(encoding="utf-8")
        name = path.relative_to(root.parent).as_posix()
        found[module] = TrustedFile(name, module.split(".")[1], len(source.splitlines()))
        waiting.extend(_imported(source))
    order = list(ROLES)
    return tuple(sorted(found.values(), key=lambda file: (order.index(file.part), file.path)))


def _imported(source: str) -> Iterator[str]:
    """The modules of this project that a module names in its imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("proofs"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("proofs"):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def trusted_lines() -> dict[str, int]:
    """Part -> number of lines, in the order of ``ROLES``."""
    totals = dict.fromkeys(ROLES, 0)
    for file in trusted_base():
        totals[file.part] += file.lines
    return totals
