"""What an attention variant is: how scores become weights, and the velocity that this gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from sympy import Basic, Expr, MatrixExpr

from symbolic.latex import latex
from symbolic.nodes import (
    DoublyStochastic,
    Inner,
    MeasureIntegral,
    VectorMeasureIntegral,
    fresh,
)
from symbolic.notation import A, K, Q, V, b_k, b_q, b_v, mu, x, y

Form = Literal["QK", "A"]
"""Scores written with Q and K, or with the score matrix A = K^T Q alone."""

_PAIR = (x, y)  # the bound letters of a doubly stochastic kernel; methods shadow the two names


class Normalisation(Enum):
    """What is done to the kernel before it weighs the values."""

    NONE = "none"
    ROW = "divided by its integral over y"
    DOUBLY_STOCHASTIC = "limit of alternating row and column normalisation"


class Variant(ABC):
    """A velocity field Gamma_mu(x) (d x 1) that depends on the law mu of the tokens.

    ``score_matrix_suffices``: A may replace Q and K.  ``cancelling_biases``: those among b_q, b_k,
    b_v that do not change the velocity.

    Source: arXiv:2501.18322, where the variants are defined; get one with
    `symbolic.variants.lookup`.  Its methods raise ValueError where they need Q and K, not A alone.

    >>> from symbolic.variants import lookup
    >>> print(lookup("softmax").latex(form="A")["kernel"])
    e^{\\langle Ax, y\\rangle}
    """

    name: str
    title: str
    description: str
    normalisation: Normalisation
    score_matrix_suffices: bool
    cancelling_biases: frozenset[str]
    lhs = r"\Gamma_\mu(x)"

    @abstractmethod
    def score(
        self, x: MatrixExpr, y: MatrixExpr, *, form: Form = "QK", biases: bool = False
    ) -> Expr:
        """How much x attends to y, a number, before any nonlinearity (of one head)."""

    @abstractmethod
    def kernel(
        self, x: MatrixExpr, y: MatrixExpr, *, form: Form = "QK", biases: bool = False
    ) -> Expr:
        """The weight of y for x, a number, before normalisation (of one head)."""

    @abstractmethod
    def velocity(
        self, x: MatrixExpr, mu: Basic, *, form: Form = "QK", biases: bool = False
    ) -> MatrixExpr:
        """Gamma_mu(x) (d x 1) for x (d x 1) and a measure mu."""

    def latex(self, *, form: Form = "QK", biases: bool = False) -> dict[str, str]:
        """LaTeX of ``score``, ``kernel`` and, as an equation, ``velocity``."""
        return {
            "score": latex(self.score(x, y, form=form, biases=biases)),
            "kernel": latex(self.kernel(x, y, form=form, biases=biases)),
            "velocity": f"{self.lhs} = {latex(self.velocity(x, mu, form=form, biases=biases))}",
        }

    def __repr__(self) -> str:
        return f"<{self.title}>"

    def _repr_latex_(self) -> str:
        return f"${self.latex()['velocity']}$"


@dataclass(frozen=True, repr=False)
class Attention(Variant):
    """A plain variant: weights ``activation(pairing(query, key))``, normalised, times values.

    ``pairing`` takes a query and a key (both k x 1, or both d x 1 in the form A) to a number.
    """

    name: str
    title: str
    description: str
    activation: Callable[[Expr], Expr]
    normalisation: Normalisation = Normalisation.NONE
    pairing: Callable[[MatrixExpr, MatrixExpr], Expr] = Inner
    score_matrix_suffices: bool = True
    cancelling_biases: frozenset[str] = frozenset()

    def score(
        self, x: MatrixExpr, y: MatrixExpr, *, form: Form = "QK", biases: bool = False
    ) -> Expr:
        if form == "QK":
            return self.pairing(_affine(Q, x, b_q, biases), _affine(K, y, b_k, biases))
        if not self.score_matrix_suffices:
            raise ValueError(f"{self.name} attention is not a function of A alone: use Q and K")
        if biases:
            raise ValueError("biases of queries and keys need Q and K, not A alone")
        return self.pairing(A * x, y)

    def kernel(
        self, x: MatrixExpr, y: MatrixExpr, *, form: Form = "QK", biases: bool = False
    ) -> Expr:
        return self.activation(self.score(x, y, form=form, biases=biases))

    def value(self, y: MatrixExpr, *, biases: bool = False) -> MatrixExpr:
        """V y, with biases V y + b_v (d x 1)."""
        return _affine(V, y, b_v, biases)

    def velocity(
        self, x: MatrixExpr, mu: Basic, *, form: Form = "QK", biases: bool = False
    ) -> MatrixExpr:
        # The bound letter must not occur in the point x at which the velocity is taken.
        y_bound = fresh(y, x.free_symbols)
        weight = self.kernel(x, y_bound, form=form, biases=biases)
        if self.normalisation is Normalisation.DOUBLY_STOCHASTIC:
            kernel = self.kernel(*_PAIR, form=form, biases=biases)
            weight = DoublyStochastic(kernel, _PAIR, mu, (x, y_bound))
        total = VectorMeasureIntegral(weight * self.value(y_bound, biases=biases), y_bound, mu)
        if self.normalisation is Normalisation.ROW:
            return total / MeasureIntegral(weight, y_bound, mu)
        return total


def _affine(matrix: MatrixExpr, z: MatrixExpr, bias: MatrixExpr, biases: bool) -> MatrixExpr:
    return matrix * z + bias if biases else matrix * z


class Combined(Variant):
    """A variant built on another one; scores and kernels are those of one head of the base."""

    prefix: str

    def __init__(self, base: Variant) -> None:
        self.base = base
        self.name = f"{self.prefix}-{base.name}"
        self.normalisation = base.normalisation
        self.score_matrix_suffices = base.score_matrix_suffices
        self.cancelling_biases = base.cancelling_biases
        self.lhs = base.lhs

    def score(
        self, x: MatrixExpr, y: MatrixExpr, *, form: Form = "QK", biases: bool = False
    ) -> Expr:
        return self.base.score(x, y, form=form, biases=biases)

    def kernel(
        self, x: MatrixExpr, y: MatrixExpr, *, form: Form = "QK", biases: bool = False
    ) -> Expr:
        return self.base.kernel(x, y, form=form, biases=biases)
