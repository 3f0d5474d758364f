"""Derivatives of rational matrix expressions in one variable; recognition of polynomials, of
continuous maps and of smooth ones.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_mat

from proofs.terms import (
    REAL,
    Literal,
    Term,
    TermError,
    abstraction,
    application,
    sort_of,
    variable,
)

MINUS_ONE = Term("literal", data=Literal(1, 1, (Fraction(-1),)))
POLYNOMIAL = frozenset({"add", "mul", "scale", "transpose", "trace"})
CONTINUOUS = POLYNOMIAL | {"exp"}
#: operation -> the property of its argument under which it is smooth there
REGULAR = {"inverse": "invertible", "principal_root": "slit"}


def depends_on(term: Term, variable: Term) -> bool:
    return any(node == variable for node in term.parts())


def is_polynomial(term: Term, variable: Term) -> bool:
    """Whether the entries of a matrix term are polynomials in those of ``variable``."""
    if term == variable or not depends_on(term, variable):
        return True
    if term.op == "sum" and term.args[0].op == "lambda":
        return is_polynomial(term.args[0].args[1], variable)
    return term.op in POLYNOMIAL and all(is_polynomial(a, variable) for a in term.args)


def inverted_in(term: Term, variable: Term) -> list[Term]:
    """The subterms whose inverse a matrix term takes, where they depend on ``variable``.

    The term is continuous in the variable if they are invertible at all its values.

    Raises:
        TermError: an operation other than sums, products, transposes, traces, exponentials and
            inverses depends on the variable.
    """
    if term == variable or not depends_on(term, variable):
        return []
    inner = [matrix for a in term.args for matrix in inverted_in(a, variable)]
    if term.op == "inverse":
        return [*inner, term.args[0]]
    if term.op not in CONTINUOUS:
        raise TermError(f"{term.op} is not known to be continuous")
    return inner


def regular_where(term: Term, point: Term) -> list[Term]:
    """Propositions under which a matrix term is smooth near a value of its variable ``point``.

    Raises:
        TermError: an operation other than sums, products, transposes, traces, exponentials,
            inverses and principal roots depends on the point.
    """
    if term == point or not depends_on(term, point):
        return []
    if term.op == "sum":
        member = _member(term)
        inner = regular_where(application(term.args[0], member), point)
        return [Term("forall", (abstraction(member, condition),)) for condition in inner]
    inner = [condition for a in term.args for condition in regular_where(a, point)]
    if term.op in REGULAR:
        return [*inner, Term(REGULAR[term.op], term.args)]
    if term.op not in CONTINUOUS:
        raise TermError(f"{term.op} is not known to be smooth")
    return inner


def _member(total: Term) -> Term:
    """An index of a sum that the sum does not contain."""
    names = {node.data for node in total.parts() if node.op == "var"}
    name = next(name for i in range(len(names) + 1) if (name := f"h{i}") not in names)
    return variable(name, sort_of(total.args[0]).args[0])


def derivative(term: Term, time: Term) -> tuple[Term, list[Term]]:
    """d/d time of a matrix term, and the subterms whose inverse was differentiated.

    The formula holds wherever those subterms are invertible.

    Raises:
        TermError: an operation other than sums, products, transposes, traces and inverses
            depends on the time.
    """
    inverted: list[Term] = []

    def visit(node: Term) -> Term:
        sort = sort_of(node)
        if node == time:
            return Term("identity", (REAL.args[0],))
        if not depends_on(node, time):
            return Term("zero", sort.args)
        if node.op == "add":
            return Term("add", tuple(visit(a) for a in node.args))
        if node.op in ("mul", "scale"):
            terms = []
            for i, factor in enumerate(node.args):
                if depends_on(factor, time):
                    args = (*node.args[:i], visit(factor), *node.args[i + 1 :])
                    terms.append(Term(node.op, args))
            return terms[0] if len(terms) == 1 else Term("add", tuple(terms))
        if node.op in ("transpose", "trace"):
            return Term(node.op, (visit(node.args[0]),))
        if node.op == "polynomial":
            return _moved(node, time)
        if node.op == "inverse":
            inverted.append(node.args[0])
            product = Term("mul", (node, visit(node.args[0]), node))
            return Term("scale", (MINUS_ONE, product))
        raise TermError(f"no rule to differentiate {node.op}")

    return visit(term), inverted


def _moved(polynomial: Term, time: Term) -> Term:
    """The derivative of a polynomial in the time itself, with literal coefficients."""
    moment, coefficients = polynomial.args
    if moment != time or not isinstance(coefficients.data, Literal):
        raise TermError("expects a polynomial in the time with literal coefficients")
    columns = coefficients.data.flint
    if columns.ncols() == 1:
        return Term("zero", sort_of(polynomial).args)
    rows = [[k * row[k] for k in range(1, len(row))] for row in columns.tolist()]
    return Term("polynomial", (time, Term("literal", data=Literal.from_flint(fmpq_mat(rows)))))
