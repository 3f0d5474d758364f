"""Exact derivatives of column and matrix expressions, by rules that keep the plain form.

SymPy differentiates matrix expressions through arrays and rewrites the outcome; the rules that
this project needs are few enough to be written down.  Each raises ValueError outside its scope.
"""

from collections.abc import Mapping
from functools import reduce
from operator import mul

import sympy as sp
from sympy import Expr, MatAdd, MatMul, MatrixExpr, MatrixSymbol, ZeroMatrix

from symbolic.nodes import Inner


def jacobian(column: MatrixExpr, v: MatrixSymbol) -> MatrixExpr:
    """J (m x n) with column = J v + constant, for a column (m x 1) affine in v (n x 1).

    >>> from symbolic.notation import A, Sigma, V, alpha, x
    >>> jacobian(V * (alpha + Sigma * A * x), x)
    V*Sigma*A
    """
    if v not in column.free_symbols:
        return ZeroMatrix(column.shape[0], v.shape[0])
    if column == v:
        return sp.Identity(v.shape[0])
    if isinstance(column, MatAdd):
        return MatAdd(*(jacobian(term, v) for term in column.args)).doit()
    if isinstance(column, MatMul):
        *front, last = column.args
        if not any(v in factor.free_symbols for factor in front):
            return MatMul(*front, jacobian(last, v)).doit()
    raise ValueError(f"not visibly affine in {v}: {column}")


def gradient(scalar: Expr, v: MatrixSymbol) -> MatrixExpr:
    """The gradient (n x 1) in v of a scalar made of inner products of columns affine in v.

    Besides sums and products, whole powers, exponentials and logarithms are differentiated.

    >>> from symbolic.notation import Sigma, alpha, eta
    >>> gradient(Inner(eta, alpha) + Inner(eta, Sigma * eta) / 2, eta)
    alpha + Sigma*eta
    """
    if v not in scalar.free_symbols:
        return ZeroMatrix(*v.shape)
    if isinstance(scalar, Inner):
        left, right = scalar.args
        return (jacobian(left, v).T * right + jacobian(right, v).T * left).doit()
    if isinstance(scalar, sp.Add):
        return MatAdd(*(gradient(term, v) for term in scalar.args)).doit()
    if isinstance(scalar, sp.Mul):
        rule = [
            reduce(mul, scalar.args[:i] + scalar.args[i + 1 :]) * gradient(factor, v)
            for i, factor in enumerate(scalar.args)
        ]
        return MatAdd(*rule).doit()
    slope, inside = _chain(scalar)
    return (slope * gradient(inside, v)).doit()


def _chain(scalar: Expr) -> tuple[Expr, Expr]:
    """f'(u) and u for a scalar f(u), with f a whole power, exp or log."""
    if isinstance(scalar, sp.exp):
        return scalar, scalar.args[0]
    if isinstance(scalar, sp.log):
        return 1 / scalar.args[0], scalar.args[0]
    if isinstance(scalar, sp.Pow) and scalar.exp.is_Integer:
        return scalar.exp * scalar.base ** (scalar.exp - 1), scalar.base
    raise ValueError(f"no rule for the derivative of {scalar}")


def derivative_along(
    scalar: Expr,
    motion: Mapping[MatrixSymbol, MatrixExpr],
    chain: Mapping[sp.Symbol, tuple[Expr, Expr]] | None = None,
) -> Expr:
    """The derivative of a scalar as in `gradient` when its columns move: v by ``motion[v]``.

    ``chain`` gives f'(u) and u for letters that stand for a function f(u) of inner products.

    >>> from symbolic.notation import A, mu, x, xdot, y
    >>> derivative_along(sp.exp(Inner(A * x, y)), {x: xdot})
    exp(Inner(A*x, y))*Inner(A*xdot, y)
    """
    chain = chain or {}
    if isinstance(scalar, Inner):
        left, right = scalar.args
        return Inner(_moved(left, motion), right) + Inner(left, _moved(right, motion))
    if isinstance(scalar, sp.Add):
        return sp.Add(*(derivative_along(term, motion, chain) for term in scalar.args))
    if isinstance(scalar, sp.Mul):
        return sp.Add(
            *(
                sp.Mul(
                    *scalar.args[:i], derivative_along(factor, motion, chain), *scalar.args[i + 1 :]
                )
                for i, factor in enumerate(scalar.args)
            )
        )
    if scalar not in chain and not scalar.free_symbols & {*motion, *chain}:
        return sp.Integer(0)
    slope, inside = chain[scalar] if scalar in chain else _chain(scalar)
    return slope * derivative_along(inside, motion, chain)


def _moved(column: MatrixExpr, motion: Mapping[MatrixSymbol, MatrixExpr]) -> MatrixExpr:
    terms = (jacobian(column, v) * rate for v, rate in motion.items())
    return MatAdd(ZeroMatrix(*column.shape), *terms).doit()


def time_derivative(expression: MatrixExpr, t: sp.Symbol) -> MatrixExpr:
    """d/dt of an expression: sums and products of constants, scalar functions of t, inverses.

    The product rule and (N^{-1})' = -N^{-1} N' N^{-1}.

    >>> from sympy import Identity
    >>> from symbolic.notation import A, d, t
    >>> time_derivative((Identity(d) - t * A).inverse(), t)
    ((-t)*A + I)**(-1)*A*((-t)*A + I)**(-1)
    """
    if t not in expression.free_symbols:
        return ZeroMatrix(*expression.shape)
    if isinstance(expression, MatAdd):
        return MatAdd(*(time_derivative(term, t) for term in expression.args)).doit()
    if isinstance(expression, MatMul):
        rule = []
        for i, factor in enumerate(expression.args):
            prime = time_derivative(factor, t) if factor.is_Matrix else factor.diff(t)
            rule.append(MatMul(*expression.args[:i], prime, *expression.args[i + 1 :]))
        return MatAdd(*(term.doit() for term in rule)).doit()
    if isinstance(expression, sp.Inverse):
        return (-expression * time_derivative(expression.arg, t) * expression).doit()
    raise ValueError(f"no rule for d/dt of {expression}")
