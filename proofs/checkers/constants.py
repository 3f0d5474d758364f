"""The exact value of an expression of literal matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from proofs.checkers import rational
from proofs.checkers.entries import members
from proofs.terms import Literal, Term, TermError

OPERATIONS = frozenset({"add", "mul", "polynomial", "scale", "sum", "trace", "transpose"})


class Constants:
    """Values of terms without variables; each subterm is computed once."""

    def __init__(self) -> None:
        self._values: dict[Term, Literal | None] = {}

    def value(self, term: Term) -> Literal | None:
        """The matrix, None for other terms than sums, products, transposes, traces of literals."""
        if term.op == "literal":
            assert isinstance(term.data, Literal)
            return term.data
        if term.op in ("identity", "zero"):
            return _special(term)
        if term.op not in OPERATIONS:
            return None
        if term not in self._values:
            self._values[term] = self._compute(term)
        return self._values[term]

    def _compute(self, term: Term) -> Literal | None:
        if term.op == "sum":
            try:
                parts = members(term)
            except TermError:  # over an unknown number
                return None
        else:
            parts = list(_factors(term)) if term.op == "mul" else list(term.args)
        values = [self.value(part) for part in parts]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        if term.op == "transpose":
            return rational.transposed(known[0])
        if term.op == "trace":
            return rational.traced(known[0])
        if term.op == "polynomial":
            return rational.horner(known[0][0, 0], known[1])
        if term.op == "scale":
            return rational.scaled(known[1], known[0][0, 0])
        if term.op == "mul":
            return _product(known)
        result = known[0]
        for value in known[1:]:
            result = rational.total(result, value)
        return result


def _special(term: Term) -> Literal | None:
    """An identity or zero matrix of known size."""
    rows, columns = term.args[0].data, term.args[-1].data
    if not isinstance(rows, int) or not isinstance(columns, int):
        return None
    return rational.identity(rows) if term.op == "identity" else rational.zero(rows, columns)


def _factors(term: Term) -> Iterator[Term]:
    """The factors of a product, those of products inside it too."""
    inner = term.args[0] if term.op == "transpose" else term
    if inner.op != "mul":
        yield term
    elif inner is term:
        for argument in term.args:
            yield from _factors(argument)
    else:
        for argument in reversed(inner.args):
            yield from _factors(Term("transpose", (argument,)))


def _product(matrices: list[Literal]) -> Literal:
    """The product, the cheapest pair of neighbours first."""
    while len(matrices) > 1:
        costs = [a.rows * a.columns * b.columns for a, b in itertools.pairwise(matrices)]
        i = costs.index(min(costs))
        matrices[i : i + 2] = [rational.product(matrices[i], matrices[i + 1])]
    return matrices[0]
