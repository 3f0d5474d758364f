"""Statements about large matrices of parameters: names in place of thousands of numbers."""

from __future__ import annotations

import re

from proofs.codec import Arrays
from proofs.kernel import Statement
from proofs.printing.names import fresh_name
from proofs.printing.statement import statement_text
from proofs.terms import Literal, Term, sort_of, variable

#: names that are explained
FEW = 4
_PATH = re.compile(r"(?:layers/(\d+)/)?(?:heads/(\d+)/)?(\w+)")


def text_with_names(statement: Statement, arrays: Arrays) -> str:
    """The statement for a terminal, large matrices of the parameters called by their paths.

    Q_l0h3 is the matrix Q of head 3 of layer 0; places count from 0.
    """
    taken = set(statement.variables())
    names: dict[Literal, Term] = {}
    meaning: dict[str, str] = {}
    for path, term in arrays.items():
        literal = term.data
        assert isinstance(literal, Literal)
        if literal not in names:
            name = fresh_name(_name(path), taken)
            taken.add(name)
            names[literal] = variable(name, sort_of(term))
            meaning[name] = path
    short = Statement(
        tuple(_named(part, names) for part in statement.hypotheses),
        _named(statement.conclusion, names),
    )
    text = statement_text(short, constants=meaning)
    used = [name for name in short.variables() if name in meaning]
    if not used:
        return text
    shown = [name if name == meaning[name] else f"{name} = {meaning[name]}" for name in used[:FEW]]
    return f"{text}\nMatrices of the parameters: {', '.join(shown)}{', …' if used[FEW:] else ''}"


def _name(path: str) -> str:
    match = _PATH.fullmatch(path)
    assert match is not None
    layer, head, name = match.groups()
    place = (f"l{layer}" if layer else "") + (f"h{head}" if head else "")
    return f"{name}_{place}" if place else name


def _named(term: Term, names: dict[Literal, Term]) -> Term:
    if isinstance(term.data, Literal):
        return names.get(term.data, term)
    if not term.args or term.op == "var":
        return term
    return Term(term.op, tuple(_named(a, names) for a in term.args), term.data, term.hint)
