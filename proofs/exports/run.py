"""``export``: claims settled by the kernel, then written in one format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from proofs.claims.base import Claim, claim_named, ledger
from proofs.exports.files import marked
from proofs.exports.settled import Settled, settle

FORMATS: Mapping[str, str] = MappingProxyType(
    {"latex": "latex", "python": "python", "mathml": "html"}
)
"""Format -> the module of this package with a function ``files``."""


@dataclass(frozen=True)
class Export:
    """What is to be written.

    Attributes:
        files: name -> text, the marks at the top not included.
        settled: the claims, as the kernel settled them.
        left_out: ids that the format has nothing for.
    """

    files: Mapping[str, str]
    settled: Sequence[Settled]
    left_out: Sequence[str] = ()

    @property
    def differing(self) -> list[str]:
        """The claims whose status is not the recorded one."""
        return [item.claim.id for item in self.settled if item.status != item.claim.expected]

    def fragment(self) -> str:
        """The file of the first claim, as it would be written."""
        name = next(iter(self.files))
        return marked(name, self.files[name])


def selected(ids: Sequence[str], form: str) -> tuple[list[Claim], list[str]]:
    """The claims to export and the ids left out: the latter only when no id is given.

    Raises:
        ValueError: an unknown id or format, or a claim that the format has nothing for.
    """
    if form not in FORMATS:
        raise ValueError(f"format {form!r} is not available; there are: {', '.join(FORMATS)}")
    claims = list(dict.fromkeys(claim_named(name) for name in ids)) or list(ledger().values())
    if form != "python":
        return claims, []
    from proofs.exports import python

    for name in ids:
        python.require(name)
    left_out = [claim.id for claim in claims if claim.id not in python.FUNCTIONS]
    return [claim for claim in claims if claim.id in python.FUNCTIONS], left_out


def export(
    ids: Sequence[str],
    form: str,
    digits: bool = False,
    progress: Callable[[str, int], None] = lambda name, parts: None,
) -> Export:
    """Settle the claims of these ids (all when there are none) and make their files.

    ``form`` is one of ``FORMATS``; with ``digits`` the cross-checks run, and are written down too.
    ``progress`` is called after each claim, with its id and the number of claims.

    Raises:
        ValueError: see :func:`selected`.

    >>> made = export(["gaussian.linear"], "python")
    >>> print(made.settled[0].status, *made.files)
    proved gaussian_linear.py
    """
    claims, left_out = selected(ids, form)
    settled = []
    for item in settle(claims, digits):
        progress(item.claim.id, len(claims))
        settled.append(item)
    files = import_module(f"proofs.exports.{FORMATS[form]}").files(settled)
    return Export(files, settled, left_out)
