"""JSON for terms, statements and proofs, and the digest of a document.

========================  =====================================================================
object                    JSON
========================  =====================================================================
variable                  its name, a string; ``["var", name, sort]`` when the table of variables
                          gives that name another sort
size                      an integer
rational number, matrix   ``["number", "1/2"]``, ``["matrix", [["1", "2"], ["3", "4"]]]``
function                  ``["lambda", name, sort, body]``; inside the body the name is bound
the number i of 1..n      ``["index", i, n]``
any other term            ``[operation, argument, ...]``
sort                      ``"Dim"``, ``"Ext"``, ``"Prop"``, ``"Real"``, ``["Mat", m, n]``,
                          ``["Index", n]``, ``["Measure", n]``, ``["Fun", source, target]``
statement                 ``{"variables": {name: sort}, "hypotheses": [...], "conclusion": ...}``
proof                     ``{"variables": {...}, "steps": [...], "lemmas": {name: lemma}}``
lemma                     ``{"statement": ..., "proof": ...}``
step                      ``{"rule": ..., "uses": [...], "args": {...}}``
argument of a step        null, booleans, integers, strings, lists and objects as they are;
                          ``{"term": ...}``, ``{"rational": "1/2"}``; ``{"map": {...}}`` for an
                          object that could be taken for one of these three
========================  =====================================================================

Decoding trusts nothing: what it returns is well formed and bounded, everything else is a
:class:`CodecError` with one line that says what was expected.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from proofs.kernel import Lemma, Proof, Statement, Step
from proofs.terms import (
    DIM,
    REAL,
    SIGNATURES,
    Literal,
    Term,
    TermError,
    check_sort,
    index,
    size,
    sort_of,
    variable,
)

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH = 150
"""Nesting of terms and of step arguments."""
MAX_LEMMA_DEPTH = 10
MAX_DIGITS = 4000
"""Digits of a numerator or a denominator."""
MAX_SIZE = 1024
"""Rows and columns of a matrix, members of a family."""
MAX_INTEGER = 10**9
MAX_STRING = 200

_OPERATIONS = frozenset({*SIGNATURES, "identity", "zero", "dimension", "apply"})
_SIMPLE_SORTS = ("Dim", "Ext", "Prop")
_COMPOUND_SORTS = ("Mat", "Index", "Measure", "Fun")
_MARKERS = ({"term"}, {"rational"}, {"map"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_DIGITS = f"[0-9]{{1,{MAX_DIGITS}}}"
_RATIONAL = re.compile(f"-?{_DIGITS}(/{_DIGITS})?")


class CodecError(ValueError):
    """Data that stands for no term, statement or proof; one line says what was expected."""


# Documents -----------------------------------------------------------------------------------


def read_json(text: str) -> Any:
    """Parse strict JSON: no repeated keys, no NaN or infinity, no excessive nesting or digits.

    Raises:
        CodecError: the text is not such a document.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
    except CodecError:
        raise
    except RecursionError:
        raise CodecError("the document is nested too deeply") from None
    except ValueError as error:
        raise CodecError(f"not JSON: {error}") from None


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its ``digest``, as canonical JSON.

    >>> digest({"a": 1}) == digest({"digest": "sha256:0", "a": 1})
    True

    Raises:
        CodecError: the document is not JSON.
    """
    rest = {key: value for key, value in document.items() if key != "digest"}
    try:
        canonical = json.dumps(
            rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"the document is not JSON: {error}") from None
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise CodecError("an object repeats a key")
    return result


def _no_constant(name: str) -> float:
    raise CodecError(f"{name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise CodecError(f"{_shown(text)} is too large for a number")
    return value


# Encoding ------------------------------------------------------------------------------------


def encode_term(term: Term, variables: Mapping[str, Term]) -> Json:
    """A closed term as JSON; variables of the table ``variables`` are written as their names.

    >>> from proofs.language import add, dim, mat, number, scale, tp
    >>> d = dim("d")
    >>> A = mat("A", d, d)
    >>> encode_term(add(A, scale(number(2), tp(A))), {"d": d, "A": A})
    ['add', 'A', ['scale', ['number', '2'], ['transpose', 'A']]]

    Raises:
        CodecError: the term is not well formed, or beyond the limits of this module.
    """
    _well_sorted(term)
    return _Writer(variables).term(term)


def encode_statement(statement: Statement) -> dict[str, Json]:
    """A statement as JSON, with the table of its variables."""
    try:
        statement.check()
    except TermError as error:
        raise CodecError(str(error)) from None
    writer = _Writer(statement.variables())
    return {
        "variables": writer.declarations(),
        "hypotheses": [writer.term(part) for part in statement.hypotheses],
        "conclusion": writer.term(statement.conclusion),
    }


def encode_proof(proof: Proof) -> dict[str, Json]:
    """A proof as JSON, with the table of its variables and its lemmas."""
    return _encode_proof(proof, 0)


def _encode_proof(proof: Proof, depth: int) -> dict[str, Json]:
    if depth > MAX_LEMMA_DEPTH:
        raise CodecError("lemmas are nested too deeply")
    table: dict[str, Term] = {}
    for step in proof.steps:
        for term in _terms(step.args):
            for node in term.walk():
                if node.op == "var":
                    table.setdefault(str(node.data), node)
    writer = _Writer(table)
    result: dict[str, Json] = {
        "variables": writer.declarations(),
        "steps": [_encode_step(step, writer) for step in proof.steps],
    }
    if proof.lemmas:
        result["lemmas"] = {
            _string(name): {
                "statement": encode_statement(lemma.statement),
                "proof": _encode_proof(lemma.proof, depth + 1),
            }
            for name, lemma in proof.lemmas.items()
        }
    return result


def _encode_step(step: Step, writer: _Writer) -> dict[str, Json]:
    result: dict[str, Json] = {"rule": _string(step.rule)}
    if step.uses:
        result["uses"] = [_index(use) for use in step.uses]
    if step.args:
        result["args"] = {_string(key): writer.value(value) for key, value in step.args.items()}
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

    def __init__(self, table: Mapping[str, Term]) -> None:
        self._table = table

    def declarations(self) -> dict[str, Json]:
        return {_name(name): self.sort(var.args[0]) for name, var in self._table.items()}

    def value(self, value: object, depth: int = 0) -> Json:
        """An argument of a step."""
        _check_depth(depth)
        if isinstance(value, Term):
            _well_sorted(value)
            return {"term": self.term(value)}
        if isinstance(value, Fraction):
            return {"rational": _format_rational(value)}
        if isinstance(value, tuple):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, dict):
            items = {_string(key): self.value(item, depth + 1) for key, item in value.items()}
            return {"map": items} if items.keys() in _MARKERS else items
        return _plain(value)

    def term(self, term: Term, scope: tuple[str, ...] = (), depth: int = 0) -> Json:
        """A term below binders called ``scope``, innermost first."""
        _check_depth(depth)
        if term.op == "var":
            name = _name(term.data)
            known = name not in scope and self._table.get(name) == term
            return name if known else ["var", name, self.sort(term.args[0])]
        if term.op == "bound":
            assert isinstance(term.data, int)
            return scope[term.data]
        if term.op == "size":
            assert isinstance(term.data, int)
            return _format_size(term.data)
        if term.op == "literal":
            assert isinstance(term.data, Literal)
            return _format_literal(term.data)
        if term.op == "index":
            return ["index", *_format_index(term.data, term.args[0].data)]
        if term.op == "lambda":
            sort, body = term.args
            used = {str(node.data) for node in body.walk() if node.op == "var"}
            name = _fresh(term.hint, used.union(scope))
            return ["lambda", name, self.sort(sort), self.term(body, (name, *scope), depth + 1)]
        _check_operation(term.op, term.args)
        return [term.op, *(self.term(a, scope, depth + 1) for a in term.args)]

    def sort(self, sort: Term, depth: int = 0) -> Json:
        _check_depth(depth)
        if sort == REAL:
            return "Real"
        if sort.op in _SIMPLE_SORTS:
            return sort.op
        inner = self.sort if sort.op == "Fun" else self._size
        return [sort.op, *(inner(a, depth + 1) for a in sort.args)]

    def _size(self, term: Term, depth: int) -> Json:
        return self.term(term, (), depth)


# Decoding ------------------------------------------------------------------------------------


def decode_term(data: object, variables: Mapping[str, Term]) -> Term:
    """The closed, well-formed term that ``data`` stands for, over a table of variables.

    Raises:
        CodecError: it stands for none.
    """
    term = _Reader(variables).term(data)
    _well_sorted(term)
    return term


def decode_statement(data: object) -> Statement:
    """The statement that ``data`` stands for; it declares exactly the variables that it uses.

    Raises:
        CodecError: it stands for none.
    """
    fields = _fields(data, "a statement", {"variables", "hypotheses", "conclusion"})
    reader = _Reader(_decode_table(fields["variables"]))
    hypotheses = tuple(reader.term(part) for part in _list(fields["hypotheses"], "hypotheses"))
    statement = Statement(hypotheses, reader.term(fields["conclusion"]))
    try:
        statement.check()
        used = set(statement.variables())
    except TermError as error:
        raise CodecError(str(error)) from None
    if idle := sorted(set(reader.table) - used):
        raise CodecError(f"variables that nothing uses: {', '.join(idle)}")
    return statement


def decode_proof(data: object) -> Proof:
    """The proof that ``data`` stands for; whether it proves anything is for the kernel to say.

    Raises:
        CodecError: it stands for none.
    """
    return _decode_proof(data, 0)


def _decode_proof(data: object, depth: int) -> Proof:
    if depth > MAX_LEMMA_DEPTH:
        raise CodecError("lemmas are nested too deeply")
    fields = _fields(data, "a proof", {"variables", "steps"}, {"lemmas"})
    reader = _Reader(_decode_table(fields["variables"]))
    steps = []
    for number, item in enumerate(_list(fields["steps"], "steps"), 1):
        try:
            steps.append(_decode_step(item, reader))
        except CodecError as error:
            raise CodecError(f"step {number}: {error}") from None
    lemmas = {}
    for name, item in _object(fields.get("lemmas", {}), "lemmas").items():
        try:
            parts = _fields(item, "a lemma", {"statement", "proof"})
            statement = decode_statement(parts["statement"])
            lemmas[_string(name)] = Lemma(statement, _decode_proof(parts["proof"], depth + 1))
        except CodecError as error:
            raise CodecError(f"lemma {_shown(name)}: {error}") from None
    return Proof(tuple(steps), lemmas)


def _decode_step(data: object, reader: _Reader) -> Step:
    fields = _fields(data, "a step", {"rule"}, {"uses", "args"})
    uses = tuple(_index(use) for use in _list(fields.get("uses", []), "uses"))
    args = _object(fields.get("args", {}), "args")
    return Step(
        _string(fields["rule"]),
        uses,
        {_string(key): reader.value(value) for key, value in args.items()},
    )


def _decode_table(data: object) -> dict[str, Term]:
    sorts = {_name(name): sort for name, sort in _object(data, "variables").items()}
    table = {name: variable(name, DIM) for name, sort in sorts.items() if sort == "Dim"}
    reader = _Reader(table)
    return {name: variable(name, reader.sort(sort)) for name, sort in sorts.items()}


class _Reader:
    """Decodes terms over one table of variables."""

    def __init__(self, table: Mapping[str, Term]) -> None:
        self.table = table

    def value(self, data: object, depth: int = 0) -> Any:
        """An argument of a step."""
        _check_depth(depth)
        if isinstance(data, list):
            return tuple(self.value(item, depth + 1) for item in data)
        if not isinstance(data, dict):
            return _plain(data)
        if data.keys() == {"term"}:
            term = self.term(data["term"])
            _well_sorted(term)
            return term
        if data.keys() == {"rational"}:
            return _parse_rational(data["rational"])
        items = _object(data["map"], "a map") if data.keys() == {"map"} else data
        return {_string(key): self.value(item, depth + 1) for key, item in items.items()}

    def term(self, data: object, scope: tuple[str, ...] = (), depth: int = 0) -> Term:
        """A term below binders called ``scope``, innermost first."""
        _check_depth(depth)
        if isinstance(data, str):
            if data in scope:
                return Term("bound", data=scope.index(data))
            if data in self.table:
                return self.table[data]
            raise CodecError(f"there is no variable {_shown(data)}")
        if isinstance(data, int) and not isinstance(data, bool):
            return size(_format_size(data))
        if not isinstance(data, list) or not data or not isinstance(data[0], str):
            raise CodecError(
                f"a term is a name, a size or a list that begins with an operation, "
                f"not {_shown(data)}"
            )
        op, *args = data
        if op == "number":
            (value,) = _exactly(args, 1, op)
            return Term("literal", data=Literal(1, 1, (_parse_rational(value),)))
        if op == "matrix":
            (rows,) = _exactly(args, 1, op)
            return Term("literal", data=_parse_matrix(rows))
        if op == "index":
            return index(*_format_index(*_exactly(args, 2, op)))
        if op == "var":
            name, sort = _exactly(args, 2, op)
            return variable(_name(name), self.sort(sort))
        if op == "lambda":
            name, sort, inner = _exactly(args, 3, op)
            body = self.term(inner, (_name(name), *scope), depth + 1)
            return Term("lambda", (self.sort(sort), body), hint=_name(name))
        terms = tuple(self.term(a, scope, depth + 1) for a in args)
        _check_operation(op, terms)
        return Term(op, terms)

    def sort(self, data: object, depth: int = 0) -> Term:
        _check_depth(depth)
        if data == "Real":
            return REAL
        if isinstance(data, str) and data in _SIMPLE_SORTS:
            return Term(data)
        if not isinstance(data, list) or not data or data[0] not in _COMPOUND_SORTS:
            raise CodecError(f"{_shown(data)} is not a sort")
        op, *args = data
        inner = self.sort if op == "Fun" else self._size
        sort = Term(op, tuple(inner(a, depth + 1) for a in args))
        try:
            check_sort(sort)
        except TermError as error:
            raise CodecError(str(error)) from None
        return sort

    def _size(self, data: object, depth: int) -> Term:
        return self.term(data, (), depth)


# Parts shared by both directions -------------------------------------------------------------


def _shown(data: object) -> str:
    """A short form of unexpected data, for messages."""
    try:
        return reprlib.repr(data)
    except ValueError:
        return "an integer with too many digits"


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise CodecError(f"nested more than {MAX_DEPTH} deep")


def _well_sorted(term: Term) -> None:
    try:
        sort_of(term)
    except TermError as error:
        raise CodecError(str(error)) from None
    except RecursionError:
        raise CodecError(f"nested more than {MAX_DEPTH} deep") from None


def _check_operation(op: str, args: tuple[Term, ...]) -> None:
    if op not in _OPERATIONS:
        raise CodecError(f"there is no operation {_shown(op)}")
    if op == "apply" and args and args[0].op == "lambda":
        raise CodecError("a function applied to an argument must be written out")
    if op == "apply" and [argument.op for argument in args] == ["family", "index"]:
        raise CodecError("a member of a family must be written out")
    if op == "family" and len(args) > MAX_SIZE:
        raise CodecError(f"a family has at most {MAX_SIZE} members")


def _fresh(hint: str, taken: Iterable[str]) -> str:
    """A name like ``hint`` that is not taken."""
    base = hint if _NAME.fullmatch(hint) else "x"
    name, count = base, 0
    while name in taken:
        count += 1
        name = f"{base[:32]}{count}"
    return name


def _name(data: object) -> str:
    if not isinstance(data, str) or not _NAME.fullmatch(data):
        raise CodecError(
            f"a name consists of at most 40 letters, digits and underscores, not {_shown(data)}"
        )
    return data


def _string(data: object) -> str:
    if not isinstance(data, str) or len(data) > MAX_STRING or not data.isprintable():
        raise CodecError(f"expected a short printable string, not {_shown(data)}")
    return data


def _index(data: object) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= MAX_INTEGER:
        raise CodecError(f"expected the index of an earlier step, not {_shown(data)}")
    return data


def _plain(data: object) -> bool | int | str | None:
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, int):
        if abs(data) > MAX_INTEGER:
            raise CodecError("an integer is too large")
        return data
    if isinstance(data, str):
        return _string(data)
    raise CodecError(f"an argument of a step cannot be {_shown(data)}")


def _format_size(value: int) -> int:
    if not 1 <= value <= MAX_SIZE:
        raise CodecError(f"a size is between 1 and {MAX_SIZE}")
    return value


def _format_index(number: object, count: object) -> tuple[int, int]:
    values = (number, count)
    if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
        raise CodecError(f"an index is a number among 1, ..., n, not {_shown(values)}")
    assert isinstance(number, int)
    assert isinstance(count, int)
    if not 1 <= number <= _format_size(count):
        raise CodecError(f"an index is a number among 1, ..., n, not {_shown(values)}")
    return number, count


def _format_rational(value: Fraction) -> str:
    if max(abs(value.numerator), value.denominator) >= 10**MAX_DIGITS:
        raise CodecError(f"a number with more than {MAX_DIGITS} digits")
    return str(value)


def _parse_rational(data: object) -> Fraction:
    if not isinstance(data, str) or not _RATIONAL.fullmatch(data):
        raise CodecError(f'expected a string "p/q" of bounded length, not {_shown(data)}')
    numerator, _, denominator = data.partition("/")
    if denominator and not int(denominator):
        raise CodecError(f"a denominator is zero in {_shown(data)}")
    value = Fraction(int(numerator), int(denominator or 1))
    if str(value) != data:
        raise CodecError(f"{_shown(data)} is not in lowest terms")
    return value


def _format_literal(literal: Literal) -> Json:
    entries = [_format_rational(entry) for entry in literal.entries]
    if len(entries) == 1:
        return ["number", *entries]
    _format_size(max(literal.rows, literal.columns))
    starts = range(0, len(entries), literal.columns)
    return ["matrix", [[*entries[start : start + literal.columns]] for start in starts]]


def _parse_matrix(data: object) -> Literal:
    rows = [_list(row, "a row") for row in _list(data, "the rows of a matrix")]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise CodecError("a matrix has rows of one positive length")
    (columns,) = widths
    _format_size(max(len(rows), columns))
    return Literal(len(rows), columns, tuple(_parse_rational(x) for row in rows for x in row))


def _exactly(args: list[Any], count: int, op: str) -> list[Any]:
    if len(args) != count:
        raise CodecError(f"{op} is followed by {count} items, not {len(args)}")
    return args


def _list(data: object, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise CodecError(f"{what}: expected a list, not {_shown(data)}")
    return data


def _object(data: object, what: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise CodecError(f"{what}: expected an object, not {_shown(data)}")
    return data


def _fields(
    data: object, what: str, required: set[str], optional: set[str] | None = None
) -> dict[str, Any]:
    fields = _object(data, what)
    if missing := sorted(required - fields.keys()):
        raise CodecError(f"{what} lacks {', '.join(missing)}")
    if unknown := fields.keys() - required - (optional or set()):
        raise CodecError(f"{what} has no field {', '.join(map(_shown, unknown))}")
    return fields
