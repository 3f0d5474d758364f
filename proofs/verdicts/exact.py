"""Exact values of closed terms, as a + s b with rational matrices a, b and the scale s."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.checkers import rational
from proofs.checkers.constants import Constants
from proofs.terms import Literal, Term, TermError, application, index, sort_of
from proofs.verdicts.problem import SCALE


@dataclass(frozen=True, slots=True)
class Value:
    """The matrix ``plain`` + s ``scaled``."""

    plain: Literal
    scaled: Literal

    @property
    def is_plain(self) -> bool:
        return rational.is_zero(self.scaled)

    @property
    def is_scaled(self) -> bool:
        return rational.is_zero(self.plain) and not self.is_plain


_zero = rational.zero


def _plain(matrix: Literal) -> Value:
    return Value(matrix, _zero(matrix.rows, matrix.columns))


def evaluate(term: Term, scale_squared: Fraction | None) -> Value:
    """The value of a matrix term without variables other than the scale.

    Raises:
        TermError: the term has other variables, or operations that are not rational.
    """

    def times(left: Value, right: Value) -> Value:
        square = scale_squared or Fraction(0)
        product = rational.product
        if left.is_plain and right.is_plain:
            return _plain(product(left.plain, right.plain))
        return Value(
            rational.total(
                product(left.plain, right.plain),
                rational.scaled(product(left.scaled, right.scaled), square),
            ),
            rational.total(product(left.plain, right.scaled), product(left.scaled, right.plain)),
        )

    constants = Constants()
    known: dict[Term, Value] = {}

    def visit(node: Term) -> Value:
        if node not in known:
            value = constants.value(node)
            known[node] = compute(node) if value is None else _plain(value)
        return known[node]

    def compute(node: Term) -> Value:
        op, args = node.op, node.args
        if node == SCALE and scale_squared is not None:
            return Value(_zero(1, 1), Literal(1, 1, (Fraction(1),)))
        if op in ("identity", "zero"):
            m, n = sort_of(node).args
            if not (isinstance(m.data, int) and isinstance(n.data, int)):
                raise TermError("a size is not known")
            return _plain(rational.identity(m.data) if op == "identity" else _zero(m.data, n.data))
        if op == "dimension" and isinstance(args[0].data, int):
            return _plain(Literal(1, 1, (Fraction(args[0].data),)))
        if op == "add":
            values = [visit(a) for a in args]
            result = values[0]
            for value in values[1:]:
                result = Value(
                    rational.total(result.plain, value.plain),
                    rational.total(result.scaled, value.scaled),
                )
            return result
        if op == "sum":
            count = int(str(sort_of(args[0]).args[0].args[0].data))
            members = [application(args[0], index(i + 1, count)) for i in range(count)]
            return visit(Term("add", tuple(members)) if count > 1 else members[0])
        if op == "mul":
            result = visit(args[0])
            for a in args[1:]:
                result = times(result, visit(a))
            return result
        if op == "scale":
            factor, matrix = visit(args[0]), visit(args[1])
            full = rational.identity(matrix.plain.rows)
            wide = Value(
                rational.scaled(full, factor.plain.entries[0]),
                rational.scaled(full, factor.scaled.entries[0]),
            )
            return times(wide, matrix)
        if op == "transpose":
            value = visit(args[0])
            return Value(rational.transposed(value.plain), rational.transposed(value.scaled))
        if op == "trace":
            value = visit(args[0])
            return Value(rational.traced(value.plain), rational.traced(value.scaled))
        if op == "inverse":
            value = visit(args[0])
            inverse = rational.inverted(value.plain) if value.is_plain else None
            if inverse is not None:
                return _plain(inverse)
        raise TermError(f"no exact value for {op}")

    return visit(term)
