"""Showing that a quadratic form of symmetric matrices is nonnegative on the semidefinite cone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.lyapunov.rounding import squares
from proofs import language as la
from proofs.builder import Builder, Summand, Use, itself
from proofs.checkers import rational
from proofs.terms import ONE, Literal, Term, size

UNIT = la.identity(ONE)
Weighted = tuple[Fraction, Term]


@dataclass(frozen=True)
class ConeForm:
    """A sum of quadratic forms of Z = Z^T, each nonnegative for Z >= 0, with positive weights.

    Attributes:
        congruences: a tr(M^T Z M Z), the squared norm of Z^{1/2} M Z^{1/2}.
        squares: b tr(N Z)^2.
        variances: c (tr(S Z S Z) - tr(S Z)^2 / d) for S = S^T: Y = Z^{1/2} S Z^{1/2} has
            tr(Y^2) >= (tr Y)^2 / d.
    """

    congruences: tuple[Weighted, ...]
    squares: tuple[Weighted, ...]
    variances: tuple[Weighted, ...] = ()

    @property
    def count(self) -> int:
        """The number of terms."""
        return len(self.congruences) + len(self.squares) + len(self.variances)

    def prove(self, p: Builder, form: Term, state: Term, positive: int) -> int:
        """The step form >= 0, from a step psd(Z), Z being the ``state``.

        Raises:
            KernelError: the form is another one.
        """
        square = p.part(p.fact("square-root", positive, M=state), 1)
        root = la.root(state)
        summands = [Summand(_trace(N, state), coefficient=b) for b, N in self.squares]
        total = [la.scale(b, _squared(_trace(N, state))) for b, N in self.squares]
        uses: list[Use] = []

        if self.congruences:
            gram = p.positive(
                _sum(
                    [
                        la.scale(a, la.mul(root, la.tp(M), state, M, root))
                        for a, M in self.congruences
                    ]
                ),
                *(
                    Summand(la.mul(M, root), core=positive, coefficient=a)
                    for a, M in self.congruences
                ),
            )
            summands.append(Summand(UNIT, core=p.fact("trace-nonnegative", gram)))
            total += [
                la.scale(a, la.tr(la.mul(la.tp(M), state, M, state))) for a, M in self.congruences
            ]
            uses.append((square, self._congruence_context(state)))
        for c, S in self.variances:
            step, term = self._variance(p, c, S, state, square, positive)
            summands.append(Summand(UNIT, core=step))
            total.append(term)
        if not total:
            total = [la.number(0)]
        expanded = p.entries(form, _sum(total), positive)
        return p.positive(form, *summands, by=[(expanded, itself), *uses])

    def _congruence_context(self, state: Term) -> Callable[[Term], Term]:
        def context(h: Term) -> Term:
            terms = [
                la.scale(-a, la.tr(la.mul(la.tp(M), state, M, h))) for a, M in self.congruences
            ]
            return _sum(terms)

        return context

    def _variance(
        self, p: Builder, c: Fraction, S: Term, state: Term, square: int, positive: int
    ) -> tuple[int, Term]:
        """The step term >= 0 for one of the variances, and the term."""
        assert isinstance(S.data, Literal)
        count = S.data.rows
        root, trace = la.root(state), _trace(S, state)
        centred = la.minus(
            la.mul(root, S, root),
            la.scale(la.scale(Fraction(1, count), trace), la.identity(size(count))),
        )
        gram = p.positive(la.mul(la.tp(centred), centred), Summand(centred))
        spread = p.fact("trace-nonnegative", gram)
        term = la.scale(
            c,
            la.minus(
                la.tr(la.mul(S, state, S, state)), la.scale(Fraction(1, count), _squared(trace))
            ),
        )
        share = la.scale(Fraction(-2, count), trace)
        step = p.positive(
            term,
            Summand(UNIT, core=spread, coefficient=c),
            by=[
                (square, lambda h: la.scale(-c, la.tr(la.mul(S, h, S, root, root)))),
                (square, lambda h: la.scale(-c, la.tr(la.mul(S, state, S, h)))),
                (square, lambda h: la.scale(-c, la.mul(share, la.tr(la.mul(S, h))))),
            ],
        )
        return step, term


def _trace(matrix: Term, state: Term) -> Term:
    return la.tr(la.mul(matrix, state))


def _squared(number: Term) -> Term:
    return la.mul(number, number)


def _sum(terms: Sequence[Term]) -> Term:
    return terms[0] if len(terms) == 1 else la.add(*terms)


def falling(form: ConeForm) -> tuple[Fraction, ConeForm] | None:
    """e > 0 and what remains of a form without e tr(Z^2); None when there is no such part.

    With I = sum x_k M_k over the congruences of weights a_k, e = 1 / (2 sum(x_k^2 / a_k)): the
    matrix diag(a) - e x x^T of the coefficients is then positive definite.
    """
    matrices = [_entries(M) for _, M in form.congruences]
    if not matrices:
        return None
    count, d = len(matrices), form.congruences[0][1].data
    assert isinstance(d, Literal)
    columns = fmpq_mat(d.rows**2, count, [m[i] for i in range(d.rows**2) for m in matrices])
    unit = fmpq_mat(d.rows**2, 1, _entries(Term("literal", data=rational.identity(d.rows))))
    try:
        solution = (columns.transpose() * columns).solve(columns.transpose() * unit)
    except ZeroDivisionError:
        return None
    if columns * solution != unit:
        return None
    x = [Fraction(int(value.p), int(value.q)) for value in solution.entries()]
    weights = [a for a, _ in form.congruences]
    e = 1 / (2 * sum((value * value / a for value, a in zip(x, weights, strict=True)), Fraction(0)))
    gram = np.array(
        [[a * (i == j) - e * x[i] * x[j] for j in range(count)] for i, a in enumerate(weights)],
        dtype=object,
    )
    parts = squares(gram)
    if parts is None:
        return None
    congruences = tuple((b, _combined(vector, form.congruences)) for b, vector in parts)
    return e, replace(form, congruences=congruences)


def _entries(matrix: Term) -> list[fmpq]:
    assert isinstance(matrix.data, Literal)
    return list(matrix.data.flint.entries())


def _combined(factors: Sequence[Fraction], terms: Sequence[Weighted]) -> Term:
    total = rational.zero(*_shape(terms[0][1]))
    for factor, (_, matrix) in zip(factors, terms, strict=True):
        assert isinstance(matrix.data, Literal)
        total = rational.total(total, rational.scaled(matrix.data, factor))
    return Term("literal", data=total)


def _shape(matrix: Term) -> tuple[int, int]:
    assert isinstance(matrix.data, Literal)
    return matrix.data.rows, matrix.data.columns
