"""Typed terms: the language in which statements and proofs are written.

A :class:`Term` is a tree.  Sorts are terms too, so that a matrix sort may name a size variable:

========================  ==================================================================
sort                      values
========================  ==================================================================
``Dim``                   sizes 1, 2, 3, ...
``Mat(m, n)``             real m x n matrices; ``Mat(n, 1)`` column vectors, ``Mat(1, 1)`` reals
``Ext``                   extended reals (-oo, oo], for lifetimes
``Index(n)``              the numbers 1, ..., n, for finite families (heads)
``Measure(n)``            finite measures on R^n
``Prop``                  propositions
``Fun(s, r)``             functions from s to r
========================  ==================================================================

Every operation is total: the inverse of a singular matrix and the root of a matrix that is not
positive semidefinite are 0, so that no rule may cancel an inverse without being told that it
exists.  Bound variables are de Bruijn indices (the name kept for printing does not count in
comparisons), hence substitution cannot capture, and equality of terms is alpha-equivalence.
Applications of abstractions are reduced as soon as they are built.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn

from flint import fmpq_mat, fmpz, fmpz_mat


class TermError(ValueError):
    """A term that is not well formed; the message says what was expected."""


class Literal:
    """An exact rational matrix, immutable; equal when the entries are.

    Large matrices are kept as integers over one denominator, so that they are multiplied without
    an object for each entry; each form is made when it is first asked for.

    Attributes:
        rows, columns: its shape.
    """

    __slots__ = ("_entries", "_hash", "_integers", "columns", "rows")
    rows: int
    columns: int
    _entries: tuple[Fraction, ...] | None
    _hash: int
    _integers: tuple[fmpz_mat, fmpz] | None

    def __init__(self, rows: int, columns: int, entries: tuple[Fraction, ...]) -> None:
        if rows < 1 or columns < 1 or len(entries) != rows * columns:
            raise TermError("a literal matrix needs rows x columns entries, at least one")
        if type(entries) is not tuple or not all(map(_is_exact, entries)):
            raise TermError("the entries of a literal matrix are fractions of integers")
        self._fill(entries, hash((rows, columns, entries[:HASHED])), None, columns, rows)

    @classmethod
    def from_integers(cls, numerators: fmpz_mat, denominator: fmpz) -> Literal:
        """numerators / denominator, for a denominator > 0; later changes do not count."""
        return cls._owning(fmpz_mat(numerators), fmpz(denominator))

    @classmethod
    def _owning(cls, numerators: fmpz_mat, denominator: fmpz) -> Literal:
        """The same without a copy, for matrices that nothing else holds."""
        rows, columns = numerators.nrows(), numerators.ncols()
        if rows < 1 or columns < 1 or denominator < 1:
            raise TermError("a literal matrix needs an entry, and a positive denominator")
        if denominator.bit_length() > MAX_DENOMINATOR_BITS:
            numerators, denominator = (fmpq_mat(numerators) / denominator).numer_denom()
        literal = cls.__new__(cls)
        places = [divmod(i, columns) for i in range(min(HASHED, rows * columns))]
        first = tuple(Fraction(int(numerators[at]), int(denominator)) for at in places)
        literal._fill(None, hash((rows, columns, first)), (numerators, denominator), columns, rows)
        return literal

    @classmethod
    def from_flint(cls, matrix: fmpq_mat) -> Literal:
        """The matrix of the same entries; later changes of ``matrix`` do not count."""
        return cls.from_integers(*matrix.numer_denom())

    def _fill(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a literal matrix does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a literal matrix does not change")

    @property
    def entries(self) -> tuple[Fraction, ...]:
        """The entries by rows."""
        if self._entries is None:
            numerators, denominator = self._ratio()
            below = int(denominator)
            entries = tuple(Fraction(int(x), below) for x in numerators.entries())
            object.__setattr__(self, "_entries", entries)
        assert self._entries is not None
        return self._entries

    @property
    def integers(self) -> tuple[fmpz_mat, fmpz]:
        """Numerators, the caller's own, over one positive denominator."""
        numerators, denominator = self._ratio()
        return fmpz_mat(numerators), denominator

    def _ratio(self) -> tuple[fmpz_mat, fmpz]:
        """The same, not to be changed: python-flint has no matrices that do not change."""
        if self._integers is None:
            below = math.lcm(*(x.denominator for x in self.entries))
            above = [x.numerator * (below // x.denominator) for x in self.entries]
            integers = fmpz_mat(self.rows, self.columns, above), fmpz(below)
            object.__setattr__(self, "_integers", integers)
        assert self._integers is not None
        return self._integers

    @property
    def flint(self) -> fmpq_mat:
        """The matrix in python-flint, the caller's own."""
        numerators, denominator = self._ratio()
        return fmpq_mat(numerators) / denominator

    def __getitem__(self, place: tuple[int, int]) -> Fraction:
        i, j = place
        if self._entries is not None:
            return self._entries[i * self.columns + j]
        numerators, denominator = self._ratio()
        return Fraction(int(numerators[i, j]), int(denominator))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Literal):
            return NotImplemented
        if (self._hash, self.rows, self.columns) != (other._hash, other.rows, other.columns):
            return False
        if self.rows * self.columns <= HASHED:
            return self.entries == other.entries
        (one, below), (two, beneath) = self._ratio(), other._ratio()
        return bool(one == two) if below == beneath else bool(one * beneath == two * below)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Literal], tuple[object, ...]]:
        return Literal, (self.rows, self.columns, self.entries)

    def __repr__(self) -> str:
        if self.rows * self.columns > HASHED:
            return f"Literal({self.rows} x {self.columns})"
        return f"Literal({self.rows}, {self.columns}, {self.entries})"


def _is_exact(entry: object) -> bool:
    """Whether an entry is a fraction of integers of unbounded size."""
    return (
        type(entry) is Fraction and type(entry.numerator) is int and type(entry.denominator) is int
    )


#: a longer common denominator is brought to lowest terms
MAX_DENOMINATOR_BITS = 4096
#: entries that the hash of a literal looks at
HASHED = 16


DATA_TYPES = frozenset({str, int, Literal, type(None)})


@dataclass(frozen=True, slots=True)
class Term:
    """A node: an operation, its arguments, and for leaves a name, an index, a size or a literal."""

    op: str
    args: tuple[Term, ...] = ()
    data: str | int | Literal | None = None
    hint: str = field(default="", compare=False)
    _hash: int = field(default=0, init=False, repr=False, compare=False)
    _reach: int = field(default=-1, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # 1.0 and True equal 1, so that a wrong type has to be refused before terms are compared
        if type(self.data) not in DATA_TYPES:
            raise TermError("a leaf holds a name, a number or a literal matrix")
        object.__setattr__(self, "_hash", hash((self.op, self.args, self.data)))

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("terms have no subclasses, which could compare in their own way")

    def __hash__(self) -> int:
        return self._hash

    def walk(self) -> Iterator[Term]:
        """This term and all its subterms, sorts included."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.args))

    def parts(self) -> Iterator[Term]:
        """The same in the same order, but of equal terms the first one only."""
        seen: set[Term] = set()
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                yield node
                waiting.extend(reversed(node.args))


# Sorts ---------------------------------------------------------------------------------------

DIM = Term("Dim")
EXT = Term("Ext")
PROP = Term("Prop")
SORTS = frozenset({"Dim", "Ext", "Prop", "Mat", "Index", "Measure", "Fun"})


def size(n: int) -> Term:
    """The size n >= 1."""
    if isinstance(n, bool) or n < 1:
        raise TermError(f"a size is at least 1, not {n}")
    return Term("size", data=n)


ONE = size(1)


def matrix_sort(m: Term, n: Term) -> Term:
    return Term("Mat", (m, n))


REAL = matrix_sort(ONE, ONE)


def function_sort(source: Term, target: Term) -> Term:
    return Term("Fun", (source, target))


def index_sort(n: Term) -> Term:
    return Term("Index", (n,))


def index(i: int, n: int) -> Term:
    """The number i of 1, ..., n."""
    return Term("index", (size(n),), i)


def measure_sort(n: Term) -> Term:
    return Term("Measure", (n,))


# Signatures ----------------------------------------------------------------------------------


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise TermError(message)


def _shape(sort: Term, op: str) -> tuple[Term, Term]:
    _require(sort.op == "Mat", f"{op} expects a matrix, not {sort.op}")
    return sort.args[0], sort.args[1]


def _square(sort: Term, op: str) -> Term:
    m, n = _shape(sort, op)
    _require(m == n, f"{op} expects a square matrix")
    return m


def _same(sorts: Sequence[Term], op: str) -> Term:
    _require(all(sort == sorts[0] for sort in sorts), f"{op} expects arguments of one sort")
    return sorts[0]


def _add(sorts: Sequence[Term]) -> Term:
    _require(len(sorts) >= 2, "add expects at least two terms")
    _shape(sorts[0], "add")
    return _same(sorts, "add")


def _mul(sorts: Sequence[Term]) -> Term:
    _require(len(sorts) >= 2, "mul expects at least two factors")
    shapes = [_shape(sort, "mul") for sort in sorts]
    for (_, n), (m, _) in itertools.pairwise(shapes):
        _require(n == m, "mul expects matching inner sizes")
    return matrix_sort(shapes[0][0], shapes[-1][1])


def _scale(sorts: Sequence[Term]) -> Term:
    _require(len(sorts) == 2 and sorts[0] == REAL, "scale expects a real and a matrix")
    _shape(sorts[1], "scale")
    return sorts[1]


def _transposed(sorts: Sequence[Term]) -> Term:
    (sort,) = sorts
    m, n = _shape(sort, "transpose")
    return matrix_sort(n, m)


def _square_to_square(op: str) -> Callable[[Sequence[Term]], Term]:
    def signature(sorts: Sequence[Term]) -> Term:
        (sort,) = sorts
        _square(sort, op)
        return sort

    return signature


def _square_to(op: str, result: Term) -> Callable[[Sequence[Term]], Term]:
    def signature(sorts: Sequence[Term]) -> Term:
        (sort,) = sorts
        _square(sort, op)
        return result

    return signature


def _fixed(op: str, expected: Sequence[Term], result: Term) -> Callable[[Sequence[Term]], Term]:
    def signature(sorts: Sequence[Term]) -> Term:
        _require(tuple(sorts) == tuple(expected), f"{op} has arguments of the wrong sort")
        return result

    return signature


def _polynomial(sorts: Sequence[Term]) -> Term:
    time, coefficients = sorts
    rows, columns = _shape(coefficients, "polynomial")
    _require(columns.op == "size", "polynomial expects a known number of coefficients")
    _require(time == REAL, "polynomial expects a real and coefficients beside each other")
    return matrix_sort(rows, ONE)


def _rank(sorts: Sequence[Term]) -> Term:
    (sort,) = sorts
    _shape(sort, "rank")
    return REAL


def _gaussian(sorts: Sequence[Term]) -> Term:
    mean, covariance = sorts
    n = _square(covariance, "gaussian")
    _require(mean == matrix_sort(n, ONE), "gaussian expects a mean of the covariance's size")
    return measure_sort(n)


def _integral(sorts: Sequence[Term]) -> Term:
    measure, integrand = sorts
    _require(measure.op == "Measure" and integrand.op == "Fun", "integral expects mu and a map")
    source, target = integrand.args
    _require(source == matrix_sort(measure.args[0], ONE), "integral: the map must live on R^n")
    _shape(target, "integral")
    return target


def _integrable(sorts: Sequence[Term]) -> Term:
    _integral(sorts)
    return PROP


def _past(sorts: Sequence[Term]) -> Term:
    measure, time = sorts
    _require(measure == measure_sort(ONE) and time == REAL, "past expects a measure on R, and s")
    return measure


def _atoms(sorts: Sequence[Term]) -> Term:
    masses, points = sorts
    families = all(sort.op == "Fun" and sort.args[0].op == "Index" for sort in sorts)
    _require(families and masses.args[0] == points.args[0], "atoms expects masses and points")
    rows, columns = _shape(points.args[1], "atoms")
    _require(masses.args[1] == REAL and columns == ONE, "atoms: the points must lie in R^n")
    return measure_sort(rows)


def _balanced(sorts: Sequence[Term]) -> Term:
    measure, kernel = sorts
    _require(measure.op == "Measure", "balanced expects a measure and a kernel")
    point = matrix_sort(measure.args[0], ONE)
    _require(
        kernel == function_sort(point, function_sort(point, REAL)),
        "balanced: the kernel must take two points to a real",
    )
    return kernel


def _continuous(sorts: Sequence[Term]) -> Term:
    (sort,) = sorts
    _require(sort.op == "Fun", "continuous expects a map between matrices")
    _shape(sort.args[0], "continuous")
    _shape(sort.args[1], "continuous")
    return PROP


def _sum(sorts: Sequence[Term]) -> Term:
    (sort,) = sorts
    _require(sort.op == "Fun" and sort.args[0].op == "Index", "sum expects a finite family")
    _shape(sort.args[1], "sum")
    return sort.args[1]


def _family(sorts: Sequence[Term]) -> Term:
    _require(len(sorts) >= 1, "a family has at least one member")
    _shape(sorts[0], "family")
    return function_sort(index_sort(size(len(sorts))), _same(sorts, "family"))


def _equal(sorts: Sequence[Term]) -> Term:
    _require(len(sorts) == 2 and sorts[0] != PROP, "eq expects two terms that are not propositions")
    _same(sorts, "eq")
    return PROP


def _curve(sort: Term, op: str) -> Term:
    _require(sort.op == "Fun" and sort.args[0] == REAL, f"{op} expects a curve")
    _shape(sort.args[1], op)
    return sort.args[1]


def _ode(sorts: Sequence[Term]) -> Term:
    lifetime, curve, velocity = sorts
    _require(lifetime == EXT, "ode expects a lifetime")
    _require(_curve(curve, "ode") == _curve(velocity, "ode"), "ode: shapes differ")
    return PROP


def _maximal(sorts: Sequence[Term]) -> Term:
    lifetime, curve, field_sort, start = sorts
    _require(lifetime == EXT, "maximal expects a lifetime")
    state = _curve(curve, "maximal")
    _require(field_sort == function_sort(state, state), "maximal: the field must map states")
    _require(start == state, "maximal: the start must be a state")
    return PROP


def _curve_to(op: str, count: int) -> Callable[[Sequence[Term]], Term]:
    def signature(sorts: Sequence[Term]) -> Term:
        _require(len(sorts) == count, f"{op} expects {count} arguments")
        state = _curve(sorts[0], op)
        _require(all(sort == state for sort in sorts[1:]), f"{op}: shapes differ")
        return PROP

    return signature


def _curve_on(op: str) -> Callable[[Sequence[Term]], Term]:
    def signature(sorts: Sequence[Term]) -> Term:
        lifetime, curve = sorts
        _require(lifetime == EXT, f"{op} expects a lifetime")
        _curve(curve, op)
        return PROP

    return signature


def _smooth(sorts: Sequence[Term]) -> Term:
    (sort,) = sorts
    _require(sort.op == "Fun" and sort.args[0] == sort.args[1], "smooth expects a vector field")
    _shape(sort.args[0], "smooth")
    return PROP


def _smooth_at(sorts: Sequence[Term]) -> Term:
    function, point = sorts
    _continuous([function])
    _require(function.args[0] == point, "smooth_at expects a map and a point where it is defined")
    return PROP


def _continuity(sorts: Sequence[Term]) -> Term:
    lifetime, measures, velocity = sorts
    _require(lifetime == EXT, "continuity expects a lifetime")
    _require(
        measures.op == "Fun" and measures.args[0] == REAL and measures.args[1].op == "Measure",
        "continuity expects a curve of measures",
    )
    point = matrix_sort(measures.args[1].args[0], ONE)
    _require(
        velocity == function_sort(REAL, function_sort(point, point)),
        "continuity expects a velocity depending on time and position",
    )
    return PROP


def _quantifier(sorts: Sequence[Term]) -> Term:
    (sort,) = sorts
    _require(sort.op == "Fun" and sort.args[1] == PROP, "a quantifier expects a predicate")
    return PROP


def _connective(op: str, least: int, most: int | None) -> Callable[[Sequence[Term]], Term]:
    def signature(sorts: Sequence[Term]) -> Term:
        _require(
            len(sorts) >= least and (most is None or len(sorts) <= most),
            f"{op} has the wrong number of arguments",
        )
        _require(all(sort == PROP for sort in sorts), f"{op} expects propositions")
        return PROP

    return signature


SIGNATURES: Mapping[str, Callable[[Sequence[Term]], Term]] = {
    # matrices
    "add": _add,
    "mul": _mul,
    "scale": _scale,
    "transpose": _transposed,
    "inverse": _square_to_square("inverse"),
    "root": _square_to_square("root"),
    "principal_root": _square_to_square("principal_root"),
    "pinv": _transposed,
    "trace": _square_to("trace", REAL),
    "det": _square_to("det", REAL),
    "lmax": _square_to("lmax", REAL),
    "rank": _rank,
    "exp": _fixed("exp", (REAL,), REAL),
    "log": _fixed("log", (REAL,), REAL),
    "polynomial": _polynomial,
    # finite families of matrices
    "sum": _sum,
    "family": _family,
    # measures
    "gaussian": _gaussian,
    "atoms": _atoms,
    "integral": _integral,
    "past": _past,
    "balanced": _balanced,
    # lifetimes
    "infinity": _fixed("infinity", (), EXT),
    "finite": _fixed("finite", (REAL,), EXT),
    # propositions
    "eq": _equal,
    "psd": _square_to("psd", PROP),
    "pd": _square_to("pd", PROP),
    "invertible": _square_to("invertible", PROP),
    "slit": _square_to("slit", PROP),
    "within": _fixed("within", (REAL, EXT), PROP),
    "at_most": _fixed("at_most", (EXT, EXT), PROP),
    "ode": _ode,
    "maximal": _maximal,
    "piecewise": _curve_on("piecewise"),
    "escapes": _curve_on("escapes"),
    "limit": _curve_to("limit", 2),
    "limit_point": _curve_to("limit_point", 2),
    "smooth": _smooth,
    "smooth_at": _smooth_at,
    "continuous": _continuous,
    "integrable": _integrable,
    "continuity": _continuity,
    "and": _connective("and", 2, None),
    "implies": _connective("implies", 2, 2),
    "not": _connective("not", 1, 1),
    "forall": _quantifier,
    "exists": _quantifier,
}
"""Operation -> its typing rule (argument sorts to result sort).

Meaning of the less usual ones: ``sum(f)`` the sum f(1) + ... + f(n) of a family f on 1, ..., n,
``family(M_1, ..., M_n)`` the family with these members, ``polynomial(t, [c_0 c_1 ... c_n])`` the
vector c_0 + t c_1 + ... + t^n c_n, ``root(M)`` the positive semidefinite square root,
``slit(M)``: M has no eigenvalue in (-oo, 0], ``principal_root(M)``: the square root of
M whose eigenvalues have positive real parts if slit(M), otherwise 0, ``pinv`` the Moore-Penrose
inverse, ``lmax`` the largest eigenvalue of a symmetric matrix, ``psd``/``pd`` symmetric positive
(semi)definite (on reals: >= 0, > 0), ``within(t, T)``: 0 <= t < T,
``ode(T, X, G)``: X is continuous on [0, T) with right derivative X'(t) = G(t) at each t there,
``piecewise(T, X)``: X is right-continuous on [0, T) with left limits, and for each s < T it jumps
at finitely many points of [0, s], ``maximal(T, X, F, X0)``: T > 0 and X on [0, T) solves X' = F(X),
X(0) = X0, and no solution on a longer interval extends it, ``escapes(T, X)``: |X(t)| -> oo as t in
[0, T) tends to T, ``limit(X, Y)``: X(t) -> Y as t -> oo, ``limit_point(X, Y)``: X(t_n) -> Y along
some t_n -> oo, ``smooth(F)``: F is infinitely differentiable, ``smooth_at(F, X)``: it is in a
neighbourhood of X, ``continuous(f)``: f is continuous everywhere, ``integrable(mu, f)``: f is
measurable and the integral of its norm is finite, ``continuity(T, mu, v)``: mu solves d/dt mu +
div(mu v) = 0 on [0, T), that is, for every smooth f of compact support the function t -> int f
dmu(t) is continuous on [0, T) with right derivative int <grad f, v(t, .)> dmu(t).

``log(r)`` is the natural logarithm of a number r > 0, otherwise 0.  ``past(mu, s)`` is the
restriction of mu to (-oo, s].  ``atoms(m, x)``, for families of numbers m_i and points x_i, is the
sum of the point masses m_i at x_i, for which every function is measurable; 0 if some m_i is
negative.  ``balanced(mu, k)``, for a
measurable kernel k > 0, is the kernel u(x) k(x, y) v(y) whose integrals against mu in y and in x
are 1 for every x and every y, where u, v > 0 are measurable with integrable logarithms (it is
unique, the density of the entropic plan of mu with itself, and where alternating normalisation of
rows and columns converges this is the limit); 0 where there is none.

Right derivatives let right-hand sides jump in time.  Where t -> G(t) is continuous they are the
usual ones: a continuous function with a continuous right derivative is continuously
differentiable.  In ``maximal`` derivatives are the usual ones, one-sided at 0.

An integral that does not exist is 0.  What a curve is outside [0, T), and what ``lmax`` and
``gaussian`` are where they have no meaning, is left open, and no fact speaks of it.
"""


# Construction --------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 17)
def sort_of(term: Term, bound: tuple[Term, ...] = ()) -> Term:
    """The sort of a term; ``bound`` lists the sorts of enclosing binders, innermost first.

    Raises:
        TermError: the term is not well formed.
    """
    op, args = term.op, term.args
    if op == "var":
        _require(isinstance(term.data, str) and len(args) == 1, "a variable has a name and a sort")
        check_sort(args[0])
        return args[0]
    if op in ("bound", "literal", "size"):
        _require(not args, f"{op} has no arguments")
    if op == "bound":
        _require(isinstance(term.data, int) and 0 <= term.data < len(bound), "unbound index")
        assert isinstance(term.data, int)
        return bound[term.data]
    if op == "literal":
        _require(isinstance(term.data, Literal), "a literal holds a matrix")
        assert isinstance(term.data, Literal)
        return matrix_sort(size(term.data.rows), size(term.data.columns))
    if op == "size":
        _require(isinstance(term.data, int) and term.data >= 1, "a size is at least 1")
        return DIM
    if op == "index":
        _require(
            len(args) == 1
            and args[0].op == "size"
            and isinstance(term.data, int)
            and isinstance(args[0].data, int)
            and 1 <= term.data <= args[0].data,
            "an index is one of 1, ..., n",
        )
        return index_sort(args[0])
    if op == "lambda":
        _require(len(args) == 2, "an abstraction has a sort and a body")
        check_sort(args[0])
        result = function_sort(args[0], sort_of(args[1], (args[0], *bound)))
        check_sort(result)
        return result
    if op == "apply":
        _require(len(args) == 2, "an application has a function and an argument")
        function = sort_of(args[0], bound)
        _require(function.op == "Fun", "only functions can be applied")
        _require(function.args[0] == sort_of(args[1], bound), "argument of the wrong sort")
        return function.args[1]
    sorts = [sort_of(argument, bound) for argument in args]
    _require(term.data is None, f"{op} carries no data")
    if op in ("identity", "dimension"):
        _require(sorts == [DIM], f"{op} expects a size")
        return matrix_sort(args[0], args[0]) if op == "identity" else REAL
    if op == "zero":
        _require(sorts == [DIM, DIM], "zero expects two sizes")
        return matrix_sort(args[0], args[1])
    _require(op in SIGNATURES, f"unknown operation {op!r}")
    try:
        return SIGNATURES[op](sorts)
    except ValueError as error:
        message = str(error) if isinstance(error, TermError) else f"{op}: wrong number of arguments"
        raise TermError(message) from None


@lru_cache(maxsize=1 << 12)
def check_sort(sort: Term) -> None:
    """Raise TermError unless ``sort`` is a well-formed sort."""
    _require(sort.op in SORTS and sort.data is None, "not a sort")
    if sort.op in ("Mat", "Measure", "Index"):
        _require(len(sort.args) == (2 if sort.op == "Mat" else 1), f"{sort.op}: wrong sizes")
        for dimension in sort.args:
            _require(
                dimension.op in ("var", "size") and sort_of(dimension) == DIM,
                "a size is a number or a size variable",
            )
    elif sort.op == "Fun":
        _require(len(sort.args) == 2, "Fun expects two sorts")
        _require(DIM not in sort.args, "no function takes or gives a size")
        check_sort(sort.args[0])
        check_sort(sort.args[1])
    else:
        _require(not sort.args, f"{sort.op} has no arguments")


def variable(name: str, sort: Term) -> Term:
    return Term("var", (sort,), name)


def application(function: Term, *arguments: Term) -> Term:
    """f(a, b, ...), curried, reduced when f is an abstraction."""
    for argument in arguments:
        function = _apply(function, argument)
    return function


def _apply(function: Term, argument: Term) -> Term:
    if function.op == "lambda":
        return open_binder(function.args[1], argument)
    if function.op == "family" and argument.op == "index" and isinstance(argument.data, int):
        return function.args[argument.data - 1]
    return Term("apply", (function, argument))


def abstraction(var: Term, body: Term) -> Term:
    """The function var -> body."""
    if var.op != "var":
        raise TermError("only variables can be abstracted")
    return Term("lambda", (var.args[0], _close(body, var, 0)), hint=str(var.data))


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The same node with other arguments, reduced."""
    if term.op == "apply":
        return _apply(*args)
    return Term(term.op, args, term.data, term.hint)


def open_binder(body: Term, value: Term, depth: int = 0) -> Term:
    """``body`` with the variable of the binder removed around it replaced by ``value``."""
    if term_is_closed(body, depth):
        return body
    if body.op == "bound":
        assert isinstance(body.data, int)
        return _shift(value, depth) if body.data == depth else Term("bound", data=body.data - 1)
    if body.op == "lambda":
        return Term(
            "lambda",
            (body.args[0], open_binder(body.args[1], value, depth + 1)),
            hint=body.hint,
        )
    return rebuild(body, tuple(open_binder(a, value, depth) for a in body.args))


def _shift(term: Term, amount: int, depth: int = 0) -> Term:
    """``term`` moved under ``amount`` more binders."""
    if amount == 0 or term_is_closed(term, depth):
        return term
    if term.op == "bound":
        assert isinstance(term.data, int)
        return Term("bound", data=term.data + amount)
    inner = depth + 1 if term.op == "lambda" else depth
    return Term(term.op, tuple(_shift(a, amount, inner) for a in term.args), term.data, term.hint)


def term_is_closed(term: Term, depth: int = 0) -> bool:
    """Whether no bound variable of ``term`` points ``depth`` or more binders outside it."""
    return _reach(term) <= depth


def _reach(term: Term) -> int:
    """The least depth at which a term is closed, found once."""
    if term._reach < 0:
        if term.op == "bound":
            assert isinstance(term.data, int)
            reach = term.data + 1
        elif term.op == "lambda":
            reach = max(_reach(term.args[1]) - 1, 0)
        else:
            reach = max(map(_reach, term.args), default=0)
        object.__setattr__(term, "_reach", reach)
    return term._reach


def _close(body: Term, var: Term, depth: int) -> Term:
    if body == var:
        return Term("bound", data=depth)
    if body.op == "var" or not body.args:
        return body
    if body.op == "lambda":
        return Term("lambda", (body.args[0], _close(body.args[1], var, depth + 1)), hint=body.hint)
    return Term(body.op, tuple(_close(a, var, depth) for a in body.args), body.data, body.hint)


def free_variables(term: Term) -> dict[str, Term]:
    """Name -> variable, sizes inside sorts included, in order of first occurrence.

    Raises:
        TermError: one name stands for variables of two sorts.
    """
    found: dict[str, Term] = {}
    for node in term.parts():
        if node.op == "var":
            name = str(node.data)
            if found.setdefault(name, node) != node:
                raise TermError(f"the name {name} stands for two different variables")
    return found


def substitute(term: Term, instance: Mapping[str, Term]) -> Term:
    """Replace free variables by name, simultaneously, also in the sorts of those that stay.

    The caller checks with :func:`check_instance` that the values are well sorted.
    """
    # by identity, as equal terms may differ in the names that are printed
    known: dict[int, Term] = {}

    def within(part: Term) -> Term:
        if part.op == "var" and part.data in instance:
            return instance[str(part.data)]
        if not part.args:
            return part
        result = known.get(id(part))
        if result is None:
            result = known[id(part)] = rebuild(part, tuple(map(within, part.args)))
        return result

    return within(term)


def check_instance(variables: Mapping[str, Term], instance: Mapping[str, Term]) -> None:
    """Raise TermError unless each value has the sort of its variable after substitution."""
    for name, value in instance.items():
        if name not in variables:
            raise TermError(f"there is no variable {name} to instantiate")
        if not term_is_closed(value):
            raise TermError(f"the value of {name} has an unbound index")
        expected = substitute(variables[name].args[0], instance)
        if sort_of(value) != expected:
            raise TermError(f"the value of {name} has the wrong sort")
