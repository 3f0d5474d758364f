"""The walk over propositions, and the declaration of variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs.printing.abbreviations import Abbreviations
from proofs.printing.expressions import Expressions, is_index, negated
from proofs.printing.names import PARTICLES
from proofs.printing.notation import Level, Notation, Piece
from proofs.terms import DIM, PROP, REAL, Term, application, free_variables, sort_of, variable

_PIECEWISE = "piecewise continuous and right-continuous"


class Printer(Expressions):
    """Prints closed terms of every sort."""

    def show(self, term: Term) -> Piece:
        """The printed term."""
        op, args = term.op, term.args
        if op in ("psd", "pd"):
            return self._positive(args[0], strict=op == "pd")
        if op == "eq":
            return self._relation("eq", *args)
        if op == "at_most":
            return self._relation("le", *args)
        if op == "within":
            time = self.part(args[0], Level.SUM)
            return self._join(f"{time} {self._symbol('in')} {self.interval(args[1])}")
        if op == "invertible":
            return self._join(self.part(args[0], Level.SUM), " is invertible")
        if op == "ode":
            return self._ode(*args)
        if op == "maximal":
            return self._maximal(*args)
        if op == "piecewise":
            return self._piecewise(*args)
        if op == "escapes":
            return self._escapes(*args)
        if op == "limit":
            return self._limit(*args)
        if op == "limit_point":
            return self._limit_point(*args)
        if op in ("smooth", "continuous"):
            return self._join(self._map_in_words(args[0]), f" is {op}")
        if op == "smooth_at":
            point = self.part(args[1], Level.SUM)
            return self._join(self._map_in_words(args[0]), " is smooth near ", point)
        if op == "slit":
            return self._join(
                self.part(args[0], Level.SUM),
                " has no real eigenvalue ",
                f"{self._symbol('le')} {self._symbol('zero')}",
            )
        if op == "integrable":
            measure = self.part(args[0], Level.SUM)
            return self._join(self._map_in_words(args[1]), " is integrable against ", measure)
        if op == "continuity":
            return self._continuity(*args)
        if op == "and":
            return self._conjunction(args)
        if op == "implies":
            return self._implication(*args)
        if op == "not":
            return self._negation(args[0])
        if op in ("forall", "exists"):
            return self._quantifier(term)
        return super().show(term)

    # Helpers

    def _symbol(self, key: str) -> str:
        return self.notation.symbols[key]

    def _join(self, formula: str, *rest: str, level: Level = Level.RELATION) -> Piece:
        """A formula followed by words and formulas in turn."""
        for number, part in enumerate(rest):
            formula += part if number % 2 else self.notation.words(part)
        return Piece(formula, level)

    def _relation(self, symbol: str, left: Term, right: Term) -> Piece:
        sides = (self.part(left, Level.SUM), self.part(right, Level.SUM))
        return Piece(f" {self._symbol(symbol)} ".join(sides), Level.RELATION)

    def interval(self, end: Term) -> str:
        """[0, end)."""
        return self.notation.interval(self.whole(end))

    def _value(self, function: Term, hint: str) -> tuple[str, str]:
        """A function's value at a new point, and the point."""
        inner, argument, value = self.open(function, hint)
        return inner.whole(value), inner.whole(argument)

    # Relations

    def _positive(self, matrix: Term, strict: bool) -> Piece:
        """M >= 0; b - a >= 0 is a <= b, and -a >= 0 is a <= 0."""
        key = ("t" if strict else "e") + ("" if sort_of(matrix) == REAL else "_matrix")
        opposite = negated(matrix)
        if opposite is None and matrix.op == "add" and len(matrix.args) == 2:
            smaller = negated(matrix.args[1])
            if smaller is not None:
                return self._relation(f"l{key}", smaller, matrix.args[0])
        symbol = f"g{key}" if opposite is None else f"l{key}"
        left = self.part(matrix if opposite is None else opposite, Level.SUM)
        return Piece(f"{left} {self._symbol(symbol)} {self._symbol('zero')}", Level.RELATION)

    def _ode(self, end: Term, curve: Term, velocity: Term) -> Piece:
        inner, time, value = self.open(velocity, "t")
        t = inner.whole(time)
        if curve.op == "var":
            left = self.whole(curve) + self._symbol("prime") + self.notation.parentheses(t)
        else:
            left = self.notation.derivative(inner.whole(application(curve, time)), t)
        equation = f"{left} {self._symbol('eq')} {inner.whole(value)}"
        domain = f"{t} {self._symbol('in')} {self.interval(end)}"
        return self._join(equation, " for ", domain, level=Level.PHRASE)

    def _maximal(self, end: Term, curve: Term, field: Term, start: Term) -> Piece:
        """The equation is written for the curve's own letter when the field does not use it."""
        printer: Printer = self
        if curve.op == "var" and curve.data not in free_variables(field):
            state = variable(str(curve.data), sort_of(start))
            value = application(field, state)
        else:
            printer, state, value = self.open(field, "X")
        name, zero, eq = printer.whole(state), self._symbol("zero"), self._symbol("eq")
        equation = f"{name}{self._symbol('prime')} {eq} {printer.whole(value)}"
        initial = f"{name}{self.notation.parentheses(zero)} {eq} {self.whole(start)}"
        return self._join(
            self.part(curve, Level.SUM),
            " on ",
            self.interval(end),
            " is the maximal solution of ",
            f"{equation}{self._symbol('comma')}{initial}",
            level=Level.PHRASE,
        )

    def _piecewise(self, end: Term, curve: Term) -> Piece:
        name = self.whole(curve)
        if curve.op == "lambda":
            name = self.notation.words("the curve ") + name
        words = f" is {_PIECEWISE} on "
        return self._join(name, words, self.interval(end), level=Level.PHRASE)

    def _all_piecewise(self, end: Term, curves: Sequence[Term]) -> Piece:
        *names, last = map(self.whole, curves)
        listed = self._symbol("comma").join(names) + self.notation.words(" and ") + last
        words = f" are {_PIECEWISE} on "
        return self._join(listed, words, self.interval(end), level=Level.PHRASE)

    def _escapes(self, end: Term, curve: Term) -> Piece:
        value, time = self._value(curve, "t")
        to = self._symbol("to")
        growth = f"{self.notation.norm(value)} {to} {self._symbol('infinity')}"
        return self._join(growth, " as ", f"{time} {to} {self.whole(end)}")

    def _limit(self, curve: Term, target: Term) -> Piece:
        value, time = self._value(curve, "t")
        to = self._symbol("to")
        return self._join(
            f"{value} {to} {self.whole(target)}", " as ", f"{time} {to} {self._symbol('infinity')}"
        )

    def _limit_point(self, curve: Term, target: Term) -> Piece:
        value, time = self._value(curve, "t")
        end = f"{time} {self._symbol('to')} {self._symbol('infinity')}"
        return self._join(self.whole(target), " is a limit point of ", value, " as ", end)

    def _map_in_words(self, function: Term) -> str:
        formula = self.whole(function)
        return self.notation.words("the map ") + formula if function.op == "lambda" else formula

    def _continuity(self, end: Term, measures: Term, velocity: Term) -> Piece:
        """Measures and velocity get a letter where they have none."""
        printer: Printer = self
        letters, definitions = [], []
        for function, hint, points in ((measures, "mu", "t"), (velocity, "v", "tx")):
            if function.op == "var":
                letters.append(self.whole(function))
                continue
            printer, name = printer.fresh(hint)
            letter = variable(name, sort_of(function))
            letters.append(printer.whole(letter))
            definitions.append(printer.definition(letter, function, points))
        equation = self.notation.continuity(*letters)
        rest = [" where ", self._symbol("comma").join(definitions)] if definitions else []
        return self._join(equation, " on ", self.interval(end), *rest, level=Level.PHRASE)

    def definition(self, letter: Term | str, term: Term, points: str = "") -> str:
        """``letter = term``, or ``letter(t, x) = value`` at one point for each of the ``points``.

        An abstraction is written at a point even when none is named.
        """
        printer, arguments = self, []
        hints = list(points)
        while hints or term.op == "lambda":
            printer, argument, term = printer.open(term, hints.pop(0) if hints else "x")
            arguments.append(argument)
        left = printer.applied(letter, arguments).body
        return f"{left} {self._symbol('eq')} {printer.whole(term)}"

    # Connectives

    def _conjunction(self, parts: Sequence[Term]) -> Piece:
        first = parts[0]
        if all(
            part.op == first.op == "piecewise"
            and part.args[0] == first.args[0]
            and part.args[1].op != "lambda"
            for part in parts
        ):
            return self._all_piecewise(first.args[0], [part.args[1] for part in parts])
        pieces = [self.show(part) for part in parts]
        last = pieces[-1]
        open_end = last.level in (Level.PHRASE, Level.QUANTIFIER)
        texts = [self.notation.at_least(piece, Level.NEGATION) for piece in pieces[:-1]]
        texts.append(last.body if open_end else self.notation.at_least(last, Level.NEGATION))
        level = last.level if open_end else Level.CONJUNCTION
        return Piece(self.notation.words(" and ").join(texts), level)

    def _implication(self, premise: Term, conclusion: Term) -> Piece:
        left, right = self.part(premise, Level.CONJUNCTION), self.show(conclusion)
        return Piece(f"{left} {self._symbol('implies')} {right.body}", Level.IMPLICATION)

    def _negation(self, term: Term) -> Piece:
        if term.op == "eq":
            return self._relation("ne", *term.args)
        if term.op == "invertible":
            return self._join(self.part(term.args[0], Level.SUM), " is not invertible")
        body = self.notation.words("not ") + self.notation.parentheses(self.whole(term))
        return Piece(body, Level.NEGATION)

    def _quantifier(self, term: Term) -> Piece:
        printer: Printer = self
        kind, variables, body = term.op, [], term
        while body.op == kind:
            printer, argument, body = printer.open(body.args[0], "x")
            variables.append(argument)
        words = self.notation.words
        if kind == "exists":
            if printer.is_head(variables):
                opening = words(f"there is a {member_word(variables[0])} ")
                opening += printer.whole(variables[0])
            else:
                several = len(variables) > 1 or _by_members(variables[0].args[0])
                there = "there are " if several else "there is "
                opening = words(there) + printer.declare(variables)
            opening += words(" such that ")
            return Piece(opening + printer.whole(body), Level.QUANTIFIER)
        condition, domains = "", {}
        if body.op == "implies":
            premise, conclusion = body.args
            last = variables[-1]
            if premise.op == "within" and premise.args[0] == last != premise.args[1]:
                domains = {str(last.data): printer.interval(premise.args[1])}
            else:
                having = " with " if _is_relation(premise) else " such that "
                condition = words(having) + printer.part(premise, Level.CONJUNCTION)
            body = conclusion
        if printer.is_head(variables):
            opening = words(f"for every {member_word(variables[0])} ")
            opening += printer.whole(variables[0])
        else:
            opening = words("for all ") + printer.declare(variables, domains)
        opening += condition + self._symbol("that")
        return Piece(opening + printer.whole(body), Level.QUANTIFIER)

    # Declarations

    def is_head(self, variables: Sequence[Term]) -> bool:
        """Whether the only variable is an index, and of the only families there are."""
        return len(variables) == 1 and is_index(variables[0].args[0]) and not self._show_counts

    def declare(self, variables: Sequence[Term], domains: Mapping[str, str] | None = None) -> str:
        """``V, A in R^{d x d}, t in R``: variables grouped by sort, in order of appearance.

        Families are declared by their members, ``V_1, ..., V_H in R^{d x d}``.
        ``domains`` replaces the set that some variables, or the points of some curves, range over.
        """
        groups: dict[tuple[Term, str], list[str]] = {}
        for var in variables:
            domain = (domains or {}).get(str(var.data), "")
            sort, name = var.args[0], self.whole(var)
            if _by_members(sort):
                sort, name = sort.args[1], self.members(var)
            groups.setdefault((sort, domain), []).append(name)
        declarations = []
        for (sort, domain), names in groups.items():
            if sort == DIM:
                values = f"{self._symbol('ge')} 1"
            elif sort == PROP:
                values = f"{self._symbol('in')} {self._symbol('Prop')}"
            elif sort.op == "Fun":
                values = f"{self._symbol('colon')} {self.sort(sort, domain)}"
            else:
                values = f"{self._symbol('in')} {domain or self.sort(sort)}"
            declarations.append(f"{', '.join(names)} {values}")
        return self._symbol("comma").join(declarations)


def where(notation: Notation, short: Abbreviations, folded: Sequence[Term]) -> list[str]:
    """The definitions of the letters in folded terms, each with argument names of its own."""
    clauses = []
    for letter, definition in short.used(folded):
        printer = Printer(notation, [definition, *short.letters], folded)
        clauses.append(printer.definition(letter, definition))
    return clauses


def member_word(index: Term) -> str:
    """What a member of the family is called, after the name of its size."""
    return "particle" if index.args[0].args[0].data == PARTICLES else "head"


def _by_members(sort: Term) -> bool:
    """Whether what is of this sort is declared by its members: families other than of fields."""
    if sort.op != "Fun" or not is_index(sort.args[0]):
        return False
    member = sort.args[1]
    if member.op == "Fun":
        return member.args[0] == REAL and member.args[1].op == "Mat"
    return member.op != "Prop"


def _is_relation(term: Term) -> bool:
    """Whether a proposition is printed without words, other than "and"."""
    if term.op == "and":
        return all(map(_is_relation, term.args))
    return term.op in ("eq", "psd", "pd", "at_most")
