"""Identities between matrices of known sizes, as polynomials in their entries.

Each subterm other than sums, products, transposes and traces is a matrix of indeterminates, those
declared symmetric with one for each pair of equal entries; python-flint multiplies out.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from proofs.terms import Literal, Term, TermError, application, index, sort_of

Rows = list[list[fmpq_mpoly]]
#: indeterminates of the largest identity that is multiplied out
MAX_INDETERMINATES = 200
CONSTANT = frozenset({"literal", "identity", "zero"})
POLYNOMIAL = CONSTANT | {"add", "sum", "mul", "scale", "polynomial", "transpose", "trace"}


def is_zero(term: Term, symmetric: Iterable[Term] = ()) -> bool:
    """Whether every entry of a matrix term is the zero polynomial.

    Raises:
        TermError: a size is not a number, or there are too many indeterminates.
    """
    entries = _Entries(term, frozenset(symmetric))
    return not any(entry for row in entries.value(term) for entry in row)


class _Entries:
    def __init__(self, term: Term, symmetric: frozenset[Term]) -> None:
        self._symmetric = symmetric
        self._places: dict[tuple[Term, int, int], int] = {}
        self._known: dict[Term, Rows] = {}
        for opaque in _opaque(term):
            rows, columns = _shape(opaque)
            for i in range(rows):
                for j in range(columns):
                    first = (opaque, j, i) if opaque in symmetric and j < i else (opaque, i, j)
                    place = self._places.setdefault(first, len(self._places))
                    self._places[opaque, i, j] = place
        count = len(set(self._places.values()))
        if count > MAX_INDETERMINATES:
            raise TermError(f"{count} indeterminates are too many to multiply out")
        names = [f"x{place}" for place in range(max(self._places.values(), default=0) + 1)]
        self._ring = fmpq_mpoly_ctx.get(names, Ordering.degrevlex)
        self._generators = self._ring.gens()

    def value(self, term: Term) -> Rows:
        """The entries of a term, by rows; no caller changes them."""
        if term not in self._known:
            self._known[term] = self._value(term)
        return self._known[term]

    def _value(self, term: Term) -> Rows:
        op, args = term.op, term.args
        rows, columns = _shape(term)
        if op == "literal":
            assert isinstance(term.data, Literal)
            exact = term.data
            return [[self._constant(exact[i, j]) for j in range(columns)] for i in range(rows)]
        if op in ("identity", "zero"):
            one = int(op == "identity")
            return [[self._constant(one * (i == j)) for j in range(columns)] for i in range(rows)]
        if op in ("add", "sum"):
            parts = args if op == "add" else members(term)
            values = [self.value(part) for part in parts]
            return [
                [sum((v[i][j] for v in values), self._constant(0)) for j in range(columns)]
                for i in range(rows)
            ]
        if op == "mul":
            result = self.value(args[0])
            for argument in args[1:]:
                result = self._product(result, self.value(argument))
            return result
        if op == "scale":
            factor = self.value(args[0])[0][0]
            return [[factor * entry for entry in row] for row in self.value(args[1])]
        if op == "polynomial":
            return self._horner(self.value(args[0])[0][0], self.value(args[1]))
        if op == "transpose":
            return [list(column) for column in zip(*self.value(args[0]), strict=True)]
        if op == "trace":
            inner = self.value(args[0])
            return [[sum((inner[i][i] for i in range(len(inner))), self._constant(0))]]
        places = self._places
        return [[self._generators[places[term, i, j]] for j in range(columns)] for i in range(rows)]

    def _constant(self, number: int | Fraction) -> fmpq_mpoly:
        return self._ring.constant(fmpq(number.numerator, number.denominator))

    def _horner(self, time: fmpq_mpoly, coefficients: Rows) -> Rows:
        result = []
        for row in coefficients:
            value = self._constant(0)
            for coefficient in reversed(row):
                value = time * value + coefficient
            result.append([value])
        return result

    def _product(self, left: Rows, right: Rows) -> Rows:
        zero = self._constant(0)
        columns = range(len(right[0]))
        result = []
        for row in left:
            present = [(k, entry) for k, entry in enumerate(row) if entry]
            result.append([sum((x * right[k][j] for k, x in present), zero) for j in columns])
        return result


def _opaque(term: Term) -> list[Term]:
    """The subterms that are matrices of indeterminates, in order of first appearance."""
    found: dict[Term, None] = {}
    waiting = [term]
    seen: set[Term] = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op not in POLYNOMIAL:
            found[node] = None
        elif node.op == "sum":
            waiting.extend(reversed(members(node)))
        elif node.op not in CONSTANT:
            waiting.extend(reversed(node.args))
    return list(found)


def members(total: Term) -> list[Term]:
    """The summands of a sum over a known number of members.

    Raises:
        TermError: the number is not known.
    """
    count = sort_of(total.args[0]).args[0].args[0]
    if count.op != "size" or not isinstance(count.data, int):
        raise TermError("expects sums over a known number of members")
    return [application(total.args[0], index(i + 1, count.data)) for i in range(count.data)]


def _shape(term: Term) -> tuple[int, int]:
    rows, columns = sort_of(term).args
    if rows.op != "size" or columns.op != "size":
        raise TermError("expects matrices whose sizes are numbers")
    assert isinstance(rows.data, int)
    assert isinstance(columns.data, int)
    return rows.data, columns.data
