"""The letters of the project, and the closed list of nodes that expressions are made of.

Tokens are columns in R^d.  Queries are Q x (+ b_q), keys K y (+ b_k), values V y (+ b_v), and
A = K^T Q is the score matrix.  A scale beta > 0 (1/sqrt(k) in trained models) multiplies the
query, that is Q and b_q, in every variant: it is absorbed in them, and `with_scale` makes it
visible.

Every expression handed out by this package consists of these nodes only (`NODE_TYPES`), after
``doit()`` in the reduced forms of `symbolic.gaussian` and `symbolic.closed_forms`:

===========  ====================================================================================
matrices     MatrixSymbol, SymmetricMatrixSymbol, Identity, ZeroMatrix, MatAdd, MatMul (scalar
             factors first), Transpose, Inverse, MatPow (exponent 1/2: the positive semidefinite
             root; integers, from SymPy merging equal factors), VectorMeasureIntegral,
             PositionIntegral, HeadSum
scalars      Symbol, Rational numbers, Add, Mul, Pow (integer exponents, and 1/2 in
             `symbolic.transport_energy`), exp, log, Inner, MeasureIntegral, DoublyStochastic
measures     Measure, Gaussian, Past
carriers     Str (the name of a letter), Tuple (the letters that a node binds)
===========  ====================================================================================

SymPy's own products of 1 x 1 matrices never occur: a number made of two columns is an `Inner`.
"""

import sympy as sp
from sympy import Basic, MatMul, MatrixSymbol, Symbol
from sympy.core.symbol import Str

from symbolic.nodes import (
    DoublyStochastic,
    Gaussian,
    HeadSum,
    Inner,
    Measure,
    MeasureIntegral,
    Past,
    PositionIntegral,
    SymmetricMatrixSymbol,
    VectorMeasureIntegral,
)

d = Symbol("d", integer=True, positive=True)
"""Dimension of the tokens."""
k = Symbol("k", integer=True, positive=True)
"""Dimension of queries and keys."""
H = Symbol("H", integer=True, positive=True)
"""Number of heads."""
t = Symbol("t", real=True)
"""Time, the depth of the network."""
s = Symbol("s", real=True)
"""Position of a token in [0, 1], for masked variants."""
c = Symbol("c", real=True)
"""Rate of a self-similar solution."""
G = Symbol("G", positive=True)
"""Kernel of the tokens x and y, an exponential of their score."""
beta = Symbol("beta", positive=True)
"""Scale of the queries."""

x = MatrixSymbol("x", d, 1)
y = MatrixSymbol("y", d, 1)
xdot = MatrixSymbol("xdot", d, 1)
"""Velocity of the token x."""
ydot = MatrixSymbol("ydot", d, 1)
"""Velocity of the token y."""
xddot = MatrixSymbol("xddot", d, 1)
"""Acceleration of the token x."""
yddot = MatrixSymbol("yddot", d, 1)
"""Acceleration of the token y."""
u = MatrixSymbol("u", d, 1)
"""Any column, to test an equation between columns with."""
Gamma = MatrixSymbol("Gamma", d, 1)
"""Velocity of the tokens at x."""
m = MatrixSymbol("m", d, 1)
"""Mean of the tokens as x sees them: mu weighted by the kernel at x."""
eta = MatrixSymbol("eta", d, 1)
"""Tilt of a Gaussian: the density is multiplied by exp(<eta, y>)."""
xi = MatrixSymbol("xi", d, 1)
"""x - alpha, a token from the mean."""
zeta = MatrixSymbol("zeta", d, 1)
"""y - alpha, another token from the mean."""
alpha = MatrixSymbol("alpha", d, 1)
"""Mean."""
Sigma = SymmetricMatrixSymbol("Sigma", d, d)
"""Covariance, positive semidefinite."""
Sigma0 = SymmetricMatrixSymbol("Sigma_0", d, d)
"""Covariance at time 0."""
C = SymmetricMatrixSymbol("C", d, d)
"""Covariance of a Gaussian whose density is multiplied by exp(-<z, P z>/2)."""
P = SymmetricMatrixSymbol("P", d, d)
"""Precision that a kernel adds, or that of the row potential of a doubly stochastic kernel."""
R = SymmetricMatrixSymbol("R", d, d)
"""Precision of the column potential of a doubly stochastic kernel."""
M_s = SymmetricMatrixSymbol("M_s", d, d)
"""Second moments of the tokens at positions up to s."""
Q = MatrixSymbol("Q", k, d)
K = MatrixSymbol("K", k, d)
A = MatrixSymbol("A", d, d)
"""Score matrix K^T Q."""
A_symmetric = SymmetricMatrixSymbol("A", d, d)
"""The score matrix where it is symmetric, as gradient flows need it."""
B = SymmetricMatrixSymbol("B", d, d)
"""Metric on R^d, positive definite."""
V = MatrixSymbol("V", d, d)
b_q = MatrixSymbol("b_q", k, 1)
b_k = MatrixSymbol("b_k", k, 1)
b_v = MatrixSymbol("b_v", d, 1)
mu = Measure("mu")
"""Law of the tokens."""
theta = Measure("theta")
"""Law of the positions, for masked variants."""

NODE_TYPES: tuple[type, ...] = (
    *(Symbol, sp.Rational, sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log),
    *(Inner, MeasureIntegral, DoublyStochastic),
    *(MatrixSymbol, sp.Identity, sp.ZeroMatrix, sp.MatAdd, MatMul),
    *(sp.Transpose, sp.Inverse, sp.MatPow, VectorMeasureIntegral, PositionIntegral, HeadSum),
    *(Measure, Gaussian, Past, Str, sp.Tuple),
)
"""Every node of every expression is an instance of one of these."""


def with_scale(expression: Basic) -> Basic:
    """The expression with the query scale beta made visible: Q and b_q become beta Q, beta b_q.

    >>> with_scale(Inner(Q * x, K * y))
    Inner(beta*Q*x, K*y)
    """
    if isinstance(expression, HeadSum):  # it binds Q and b_q
        return HeadSum(with_scale(expression.args[0]), *expression.args[1:])
    return expression.xreplace({Q: beta * Q, b_q: beta * b_q}).doit()


def score_matrix() -> MatMul:
    """A = K^T Q (d x d), which becomes beta K^T Q `with_scale`.

    >>> with_scale(score_matrix())
    beta*K.T*Q
    """
    return K.T * Q
