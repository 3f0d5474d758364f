"""From the SymPy expressions of ``symbolic`` to kernel terms.

The translation is literal, node by node: what is derived with SymPy becomes the statement that
the kernel is asked to check, and nothing is simplified on the way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sympy as sp

from proofs import language as la
from proofs.terms import (
    ONE,
    REAL,
    Term,
    TermError,
    free_variables,
    index_sort,
    size,
    sort_of,
    variable,
)
from symbolic.nodes import (
    DoublyStochastic,
    Gaussian,
    HeadSum,
    Inner,
    Measure,
    MeasureIntegral,
    Past,
    VectorMeasureIntegral,
)


def to_term(
    expression: sp.Basic,
    letters: Mapping[str, Term],
    seen: Sequence[tuple[Term, Term]] = (),
) -> Term:
    """The kernel term of a SymPy expression.

    Args:
        expression: built of the nodes that ``symbolic.notation`` lists.
        letters: what the matrices, symbols and measures of the expression stand for, by name;
            for the letters that a sum over heads binds, families; for a law that a causal mask
            restricts, the laws at the positions, with the law "theta" of the positions.
        seen: in place of those, for a token that sees finitely many positions, the mass of each of
            them and the law of the tokens there.

    Raises:
        TermError: a letter without a meaning, or a node that has no counterpart.
    """

    def fresh(name: str, sort: Term, shadowed: Collection[str] = ()) -> Term:
        """A bound variable that the letters do not mention, but for those that are shadowed."""
        values = (value for letter, value in letters.items() if letter not in shadowed)
        taken = {free for value in values for free in free_variables(value)}
        while name in taken:
            name += "'"
        return variable(name, sort)

    def integral(body: sp.Basic, point: sp.MatrixSymbol, domain: Term) -> Term:
        bound = fresh(point.name, la.vec("_", _size_of(domain)).args[0], {point.name})
        return la.integral(domain, bound, to_term(body, {**letters, point.name: bound}, seen))

    def visit(node: sp.Basic) -> Term:
        if isinstance(node, sp.MatrixSymbol | Measure | sp.Symbol):
            name = str(node.args[0]) if isinstance(node, Measure) else node.name
            if name not in letters:
                raise TermError(f"the letter {name} has no meaning here")
            return letters[name]
        if isinstance(node, sp.Rational):
            return la.number(_fraction(node))
        if isinstance(node, Inner):
            left, right = (visit(a) for a in node.args)
            return la.mul(la.tp(left), right)
        if isinstance(node, MeasureIntegral | VectorMeasureIntegral):
            body, point, measure = node.args
            if not isinstance(measure, Past):
                return integral(body, point, visit(measure))
            if not seen:
                return past_integral(body, point, *measure.args)
            parts = [_product([mass, integral(body, point, law)]) for mass, law in seen]
            return parts[0] if len(parts) == 1 else la.add(*parts)
        if isinstance(node, DoublyStochastic):
            kernel, pair, measure, points = node.args
            domain = visit(measure)
            place = la.vec("_", _size_of(domain)).args[0]
            names = {letter.name for letter in pair}
            both = {name: fresh(name, place, names) for name in names}
            weight = to_term(kernel, {**letters, **both}, seen)
            for letter in reversed(pair):
                weight = la.lam(both[letter.name], weight)
            return la.at(la.balanced(domain, weight), *(visit(a) for a in points))
        if isinstance(node, HeadSum):
            body, bound_letters, count = node.args
            h = fresh("h", index_sort(_dimension(count, letters)))
            members = {letter.name: la.at(letters[letter.name], h) for letter in bound_letters}
            return la.total(h, to_term(body, {**letters, **members}, seen))
        if isinstance(node, Gaussian):
            return la.gaussian(*(visit(a) for a in node.args))
        if isinstance(node, sp.exp | sp.log):
            return (la.exp if isinstance(node, sp.exp) else la.log)(visit(node.args[0]))
        if isinstance(node, sp.MatAdd | sp.Add):
            return la.add(*(visit(a) for a in node.args))
        if isinstance(node, sp.MatMul | sp.Mul):
            return _product([visit(a) for a in node.args])
        if isinstance(node, sp.Transpose):
            return la.tp(visit(node.arg))
        if isinstance(node, sp.Inverse):
            return la.inv(visit(node.arg))
        if isinstance(node, sp.MatPow | sp.Pow):
            return _power(visit(node.args[0]), node.args[1])
        if isinstance(node, sp.Identity):
            return la.identity(_dimension(node.shape[0], letters))
        if isinstance(node, sp.ZeroMatrix):
            return la.zero(*(_dimension(n, letters) for n in node.shape))
        raise TermError(f"no kernel term for {type(node).__name__}")

    def past_integral(
        body: sp.Basic, point: sp.MatrixSymbol, law: sp.Basic, position: sp.Basic
    ) -> Term:
        """Over positions up to one's own, of the integral against the law at that position."""
        if "theta" not in letters:
            raise TermError("which positions a token sees has no meaning here")
        tau = fresh("tau", REAL)
        inner = integral(body, point, la.at(visit(law), tau))
        return la.integral(la.past(letters["theta"], visit(position)), tau, inner)

    return visit(expression)


def _product(factors: list[Term]) -> Term:
    """Scalars in front scale the product of the matrices."""
    scalars = [f for f in factors if sort_of(f).args == (ONE, ONE)]
    matrices = [f for f in factors if sort_of(f).args != (ONE, ONE)]
    if not matrices:
        return la.mul(*scalars)
    result = matrices[0] if len(matrices) == 1 else la.mul(*matrices)
    for scalar in reversed(scalars):
        result = la.scale(scalar, result)
    return result


def _power(base: Term, exponent: sp.Basic) -> Term:
    if exponent == -1:
        return la.inv(base)
    if exponent == sp.Rational(1, 2):
        return la.root(base)
    if isinstance(exponent, sp.Integer) and exponent >= 2:
        return la.mul(*[base] * int(exponent))
    raise TermError(f"no kernel term for the power {exponent}")


def _fraction(number: sp.Rational) -> la.Fraction:
    return la.Fraction(int(number.p), int(number.q))


def _size_of(measure: Term) -> Term:
    return sort_of(measure).args[0]


def _dimension(n: sp.Basic, letters: Mapping[str, Term]) -> Term:
    if isinstance(n, sp.Integer):
        return size(int(n))
    return letters.get(str(n), la.dim(str(n)))
