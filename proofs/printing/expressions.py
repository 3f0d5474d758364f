"""The walk over matrices, functions, measures and lifetimes."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Self

from proofs.printing.names import clashes, fresh_name, split_subscript
from proofs.printing.notation import Level, Notation, Piece
from proofs.terms import ONE, REAL, Literal, Term, application, sort_of, variable

MINUS_ONE = Term("literal", data=Literal(1, 1, (Fraction(-1),)))


class Expressions:
    """Prints closed terms that are not propositions.

    The value of a family at an index is printed as a member V_h.  How far a sum over a family
    goes is printed where its summands do not tell: when they are all the same, or when the terms
    and the ``context`` have families of several sizes or of a given one.

    Bound variables get names that occur nowhere in ``terms``, the terms that are read together,
    abbreviations included.  The size of an identity is printed only when these terms, and those
    of the ``context`` whose names do not matter, have several sizes.
    """

    def __init__(
        self, notation: Notation, terms: Sequence[Term], context: Sequence[Term] = ()
    ) -> None:
        nodes = [node for term in terms for node in term.walk()]
        self.notation = notation
        self._taken = frozenset(str(node.data) for node in nodes if node.op == "var")
        self._names = self._taken | {node.hint for node in nodes if node.op == "lambda"}
        nodes += [node for term in context for node in term.walk()]
        self._show_sizes = len(_sizes(nodes)) > 1
        counts = family_sizes(nodes)
        self._show_counts = len(counts) > 1 or any(count.op == "size" for count in counts)

    # Names

    def fresh(self, hint: str) -> tuple[Self, str]:
        """A name that is not taken, and a printer for which it is."""
        name = fresh_name(hint, self._taken)
        inner = copy.copy(self)
        inner._taken = self._taken | {name}
        inner._names = self._names | {name}
        return inner, name

    def open(self, function: Term, hint: str) -> tuple[Self, Term, Term]:
        """The argument and the value of a function, and a printer for the value.

        The argument is called as in the function, or ``hint`` where that has no name; an index
        without a name is called h.
        """
        source = sort_of(function).args[0]
        named = function.op == "lambda" and function.hint.strip("_")
        inner, name = self.fresh(function.hint if named else "h" if is_index(source) else hint)
        argument = variable(name, source)
        return inner, argument, application(function, argument)

    # Pieces

    def whole(self, term: Term) -> str:
        return self.notation.whole(self.show(term))

    def part(self, term: Term, level: Level) -> str:
        """The term, in parentheses unless it holds together at least like ``level``."""
        return self.notation.at_least(self.show(term), level)

    def show(self, term: Term) -> Piece:
        """The printed term."""
        notation, op, args = self.notation, term.op, term.args
        if op == "var":
            return Piece(notation.name(str(term.data)), Level.ATOM)
        if op == "literal":
            return self._literal(term)
        if op in ("size", "dimension"):
            return Piece(self.size(args[0] if args else term), Level.ATOM)
        if op == "index":
            return Piece(str(term.data), Level.ATOM)
        if op == "identity":
            return Piece(self._identity(args[0]), Level.ATOM)
        if op in ("zero", "infinity"):
            return Piece(notation.symbols[op], Level.ATOM)
        if op == "finite":
            return self.show(args[0])
        if op == "add":
            return self._sum(term)
        if op in ("mul", "scale") or (op == "inverse" and sort_of(term) == REAL):
            return self._product(term)
        if op in ("transpose", "inverse", "pinv"):
            exponent = {"transpose": "T", "inverse": "-1", "pinv": "+"}[op]
            base = self.part(args[0], Level.ATOM)
            return Piece(notation.superscript(base, exponent), Level.POWER)
        if op in ("root", "principal_root"):
            return notation.root(self.show(args[0]), sort_of(term) == REAL)
        if op in ("trace", "det", "lmax", "rank", "exp", "log", "gaussian", "balanced"):
            return notation.call(notation.symbols[op], *map(self.whole, args))
        if op == "polynomial":
            return self.show(_expanded(*args))
        if op == "integral":
            return self._integral(*args)
        if op == "atoms":
            return self._atoms(*args)
        if op == "past":
            measure, end = self.part(args[0], Level.ATOM), self.whole(args[1])
            return Piece(self.notation.restriction(measure, end), Level.ATOM)
        if op == "sum":
            return self._total(args[0])
        if op == "family":
            return Piece(f"[{', '.join(map(self.whole, args))}]", Level.ATOM)
        if op == "apply":
            return self._application(term)
        if op == "lambda":
            return self._map(term)
        raise ValueError(f"no notation for {op}")

    def _identity(self, size: Term) -> str:
        if size == ONE:
            return "1"
        return self.notation.identity(self.size(size) if self._show_sizes else "")

    def _literal(self, term: Term) -> Piece:
        literal = term.data
        assert isinstance(literal, Literal)
        if literal.rows == literal.columns == 1:
            return self.notation.number(literal.entries[0])
        entries = [self.notation.whole(self.notation.number(x)) for x in literal.entries]
        starts = range(0, len(entries), literal.columns)
        rows = [entries[start : start + literal.columns] for start in starts]
        return Piece(self.notation.matrix(rows), Level.ATOM)

    def _sum(self, term: Term) -> Piece:
        text = ""
        for position, summand in enumerate(_flat_sum(term)):
            piece = self.show(summand)
            sign = self.notation.symbols["minus" if piece.negative else "plus"]
            if position:
                text += f" {sign} "
            elif piece.negative:
                text += sign
            text += self.notation.at_least(Piece(piece.body, piece.level), Level.QUOTIENT)
        return Piece(text, Level.SUM)

    def _product(self, term: Term) -> Piece:
        """Scalar inverses go into a denominator, a leading negative number gives the sign."""
        above: list[Term] = []
        below: list[Term] = []
        for factor in _flat_product(term):
            if factor.op == "inverse" and sort_of(factor) == REAL:
                below.append(factor.args[0])
            else:
                above.append(factor)
        negative = bool(above) and _is_negative(above[0])
        if negative:
            literal = above.pop(0).data
            assert isinstance(literal, Literal)
            if literal.entries[0] != -1 or not (above or below):
                above.insert(0, number(-literal.entries[0]))
        piece = self._juxtapose(above or [number(Fraction(1))])
        if below:
            piece = self.notation.quotient(piece, self._juxtapose(below))
        if not negative:
            return piece
        loose = piece.negative or piece.level < Level.QUOTIENT
        body = self.notation.at_least(piece, Level.QUOTIENT)
        return Piece(body, Level.ATOM if loose else piece.level, negative=True)

    def _juxtapose(self, factors: Sequence[Term]) -> Piece:
        """The factors side by side, equal neighbours as a power."""
        if len(factors) == 1:
            return self.show(factors[0])
        runs: list[tuple[Term, int]] = []
        for factor in factors:
            if (
                runs
                and runs[-1][0] == factor
                and factor.op not in ("literal", "root", "principal_root")
            ):
                runs[-1] = (factor, runs[-1][1] + 1)
            else:
                runs.append((factor, 1))
        pieces = [self._power(factor, count) for factor, count in runs]
        text = ""
        for position, piece in enumerate(pieces):
            level = Level.PRODUCT if position < len(pieces) - 1 else Level.OPERATOR
            scaled = runs[position][0].op == "scale"
            body = self.notation.at_least(piece, Level.ATOM if scaled else level)
            if text:
                text += f" {self.notation.symbols['dot']} " if body[0].isdigit() else " "
            text += body
        last = pieces[-1]
        open_end = last.level == Level.OPERATOR and not last.negative
        if len(pieces) == 1:
            return last
        return Piece(text, Level.OPERATOR if open_end else Level.PRODUCT)

    def _power(self, factor: Term, count: int) -> Piece:
        if count == 1:
            return self.show(factor)
        base = self.part(factor, Level.ATOM)
        return Piece(self.notation.superscript(base, str(count)), Level.POWER)

    def _integral(self, measure: Term, integrand: Term) -> Piece:
        inner, point, value = self.open(integrand, "y")
        body = inner.part(value, Level.QUOTIENT)
        symbols = self.notation.symbols
        sign, name = symbols["integral"], inner.whole(point)
        if measure.op == "past":
            measure, end = measure.args
            sign = self.notation.subscript(sign, [f"{name} {symbols['le']} {self.whole(end)}"])
        measured = self.part(measure, Level.ATOM) + self.notation.parentheses(name)
        return Piece(f"{sign} {body} {symbols['d']}{measured}", Level.OPERATOR)

    def _total(self, family: Term) -> Piece:
        """The sum over a family, as far as the product after the sign goes."""
        inner, index, summand = self.open(family, "h")
        count = index.args[0].args[0]
        told = index in summand.walk() and not self._show_counts
        sign = self.notation.summation(inner.whole(index), "" if told else self.size(count))
        return Piece(f"{sign} {inner.part(summand, Level.QUOTIENT)}", Level.OPERATOR)

    def _atoms(self, masses: Term, points: Term) -> Piece:
        """The sum over i of m_i times the point mass at x_i."""
        inner, index, point = self.open(points, "i")
        sign = self.notation.summation(inner.whole(index), "")
        mass = inner.part(application(masses, index), Level.PRODUCT)
        atom = self.notation.subscript(self.notation.symbols["atom"], [inner.whole(point)])
        return Piece(f"{sign} {mass} {atom}", Level.OPERATOR)

    def _application(self, term: Term) -> Piece:
        arguments: list[Term] = []
        while term.op == "apply":
            arguments.insert(0, term.args[1])
            term = term.args[0]
        return self.applied(term, arguments)

    def applied(self, function: Term | str, arguments: Sequence[Term]) -> Piece:
        """f(s, t), V_h, X_h(t) or (f(t))_h; the function alone when there are no arguments.

        A string is a function in print.
        """
        result: Term | str = function
        for indices, group in itertools.groupby(arguments, lambda a: is_index(sort_of(a))):
            texts = [self.whole(argument) for argument in group]
            if indices:
                result = self._member(result, texts)
            else:
                result = self.notation.call(self._base(result), *texts).body
        return Piece(self._base(result), Level.ATOM)

    def _base(self, function: Term | str) -> str:
        return function if isinstance(function, str) else self.part(function, Level.ATOM)

    def _member(self, family: Term | str, indices: Sequence[str]) -> str:
        """V_h or b_{q,h}, (V)_h where that could be taken for another letter."""
        if isinstance(family, Term) and family.op == "family":
            return self.notation.subscript(self._base(family), indices)
        if isinstance(family, Term) and family.op == "var":
            name = str(family.data)
            letter, subscript = split_subscript(name)
            if letter and not any(clashes(other, name) for other in self._names - {name}):
                added = [subscript, *indices] if subscript else indices
                return self.notation.subscript(self.notation.name(letter), added)
        return self.notation.subscript(self.notation.parentheses(self._base(family)), indices)

    def members(self, family: Term) -> str:
        """``V_1, ..., V_H``."""
        dots = self.notation.symbols["dots"]
        indices = self._count(family.args[0].args[0].args[0])
        return ", ".join(i if i == dots else self._member(family, [i]) for i in indices)

    def _count(self, count: Term) -> Iterator[str]:
        """1, ..., n in print."""
        yield "1"
        if count.op == "var" or count.data not in (1, 2):
            yield self.notation.symbols["dots"]
        if count != ONE:
            yield self.size(count)

    def _map(self, term: Term) -> Piece:
        printer, names = self, []
        while term.op == "lambda":
            printer, argument, term = printer.open(term, "x")
            names.append(printer.whole(argument))
        arguments = names[0] if len(names) == 1 else self.notation.parentheses(", ".join(names))
        arrow = self.notation.symbols["mapsto"]
        return Piece(f"{arguments} {arrow} {printer.whole(term)}", Level.MAP)

    # Sorts

    def size(self, term: Term) -> str:
        return self.notation.name(str(term.data)) if term.op == "var" else str(term.data)

    def sort(self, sort: Term, source: str = "") -> str:
        """The set of values of a sort; ``source`` replaces the domain of a function."""
        if sort.op == "Mat":
            rows, columns = sort.args
            if columns != ONE:
                return self.notation.space(self.size(rows), self.size(columns))
            return self.notation.space("" if rows == ONE else self.size(rows), "")
        if sort.op == "Index":
            return self.notation.indices([*self._count(sort.args[0])])
        if sort.op == "Measure":
            return self.notation.measures(self.notation.space(self.size(sort.args[0]), ""))
        if sort.op == "Fun":
            domain = source or self.sort(sort.args[0])
            if sort.args[0].op == "Fun" and not source:
                domain = self.notation.parentheses(domain)
            return f"{domain} {self.notation.symbols['to']} {self.sort(sort.args[1])}"
        return self.notation.symbols[sort.op]


def negated(term: Term) -> Term | None:
    """The term a, given scale(-1, a)."""
    return term.args[1] if term.op == "scale" and term.args[0] == MINUS_ONE else None


def number(value: Fraction) -> Term:
    return Term("literal", data=Literal(1, 1, (value,)))


def _is_negative(term: Term) -> bool:
    literal = term.data
    return isinstance(literal, Literal) and len(literal.entries) == 1 and literal.entries[0] < 0


def _flat_sum(term: Term) -> Iterator[Term]:
    for part in term.args:
        if part.op == "add":
            yield from _flat_sum(part)
        else:
            yield part


def _flat_product(term: Term) -> Iterator[Term]:
    """The factors of nested products and scalings.

    A scaling inside a product, and a negative product inside another, stays as it is, so that
    what is printed shows how the term is built.
    """
    if term.op not in ("mul", "scale"):
        yield term
        return
    for position, part in enumerate(term.args):
        inner = list(_flat_product(part))
        scaled = part.op == "scale" and position > 0 and term.op == "mul"
        if position > 0 and (scaled or _is_negative(inner[0])):
            yield part
        else:
            yield from inner


def is_index(sort: Term) -> bool:
    return sort.op == "Index"


def family_sizes(nodes: Iterable[Term]) -> set[Term]:
    """How many members the families in a term have."""
    return {node.args[0] for node in nodes if node.op == "Index"}


def matrix_sizes(nodes: Iterable[Term]) -> set[Term]:
    """The sizes of the matrices in a term, other than 1."""
    found: set[Term] = set()
    for node in nodes:
        if node.op in ("Mat", "Measure", "identity", "zero"):
            found.update(node.args)
        elif isinstance(node.data, Literal):
            found |= {Term("size", data=node.data.rows), Term("size", data=node.data.columns)}
    return found - {ONE}


def _sizes(nodes: Sequence[Term]) -> set[Term]:
    """The sizes of the matrices in a term, and those that stand for themselves, other than 1."""
    numbers = {node.args[0] for node in nodes if node.op == "dimension"}
    return matrix_sizes(nodes) | (numbers - family_sizes(nodes) - {ONE})


def _expanded(time: Term, coefficients: Term) -> Term:
    """c_0 + t c_1 + t^2 c_2 + ..., with its powers written out."""
    terms = []
    for k, vector in enumerate(_columns(coefficients)):
        power = time if k == 1 else Term("mul", (time,) * k) if k else None
        terms.append(vector if power is None else Term("scale", (power, vector)))
    return terms[0] if len(terms) == 1 else Term("add", tuple(terms))


def _columns(coefficients: Term) -> list[Term]:
    """The columns of a matrix; products with those of the identity if it is not literal."""
    count = int(str(sort_of(coefficients).args[1].data))
    if isinstance(coefficients.data, Literal):
        rows = coefficients.data.rows
        entries = [tuple(coefficients.data[i, k] for i in range(rows)) for k in range(count)]
        return [Term("literal", data=Literal(rows, 1, column)) for column in entries]
    return [
        Term("mul", (coefficients, Term("literal", data=_unit(count, k)))) for k in range(count)
    ]


def _unit(rows: int, k: int) -> Literal:
    """A column of the identity."""
    return Literal(rows, 1, tuple(Fraction(int(i == k)) for i in range(rows)))
