"""Polynomials in one variable whose values are symmetric matrices, semidefinite on an interval."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpq_poly, fmpz

from proofs.checkers import rational
from proofs.checkers.entries import members
from proofs.terms import Literal, Term, TermError, sort_of

Rows = list[list[fmpq_poly]]
#: halvings of the interval after which a polynomial is not decided
MAX_HALVINGS = 12
#: the highest degree of which coefficients are listed
MAX_DEGREE = 400
ZERO, SHIFT = fmpq_poly([]), fmpq_poly([1, 1])


def coefficients(term: Term, time: Term) -> list[fmpq_mat]:
    """The coefficients of a matrix that is a polynomial in a real variable, the constant first.

    Raises:
        TermError: it has other variables, unknown sizes, operations that are not polynomial, or a
            high degree.
    """
    rows = _Values(time).value(term)
    degree = max(0, *(entry.degree() for row in rows for entry in row))
    return [fmpq_mat([[entry[k] for entry in row] for row in rows]) for k in range(degree + 1)]


class _Values:
    """Values of terms, the entries polynomials; each subterm is computed once."""

    def __init__(self, time: Term) -> None:
        self._time = time
        self._known: dict[Term, Rows] = {}

    def value(self, term: Term) -> Rows:
        """The entries by rows; no caller changes them."""
        if term not in self._known:
            rows = self._value(term)
            if any(entry.degree() > MAX_DEGREE for row in rows for entry in row):
                raise TermError(f"the degree is more than {MAX_DEGREE}")
            self._known[term] = rows
        return self._known[term]

    def _value(self, term: Term) -> Rows:
        op, args = term.op, term.args
        if term == self._time:
            return [[fmpq_poly([0, 1])]]
        if op == "literal":
            assert isinstance(term.data, Literal)
            return [[fmpq_poly([x]) for x in row] for row in term.data.flint.tolist()]
        if op in ("identity", "zero"):
            rows, columns = _shape(term)
            one = int(op == "identity")
            return [[fmpq_poly([one * (i == j)]) for j in range(columns)] for i in range(rows)]
        if op in ("add", "sum"):
            first, *others = map(self.value, args if op == "add" else members(term))
            for other in others:
                first = [
                    [a + b for a, b in zip(*rows, strict=True)]
                    for rows in zip(first, other, strict=True)
                ]
            return first
        if op == "mul":
            return _product([self.value(argument) for argument in args])
        if op == "scale":
            ((factor,),) = self.value(args[0])
            return [[factor * entry for entry in row] for row in self.value(args[1])]
        if op == "polynomial" and isinstance(args[1].data, Literal):
            ((time,),) = self.value(args[0])
            if time.degree() * (args[1].data.columns - 1) > MAX_DEGREE:
                raise TermError(f"the degree is more than {MAX_DEGREE}")
            return [[fmpq_poly(row)(time)] for row in args[1].data.flint.tolist()]
        if op == "transpose":
            return [list(column) for column in zip(*self.value(args[0]), strict=True)]
        if op == "trace":
            inner = self.value(args[0])
            return [[sum((row[i] for i, row in enumerate(inner)), ZERO)]]
        raise TermError("expects a polynomial in one real variable")


def _product(factors: list[Rows]) -> Rows:
    """The product, the cheapest pair of neighbours first."""
    while len(factors) > 1:
        costs = [len(a) * len(b) * len(b[0]) for a, b in itertools.pairwise(factors)]
        i = costs.index(min(costs))
        left, right = factors[i : i + 2]
        factors[i : i + 2] = [[_combined(row, right) for row in left]]
    return factors[0]


def _combined(row: list[fmpq_poly], right: Rows) -> list[fmpq_poly]:
    """A row times a matrix."""
    present = [(x, right[k]) for k, x in enumerate(row) if x]
    return [sum((x * other[j] for x, other in present), ZERO) for j in range(len(right[0]))]


def _shape(term: Term) -> tuple[int, int]:
    rows, columns = (size.data for size in sort_of(term).args)
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise TermError("expects matrices whose sizes are numbers")
    return rows, columns


def is_semidefinite(coefficients: Sequence[fmpq_mat], end: Fraction) -> bool:
    """Whether a polynomial is seen to be symmetric and >= 0 on [0, end], end > 0.

    The constant of a number may outweigh all other coefficients. If not, the values on an interval
    are means of Bernstein coefficients; where one is not >= 0 the interval is halved. False decides
    nothing.
    """
    if end <= 0 or not coefficients:
        return False
    length = fmpq(end.numerator, end.denominator)
    if _outweighs(coefficients, length):
        return True
    waiting = [(_bernstein(coefficients, length), 0)]
    while waiting:
        current, halvings = waiting.pop()
        if all(map(rational.is_semidefinite_flint, current)):
            continue
        ends = current[0], current[-1]
        if halvings == MAX_HALVINGS or not all(map(rational.is_semidefinite_flint, ends)):
            return False
        waiting += [(half, halvings + 1) for half in _halved(current)]
    return True


def _outweighs(coefficients: Sequence[fmpq_mat], end: fmpq) -> bool:
    """Whether the constant of a number is at least the sum of |a_k| end^k over the others."""
    if (coefficients[0].nrows(), coefficients[0].ncols()) != (1, 1):
        return False
    total = fmpq(0)
    for coefficient in reversed(coefficients[1:]):
        total = (total + abs(coefficient[0, 0])) * end
    return bool(coefficients[0][0, 0] >= total)


def _bernstein(coefficients: Sequence[fmpq_mat], end: fmpq) -> list[fmpq_mat]:
    """b with p(t) = sum of b_i C(n, i) x^i (1 - x)^(n - i), x = t/end.

    The b_i C(n, i) are the coefficients of (1 + x)^n p(end x/(1 + x)), in descending order those of
    q(1 + x) for q(x) = x^n p(end/x).
    """
    n = len(coefficients) - 1
    rows, columns = coefficients[0].nrows(), coefficients[0].ncols()
    powers = [end**k for k in range(n + 1)]
    entries = []
    for place in itertools.product(range(rows), range(columns)):
        turned = fmpq_poly([coefficients[k][place] * powers[k] for k in range(n, -1, -1)])
        shifted = turned(SHIFT)
        entries.append([shifted[n - i] / _choose(n, i) for i in range(n + 1)])
    return [fmpq_mat(rows, columns, list(column)) for column in zip(*entries, strict=True)]


def _choose(n: int, k: int) -> fmpz:
    return fmpz.bin_uiui(n, k)


def _halved(bernstein: Sequence[fmpq_mat]) -> tuple[list[fmpq_mat], list[fmpq_mat]]:
    """The coefficients on both halves, by de Casteljau's scheme."""
    row, first, last = list(bernstein), [bernstein[0]], [bernstein[-1]]
    while len(row) > 1:
        row = [(a + b) / fmpq(2) for a, b in itertools.pairwise(row)]
        first.append(row[0])
        last.append(row[-1])
    return first, last[::-1]
