"""What the walk over a term needs to know about an output format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import ClassVar


class Level(IntEnum):
    """How tightly a printed term holds together; a place that asks for more gets parentheses.

    A sum over a family takes in the product that follows it, like an integral: ``OPERATOR``.
    """

    QUANTIFIER = 1
    PHRASE = 2
    IMPLICATION = 3
    CONJUNCTION = 4
    NEGATION = 5
    RELATION = 6
    MAP = 7
    SUM = 8
    QUOTIENT = 9
    OPERATOR = 10
    PRODUCT = 11
    POWER = 12
    ATOM = 13


@dataclass(frozen=True, slots=True)
class Piece:
    """A printed term without its minus sign, and the level of what is printed.

    After a minus sign the level is at least ``QUOTIENT``.
    """

    body: str
    level: Level
    negative: bool = False


class Notation(ABC):
    """One output format: its symbols, and the few constructions that are not plain sequences."""

    symbols: ClassVar[Mapping[str, str]]
    """Relations, arrows, operators and constants, by the key that the walk uses."""
    exponents: ClassVar[Mapping[str, str]]
    """The printed superscripts ``T``, ``-1`` and ``+``."""

    @abstractmethod
    def name(self, name: str) -> str:
        """A variable; different names are printed differently."""

    @abstractmethod
    def words(self, text: str) -> str:
        """Words inside a formula, with their spaces."""

    @abstractmethod
    def parentheses(self, body: str) -> str: ...

    @abstractmethod
    def norm(self, body: str) -> str: ...

    @abstractmethod
    def interval(self, end: str) -> str:
        """The times from 0 to ``end``, without ``end``."""

    @abstractmethod
    def restriction(self, measure: str, end: str) -> str:
        """A measure on the line, restricted to what is at most ``end``."""

    @abstractmethod
    def superscript(self, base: str, exponent: str) -> str:
        """``base`` to a positive integer power, or with one of the ``exponents``."""

    @abstractmethod
    def subscript(self, base: str, indices: Sequence[str]) -> str:
        """A member of a family; ``base`` has no subscript yet."""

    @abstractmethod
    def summation(self, index: str, end: str) -> str:
        """The sign of a sum over ``index``, from 1 to ``end`` unless that is empty."""

    @abstractmethod
    def indices(self, numbers: Sequence[str]) -> str:
        """The set of these numbers."""

    @abstractmethod
    def identity(self, size: str) -> str:
        """The identity matrix, with its size unless that is empty."""

    @abstractmethod
    def root(self, piece: Piece, scalar: bool) -> Piece: ...

    @abstractmethod
    def quotient(self, above: Piece, below: Piece) -> Piece: ...

    @abstractmethod
    def matrix(self, rows: Sequence[Sequence[str]]) -> str: ...

    @abstractmethod
    def space(self, rows: str, columns: str) -> str:
        """The space of matrices or, where ``columns`` is empty, of vectors; both empty: reals."""

    @abstractmethod
    def measures(self, space: str) -> str:
        """The set of finite measures on a space."""

    @abstractmethod
    def derivative(self, body: str, time: str) -> str: ...

    @abstractmethod
    def continuity(self, measure: str, velocity: str) -> str:
        """The continuity equation."""

    def at_least(self, piece: Piece, level: Level) -> str:
        """The piece with its sign, in parentheses when it is looser than ``level``."""
        loose = (Level.SUM if piece.negative else piece.level) < level
        body = self.symbols["minus"] + piece.body if piece.negative else piece.body
        return self.parentheses(body) if loose else body

    def whole(self, piece: Piece) -> str:
        """The piece with its sign."""
        return self.at_least(piece, Level.QUANTIFIER)

    def number(self, value: Fraction) -> Piece:
        above = Piece(str(abs(value.numerator)), Level.ATOM)
        if value.denominator == 1:
            return Piece(above.body, Level.ATOM, value < 0)
        quotient = self.quotient(above, Piece(str(value.denominator), Level.ATOM))
        return Piece(quotient.body, quotient.level, value < 0)

    def call(self, function: str, *arguments: str) -> Piece:
        return Piece(function + self.parentheses(", ".join(arguments)), Level.ATOM)
