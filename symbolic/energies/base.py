"""What an energy is: a function of the law of the tokens, and its metric.

The metric is |v|^2 = int <B v(x), v(x)> w(x) dmu(x) with B symmetric positive definite; the weight
w is 1, or the denominator Z_mu(x) of the attention.  The score matrix is symmetric.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import sympy as sp
from sympy import Basic, Expr, Integer, MatrixExpr, Symbol

from symbolic.latex import latex
from symbolic.nodes import Inner, MeasureIntegral, fresh
from symbolic.notation import A, A_symmetric, B, G, V, mu, x, xdot, y, ydot
from symbolic.variants import table

Direction = Literal["descent", "ascent"]


class Energy(ABC):
    """F(mu), a number, with the weight w of the metric and the relation of B to the parameters.

    ``name`` is that of the variant, ``direction`` the sense in which its flow moves F, and
    ``condition`` what the parameters have to satisfy.  ``twisted``: the weight is Z_mu, not 1.
    Get one with `symbolic.energies.lookup`.

    Source: arXiv:2501.18322 (gradient flow of softmax attention in a twisted Wasserstein metric).

    >>> from symbolic.energies import lookup
    >>> print(lookup("linear"))
    \\frac{1}{4}\\int \\int \\langle Ax, y\\rangle^2 \\, d\\mu(y) \\, d\\mu(x)
    """

    name: str
    title: str
    twisted: bool = False
    direction: Direction = "descent"
    condition: str = r"$A = A^\top$"

    @abstractmethod
    def energy(self, mu: Basic = mu) -> Expr:
        """F(mu), with the bound letters x and y."""

    def weight(self, x: MatrixExpr, mu: Basic = mu) -> Expr:
        """w(x), a number, for x (d x 1)."""
        return Integer(1)

    def velocity(self, x: MatrixExpr, mu: Basic = mu) -> MatrixExpr:
        """Gamma_mu(x) (d x 1): the velocity of which F and the metric give the gradient flow."""
        return table()[self.name].velocity(x, mu, form="A").xreplace({A: A_symmetric})

    def relation(self) -> tuple[MatrixExpr, MatrixExpr]:
        """The two sides, d x d, of the equation that ties B to the parameters.

        >>> from symbolic.energies import lookup
        >>> lookup("softmax").relation(), lookup("l2").relation()
        ((B*V, -A), (B, 2*Q.T*Q))
        """
        return B * V, (-A_symmetric).doit()

    @property
    def sign(self) -> int:
        """w B Gamma = sign * gradient of the first variation: -1 for descent, 1 for ascent."""
        return -1 if self.direction == "descent" else 1

    def __str__(self) -> str:
        return latex(self.energy())

    def __repr__(self) -> str:
        return f"<energy of {self.title}>"

    def _repr_latex_(self) -> str:
        return f"${self}$"


@dataclass(frozen=True, repr=False)
class Interaction(Energy):
    """F(mu) = 1/2 int int U(x, y) dmu(x) dmu(y) with U(x, y) = activation(score(x, y)).

    ``score`` is symmetric in its two columns (d x 1).  Where the metric is twisted, its weight is
    Z_mu(x) = int U(x, y) dmu(y).  ``kernels`` are letters for functions of the score: the
    activation and its derivatives are among them, or polynomials.
    """

    name: str
    title: str
    score: Callable[[MatrixExpr, MatrixExpr], Expr]
    activation: Callable[[Expr], Expr] = sp.exp
    kernels: tuple[tuple[Symbol, Callable[[Expr], Expr]], ...] = ((G, sp.exp),)
    twisted: bool = False

    def interaction(self, x: MatrixExpr, y: MatrixExpr) -> Expr:
        """U(x, y), a number."""
        return self.activation(self.score(x, y))

    def energy(self, mu: Basic = mu) -> Expr:
        factor, body = self.interaction(x, y).as_coeff_Mul()
        return factor / 2 * MeasureIntegral(MeasureIntegral(body, y, mu), x, mu)

    def weight(self, x: MatrixExpr, mu: Basic = mu) -> Expr:
        if not self.twisted:
            return Integer(1)
        y_bound = fresh(y, x.free_symbols)
        return MeasureIntegral(self.interaction(x, y_bound), y_bound, mu)

    def metric_score(self) -> Expr:
        """The score of x and y in terms of A and B alone."""
        return self.score(x, y)

    def derivatives(self, count: int) -> list[Expr]:
        """Activation and its derivatives up to ``count``, at the score of x and y.

        SymPy differentiates; the outcome is written with the letters of ``kernels``.

        >>> from symbolic.energies import lookup
        >>> lookup("linear").derivatives(2), lookup("softmax").derivatives(2)
        ([Inner(A*x, y)**2/2, Inner(A*x, y), 1], [G, G, G])
        """
        z = Symbol("z", real=True)
        slopes = [sp.diff(self.activation(z), z, k) for k in range(count + 1)]
        return [self._written(slope, z) for slope in slopes]

    def _written(self, slope: Expr, z: Symbol) -> Expr:
        for letter, function in self.kernels:
            if sp.simplify(slope - function(z)) == 0:
                return letter
        if not slope.is_polynomial(z):
            raise ValueError(f"no letter for {slope}")
        return slope.subs(z, self.metric_score())

    def second_variation(self) -> Expr:
        """A density of d^2/dt^2 F along geodesics, in short; straight lines unless overridden.

        >>> from symbolic.energies import lookup
        >>> lookup("exponential").second_variation()
        G*Inner(A*x, ydot)*Inner(A*y, xdot) + G*Inner(A*xdot, ydot) + G*Inner(A*y, xdot)**2
        """
        _, first, second = self.derivatives(2)
        moved = Inner(A_symmetric * y, xdot)
        mixed = moved * Inner(A_symmetric * x, ydot)
        return second * moved**2 + second * mixed + first * Inner(A_symmetric * xdot, ydot)

    def definitions(self) -> dict[Symbol, Expr]:
        """What the letters of ``kernels`` stand for."""
        return {letter: function(self.score(x, y)) for letter, function in self.kernels}
