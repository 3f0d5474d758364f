"""NumPy modules: velocities, equations and closed forms that claims are about.

They import NumPy only.  The functions are generated from the expressions of ``symbolic``; tests
compare them with the terms of the claims.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from proofs.exports.settled import Settled
from proofs.printing.statement import statement_text
from symbolic import closed_forms
from symbolic.closed_forms import ClosedForm
from symbolic.gaussian import reduction
from symbolic.python_code import SOURCE, joined, numpy_source, reduction_functions

WIDTH = 98


@dataclass(frozen=True)
class Functions:
    """What the module of a claim holds.

    Attributes:
        reductions: names of variants, each with velocity and the rates of mean and covariance.
        forms: closed forms, each with the covariance and its time derivative.
        note: what a reader of the module has to know besides.
    """

    reductions: tuple[str, ...] = ()
    forms: tuple[Callable[[], ClosedForm], ...] = ()
    note: str = ""


_SEEN = (
    "M_s is the second moment of what the position s sees: the integral of "
    "Sigma_tau + alpha_tau alpha_tau^T over the positions tau <= s."
)
_KINDS = "One function for heads of each variant; heads of several variants add up."

FUNCTIONS: Mapping[str, Functions] = MappingProxyType(
    {
        "covariance.commuting": Functions(forms=(closed_forms.commuting,)),
        "covariance.self-similar": Functions(forms=(closed_forms.self_similar,)),
        "gaussian.l2": Functions(("l2",)),
        "gaussian.linear": Functions(("linear",)),
        "gaussian.masked-linear": Functions(
            ("masked-linear", "masked-multihead-linear"), note=_SEEN
        ),
        "gaussian.multihead": Functions(
            ("multihead-softmax", "multihead-l2", "multihead-sinkhorn", "multihead-linear"),
            note=_KINDS,
        ),
        "gaussian.sinkhorn": Functions(("sinkhorn",)),
        "gaussian.softmax": Functions(("softmax",)),
    }
)
"""Claim -> its functions; the other claims have none."""


def require(claim_id: str) -> None:
    """Raise ValueError, naming the claims that have functions, unless this one does."""
    if claim_id not in FUNCTIONS:
        known = ", ".join(FUNCTIONS)
        raise ValueError(f"{claim_id} has no Python functions; these have: {known}")


def files(settled: Sequence[Settled]) -> dict[str, str]:
    """Name -> text, one module for each claim."""
    return {f"{module_name(item.claim.id)}.py": module(item) for item in settled}


def module_name(claim_id: str) -> str:
    return claim_id.replace(".", "_").replace("-", "_")


def module(settled: Settled) -> str:
    """The module of a claim, with the claim in its docstring."""
    claim = settled.claim
    functions = FUNCTIONS[claim.id]
    sources = [reduction_functions(reduction(name)).source for name in functions.reductions]
    sources += [_closed_form(form()) for form in functions.forms]
    statement = statement_text(settled.statement, claim.notation)
    paragraphs = [
        f"{claim.title}.",
        f"Claim {claim.id}, {settled.status}. {statement}",
        f"Source: {claim.source}.",
        *([claim.note] if claim.note else []),
        *([functions.note] if functions.note else []),
    ]
    text = "\n\n".join(_wrapped(paragraph) for paragraph in paragraphs)
    return f'"""{text}\n"""\n\n{joined(sources)}'


def _closed_form(form: ClosedForm) -> str:
    """The covariance at time t, and its derivative."""
    prefix = form.name.replace("-", "_")
    needs = "; ".join(f"{left} = {right}" for left, right in form.hypotheses)
    parts = (
        ("covariance", "Covariance at time t", form.solution),
        ("rate", "Time derivative of the covariance at time t", form.derivative),
    )
    return joined(
        [
            numpy_source(
                f"{prefix}_{name}",
                expression.doit(),
                doc=f"{title}, as long as it exists.\n\n    {_wrapped(f'Needs {needs}.', 4)}"
                f"\n    {SOURCE}",
            )
            for name, title, expression in parts
        ]
    )


def _wrapped(text: str, indent: int = 0) -> str:
    """Lines of at most ``WIDTH`` characters, the first of them without the indent."""
    lines = []
    for line in text.splitlines():
        hanging = " " * (indent + (6 if line.startswith(" ") else 0))
        lines += textwrap.wrap(
            line,
            WIDTH,
            initial_indent="",
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)
