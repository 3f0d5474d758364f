"""Terms, statements and proofs as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from proofs.codec.digits import format_rational
from proofs.codec.literals import NO_ARRAYS, Arrays, LiteralWriter
from proofs.codec.parts import (
    MARKERS,
    MAX_LEMMA_DEPTH,
    NAME,
    SIMPLE_SORTS,
    CodecError,
    Json,
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
)
from proofs.kernel import Proof, Statement, Step
from proofs.terms import REAL, Literal, Term, TermError


def encode_term(term: Term, variables: Mapping[str, Term], arrays: Arrays = NO_ARRAYS) -> Json:
    """A closed term as JSON; variables of the table ``variables`` are written as their names.

    A large matrix that stands in ``arrays`` is written as its path there.

    >>> from proofs.language import add, dim, mat, number, scale, tp
    >>> d = dim("d")
    >>> A = mat("A", d, d)
    >>> encode_term(add(A, scale(number(2), tp(A))), {"d": d, "A": A})
    ['add', 'A', ['scale', ['number', '2'], ['transpose', 'A']]]

    Raises:
        CodecError: the term is not well formed, or beyond the limits of this module.
    """
    check_sorted(term)
    literals = LiteralWriter(arrays)
    result = _Writer(variables, literals).term(term)
    literals.fill()
    return result


def encode_statement(statement: Statement, arrays: Arrays = NO_ARRAYS) -> dict[str, Json]:
    """A statement as JSON, with the tables of its variables and of repeated matrices.

    Raises:
        CodecError: see :func:`encode_term`.
    """
    literals = LiteralWriter(arrays)
    return _with_table(_encode_statement(statement, literals), literals)


def encode_proof(proof: Proof, arrays: Arrays = NO_ARRAYS) -> dict[str, Json]:
    """A proof as JSON, with the table of its variables, its lemmas, and one table of the matrices.

    Raises:
        CodecError: see :func:`encode_term`.
    """
    literals = LiteralWriter(arrays)
    return _with_table(_encode_proof(proof, literals, 0), literals)


def _with_table(fields: dict[str, Json], literals: LiteralWriter) -> dict[str, Json]:
    table = literals.table()
    return {**fields, "matrices": table} if table else fields


def _encode_statement(statement: Statement, literals: LiteralWriter) -> dict[str, Json]:
    try:
        statement.check()
    except TermError as error:
        raise CodecError(str(error)) from None
    writer = _Writer(statement.variables(), literals)
    return {
        "variables": writer.declarations(),
        "hypotheses": [writer.term(part) for part in statement.hypotheses],
        "conclusion": writer.term(statement.conclusion),
    }


def _encode_proof(proof: Proof, literals: LiteralWriter, depth: int) -> dict[str, Json]:
    if depth > MAX_LEMMA_DEPTH:
        raise CodecError("lemmas are nested too deeply")
    table: dict[str, Term] = {}
    for step in proof.steps:
        for term in _terms(step.args):
            for node in term.walk():
                if node.op == "var":
                    table.setdefault(str(node.data), node)
    writer = _Writer(table, literals)
    result: dict[str, Json] = {
        "variables": writer.declarations(),
        "steps": [_encode_step(step, writer) for step in proof.steps],
    }
    if proof.lemmas:
        result["lemmas"] = {
            check_string(name): {
                "statement": _encode_statement(lemma.statement, literals),
                "proof": _encode_proof(lemma.proof, literals, depth + 1),
            }
            for name, lemma in proof.lemmas.items()
        }
    return result


def _encode_step(step: Step, writer: _Writer) -> dict[str, Json]:
    result: dict[str, Json] = {"rule": check_string(step.rule)}
    if step.uses:
        result["uses"] = [check_use(use) for use in step.uses]
    if step.args:
        result["args"] = {
            check_string(key): writer.value(value) for key, value in step.args.items()
        }
    return result


def _terms(value: object) -> Iterator[Term]:
    """The terms inside an argument of a step."""
    if isinstance(value, Term):
        yield value
    elif isinstance(value, (tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _terms(item)


class _Writer:
    """Encodes terms over one table of variables."""

    def __init__(self, table: Mapping[str, Term], literals: LiteralWriter) -> None:
        self._table = table
        self._literals = literals

    def declarations(self) -> dict[str, Json]:
        return {check_name(name): self.sort(var.args[0]) for name, var in self._table.items()}

    def value(self, value: object, depth: int = 0) -> Json:
        """An argument of a step."""
        check_depth(depth)
        if isinstance(value, Term):
            check_sorted(value)
            return {"term": self.term(value)}
        if isinstance(value, Fraction):
            return {"rational": format_rational(value)}
        if isinstance(value, tuple):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, dict):
            items = {check_string(key): self.value(item, depth + 1) for key, item in value.items()}
            return {"map": items} if items.keys() in MARKERS else items
        return check_plain(value)

    def term(self, term: Term, scope: tuple[str, ...] = (), depth: int = 0) -> Json:
        """A term below binders called ``scope``, innermost first."""
        check_depth(depth)
        if term.op == "var":
            name = check_name(term.data)
            known = name not in scope and self._table.get(name) == term
            return name if known else ["var", name, self.sort(term.args[0])]
        if term.op == "bound":
            assert isinstance(term.data, int)
            return scope[term.data]
        if term.op == "size":
            assert isinstance(term.data, int)
            return check_size(term.data)
        if term.op == "literal":
            assert isinstance(term.data, Literal)
            return self._literals.write(term.data)
        if term.op == "index":
            return ["index", *check_index(term.data, term.args[0].data)]
        if term.op == "lambda":
            sort, body = term.args
            used = {str(node.data) for node in body.walk() if node.op == "var"}
            name = _fresh(term.hint, used.union(scope))
            return ["lambda", name, self.sort(sort), self.term(body, (name, *scope), depth + 1)]
        check_operation(term.op, term.args)
        return [term.op, *(self.term(a, scope, depth + 1) for a in term.args)]

    def sort(self, sort: Term, depth: int = 0) -> Json:
        check_depth(depth)
        if sort == REAL:
            return "Real"
        if sort.op in SIMPLE_SORTS:
            return sort.op
        check_index_sort(sort)
        inner = self.sort if sort.op == "Fun" else self._size
        return [sort.op, *(inner(a, depth + 1) for a in sort.args)]

    def _size(self, term: Term, depth: int) -> Json:
        return self.term(term, (), depth)


def _fresh(hint: str, taken: Iterable[str]) -> str:
    """A name like ``hint`` that is not taken."""
    base = hint if NAME.fullmatch(hint) else "x"
    name, count = base, 0
    while name in taken:
        count += 1
        name = f"{base[:32]}{count}"
    return name
