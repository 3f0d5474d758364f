"""Exact derivatives of column and matrix expressions, by rules that keep the plain form.

SymPy differentiates matrix expressions through arrays and rewrites the outcome; the rules that
this project needs are few enough to be written down.  Each raises ValueError outside its scope.
"""

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
    """The gradient (n x 1) in v of a scalar, a polynomial in inner products of columns affine in v.

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
    raise ValueError(f"not a polynomial in inner products: {scalar}")


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
