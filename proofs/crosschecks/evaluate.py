"""Kernel terms as numbers: evaluation with mpmath, to many digits.

Nothing that is proved rests on this; it is what the cross-checks compare with an independent
computation.  Where the convention of the kernel makes an operation total by letting it be 0 (the
inverse of a singular matrix, the root of an indefinite one), a number near such a case could be
either, and the evaluation is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from mpmath import mp

from numeric.precise.convert import number, rows
from numeric.precise.velocity import gaussian_factor
from proofs.terms import REAL, Literal, Term, application, index, term_is_closed

Value = Any
"""A size or an index is an integer; a real a number; a matrix nested sequences of numbers, an
mpmath matrix or a list of numbers (one column); a finite family the list of its members; a measure
on the line the list of its atoms, pairs of position and mass; any other function a callable from
numbers (or matrices) to such values; a lifetime a number or infinity."""

NEGLIGIBLE_TERMS = 6
"""Number of consecutive terms too small to matter after which a sum over a lattice ends."""


class EvaluationError(ValueError):
    """A term that has no reliable numerical value; the message says why."""


def evaluate(
    term: Term, values: Mapping[str, Value], precision: int, *, tolerance: Any = None
) -> Any:
    """Return the matrix that ``term`` denotes, as an mpmath matrix (reals are 1 x 1).

    Args:
        term: any term of a matrix sort.  Integrals are those over Gaussians on a line.
        values: what the free variables stand for, by name.
        precision: decimal digits; about twice as many are carried.
        tolerance: singular values below this times the largest count as 0, for ranks and
            pseudo-inverses, which are not continuous.  Those are refused without a tolerance, and
            when a singular value comes close to it.

    Raises:
        EvaluationError: a value is missing or of the wrong shape, or there is no reliable result.

    >>> from proofs.language import dim, identity, inv, mat, minus, real, scale
    >>> d = dim("d")
    >>> A, t = mat("A", d, d), real("t")
    >>> term = inv(minus(identity(d), scale(t, A)))
    >>> print(evaluate(term, {"d": 1, "A": [[2]], "t": Fraction(1, 3)}, 20)[0])
    3.0
    """
    result = _Evaluation(values, precision, tolerance).run(lambda e: e.value(term, ()))
    if not isinstance(result, mp.matrix):
        raise EvaluationError(f"{term.op} is not a matrix")
    return result


def holds(proposition: Term, values: Mapping[str, Value], precision: int) -> bool:
    """Whether a proposition about numbers holds, up to rounding.

    Equations and inequalities that are not strict are tested up to a relative 10^-precision,
    strict ones must hold by more than that.  Quantifiers over the indices of a family are tried
    out.

    Raises:
        EvaluationError: as in :func:`evaluate`, and for other quantifiers and differential
            equations.
    """
    return bool(_Evaluation(values, precision, None).run(lambda e: e.truth(proposition)))


@dataclass(frozen=True)
class _Gaussian:
    mean: Any
    factor: list[list[Any]]


@dataclass(frozen=True)
class _Atoms:
    """A measure with finitely many atoms: positions (columns) and masses (numbers)."""

    atoms: list[tuple[Any, Any]]

    @classmethod
    def of_families(cls, masses: _Family, places: _Family) -> _Atoms:
        indices = range(1, masses.count + 1)
        if any(masses(i)[0] < 0 for i in indices):
            raise EvaluationError("a mass is negative")
        return cls([(places(i), masses(i)[0]) for i in indices])

    def up_to(self, end: Any) -> _Atoms:
        return _Atoms([(place, mass) for place, mass in self.atoms if place[0] <= end[0]])

    def integrate(self, integrand: Callable[[Any], Any]) -> Any:
        return reduce(add, (mass * integrand(place) for place, mass in self.atoms))


@dataclass(frozen=True)
class _Family:
    """A function on 1, ..., n."""

    count: int
    member: Callable[[int], Any]

    def __call__(self, i: int) -> Any:
        return self.member(i)


def _horner(time: Any, coefficients: Any) -> Any:
    """c_0 + t c_1 + ... + t^n c_n, for vectors c_k beside each other."""
    return coefficients * mp.matrix([time[0] ** k for k in range(coefficients.cols)])


class _Evaluation:
    def __init__(self, values: Mapping[str, Value], precision: int, tolerance: Any) -> None:
        self._values = values
        self._precision = precision
        self._tolerance = tolerance
        self._known: dict[Term, Any] = {}
        self._operations: Mapping[str, Callable[..., Any]] = {
            "transpose": lambda m: m.T,
            "inverse": self._inverse,
            "root": self._root,
            "principal_root": mp.sqrtm,
            "pinv": self._pseudo_inverse,
            "trace": lambda m: _real(mp.fsum(m[i, i] for i in range(m.rows))),
            "det": lambda m: _real(mp.det(m)),
            "lmax": lambda m: _real(max(mp.eigsy(self._symmetric(m, "lmax"), eigvals_only=True))),
            "rank": lambda m: _real(mp.mpf(sum(self._kept(mp.svd_r(m, compute_uv=False))))),
            "exp": lambda m: _real(mp.exp(m[0])),
            "log": lambda m: _real(mp.log(m[0]) if m[0] > 0 else mp.zero),
            "scale": lambda factor, m: factor[0] * m,
            "polynomial": _horner,
            "finite": lambda end: end[0],
            "infinity": lambda: mp.inf,
            "gaussian": lambda mean, m: _Gaussian(mean, gaussian_factor(m)),
            "integral": self._integral,
            "atoms": _Atoms.of_families,
            "balanced": self._balanced,
            "past": lambda measure, end: measure.up_to(end),
            "family": lambda *members: _listed(members),
            "sum": lambda family: reduce(add, map(family, range(1, family.count + 1))),
        }

    def run(self, compute: Callable[[_Evaluation], Any]) -> Any:
        with mp.workdps(2 * self._precision + 30):
            return compute(self)

    def value(self, term: Term, bound: tuple[Any, ...]) -> Any:
        """A matrix, a size, an index, a measure or a function; ``bound`` as in ``sort_of``.

        What does not depend on bound variables is computed once: it may stand under an integral.
        """
        if not term.args or not term_is_closed(term):
            return self._value(term, bound)
        if term not in self._known:
            self._known[term] = self._value(term, ())
        return self._known[term]

    def _value(self, term: Term, bound: tuple[Any, ...]) -> Any:
        op, args = term.op, term.args
        if op == "var":
            return self._variable(term)
        if op == "bound":
            assert isinstance(term.data, int)
            return bound[term.data]
        if op in ("size", "index"):
            return term.data
        if op == "literal":
            assert isinstance(term.data, Literal)
            entries = [[term.data[i, j] for j in range(term.data.columns)] for i in _rows(term)]
            return mp.matrix(rows(entries))
        if op == "lambda":

            def function(argument: Any) -> Any:
                return self.value(args[1], (argument, *bound))

            if args[0].op == "Index":
                return _Family(self.value(args[0].args[0], ()), function)
            return function
        parts = [self.value(a, bound) for a in args]
        if op == "apply":
            return parts[0](parts[1])
        if op == "identity":
            return mp.eye(parts[0])
        if op == "zero":
            return mp.zeros(*parts)
        if op == "dimension":
            return _real(mp.mpf(parts[0]))
        if op in ("add", "mul"):
            result = parts[0]
            for part in parts[1:]:
                result = result + part if op == "add" else result * part
            return result
        if op not in self._operations:
            raise EvaluationError(f"{op} has no numerical value")
        return self._operations[op](*parts)

    def truth(self, proposition: Term) -> bool:
        op, args = proposition.op, proposition.args
        if op == "and":
            return all(self.truth(a) for a in args)
        if op == "implies":
            return not self.truth(args[0]) or self.truth(args[1])
        if op == "not":
            return not self.truth(args[0])
        if op == "within":
            time, end = (self.value(a, ()) for a in args)
            return bool(0 <= time[0] < end)
        if op in ("forall", "exists") and args[0].args[0].op == "Index":
            count = self.value(args[0].args[0].args[0], ())
            cases = (self.truth(application(args[0], index(i + 1, count))) for i in range(count))
            return all(cases) if op == "forall" else any(cases)
        if op not in ("eq", "psd", "pd", "invertible") or args[0].op == "lambda":
            raise EvaluationError(f"{op} cannot be decided numerically")
        first, *others = (self.value(a, ()) for a in args)
        if not isinstance(first, mp.matrix):
            raise EvaluationError(f"{op} of other things than matrices")
        small = mp.mpf(10) ** -self._precision
        if op == "eq":
            size = max(_size(first), _size(others[0]), mp.one)
            return bool(_size(first - others[0]) <= small * size)
        if op == "invertible":
            values = mp.svd_r(first, compute_uv=False)
            return bool(min(values) > small * max(values))
        size = max(_size(first), mp.one)
        if _size(first - first.T) > small * size:
            return False
        least = min(mp.eigsy((first + first.T) / 2, eigvals_only=True))
        return bool(least > small * size if op == "pd" else least >= -small * size)

    # Variables

    def _variable(self, variable: Term) -> Any:
        name, sort = str(variable.data), variable.args[0]
        if name not in self._values:
            raise EvaluationError(f"no value for {name}")
        value = self._values[name]
        if sort.op == "Dim":
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise EvaluationError(f"the size {name} must be an integer, at least 1")
            return value
        return self._converted(value, sort, name)

    def _converted(self, value: Value, sort: Term, name: str) -> Any:
        """A value of a sort other than ``Dim``."""
        if sort.op == "Ext":
            return number(value)
        if sort.op == "Index":
            count = self.value(sort.args[0], ())
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
                raise EvaluationError(f"{name} must be an integer from 1 to {count}")
            return value
        if sort.op == "Fun" and sort.args[0].op == "Index":
            count = self.value(sort.args[0].args[0], ())
            if not isinstance(value, (list, tuple)) or len(value) != count:
                raise EvaluationError(f"{name} must be a list of {count} members")
            return _listed(
                [self._converted(v, sort.args[1], f"{name}_{i + 1}") for i, v in enumerate(value)]
            )
        if sort.op == "Fun":
            if not callable(value):
                raise EvaluationError(f"{name} must be a callable")
            real = sort.args[0] == REAL
            if sort.args[1].op == "Fun":
                return lambda argument: self._converted(
                    value(argument[0] if real else argument), sort.args[1], name
                )
            return lambda argument: _matrix(value(argument[0] if real else argument))
        if sort.op == "Measure":
            return _Atoms([(_real(number(place)), number(mass)) for place, mass in value])
        if sort.op != "Mat":
            raise EvaluationError(f"{name} is of sort {sort.op}, which has no numerical value")
        matrix = _matrix(value)
        expected = tuple(self.value(n, ()) for n in sort.args)
        if (matrix.rows, matrix.cols) != expected:
            shape = f"{matrix.rows} x {matrix.cols}"
            raise EvaluationError(f"{name} is {shape}, expected {expected[0]} x {expected[1]}")
        return matrix

    # Operations with a catch

    def _symmetric(self, matrix: Any, op: str) -> Any:
        if _size(matrix - matrix.T) > mp.mpf(10) ** -self._precision * _size(matrix):
            raise EvaluationError(f"{op} of a matrix that is not symmetric")
        return (matrix + matrix.T) / 2

    def _inverse(self, matrix: Any) -> Any:
        try:
            inverse = mp.one / matrix[0] if matrix.rows == 1 else matrix**-1
        except ZeroDivisionError:
            raise EvaluationError("inverse of a singular matrix") from None
        inverse = _matrix(inverse)
        if _size(matrix) * _size(inverse) > mp.mpf(10) ** self._precision:
            raise EvaluationError("inverse of a matrix that is singular up to rounding")
        return inverse

    def _root(self, matrix: Any) -> Any:
        values, vectors = mp.eigsy(self._symmetric(matrix, "root"))
        if min(values) < -(mp.mpf(10) ** -self._precision) * max(map(abs, values)):
            raise EvaluationError("root of a matrix that is not positive semidefinite")
        roots = [mp.sqrt(max(value, mp.zero)) for value in values]
        return vectors * mp.diag(roots) * vectors.T

    def _kept(self, singular_values: Any) -> list[bool]:
        """Which singular values are not 0."""
        if self._tolerance is None:
            raise EvaluationError("ranks and pseudo-inverses need a tolerance")
        threshold = number(self._tolerance) * max(singular_values)
        for value in singular_values:
            if threshold / 10**5 < value < threshold * 10**5:
                raise EvaluationError("a singular value is too close to the tolerance")
        return [bool(value > threshold) for value in singular_values]

    def _pseudo_inverse(self, matrix: Any) -> Any:
        left, singular_values, right = mp.svd_r(matrix)
        kept = self._kept(singular_values)
        inverse = [
            mp.one / value if keep else mp.zero
            for value, keep in zip(singular_values, kept, strict=True)
        ]
        return right.T * mp.diag(inverse) * left.T

    def _balanced(self, measure: Any, kernel: Callable[[Any], Callable[[Any], Any]]) -> Any:
        """The doubly stochastic kernel against atoms, by alternating normalisation."""
        if not isinstance(measure, _Atoms):
            raise EvaluationError("only kernels against atoms are made doubly stochastic")
        places, masses = zip(*measure.atoms, strict=True)
        table = mp.matrix([[kernel(x)(y)[0] for y in places] for x in places])
        mass, columns = mp.diag(masses), mp.ones(len(places), 1)
        negligible = mp.mpf(10) ** -(self._precision + 10)
        for _ in range(100 * self._precision):
            rows = _inverted(table * (mass * columns))
            columns, old = _inverted(table.T * (mass * rows)), columns
            if max(abs(new - last) for new, last in zip(columns, old, strict=True)) < negligible:
                break
        else:
            raise EvaluationError("the normalisation of a kernel does not converge")

        def scaled(x: Any) -> Callable[[Any], Any]:
            row = mp.matrix([[kernel(x)(y)[0] for y in places]])
            left = 1 / (row * (mass * columns))[0]

            def value(y: Any) -> Any:
                column = mp.matrix([[kernel(z)(y)[0] for z in places]])
                right = 1 / (column * (mass * rows))[0]
                return _real(left * kernel(x)(y)[0] * right)

            return value

        return scaled

    def _integral(self, measure: Any, integrand: Callable[[Any], Any]) -> Any:
        """Trapezoidal rule, outwards from the mean until nothing is left."""
        if isinstance(measure, _Atoms):
            return measure.integrate(integrand)
        if not isinstance(measure, _Gaussian):
            raise EvaluationError("only integrals over Gaussians and over atoms are evaluated")
        dimension = len(measure.factor[0])
        if dimension == 0:
            return integrand(measure.mean)
        if dimension > 1:
            raise EvaluationError("only integrals over Gaussians on a line are evaluated")
        direction = mp.matrix(measure.factor)
        digits = self._precision + 10
        step = mp.pi * mp.sqrt(2 / (digits * mp.log(10)))
        total = integrand(measure.mean)
        largest = _size(total)
        for sign in (1, -1):
            k, negligible = 0, 0
            while negligible < NEGLIGIBLE_TERMS or k * step < 3:
                k += 1
                z = sign * k * step
                term = mp.exp(-z * z / 2) * integrand(measure.mean + z * direction)
                largest = max(largest, _size(term))
                negligible = negligible + 1 if _size(term) < largest / mp.mpf(10) ** digits else 0
                total += term
        return total * step / mp.sqrt(2 * mp.pi)


def _inverted(column: Any) -> Any:
    """The inverses of the entries."""
    return mp.matrix([1 / x for x in column])


def _rows(literal: Term) -> range:
    assert isinstance(literal.data, Literal)
    return range(literal.data.rows)


def _listed(members: Sequence[Any]) -> _Family:
    return _Family(len(members), lambda i: members[i - 1])


def _real(value: Any) -> Any:
    return mp.matrix([[value]])


def _matrix(value: Value) -> Any:
    """A value as an mpmath matrix."""
    if isinstance(value, mp.matrix):
        return value.copy()
    if isinstance(value, (list, tuple)):
        nested = [row if isinstance(row, (list, tuple)) else [row] for row in value]
        return mp.matrix(rows(nested))
    if isinstance(value, (int, float, str, Fraction, mp.mpf)) and not isinstance(value, bool):
        return _real(number(value))
    raise EvaluationError(f"a {type(value).__name__} is not a matrix")


def _size(matrix: Any) -> Any:
    return max(abs(entry) for entry in matrix)
