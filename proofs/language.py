"""Notation for writing terms: short constructors, nothing that the kernel relies on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from proofs.terms import (
    DIM,
    EXT,
    ONE,
    REAL,
    Literal,
    Term,
    abstraction,
    application,
    function_sort,
    index_sort,
    matrix_sort,
    measure_sort,
    sort_of,
    variable,
)

Rational = int | Fraction


# Variables


def dim(name: str) -> Term:
    return variable(name, DIM)


def mat(name: str, m: Term, n: Term) -> Term:
    return variable(name, matrix_sort(m, n))


def vec(name: str, n: Term) -> Term:
    return mat(name, n, ONE)


def real(name: str) -> Term:
    return variable(name, REAL)


def time_to(name: str, m: Term, n: Term) -> Term:
    """A curve t -> m x n matrix."""
    return variable(name, function_sort(REAL, matrix_sort(m, n)))


def field(name: str, n: Term) -> Term:
    """A vector field on n x n matrices."""
    state = matrix_sort(n, n)
    return variable(name, function_sort(state, state))


def vector_field(name: str, n: Term) -> Term:
    """A vector field on R^n."""
    state = matrix_sort(n, ONE)
    return variable(name, function_sort(state, state))


def lifetime(name: str) -> Term:
    return variable(name, EXT)


def measures(name: str, n: Term) -> Term:
    """A curve of measures on R^n."""
    return variable(name, function_sort(REAL, measure_sort(n)))


def head(name: str, n: Term) -> Term:
    """An index of the family 1, ..., n."""
    return variable(name, index_sort(n))


def family(name: str, n: Term, m: Term, k: Term) -> Term:
    """A family of n matrices, m x k each."""
    return variable(name, function_sort(index_sort(n), matrix_sort(m, k)))


def curves(name: str, n: Term, m: Term, k: Term) -> Term:
    """A family of n curves t -> m x k matrix."""
    curve = function_sort(REAL, matrix_sort(m, k))
    return variable(name, function_sort(index_sort(n), curve))


# Matrices


def number(value: Rational) -> Term:
    return Term("literal", data=Literal(1, 1, (Fraction(value),)))


def literal(rows: Sequence[Sequence[Rational]]) -> Term:
    entries = tuple(Fraction(x) for row in rows for x in row)
    return Term("literal", data=Literal(len(rows), len(rows[0]), entries))


def identity(n: Term) -> Term:
    return Term("identity", (n,))


def zero(m: Term, n: Term) -> Term:
    return Term("zero", (m, n))


def zero_like(term: Term) -> Term:
    return Term("zero", sort_of(term).args)


def dimension(n: Term) -> Term:
    return Term("dimension", (n,))


def add(*terms: Term) -> Term:
    return Term("add", terms)


def minus(left: Term, right: Term) -> Term:
    return Term("add", (left, scale(-1, right)))


def mul(*factors: Term) -> Term:
    return Term("mul", factors)


def scale(factor: Term | Rational, matrix: Term) -> Term:
    return Term("scale", (factor if isinstance(factor, Term) else number(factor), matrix))


def polynomial(time: Term, coefficients: Sequence[Sequence[Rational]]) -> Term:
    """c_0 + t c_1 + ... + t^n c_n, for vectors c_k."""
    return Term("polynomial", (time, literal(list(zip(*coefficients, strict=True)))))


def tp(matrix: Term) -> Term:
    """Transpose."""
    return Term("transpose", (matrix,))


def inv(matrix: Term) -> Term:
    return Term("inverse", (matrix,))


def pinv(matrix: Term) -> Term:
    return Term("pinv", (matrix,))


def root(matrix: Term) -> Term:
    return Term("root", (matrix,))


def principal_root(matrix: Term) -> Term:
    return Term("principal_root", (matrix,))


def tr(matrix: Term) -> Term:
    return Term("trace", (matrix,))


def det(matrix: Term) -> Term:
    return Term("det", (matrix,))


def lmax(matrix: Term) -> Term:
    return Term("lmax", (matrix,))


def rank(matrix: Term) -> Term:
    return Term("rank", (matrix,))


def total(index: Term, body: Term) -> Term:
    """The sum of ``body`` over ``index``."""
    return Term("sum", (lam(index, body),))


def exp(value: Term) -> Term:
    return Term("exp", (value,))


def log(value: Term) -> Term:
    return Term("log", (value,))


# Functions, measures, lifetimes


def lam(var: Term, body: Term) -> Term:
    return abstraction(var, body)


def at(function: Term, *arguments: Term) -> Term:
    return application(function, *arguments)


def gaussian(mean: Term, covariance: Term) -> Term:
    return Term("gaussian", (mean, covariance))


def atoms(masses: Term, points: Term) -> Term:
    """The sum of the point masses m_i at x_i."""
    return Term("atoms", (masses, points))


def integral(measure: Term, point: Term, body: Term) -> Term:
    """The integral of ``body`` over ``point``."""
    return Term("integral", (measure, lam(point, body)))


def past(measure: Term, time: Term) -> Term:
    """The restriction of a measure on the line to (-oo, time]."""
    return Term("past", (measure, time))


def balanced(measure: Term, kernel: Term) -> Term:
    """The kernel made doubly stochastic against the measure."""
    return Term("balanced", (measure, kernel))


INFINITY = Term("infinity")


def finite(value: Term) -> Term:
    return Term("finite", (value,))


# Propositions


def eq(left: Term, right: Term) -> Term:
    return Term("eq", (left, right))


def psd(matrix: Term) -> Term:
    return Term("psd", (matrix,))


def pd(matrix: Term) -> Term:
    return Term("pd", (matrix,))


def le(left: Term, right: Term) -> Term:
    """left <= right, in the Loewner order; for reals the usual one."""
    return psd(minus(right, left))


def lt(left: Term, right: Term) -> Term:
    return pd(minus(right, left))


def symmetric(matrix: Term) -> Term:
    return eq(tp(matrix), matrix)


def invertible(matrix: Term) -> Term:
    return Term("invertible", (matrix,))


def slit(matrix: Term) -> Term:
    return Term("slit", (matrix,))


def within(time: Term, end: Term) -> Term:
    return Term("within", (time, end))


def at_most(left: Term, right: Term) -> Term:
    return Term("at_most", (left, right))


def ode(end: Term, curve: Term, velocity: Term) -> Term:
    return Term("ode", (end, curve, velocity))


def piecewise(end: Term, curve: Term) -> Term:
    return Term("piecewise", (end, curve))


def maximal(end: Term, curve: Term, vector_field: Term, start: Term) -> Term:
    return Term("maximal", (end, curve, vector_field, start))


def escapes(end: Term, curve: Term) -> Term:
    return Term("escapes", (end, curve))


def limit(curve: Term, value: Term) -> Term:
    return Term("limit", (curve, value))


def limit_point(curve: Term, value: Term) -> Term:
    return Term("limit_point", (curve, value))


def smooth(vector_field: Term) -> Term:
    return Term("smooth", (vector_field,))


def smooth_at(function: Term, point: Term) -> Term:
    return Term("smooth_at", (function, point))


def smooth_on_cone(function: Term) -> Term:
    """A map of n x n matrices is smooth near each positive semidefinite one."""
    Z = variable("Z", sort_of(function).args[0])
    return forall(Z, implies(psd(Z), smooth_at(function, Z)))


def continuous(function: Term) -> Term:
    return Term("continuous", (function,))


def gradient(energy: Term, field: Term) -> Term:
    """The field is the gradient of the energy, a real function of a matrix.

    On each ray t -> Z + t U the energy has the derivative <field, U>, the trace of field^T U.
    """
    sort = sort_of(energy).args[0]
    Z, U, t = variable("Z", sort), variable("U", sort), real("t")
    place = add(Z, scale(t, U))
    slope = tr(mul(tp(at(field, place)), U))
    return forall(Z, forall(U, ode(INFINITY, lam(t, at(energy, place)), lam(t, slope))))


def integrable(measure: Term, point: Term, body: Term) -> Term:
    """``body`` is integrable over ``point``."""
    return Term("integrable", (measure, lam(point, body)))


def continuity(end: Term, curve: Term, velocity: Term) -> Term:
    return Term("continuity", (end, curve, velocity))


def conj(*parts: Term) -> Term:
    return Term("and", parts)


def implies(premise: Term, conclusion: Term) -> Term:
    return Term("implies", (premise, conclusion))


def negation(proposition: Term) -> Term:
    return Term("not", (proposition,))


def forall(var: Term, body: Term) -> Term:
    return Term("forall", (lam(var, body),))


def exists(var: Term, body: Term) -> Term:
    return Term("exists", (lam(var, body),))


def on_lifetime(end: Term, body: Callable[[Term], Term], name: str = "t") -> Term:
    """For all t in [0, end): body(t)."""
    t = real(name)
    return forall(t, implies(within(t, end), body(t)))
