"""Letters for long terms: S = V A + A^T V^T, X(t) = ..., and what a term looks like with them.

Folding is typographical.  A subterm that equals a definition, or one of its values, is replaced
by the letter; putting the definitions back gives the term again, which is checked each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofs.printing.names import fresh_name
from proofs.terms import (
    Term,
    abstraction,
    application,
    open_binder,
    sort_of,
    substitute,
    term_is_closed,
    variable,
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A letter and the closed term it stands for: a matrix, a function or a curve of measures."""

    name: str
    term: Term


class Abbreviations:
    """The letters of some definitions, made to differ from all variables in ``terms``.

    Each definition is itself written with the letters of the earlier ones.

    >>> from proofs.language import dim, inv, mat, mul, tp
    >>> d = dim("d")
    >>> A, S = mat("A", d, d), mat("S", d, d)
    >>> short = Abbreviations([Definition("S", mul(A, tp(A)))], [S])
    >>> [letter.data for letter in short.letters]
    ['S1']
    >>> short.fold(inv(mul(A, tp(A)))) == inv(short.letters[0])
    True
    """

    def __init__(self, definitions: Sequence[Definition], terms: Sequence[Term]) -> None:
        nodes = [*terms, *(definition.term for definition in definitions)]
        taken = {str(n.data) for term in nodes for n in term.walk() if n.op == "var"}
        self._patterns: list[tuple[Term, Term]] = []
        self._meaning: dict[str, Term] = {}
        for definition in definitions:
            letter = variable(fresh_name(definition.name, taken), sort_of(definition.term))
            taken.add(str(letter.data))
            self._patterns.append((letter, self.fold(definition.term)))
            self._meaning[str(letter.data)] = definition.term

    @property
    def letters(self) -> list[Term]:
        """One variable for each definition."""
        return [letter for letter, _ in self._patterns]

    @property
    def meaning(self) -> Mapping[str, Term]:
        """Name of a letter -> the term it stands for, without letters."""
        return self._meaning

    def fold(self, term: Term) -> Term:
        """The closed term with letters.

        Raises:
            ValueError: putting the definitions back does not give the term again.
        """
        folded = term
        for letter, pattern in self._patterns:
            folded = _replace(folded, letter, _levels(pattern), 0)
        if self.expand(folded) != term:
            raise ValueError("a term cannot be abbreviated faithfully")
        return folded

    def expand(self, folded: Term) -> Term:
        """The term without letters."""
        return substitute(folded, self._meaning)

    def used(self, folded: Sequence[Term]) -> list[tuple[Term, Term]]:
        """The letters that occur in folded terms, each with its folded definition, in order."""
        names = _names(folded)
        needed = []
        for letter, definition in reversed(self._patterns):
            if letter.data in names:
                needed.append((letter, definition))
                names |= _names([definition])
        return needed[::-1]


def _names(terms: Sequence[Term]) -> set[str]:
    return {str(node.data) for term in terms for node in term.walk() if node.op == "var"}


def _levels(pattern: Term) -> list[tuple[Term, list[Term]]]:
    """The definition, and its values at unknown arguments."""
    levels: list[tuple[Term, list[Term]]] = [(pattern, [])]
    while pattern.op == "lambda":
        hole = variable(f"?{len(levels)}", pattern.args[0])
        pattern = open_binder(pattern.args[1], hole)
        if pattern.op != "var":
            levels.append((pattern, [*levels[-1][1], hole]))
    return levels


def _replace(
    term: Term, letter: Term, levels: Sequence[tuple[Term, list[Term]]], depth: int
) -> Term:
    for pattern, holes in levels:
        values: dict[str, Term] = {}
        if _match(pattern, term, values) and len(values) == len(holes):
            arguments = [values[str(hole.data)] for hole in holes]
            return application(letter, *(_replace(a, letter, levels, depth) for a in arguments))
    if term.op == "var" or not term.args:
        return term
    if term.op == "lambda":
        point = variable(f"!{depth}", term.args[0])
        body = _replace(open_binder(term.args[1], point), letter, levels, depth + 1)
        return Term("lambda", abstraction(point, body).args, hint=term.hint)
    return Term(
        term.op, tuple(_replace(a, letter, levels, depth) for a in term.args), term.data, term.hint
    )


def _match(pattern: Term, term: Term, values: dict[str, Term]) -> bool:
    """First-order matching; the unknown arguments get closed values."""
    if pattern.op == "var" and str(pattern.data).startswith("?"):
        return term_is_closed(term) and values.setdefault(str(pattern.data), term) == term
    return (
        pattern.op == term.op
        and pattern.data == term.data
        and len(pattern.args) == len(term.args)
        and all(_match(p, t, values) for p, t in zip(pattern.args, term.args, strict=True))
    )
