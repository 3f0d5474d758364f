"""An oracle for mutated statements that shares no code with the kernel.

Terms are compared by exact evaluation with fractions at random points; functions by their values
at random arguments; what has no rational value (roots, integrals, eigenvalues) becomes a random
value that depends on the values of its arguments only.  :func:`entails` compares propositions
with regard to polarity.  It may miss a consequence, and it errs on the other side only when two
different expressions agree at every random point.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from proofs.kernel import Statement
from proofs.terms import (
    Literal,
    Term,
    application,
    index_sort,
    size,
    sort_of,
    substitute,
    variable,
)

Matrix = tuple[tuple[Fraction, ...], ...]
SIZES = (2, 3)
MINUS = Term("literal", data=Literal(1, 1, (Fraction(-1),)))
NOTHING = Term("literal", data=Literal(1, 1, (Fraction(0),)))


def matrix(rows: Iterable[Iterable[Any]]) -> Matrix:
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def add(a: Matrix, b: Matrix) -> Matrix:
    return matrix([x + y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True))


def times(c: Fraction, a: Matrix) -> Matrix:
    return matrix([c * x for x in row] for row in a)


def product(a: Matrix, b: Matrix) -> Matrix:
    assert len(a[0]) == len(b)
    return matrix(
        [sum(x * b[k][j] for k, x in enumerate(row)) for j in range(len(b[0]))] for row in a
    )


def transpose(a: Matrix) -> Matrix:
    return tuple(zip(*a, strict=True))


def identity(n: int) -> Matrix:
    return matrix([int(i == j) for j in range(n)] for i in range(n))


def echelon(a: Matrix) -> tuple[list[list[Fraction]], list[int]]:
    """Reduced row echelon form and its pivot columns."""
    rows, pivots = [list(row) for row in a], []
    for j in range(len(rows[0])):
        k = len(pivots)
        pivot = next((i for i in range(k, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][j] for x in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[j]:
                rows[i] = [x - row[j] * y for x, y in zip(row, rows[k], strict=True)]
        pivots.append(j)
    return rows, pivots


def rank(a: Matrix) -> int:
    return len(echelon(a)[1])


def inverse(a: Matrix) -> Matrix:
    """The inverse, 0 when there is none."""
    n = len(a)
    if rank(a) < n:
        return matrix([0] * n for _ in range(n))
    rows, _ = echelon(tuple((*r, *e) for r, e in zip(a, identity(n), strict=True)))
    return matrix(row[n:] for row in rows)


def semidefinite(a: Matrix, strict: bool = False) -> bool:
    """Symmetric with nonnegative (positive) coefficients of the characteristic polynomial."""
    n = len(a)
    if a != transpose(a):
        return False
    # Faddeev-LeVerrier: e_k(eigenvalues) >= 0 for all k (> 0: strict)
    current = identity(n)
    for k in range(1, n + 1):
        image = product(a, current)
        coefficient = -sum(image[i][i] for i in range(n)) / k
        elementary = coefficient * (-1) ** k
        if elementary < 0 or (strict and elementary == 0):
            return False
        current = add(image, times(coefficient, identity(n)))
    return True


def diagonal_root(a: Matrix) -> Matrix | None:
    """The root of a diagonal matrix of squares."""
    n, roots = len(a), []
    for i in range(n):
        if any(a[i][j] for j in range(n) if j != i) or a[i][i] < 0:
            return None
        parts = (a[i][i].numerator, a[i][i].denominator)
        if any(math.isqrt(x) ** 2 != x for x in parts):
            return None
        roots.append(Fraction(math.isqrt(parts[0]), math.isqrt(parts[1])))
    return matrix([roots[i] if i == j else 0 for j in range(n)] for i in range(n))


class Point:
    """Values of the free variables, drawn when they are first met."""

    def __init__(
        self,
        seed: int,
        symmetric: frozenset[str] = frozenset(),
        *,
        states: bool = False,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self._seed, self._symmetric, self._states = seed, symmetric, states
        self._values: dict[Any, Any] = dict(values or {})

    def know_symmetric(self, name: str) -> None:
        """For a variable that was not met yet."""
        self._symmetric |= {name}

    def _draw(self, key: Any, rows: int, columns: int, symmetric: bool = False) -> Matrix:
        if key not in self._values:
            generator = random.Random(repr((self._seed, key)))
            entries = [
                Fraction(generator.randint(-997, 997), generator.randint(1, 29))
                for _ in range(rows * columns)
            ]
            value = matrix(entries[i * columns : (i + 1) * columns] for i in range(rows))
            self._values[key] = add(value, transpose(value)) if symmetric else value
        return self._values[key]

    def size(self, term: Term) -> int:
        if term.op == "size":
            return int(str(term.data))
        generator = random.Random(repr((self._seed, "size", term.data)))
        return self._values.setdefault(("size", term.data), generator.choice(SIZES))

    def indices(self, sort: Term) -> range:
        """The members of Index n."""
        return range(1, self.size(sort.args[0]) + 1)

    def sample(self, key: Any, sort: Term) -> Any:
        """A random value of a sort."""
        if sort.op == "Mat":
            rows, columns = (self.size(n) for n in sort.args)
            name = key[1] if isinstance(key, tuple) and key[0] in ("var", "member") else None
            square = rows == columns and sort.args[0] == sort.args[1]
            symmetric = square and (
                name in self._symmetric or (self._states and name is None and rows > 1)
            )
            return self._draw((key, rows, columns), rows, columns, symmetric)
        if sort.op == "Index":
            return random.Random(repr((self._seed, key))).choice(self.indices(sort))
        if sort.op == "Fun" and sort.args[0].op == "Index":  # parameters, not states
            return lambda i: self.sample(("member", key[1], key, i), sort.args[1])
        if sort.op == "Fun":
            return lambda x: self.sample((key, self.print(x)), sort.args[1])
        return (sort.op, repr(key))

    def print(self, value: Any) -> Any:
        """A hashable fingerprint: functions by their values at random arguments."""
        return value.fingerprint if isinstance(value, Abstraction) else value

    def __call__(self, term: Term, bound: tuple[Any, ...] = ()) -> Any:
        op, args = term.op, term.args
        if op == "bound":
            return bound[int(str(term.data))]
        if op == "var":
            if term.args[0].op == "Dim":
                return self.size(term)
            key = ("var", str(term.data))
            if key not in self._values:
                if args[0].op == "Fun":
                    value: Any = Abstraction(self, args[0], self.sample(key, args[0]))
                else:
                    value = self.sample(key, args[0])
                self._values[key] = value
            return self._values[key]
        if op == "literal":
            data = term.data
            assert isinstance(data, Literal)
            n = data.columns
            return matrix(data.entries[i * n : (i + 1) * n] for i in range(data.rows))
        if op == "lambda":
            return Abstraction(self, args[0], lambda x: self(args[1], (x, *bound)))
        if op == "apply":
            return self(args[0], bound)(self(args[1], bound))
        if op == "index":
            return int(str(term.data))
        if op == "family":
            members = [self(a, bound) for a in args]
            return Abstraction(self, index_sort(size(len(args))), lambda i: members[i - 1])
        if op == "sum":
            family = self(args[0], bound)
            return functools.reduce(add, map(family, self.indices(family.source)))
        if op in ("identity", "zero", "dimension"):
            n, m = self.size(args[0]), self.size(args[-1])
            if op == "dimension":
                return matrix([[n]])
            return identity(n) if op == "identity" else matrix([0] * m for _ in range(n))
        if op == "integral" and args[0].op == "atoms":
            masses, points = (self(a, bound) for a in args[0].args)
            function = self(args[1], bound)
            members = (
                times(masses(i)[0][0], function(points(i))) for i in self.indices(masses.source)
            )
            return functools.reduce(add, members)
        values = [self(a, bound) for a in args]
        if op == "add":
            total = values[0]
            for value in values[1:]:
                total = add(total, value)
            return total
        if op == "mul":
            total = values[0]
            for value in values[1:]:
                total = product(total, value)
            return total
        if op == "scale":
            return times(values[0][0][0], values[1])
        if op == "polynomial":
            time, coefficients = values[0][0][0], values[1]
            return matrix([sum(c * time**k for k, c in enumerate(row))] for row in coefficients)
        if op == "transpose":
            return transpose(values[0])
        if op == "trace":
            return matrix([[sum(values[0][i][i] for i in range(len(values[0])))]])
        if op == "inverse":
            return inverse(values[0])
        key = (op, *(self.print(v) for v in values))
        if op == "root" and (exact := diagonal_root(values[0])) is not None:
            return exact
        if op == "root":
            return self._draw(key, len(values[0]), len(values[0]), True)
        if op in ("pinv", "principal_root"):
            flipped = transpose(values[0])
            if flipped < values[0]:  # the transpose of that of the transpose
                return transpose(self._draw((op, flipped), len(values[0]), len(values[0][0])))
            symmetric = flipped == values[0]
            return self._draw(key, len(values[0][0]), len(values[0]), symmetric)
        # a random point has full rank: keep ranks opaque
        if op in ("det", "lmax", "exp", "log", "rank"):
            return self._draw(key, 1, 1)
        if op == "balanced":
            domain = values[1].source
            return Abstraction(
                self,
                domain,
                lambda x: Abstraction(self, domain, lambda y: self._draw((key, x, y), 1, 1)),
            )
        if op == "integral":
            value = values[1](self._draw(("point", len(repr(key))), *self._point(values[1]), False))
            return self._draw(key, len(value), len(value[0]))
        return key

    def _point(self, function: Abstraction) -> tuple[int, int]:
        rows, columns = function.source.args
        return self.size(rows), self.size(columns)


class Abstraction:
    """A function on values, with a fingerprint."""

    def __init__(self, point: Point, source: Term, function: Callable[[Any], Any]) -> None:
        self.source = source.args[0] if source.op == "Fun" else source
        self._point, self._function, self._print = point, function, None

    def __call__(self, value: Any) -> Any:
        return self._function(value)

    @property
    def fingerprint(self) -> Any:
        if self._print is None:
            values = []
            finite = self.source.op == "Index"
            for i in self._point.indices(self.source) if finite else range(2):
                argument = i if finite else self._point.sample(("argument", i), self.source)
                if self.source.op == "Fun":
                    argument = Abstraction(self._point, self.source, argument)
                result = self._function(argument)
                if callable(result) and not isinstance(result, Abstraction):
                    result = repr(("unknown", i))
                values.append(self._point.print(result))
            self._print = ("function", *values)
        return self._print


# Propositions --------------------------------------------------------------------------------


class Oracle:
    """Compares propositions at several random points."""

    def __init__(
        self, symmetric: Iterable[str] = (), *, states: bool = False, rounds: int = 4
    ) -> None:
        names = frozenset(symmetric)
        self._points = [Point(seed, names, states=states) for seed in range(rounds)]
        self._fresh = 0

    def same(self, first: Term, second: Term) -> bool:
        """Whether two terms have one value at every point."""
        if first == second:
            return True
        return all(p.print(p(first)) == p.print(p(second)) for p in self._points)

    def ratio(self, first: Term, second: Term) -> Fraction | None:
        """c when ``second`` is c times ``first`` at every point."""
        found: set[Fraction] = set()
        for point in self._points:
            a = [x for row in point(first) for x in row]
            b = [x for row in point(second) for x in row]
            if len(a) != len(b):
                return None
            lead = next((i for i, x in enumerate(a) if x), None)
            if lead is None:
                return None
            factor = b[lead] / a[lead]
            if b != [factor * x for x in a]:
                return None
            found.add(factor)
        return found.pop() if len(found) == 1 else None

    def trivial(self, p: Term) -> bool:
        """An equation of a term with itself, or 0 >= 0."""
        if p.op == "psd":
            return not any(x for point in self._points for row in point(p.args[0]) for x in row)
        return p.op == "eq" and self.same(*p.args)

    def entails(self, p: Term, q: Term) -> bool:
        """Whether q visibly follows from p."""
        if p == q or self.trivial(q):
            return True
        if q.op == "and":
            return all(self.entails(p, part) for part in q.args)
        if p.op == "and" and any(self.entails(part, q) for part in p.args):
            return True
        if p.op in ("psd", "pd") and q.op in ("psd", "pd"):
            if p.op == "psd" and q.op == "pd":
                return False
            # what is semidefinite is symmetric
            (known,), (wanted,) = p.args, q.args
            flipped = Term("transpose", (known,))
            same = (known, flipped, Term("add", (known, flipped)))
            return any((factor := self.ratio(x, wanted)) is not None and factor > 0 for x in same)
        if p.op in ("psd", "pd") and q.op == "eq" and _is_matrix(q.args[0]):
            p = Term("eq", (Term("transpose", p.args), *p.args))
        if p.op != q.op or len(p.args) != len(q.args):
            return False
        if p.op == "implies":
            return self.entails(q.args[0], p.args[0]) and self.entails(p.args[1], q.args[1])
        if p.op in ("forall", "exists"):
            return self._opened(p, q)
        if p.op == "eq" and _is_matrix(p.args[0]) and _is_matrix(q.args[0]):
            sides = (_difference(p), _difference(q))
            return self.ratio(*sides) not in (None, 0)
        if p.op == "not":
            return self.entails(q.args[0], p.args[0])
        return all(self.same(a, b) for a, b in zip(p.args, q.args, strict=True))

    def _opened(self, p: Term, q: Term) -> bool:
        first, second = p.args[0], q.args[0]
        if first.op != "lambda" or second.op != "lambda" or first.args[0] != second.args[0]:
            return False
        self._fresh += 1
        fresh = variable(f"fresh{self._fresh}", first.args[0])
        wanted = application(second, fresh)
        if wanted.op == "implies" and wanted.args[0] in (
            Term("psd", (fresh,)),
            Term("pd", (fresh,)),
        ):
            for point in self._points:
                point.know_symmetric(str(fresh.data))
        if self.entails(application(first, fresh), wanted):
            return True
        # what holds for all x holds for -x
        if p.op == "exists" or first.args[0].op != "Mat":
            return False
        return self.entails(application(first, Term("scale", (MINUS, fresh))), wanted)


def _is_matrix(term: Term) -> bool:
    return sort_of(term).op == "Mat"


def _difference(equation: Term) -> Term:
    return Term("add", (equation.args[0], Term("scale", (MINUS, equation.args[1]))))


def declared_symmetric(statement: Statement) -> set[str]:
    """Variables, and families all of them, that a hypothesis says to be symmetric or definite."""
    found = set()
    for p in statement.hypotheses:
        member = None
        if p.op == "forall" and p.args[0].args[0].op == "Index":
            member = variable("member", p.args[0].args[0])
            p = application(p.args[0], member)
        for part in p.args if p.op == "and" else (p,):
            symmetric = part.op == "eq" and part.args[0] == Term("transpose", part.args[1:])
            if symmetric or part.op in ("psd", "pd"):
                x = part.args[-1]
                if member is not None and x.op == "apply" and x.args[1] == member:
                    x = x.args[0]
                if x.op == "var":
                    found.add(str(x.data))
    return found


def weaker(known: Statement, claimed: Statement, *, states: bool = False) -> bool:
    """Whether ``claimed`` visibly follows from ``known``.

    With ``states`` vector fields are compared on symmetric matrices only.
    """
    oracle = Oracle(declared_symmetric(claimed), states=states)
    return all(
        any(oracle.entails(mine, h) for mine in claimed.hypotheses) or oracle.trivial(h)
        for h in known.hypotheses
    ) and oracle.entails(known.conclusion, claimed.conclusion)


def instance_of(known: Statement, claimed: Statement, values: Mapping[str, Term]) -> bool:
    """Whether ``claimed`` is ``known`` at other values of its variables."""
    names = known.variables()
    values = {name: value for name, value in values.items() if name in names}
    return (
        bool(values)
        and Statement(
            tuple(substitute(h, values) for h in known.hypotheses),
            substitute(known.conclusion, values),
        )
        == claimed
    )
