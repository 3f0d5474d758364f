"""Binders and substitution against the definitions, without caches, sharing or early exits.

Random terms of any sort, well sorted or not, that share subterms under different binders.
"""

import random
from collections.abc import Mapping

import pytest

from proofs.terms import (
    DIM,
    ONE,
    REAL,
    Term,
    TermError,
    _close,
    _shift,
    free_variables,
    index,
    index_sort,
    matrix_sort,
    open_binder,
    size,
    substitute,
    term_is_closed,
    variable,
)

ROUNDS = 500
d = variable("d", DIM)
SORTS = (REAL, matrix_sort(d, d), index_sort(size(2)))


class Maker:
    """Terms that hold no redex, as all constructors reduce what they build."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._shared: list[Term] = []

    def leaf(self, binders: int) -> Term:
        kind = self.random.randrange(4)
        if kind == 0:
            return index(self.random.randint(1, 2), 2)
        if kind == 1:
            return self.variable()
        return Term("bound", data=self.random.randrange(binders + 2))

    def variable(self) -> Term:
        return variable(self.random.choice("xyz"), self.random.choice(SORTS))

    def term(self, depth: int, binders: int = 0) -> Term:
        if self._shared and self.random.random() < 0.25:
            return self.random.choice(self._shared)
        if depth == 0:
            return self.leaf(binders)
        op = self.random.choice(("lambda", "lambda", "apply", "apply", "family", "mul"))
        if op == "lambda":
            body = self.term(depth - 1, binders + 1)
            hint = self.random.choice("ab")
            made = Term(op, (self.random.choice(SORTS), body), hint=hint)
        else:
            first, second = self.term(depth - 1, binders), self.term(depth - 1, binders)
            if op == "apply" and first.op in ("lambda", "family"):
                first = self.variable()
            made = Term(op, (first, second))
        self._shared = [*self._shared[-20:], made]
        return made

    def closed(self) -> Term:
        while not is_closed(made := self.term(2)):
            pass
        return made


# Definitions


def is_closed(term: Term, depth: int = 0) -> bool:
    if term.op == "bound":
        return term.data < depth
    return all(is_closed(a, depth + (term.op == "lambda")) for a in term.args)


def shifted(term: Term, amount: int, depth: int = 0) -> Term:
    if term.op == "bound":
        return Term("bound", data=term.data + amount * (term.data >= depth))
    return with_args(term, [shifted(a, amount, depth + (term.op == "lambda")) for a in term.args])


def opened(term: Term, value: Term, depth: int = 0) -> Term:
    if term.op == "bound":
        if term.data == depth:
            return shifted(value, depth)
        return Term("bound", data=term.data - (term.data > depth))
    args = [opened(a, value, depth + (term.op == "lambda")) for a in term.args]
    return reduced(term, args)


def abstracted(term: Term, var: Term, depth: int = 0) -> Term:
    if term == var:
        return Term("bound", data=depth)
    if term.op == "var":
        return term
    return with_args(term, [abstracted(a, var, depth + (term.op == "lambda")) for a in term.args])


def substituted(term: Term, instance: Mapping[str, Term]) -> Term:
    if term.op == "var" and term.data in instance:
        return instance[term.data]
    return reduced(term, [substituted(a, instance) for a in term.args])


def with_args(term: Term, args: list[Term]) -> Term:
    return Term(term.op, tuple(args), term.data, term.hint)


def reduced(term: Term, args: list[Term]) -> Term:
    if term.op == "apply" and args[0].op == "lambda":
        return opened(args[0].args[1], args[1])
    if term.op == "apply" and args[0].op == "family" and args[1].op == "index":
        return args[0].args[args[1].data - 1]
    return with_args(term, args)


def variables(term: Term) -> list[Term]:
    own = [term] if term.op == "var" else []
    return [*own, *(v for a in term.args for v in variables(a))]


def written(term: Term) -> object:
    """Everything that a term says, hints included."""
    return term.op, term.data, term.hint, tuple(map(written, term.args))


@pytest.mark.parametrize("seed", range(4))
def test_terms_agree_with_the_definitions(seed: int):
    maker = Maker(seed)
    for _ in range(ROUNDS):
        term, value = maker.term(maker.random.randint(1, 5)), maker.term(2)
        amount, depth = maker.random.randrange(3), maker.random.randrange(3)
        for inner in range(4):
            assert term_is_closed(term, inner) == is_closed(term, inner)
        assert written(_shift(term, amount, depth)) == written(shifted(term, amount, depth))
        var = maker.variable()
        assert written(_close(term, var, depth)) == written(abstracted(term, var, depth))
        instance = {name: maker.closed() for name in "xyz" if maker.random.random() < 0.5}
        if maker.random.random() < 0.3:
            instance["d"] = maker.random.choice((ONE, size(3), variable("e", DIM)))
        try:
            opening, substituting = opened(term, value), substituted(term, instance)
        except (RecursionError, IndexError):  # ill sorted
            continue
        assert written(open_binder(term, value)) == written(opening)
        result = substitute(term, instance)
        assert written(result) == written(substituting)
        for inner in range(3):
            assert term_is_closed(result, inner) == is_closed(substituting, inner)


@pytest.mark.parametrize("seed", range(4))
def test_free_variables_agree_with_the_definition(seed: int):
    maker = Maker(seed)
    for _ in range(ROUNDS):
        term = maker.term(maker.random.randint(1, 4))
        assert list(term.parts()) == list(dict.fromkeys(term.walk()))
        found = list(dict.fromkeys(variables(term)))
        if len({v.data for v in found}) < len(found):
            with pytest.raises(TermError):
                free_variables(term)
        else:
            assert list(free_variables(term).items()) == [(v.data, v) for v in found]
