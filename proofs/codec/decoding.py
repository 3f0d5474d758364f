"""Terms, statements and proofs out of JSON that nobody vouches for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.codec.digits import parse_rational
from proofs.codec.literals import FORMS, NO_ARRAYS, Arrays, LiteralReader
from proofs.codec.parts import (
    COMPOUND_SORTS,
    MAX_LEMMA_DEPTH,
    SIMPLE_SORTS,
    CodecError,
    as_fields,
    as_list,
    as_object,
    check_depth,
    check_index,
    check_index_sort,
    check_name,
    check_operation,
    check_plain,
    check_size,
    check_sorted,
    check_string,
    check_use,
    exactly,
    shown,
)
from proofs.kernel import Lemma, Proof, Statement, Step
from proofs.terms import DIM, REAL, Term, TermError, check_sort, index, size, variable


def decode_term(data: object, variables: Mapping[str, Term], arrays: Arrays = NO_ARRAYS) -> Term:
    """The closed, well-formed term that ``data`` stands for, over a table of variables.

    Paths are those of ``arrays``.

    Raises:
        CodecError: it stands for none.
    """
    term = _Reader(variables, LiteralReader(arrays)).term(data)
    check_sorted(term)
    return term


def decode_statement(data: object, arrays: Arrays = NO_ARRAYS) -> Statement:
    """The statement that ``data`` stands for; it declares exactly the variables that it uses.

    Raises:
        CodecError: it stands for none.
    """
    fields, literals = _without_table(data, "a statement", arrays)
    statement = _decode_statement(fields, literals)
    literals.check_used()
    return statement


def decode_proof(data: object, arrays: Arrays = NO_ARRAYS) -> Proof:
    """The proof that ``data`` stands for; whether it proves anything is for the kernel to say.

    Raises:
        CodecError: it stands for none.
    """
    fields, literals = _without_table(data, "a proof", arrays)
    proof = _decode_proof(fields, literals, 0)
    literals.check_used()
    return proof


def _without_table(data: object, what: str, arrays: Arrays) -> tuple[dict[str, Any], LiteralReader]:
    """The other fields, and a reader of literals that has read the table of matrices."""
    fields, literals = dict(as_object(data, what)), LiteralReader(arrays)
    if "matrices" in fields:
        literals.read_table(fields.pop("matrices"))
    return fields, literals


def _decode_statement(data: object, literals: LiteralReader) -> Statement:
    fields = as_fields(data, "a statement", {"variables", "hypotheses", "conclusion"})
    reader = _Reader(_decode_table(fields["variables"]), literals)
    hypotheses = tuple(reader.term(part) for part in as_list(fields["hypotheses"], "hypotheses"))
    statement = Statement(hypotheses, reader.term(fields["conclusion"]))
    try:
        statement.check()
        used = set(statement.variables())
    except TermError as error:
        raise CodecError(str(error)) from None
    if idle := sorted(set(reader.table) - used):
        raise CodecError(f"variables that nothing uses: {', '.join(idle)}")
    return statement


def _decode_proof(data: object, literals: LiteralReader, depth: int) -> Proof:
    if depth > MAX_LEMMA_DEPTH:
        raise CodecError("lemmas are nested too deeply")
    fields = as_fields(data, "a proof", {"variables", "steps"}, {"lemmas"})
    reader = _Reader(_decode_table(fields["variables"]), literals)
    steps = []
    for number, item in enumerate(as_list(fields["steps"], "steps"), 1):
        try:
            steps.append(_decode_step(item, reader))
        except CodecError as error:
            raise CodecError(f"step {number}: {error}") from None
    lemmas = {}
    for name, item in as_object(fields.get("lemmas", {}), "lemmas").items():
        try:
            parts = as_fields(item, "a lemma", {"statement", "proof"})
            statement = _decode_statement(parts["statement"], literals)
            proof = _decode_proof(parts["proof"], literals, depth + 1)
            lemmas[check_string(name)] = Lemma(statement, proof)
        except CodecError as error:
            raise CodecError(f"lemma {shown(name)}: {error}") from None
    return Proof(tuple(steps), lemmas)


def _decode_step(data: object, reader: _Reader) -> Step:
    fields = as_fields(data, "a step", {"rule"}, {"uses", "args"})
    uses = tuple(check_use(use) for use in as_list(fields.get("uses", []), "uses"))
    args = as_object(fields.get("args", {}), "args")
    return Step(
        check_string(fields["rule"]),
        uses,
        {check_string(key): reader.value(value) for key, value in args.items()},
    )


def _decode_table(data: object) -> dict[str, Term]:
    sorts = {check_name(name): sort for name, sort in as_object(data, "variables").items()}
    table = {name: variable(name, DIM) for name, sort in sorts.items() if sort == "Dim"}
    reader = _Reader(table, LiteralReader(NO_ARRAYS))
    return {name: variable(name, reader.sort(sort)) for name, sort in sorts.items()}


class _Reader:
    """Decodes terms over one table of variables."""

    def __init__(self, table: Mapping[str, Term], literals: LiteralReader) -> None:
        self.table = table
        self._literals = literals

    def value(self, data: object, depth: int = 0) -> Any:
        """An argument of a step."""
        check_depth(depth)
        if isinstance(data, list):
            return tuple(self.value(item, depth + 1) for item in data)
        if not isinstance(data, dict):
            return check_plain(data)
        if data.keys() == {"term"}:
            term = self.term(data["term"])
            check_sorted(term)
            return term
        if data.keys() == {"rational"}:
            return parse_rational(data["rational"])
        items = as_object(data["map"], "a map") if data.keys() == {"map"} else data
        return {check_string(key): self.value(item, depth + 1) for key, item in items.items()}

    def term(self, data: object, scope: tuple[str, ...] = (), depth: int = 0) -> Term:
        """A term below binders called ``scope``, innermost first."""
        check_depth(depth)
        if isinstance(data, str):
            if data in scope:
                return Term("bound", data=scope.index(data))
            if data in self.table:
                return self.table[data]
            raise CodecError(f"there is no variable {shown(data)}")
        if isinstance(data, int) and not isinstance(data, bool):
            return size(check_size(data))
        if not isinstance(data, list) or not data or not isinstance(data[0], str):
            raise CodecError(
                f"a term is a name, a size or a list that begins with an operation, "
                f"not {shown(data)}"
            )
        op, *args = data
        if op in FORMS:
            return self._literals.read(op, args)
        if op == "index":
            return index(*check_index(*exactly(args, 2, op)))
        if op == "var":
            name, sort = exactly(args, 2, op)
            return variable(check_name(name), self.sort(sort))
        if op == "lambda":
            name, sort, inner = exactly(args, 3, op)
            body = self.term(inner, (check_name(name), *scope), depth + 1)
            return Term("lambda", (self.sort(sort), body), hint=check_name(name))
        terms = tuple(self.term(a, scope, depth + 1) for a in args)
        check_operation(op, terms)
        return Term(op, terms)

    def sort(self, data: object, depth: int = 0) -> Term:
        check_depth(depth)
        if data == "Real":
            return REAL
        if isinstance(data, str) and data in SIMPLE_SORTS:
            return Term(data)
        if not isinstance(data, list) or not data or data[0] not in COMPOUND_SORTS:
            raise CodecError(f"{shown(data)} is not a sort")
        op, *args = data
        inner = self.sort if op == "Fun" else self._size
        sort = Term(op, tuple(inner(a, depth + 1) for a in args))
        try:
            check_sort(sort)
            check_index_sort(sort)
        except TermError as error:
            raise CodecError(str(error)) from None
        return sort

    def _size(self, data: object, depth: int) -> Term:
        return self.term(data, (), depth)
