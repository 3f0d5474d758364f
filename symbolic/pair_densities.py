"""Densities of double integrals over tokens x and y, up to what does not change the integral.

A pair density is a polynomial in inner products whose coefficients may contain kernel letters,
symmetric functions of x and y; the integral is over dmu(x) dmu(y).  The motion of x is xdot, its
acceleration xddot, and m is the mean of y weighted by the kernel at x; likewise for y.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp
from sympy import Expr, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Symbol

from symbolic.nodes import Inner
from symbolic.notation import d, m, u, x, xddot, xdot, y, yddot, ydot

m_y = MatrixSymbol("m_y", d, 1)
"""The mean of the tokens as y sees them."""

EXCHANGE = {x: y, y: x, xdot: ydot, ydot: xdot, xddot: yddot, yddot: xddot, m: m_y, m_y: m}
"""The letters of x and those of y."""
OF_X = (x, xdot, xddot, m)
OF_Y = (y, ydot, yddot, m_y)
_ORDER = {letter: i for i, letter in enumerate((m, m_y, x, y, xdot, ydot, xddot, yddot, u))}


def exchanged(density: Expr) -> Expr:
    """The density with x and y exchanged; its double integral is the same.

    >>> from symbolic.notation import A_symmetric as A
    >>> exchanged(Inner(A * x, ydot))
    Inner(A*y, xdot)
    """
    return density.xreplace(EXCHANGE)


def expanded(density: Expr) -> Expr:
    """The sum of monomials in inner products <W a, b> of letters a and b, in a fixed order.

    >>> from symbolic.notation import A_symmetric as A
    >>> expanded(Inner(A * (x - y), xdot) ** 2)
    Inner(A*x, xdot)**2 - 2*Inner(A*x, xdot)*Inner(A*y, xdot) + Inner(A*y, xdot)**2
    """
    return sp.expand(density.xreplace({e: _bilinear(e) for e in density.atoms(Inner)}))


def collected(density: Expr) -> Expr:
    """The density with inner products that are equal written in the same way, signs in front.

    >>> from symbolic.notation import B
    >>> collected(Inner(B * xdot, u) / 2 + Inner(xdot, B * u) / 2)
    Inner(B*xdot, u)
    """
    density = density.xreplace({e: _signed(e) for e in density.atoms(Inner)})
    known: dict[Expr, Expr] = {}
    for inner in sorted(density.atoms(Inner), key=_plainness):
        known.setdefault(expanded(inner), inner)
    return density.xreplace({e: known[expanded(e)] for e in density.atoms(Inner)})


def _signed(inner: Inner) -> Expr:
    """Numbers in front of the columns as numbers in front of the inner product."""
    number, columns = sp.Integer(1), list(inner.args)
    for i, column in enumerate(columns):
        if column.is_MatMul:
            factor, rest = column.as_coeff_mmul()
            number, columns[i] = number * factor, rest.doit()
    return number * Inner(*columns)


def _plainness(inner: Inner) -> tuple[int, int, str]:
    """Sort key: matrices at the letter that comes first."""
    letters = [min((_ORDER.get(v, 99) for v in arg.atoms(MatrixSymbol)), default=99)
               for arg in inner.args]  # fmt: skip
    matrices = sum(not isinstance(v, Inner) for v in inner.args[1].atoms(MatMul))
    return matrices, letters[0], str(inner)


def monomials(density: Expr) -> list[tuple[Expr, list[Expr]]]:
    """The monomials of an `expanded` density: number in front, factors (with repetition)."""
    listed = []
    for term in sp.Add.make_args(expanded(density)):
        number, rest = term.as_coeff_Mul()
        factors: list[Expr] = []
        for factor in sp.Mul.make_args(rest):
            base, power = factor.as_base_exp()
            whole = isinstance(base, Inner | Symbol) and power.is_Integer and power > 0
            factors += [base] * int(power) if whole else [factor]
        listed.append((number, [f for f in factors if f != 1]))
    return [entry for entry in listed if entry[0] != 0]


def canonical(density: Expr, kernel: Symbol | None = None) -> Expr:
    """A form that equal double integrals share: y averaged to m where it can be, x before y.

    For a monomial with the ``kernel`` once, in which y occurs in one inner product only and
    nothing else belongs to y, the integral over y is that with m in place of y.

    >>> from symbolic.notation import A_symmetric as A
    >>> G = Symbol("G")
    >>> canonical(G * Inner(A * (y - m), xdot), G)
    0
    """
    return sp.Add(*(_canonical(n, factors, kernel) for n, factors in monomials(density)))


def same_integral(left: Expr, right: Expr, kernel: Symbol | None = None) -> bool:
    """Whether two densities have the same `canonical` form, and so the same double integral."""
    return bool(canonical(left - right, kernel) == 0)


def _canonical(number: Expr, factors: list[Expr], kernel: Symbol | None) -> Expr:
    plain = [factors, [exchanged(f) for f in factors]]
    averaged = [_averaged(form, kernel) for form in plain]
    forms = [form for form in averaged if form is not None] or plain
    candidates = [expanded(sp.Mul(*form)) for form in forms]
    return number * min(candidates, key=sp.default_sort_key)


def _averaged(factors: list[Expr], kernel: Symbol | None) -> list[Expr] | None:
    """The factors with m in place of y, or None where y cannot be averaged."""
    inner = [f for f in factors if f != kernel]
    if kernel is None or len(factors) - len(inner) != 1:
        return None
    if any(f.has(Symbol) and not isinstance(f, Inner) for f in inner):
        return None
    of_y = [f for f in inner if f.free_symbols & set(OF_Y)]
    if len(of_y) != 1 or sum(_letter(arg) in OF_Y for arg in of_y[0].args) != 1:
        return None
    if y not in of_y[0].free_symbols:
        return None
    return [f.xreplace({y: m}) for f in factors]


def _letter(column: MatrixExpr) -> MatrixSymbol:
    return column.args[-1] if isinstance(column, MatMul) else column


def _bilinear(inner: Inner) -> Expr:
    left, right = (list(_terms(side)) for side in inner.args)
    return sp.Add(*(p * q * _product(V, a, W, b) for p, V, a in left for q, W, b in right))


def _terms(column: MatrixExpr) -> Iterable[tuple[Expr, list[MatrixExpr], MatrixSymbol]]:
    """Number, matrices and letter of each term of a column."""
    if isinstance(column, MatAdd):
        for term in column.args:
            yield from _terms(term)
    elif isinstance(column, MatMul):
        scalar = sp.Mul(*(f for f in column.args if not f.is_Matrix))
        *front, last = (f for f in column.args if f.is_Matrix)
        for number, matrices, letter in _terms(last):
            yield scalar * number, [*front, *matrices], letter
    elif isinstance(column, MatrixSymbol):
        yield sp.Integer(1), [], column
    else:
        raise ValueError(f"not a sum of products of a matrix and a letter: {column}")


def _product(V: list[MatrixExpr], a: MatrixSymbol, W: list[MatrixExpr], b: MatrixSymbol) -> Expr:
    """<V a, W b> with all matrices at the letter that comes first."""
    left = MatMul(*[w.T.doit() for w in reversed(W)], *V, a).doit()
    right = MatMul(*[v.T.doit() for v in reversed(V)], *W, b).doit()
    forms = [(_ORDER[a], Inner(left, b)), (_ORDER[b], Inner(right, a))]
    return min(forms, key=lambda form: (form[0], sp.default_sort_key(form[1])))[1]
