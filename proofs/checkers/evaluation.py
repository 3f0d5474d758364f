"""Second check of matrix identities: exact evaluation at random matrices modulo a large prime.

Shares no code with the word algebra.  Each opaque subterm gets one random matrix of its shape,
symmetric where declared; inverses are really inverted.  A rational identity holds modulo every
prime that divides no denominator, and one that holds here was also found by the word algebra,
which is the proof.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from flint import fmpq_mat, nmod, nmod_mat

from proofs.terms import (
    Literal,
    Term,
    application,
    free_variables,
    index,
    size,
    sort_of,
    substitute,
)

#: the largest prime below 2^63
PRIME = 2**63 - 25
SIZES = (1, 2, 3)
ROUNDS = 3


def vanishes(term: Term, symmetric: Iterable[Term] = ()) -> bool:
    """Whether a matrix term is 0 at several random points, for several sizes."""
    declared = frozenset(symmetric)
    variables = sorted(free_variables(term).items())
    names = [name for name, v in variables if v.args[0].op == "Dim"]
    indices = [(name, v.args[0].args[0]) for name, v in variables if v.args[0].op == "Index"]
    for seed in range(ROUNDS):
        generator = random.Random(seed)
        chosen = {name: size(_size(seed, i, name)) for i, name in enumerate(names)}
        for name, n in indices:
            count = _number(substitute(n, chosen))
            chosen[name] = index(generator.randint(1, count), count)
        point = _Point(generator, frozenset(substitute(a, chosen) for a in declared))
        value = point.value(substitute(term, chosen))
        if value != _zero(value.nrows(), value.ncols()):
            return False
        if not (chosen or point.is_random):
            break  # other rounds would be the same
    return True


def has_coefficients(term: Term, time: Term, coefficients: Sequence[fmpq_mat]) -> bool:
    """Whether a matrix term is C_0 + t C_1 + ... at several random times t; no sizes are free."""
    for seed in range(ROUNDS):
        point = _Point(random.Random(seed), frozenset())
        moment = point.value(time)[0, 0]
        value, expected = point.value(term), _zero(*map(_number, sort_of(term).args))
        for coefficient in reversed(coefficients):
            above, below = coefficient.numer_denom()
            expected = expected * moment + nmod_mat(above, PRIME) * (nmod(1, PRIME) / int(below))
        if value != expected:
            return False
    return True


def _size(seed: int, position: int, name: str) -> int:
    """No size is 1 in the first round, so that no sum has one term and no matrix one entry."""
    return random.Random(f"{seed} {name}").choice(SIZES) if seed else 2 + position % 2


class _Point:
    """Random values for the opaque subterms, drawn when they are first met."""

    def __init__(self, generator: random.Random, symmetric: frozenset[Term]) -> None:
        self._generator = generator
        self._symmetric = symmetric
        self._values: dict[object, nmod_mat] = {}
        self._known: dict[Term, nmod_mat] = {}

    @property
    def is_random(self) -> bool:
        """Whether some value was drawn."""
        return bool(self._values)

    def value(self, term: Term) -> nmod_mat:
        """The value of a term; no caller changes it."""
        if term not in self._known:
            self._known[term] = self._value(term)
        return self._known[term]

    def _value(self, term: Term) -> nmod_mat:
        op, args = term.op, term.args
        if op == "literal":
            assert isinstance(term.data, Literal)
            numerators, denominator = term.data._ratio()
            return nmod_mat(numerators, PRIME) * (nmod(1, PRIME) / int(denominator))
        if op in ("identity", "zero"):
            n, m = _number(args[0]), _number(args[-1])
            return _identity(n) if op == "identity" else _zero(n, m)
        if op == "dimension":
            return nmod_mat(1, 1, [_number(args[0])], PRIME)
        if op == "add":
            result = self.value(args[0])
            for a in args[1:]:
                result = result + self.value(a)
            return result
        if op == "sum":
            n = _number(sort_of(args[0]).args[0].args[0])
            result = self.value(application(args[0], index(1, n)))
            for i in range(2, n + 1):
                result = result + self.value(application(args[0], index(i, n)))
            return result
        if op == "mul":
            result = self.value(args[0])
            for a in args[1:]:
                result = result * self.value(a)
            return result
        if op == "scale":
            return self.value(args[1]) * self.value(args[0])[0, 0]
        if op == "polynomial":
            return _horner(self.value(args[0]), self.value(args[1]))
        if op == "transpose":
            return self.value(args[0]).transpose()
        if op == "trace":
            matrix = self.value(args[0])
            total = sum((int(matrix[i, i]) for i in range(matrix.nrows())), 0)
            return nmod_mat(1, 1, [total % PRIME], PRIME)
        if op == "det":
            return nmod_mat(1, 1, [int(self.value(args[0]).det())], PRIME)
        if op in ("inverse", "pinv"):
            return _pseudo_inverse(self.value(args[0]), exact=op == "inverse")
        if op in ("root", "exp"):
            argument = self.value(args[0])
            return self._draw((op, str(argument)), argument.nrows(), argument.ncols(), True)
        if op == "principal_root":
            return self._principal_root(self.value(args[0]))
        rows, columns = (_number(n) for n in sort_of(term).args)
        family = args[0] if op == "apply" else None
        symmetric = term in self._symmetric or family in self._symmetric
        return self._draw(term, rows, columns, symmetric)

    def _principal_root(self, argument: nmod_mat) -> nmod_mat:
        """Any value, but the transpose at the transposed argument."""
        flipped = argument.transpose()
        first, second = sorted((str(argument), str(flipped)))
        n = argument.nrows()
        value = self._draw(("principal_root", first), n, n, first == second)
        return value if first == str(argument) else value.transpose()

    def _draw(self, key: object, rows: int, columns: int, symmetric: bool) -> nmod_mat:
        if key not in self._values:
            entries = [self._generator.randrange(PRIME) for _ in range(rows * columns)]
            matrix = nmod_mat(rows, columns, entries, PRIME)
            self._values[key] = matrix + matrix.transpose() if symmetric else matrix
        return self._values[key]


def _horner(time: nmod_mat, coefficients: nmod_mat) -> nmod_mat:
    """c_0 + t c_1 + ... + t^n c_n, for vectors c_k beside each other."""
    powers, t = [nmod(1, PRIME)], time[0, 0]
    for _ in range(coefficients.ncols() - 1):
        powers.append(powers[-1] * t)
    return coefficients * nmod_mat(len(powers), 1, [int(power) for power in powers], PRIME)


def _zero(rows: int, columns: int) -> nmod_mat:
    return nmod_mat(rows, columns, PRIME)


def _identity(n: int) -> nmod_mat:
    matrix = _zero(n, n)
    for i in range(n):
        matrix[i, i] = 1
    return matrix


def _number(dimension: Term) -> int:
    assert isinstance(dimension.data, int)
    return dimension.data


def _pseudo_inverse(matrix: nmod_mat, exact: bool) -> nmod_mat:
    """Moore-Penrose inverse from M = F G of full rank; with ``exact`` 0 unless M is invertible."""
    echelon, rank = matrix.rref()
    rows, columns = matrix.nrows(), matrix.ncols()
    if rank == 0 or (exact and rank < rows):
        return _zero(columns, rows)
    if rank == rows == columns:
        return matrix.inv()
    pivots = [next(j for j in range(columns) if int(echelon[i, j])) for i in range(rank)]
    entries = [int(matrix[i, j]) for i in range(rows) for j in pivots]
    left = nmod_mat(rows, rank, entries, PRIME)
    entries = [int(echelon[i, j]) for i in range(rank) for j in range(columns)]
    right = nmod_mat(rank, columns, entries, PRIME)
    core = left.transpose() * matrix * right.transpose()
    return right.transpose() * core.inv() * left.transpose()
