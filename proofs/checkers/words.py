"""Word algebra: identities between matrix expressions that hold for every size.

An expression becomes a polynomial: rational coefficients times commuting scalars times one word
of letters.  Letters are variables and opaque subterms, plain or transposed; symmetric ones are
declared.  A word is cut wherever it passes through size 1 (x^T A y is a scalar, equal to its
transpose), traces are taken up to rotation and transposition, and literal matrices are multiplied
out.  Inverses do not cancel: N^{-1} N = I has to be supplied as an equation.

A sum over a family of unknown size becomes monomials with a summation index, a product of sums has
one index for each; in the end they are named in the least of all ways.

Equal normal forms prove equality.  Different ones prove nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from fractions import Fraction

from proofs.checkers import rational
from proofs.checkers.constants import Constants
from proofs.terms import (
    ONE,
    Literal,
    Term,
    TermError,
    application,
    index,
    matrix_sort,
    size,
    sort_of,
    substitute,
    variable,
)

Word = tuple[int, ...]
Monomial = tuple[tuple[tuple[str, Word], ...], Word]
Polynomial = dict[Monomial, Fraction]
Group = tuple[tuple[tuple[str, Word], ...], Word, Word]
UNIT: Monomial = ((), ())
#: how the names of summation indices begin, and of the index of a sum that is being expanded;
#: no other variable may begin so
SUMMED, OPEN = "#", "@"
#: for products of more sums than this the order of the indices stays as it is
MAX_INDICES = 5
#: products that expand to more are refused
MAX_TERMS = 10_000


class WordAlgebra:
    """Normal forms over one alphabet; ``symmetric`` are the terms known to equal their transpose.

    Letters are positive integers in order of first appearance.
    """

    def __init__(self, symmetric: Iterable[Term] = ()) -> None:
        self._symmetric = frozenset(symmetric)
        for declared in self._symmetric:
            _require_unmarked(declared)
        self._letters: dict[object, int] = {}
        self._shapes: list[tuple[Term, Term]] = [(ONE, ONE)]
        self._transposes: list[int] = [0]
        self._literals: dict[int, Literal] = {}
        #: letters that contain summation indices: their term, and whether it is transposed
        self._indexed: dict[int, tuple[Term, bool]] = {}
        self._constants = Constants()
        self._fresh = 0

    def is_zero(self, term: Term) -> bool:
        """Whether the normal form of a matrix term vanishes."""
        _require_unmarked(term)
        return not self.normal_form(term)

    def normal_form(self, term: Term) -> Polynomial:
        collected = self._collect(self._expand(term), sort_of(term))
        return _sum(({self._least(key): factor}, Fraction(1)) for key, factor in collected.items())

    # Expansion

    def _expand(self, term: Term) -> Polynomial:
        op, args = term.op, term.args
        if (value := self._constants.value(term)) is not None:
            return self._word((self._literal(value),))
        if op == "add":
            return _sum((self._expand(a), Fraction(1)) for a in args)
        if op in ("mul", "scale"):
            result = self._expand(args[0])
            for factor in args[1:]:
                result = self._multiply(result, self._expand(factor))
            return result
        if op == "transpose":
            return self._transpose(self._expand(args[0]))
        if op == "identity":
            return {UNIT: Fraction(1)}
        if op == "zero":
            return {}
        if op == "trace":
            return self._trace(self.normal_form(args[0]), sort_of(args[0]).args[0])
        if op == "dimension" and args[0].op == "size":
            assert isinstance(args[0].data, int)
            return {UNIT: Fraction(args[0].data)}
        if op == "sum":
            return self._over_family(args[0])
        if op == "inverse" and (known := self._known_inverse(args[0])) is not None:
            return known
        return self._word((self._atom(term),))

    def _over_family(self, family: Term) -> Polynomial:
        """The sum of a family, member by member when their number is known."""
        indices = sort_of(family).args[0]
        count = indices.args[0]
        if count.op == "size":
            assert isinstance(count.data, int)
            members = (application(family, index(i + 1, count.data)) for i in range(count.data))
            return _sum((self._expand(member), Fraction(1)) for member in members)
        bound = self._fresh_index(OPEN, indices)
        times = self._word((self._atom(Term("dimension", (count,))),))
        terms: list[tuple[Polynomial, Fraction]] = []
        for monomial, factor in self._expand(application(family, bound)).items():
            if bound in self._indices(monomial, OPEN):
                summed = self._renamed(monomial, {bound: self._fresh_index(SUMMED, indices)})
                terms.append(({self._canonical(summed): Fraction(1)}, factor))
            else:
                terms.append((self._multiply(times, {monomial: Fraction(1)}), factor))
        return _sum(terms)

    def _fresh_index(self, mark: str, sort: Term) -> Term:
        self._fresh += 1
        return variable(f"{mark}new{self._fresh}", sort)

    def _indices(self, monomial: Monomial, mark: str = SUMMED) -> list[Term]:
        """The summation indices of a monomial, by first appearance."""
        scalars, word = monomial
        letters = (*word, *(letter for _, segment in scalars for letter in segment))
        found: dict[Term, None] = {}
        for letter in letters:
            if letter in self._indexed:
                found.update(dict.fromkeys(_marked(self._indexed[letter][0], (mark,))))
        return list(found)

    def _canonical(self, monomial: Monomial) -> Monomial:
        """The monomial with its summation indices named 1, 2, ..."""
        found = self._indices(monomial)
        names = {old: variable(f"{SUMMED}{i + 1}", old.args[0]) for i, old in enumerate(found)}
        return self._renamed(monomial, names)

    def _least(self, monomial: Monomial) -> Monomial:
        """The least of the monomials that differ in the order of the summation indices.

        The names by first appearance can depend on the order in which letters were met.
        """
        found = self._indices(monomial)
        if not 2 <= len(found) <= MAX_INDICES:
            return monomial
        sorts = [index.args[0] for index in found]
        return min(
            self._renamed(monomial, dict(zip(found, order, strict=True)))
            for order in itertools.permutations(found)
            if sorts == [index.args[0] for index in order]
        )

    def _apart(self, monomial: Monomial) -> Monomial:
        """The monomial with fresh names for its summation indices."""
        names = {old: self._fresh_index(SUMMED, old.args[0]) for old in self._indices(monomial)}
        return self._renamed(monomial, names)

    def _renamed(self, monomial: Monomial, names: Mapping[Term, Term]) -> Monomial:
        if all(old == new for old, new in names.items()):
            return monomial
        instance = {str(old.data): new for old, new in names.items()}

        def letter(old: int) -> int:
            if old not in self._indexed:
                return old
            term, flipped = self._indexed[old]
            new = self._atom(substitute(term, instance))
            return self._flip(new) if flipped else new

        def segment(kind: str, word: Word) -> tuple[str, Word]:
            renamed = tuple(map(letter, word))
            reverse = self._reverse(renamed)
            if not kind:
                return kind, min(renamed, reverse)
            return kind, min(w[i:] + w[:i] for w in (renamed, reverse) for i in range(len(w)))

        scalars, word = monomial
        return (
            tuple(sorted(segment(kind, part) for kind, part in scalars)),
            tuple(map(letter, word)),
        )

    def _known_inverse(self, term: Term) -> Polynomial | None:
        """The inverse of a nonzero multiple of the identity, or of a literal matrix."""
        inner = self.normal_form(term)
        if set(inner) == {UNIT}:
            return {UNIT: 1 / inner[UNIT]}
        value = self._constant(inner)
        if value is None or (inverse := rational.inverted(value)) is None:
            return None
        return self._word((self._literal(inverse),))

    def _atom(self, term: Term) -> int:
        """The letter of an opaque subterm; inverses and roots are recognised up to normal form."""
        rows, columns = sort_of(term).args
        # the index of a sum around the term would be mistaken for one of a sum inside it
        recognised = not _marked(term, (SUMMED, OPEN))
        if recognised and term.op in ("root", "exp"):
            content = _key(self.normal_form(term.args[0]))
            return self._opaque((term.op, rows, content), rows, columns, symmetric=True)
        if recognised and term.op in ("inverse", "pinv", "principal_root"):
            inner = self.normal_form(term.args[0])
            key = (term.op, rows, columns, _key(inner))
            flipped = (term.op, columns, rows, _key(self._transpose(inner)))
            letter = self._opaque(key, rows, columns)
            partner = self._opaque(flipped, columns, rows)
            self._transposes[letter], self._transposes[partner] = partner, letter
            return letter
        symmetric = self._is_symmetric(term) or rows == columns == ONE
        letter = self._opaque(("term", term), rows, columns, symmetric)
        if not symmetric and not self._transposes[letter]:
            partner = self._opaque(("transpose", term), columns, rows)
            self._transposes[letter], self._transposes[partner] = partner, letter
        self._remember(letter, term, self._transposes[letter])
        return letter

    def _is_symmetric(self, term: Term) -> bool:
        """A root, declared symmetric, or a member of a family that is declared so."""
        if term.op == "root":
            return True
        member_of = term.args[0] if term.op == "apply" else None
        return term in self._symmetric or member_of in self._symmetric

    def _remember(self, letter: int, term: Term, partner: int) -> None:
        """Keep the term of a letter with summation indices, to rename them."""
        if _marked(term, (SUMMED, OPEN)):
            self._indexed.setdefault(letter, (term, False))
            if partner != letter:
                self._indexed.setdefault(partner, (term, True))

    def _opaque(self, key: object, rows: Term, columns: Term, symmetric: bool = False) -> int:
        letter = self._letters.get(key)
        if letter is None:
            letter = len(self._shapes)
            self._letters[key] = letter
            self._shapes.append((rows, columns))
            self._transposes.append(letter if symmetric else 0)
        return letter

    def _literal(self, matrix: Literal) -> int:
        letter = self._opaque(matrix, size(matrix.rows), size(matrix.columns))
        self._literals[letter] = matrix
        return letter

    def _constant(self, polynomial: Polynomial) -> Literal | None:
        """The value of a polynomial that is one rational matrix."""
        if len(polynomial) != 1:
            return None
        ((scalars, word), factor) = next(iter(polynomial.items()))
        if scalars or len(word) != 1 or word[0] not in self._literals:
            return None
        return rational.scaled(self._literals[word[0]], factor)

    def _flip(self, letter: int) -> int:
        if letter in self._literals:
            return self._literal(rational.transposed(self._literals[letter]))
        return self._transposes[letter]

    def _reverse(self, word: Word) -> Word:
        return tuple(self._flip(letter) for letter in reversed(word))

    # Reduction of one word

    def _word(self, word: Word, factor: Fraction = Fraction(1)) -> Polynomial:
        """Cut at size 1, merge literals, and collect the scalars."""
        cuts = [i for i in range(len(word) + 1) if self._size_at(word, i) == ONE]
        scalars: list[tuple[str, Word]] = []
        if len(cuts) >= 2:
            for start, end in itertools.pairwise(cuts):
                factor, segment = self._merge(word[start:end], factor)
                if segment:
                    scalars.append(("", min(segment, self._reverse(segment))))
            word = word[: cuts[0]] + word[cuts[-1] :]
        factor, word = self._merge(word, factor)
        return {(tuple(sorted(scalars)), word): factor} if factor else {}

    def _size_at(self, word: Word, position: int) -> Term:
        if position < len(word):
            return self._shapes[word[position]][0]
        return self._shapes[word[-1]][1] if word else size(2)

    def _merge(self, word: Word, factor: Fraction) -> tuple[Fraction, Word]:
        """Multiply adjacent literals; scale each so that its first nonzero entry is 1."""
        merged: list[int] = []
        for letter in word:
            if merged and letter in self._literals and merged[-1] in self._literals:
                matrix = rational.product(self._literals[merged.pop()], self._literals[letter])
                letter = self._literal(matrix)
            merged.append(letter)
        result: list[int] = []
        for letter in merged:
            if letter in self._literals:
                matrix = self._literals[letter]
                lead = rational.leading(matrix)
                if not lead:
                    return Fraction(0), ()
                factor *= lead
                matrix = rational.scaled(matrix, 1 / lead)
                if rational.multiple_of_identity(matrix) is not None:
                    continue
                letter = self._literal(matrix)
            result.append(letter)
        # dropping a multiple of the identity can bring two literals together
        adjacent = any(
            a in self._literals and b in self._literals for a, b in itertools.pairwise(result)
        )
        return self._merge(tuple(result), factor) if adjacent else (factor, tuple(result))

    # Operations on polynomials

    def _multiply(self, left: Polynomial, right: Polynomial) -> Polynomial:
        if len(left) * len(right) > MAX_TERMS:
            raise TermError(f"an expression expands to more than {MAX_TERMS} terms")
        terms: list[tuple[Polynomial, Fraction]] = []
        for (scalars, word), factor in left.items():
            for monomial, other in right.items():
                other_scalars, other_word = self._apart(monomial)
                for (new, result), value in self._word(word + other_word).items():
                    key = self._canonical((tuple(sorted(scalars + other_scalars + new)), result))
                    terms.append(({key: value}, factor * other))
        return _sum(terms)

    def _transpose(self, polynomial: Polynomial) -> Polynomial:
        terms: list[tuple[Polynomial, Fraction]] = []
        for (scalars, word), factor in polynomial.items():
            for (new, result), value in self._word(self._reverse(word)).items():
                key = self._canonical((tuple(sorted(scalars + new)), result))
                terms.append(({key: value}, factor))
        return _sum(terms)

    def _trace(self, polynomial: Polynomial, dimension: Term) -> Polynomial:
        terms: list[tuple[Polynomial, Fraction]] = []
        for (scalars, word), factor in polynomial.items():
            for (new, _), value in self._trace_of_word(word, dimension).items():
                key = self._canonical((tuple(sorted(scalars + new)), ()))
                terms.append(({key: value}, factor))
        return _sum(terms)

    def _trace_of_word(self, word: Word, dimension: Term) -> Polynomial:
        if not word:
            if dimension.op == "size":
                return {UNIT: Fraction(int(str(dimension.data)))}
            return self._word((self._atom(Term("dimension", (dimension,))),))
        for i in range(len(word)):
            if self._shapes[word[i]][0] == ONE:
                return self._word(word[i:] + word[:i])
        if len(word) > 1 and word[0] in self._literals and word[-1] in self._literals:
            word = (word[-1], *word[:-1])
        factor, word = self._merge(word, Fraction(1))
        if not factor:
            return {}
        if not word:
            return {key: factor * c for key, c in self._trace_of_word((), dimension).items()}
        if len(word) == 1 and word[0] in self._literals:
            matrix = self._literals[word[0]]
            return {UNIT: factor * sum(matrix[i, i] for i in range(matrix.rows))}
        rotations = [w[i:] + w[:i] for w in (word, self._reverse(word)) for i in range(len(word))]
        return {((("tr", min(rotations)),), ()): factor}

    def _collect(self, polynomial: Polynomial, sort: Term) -> Polynomial:
        """Add literals that stand at the same place of the same word."""
        kept: list[tuple[Polynomial, Fraction]] = []
        groups: dict[Group, Literal] = {}
        numeric = sort.args[0].op == sort.args[1].op == "size"
        for (scalars, word), factor in polynomial.items():
            places = [i for i, letter in enumerate(word) if letter in self._literals]
            if not word and numeric and sort != matrix_sort(ONE, ONE):
                matrix = rational.identity(int(str(sort.args[0].data)))
                group: Group = (scalars, (), ())
            elif len(places) == 1:
                matrix = self._literals[word[places[0]]]
                group = (scalars, word[: places[0]], word[places[0] + 1 :])
            else:
                kept.append(({(scalars, word): Fraction(1)}, factor))
                continue
            matrix = rational.scaled(matrix, factor)
            groups[group] = rational.total(groups[group], matrix) if group in groups else matrix
        for (scalars, before, after), matrix in groups.items():
            for (new, word), value in self._word((*before, self._literal(matrix), *after)).items():
                kept.append(({(tuple(sorted(scalars + new)), word): value}, Fraction(1)))
        return _sum(kept)


def _require_unmarked(term: Term) -> None:
    if _marked(term, (SUMMED, OPEN)):
        raise TermError(f"the names of variables must not begin with {SUMMED} or {OPEN}")


def _marked(term: Term, marks: tuple[str, ...]) -> list[Term]:
    """The index variables of a term whose names begin with one of the marks."""
    variables = (node for node in term.parts() if node.op == "var")
    return [node for node in variables if str(node.data).startswith(marks)]


def _sum(terms: Iterable[tuple[Mapping[Monomial, Fraction], Fraction]]) -> Polynomial:
    result: Polynomial = {}
    for polynomial, scale in terms:
        for monomial, factor in polynomial.items():
            value = result.get(monomial, Fraction(0)) + scale * factor
            if value:
                result[monomial] = value
            else:
                result.pop(monomial, None)
    return result


def _key(polynomial: Polynomial) -> frozenset[tuple[Monomial, Fraction]]:
    return frozenset(polynomial.items())
