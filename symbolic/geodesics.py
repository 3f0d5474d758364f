"""Geodesics of the metric of an energy: the Euler-Lagrange equation of weighted particles.

The Lagrangian of particles x_i of masses m_i is half the sum of m_i w_i <B x_i', x_i'>.  For the
weight w = Z that is the double sum over m_i m_j of the pair density G(x_i, x_j) <B x_i', x_i'>/2.
A particle enters as x and as y, so that what its equation contains is the derivative of the density
plus the density with x and y exchanged, integrated over y.  Columns are tested with a column u: a
linear form <u, ...> stands for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import sympy as sp
from sympy import Expr, Integer, MatrixExpr

from symbolic.calculus import derivative_along, gradient
from symbolic.energies import lookup
from symbolic.energies.base import Energy, Interaction
from symbolic.gaussian.base import Step
from symbolic.nodes import Inner
from symbolic.notation import B, u, x, xddot, xdot, y, yddot, ydot
from symbolic.pair_densities import collected, exchanged, expanded

MOTION = {x: xdot, y: ydot, xdot: xddot, ydot: yddot}
"""What moves along a curve, and how."""


@dataclass(frozen=True)
class Geodesics:
    """2 (w' B x' + w B x'') = int ``force`` dmu(y), where w' is the derivative along the curve.

    ``lagrangian``: a pair density where the metric is twisted, the density of one token otherwise.
    ``weight_rate``: pair density of w', and ``force`` (d x 1) the density of the right-hand side;
    both are zero for a constant metric, where B x'' = 0 and geodesics are straight lines.
    """

    lagrangian: Expr
    weight_rate: Expr
    force: MatrixExpr | None
    steps: tuple[Step, ...]

    @property
    def straight(self) -> bool:
        """Whether all geodesics are straight lines."""
        return self.force is None


@cache
def geodesics(name: str) -> Geodesics:
    """The geodesics of the metric that belongs to the variant of that name.

    Raises ValueError when the variant has no energy, and ArithmeticError when the equation is not
    of the form that `Geodesics` states.

    >>> geodesics("linear").straight
    True
    >>> geodesics("softmax").force
    (G*(Inner(xdot, B*xdot) + Inner(ydot, B*ydot)))*A*y
    """
    energy = lookup(name)
    if not energy.twisted:
        return _straight()
    assert isinstance(energy, Interaction)
    kernel = energy.derivatives(0)[0]
    chain = chain_of(energy)
    lagrangian = kernel * Inner(xdot, B * xdot) / 2
    both = lagrangian + exchanged(lagrangian)
    momentum = collected(derivative_along(both, {xdot: u}, chain))
    momentum_rate = collected(derivative_along(momentum, MOTION, chain))
    pull = collected(derivative_along(both, {x: u}, chain))
    weight_rate = collected(derivative_along(kernel, MOTION, chain))
    read = weight_rate * Inner(B * xdot, u) + kernel * Inner(B * xddot, u)
    if expanded(momentum_rate - read) != 0:
        raise ArithmeticError(f"the momentum of '{name}' is not w B x'")
    scalar, column = gradient(pull, u).as_coeff_mmul()
    force = sp.factor_terms(2 * scalar) * column
    steps = (
        Step(
            "lagrangian",
            lagrangian,
            r"density over $x$ and $y$ of half the squared speed, $w = \int G \, d\mu(y)$",
            r"\ell",
        ),
        Step(
            "momentum",
            momentum,
            r"derivative in $\dot{x}$ along $u$ of $\ell$ and of $\ell$ with $x$ and $y$ exchanged",
            r"\langle p, u\rangle",
        ),
        Step(
            "momentum rate",
            momentum_rate,
            "derivative along the curve: of $x$ and of $y$",
            r"\frac{d}{dt} \langle p, u\rangle",
        ),
        Step("pull", pull, "derivative in $x$ along $u$ of the same sum", r"\langle f, u\rangle"),
        Step(
            "weight rate",
            weight_rate,
            r"$\dot{w} = \int \omega \, d\mu(y)$, the derivative along the curve",
            r"\omega",
        ),
        Step(
            "force",
            force,
            r"twice $f$: $2(\dot{w} B\dot{x} + w B\ddot{x}) = \int 2f \, d\mu(y)$",
            "2f",
        ),
    )
    return Geodesics(lagrangian, weight_rate, force, steps)


def _straight() -> Geodesics:
    lagrangian = Inner(xdot, B * xdot) / 2
    momentum = collected(derivative_along(lagrangian, {xdot: u}))
    rate = collected(derivative_along(momentum, MOTION))
    steps = (
        Step("lagrangian", lagrangian, "half the squared speed of a token", r"\ell"),
        Step("momentum", momentum, r"derivative in $\dot{x}$ along $u$", r"\langle p, u\rangle"),
        Step(
            "momentum rate",
            rate,
            r"derivative along the curve; it is 0, since $\ell$ does not contain $x$",
            r"\frac{d}{dt} \langle p, u\rangle",
        ),
    )
    return Geodesics(lagrangian, Integer(0), None, steps)


def chain_of(energy: Energy) -> dict[Expr, tuple[Expr, Expr]]:
    """The derivatives of the kernel letters, for `derivative_along`.

    >>> chain_of(lookup("softmax"))
    {G: (G, Inner(A*x, y))}
    """
    assert isinstance(energy, Interaction)
    derivatives = energy.derivatives(2)
    score = energy.metric_score()
    letters = dict(energy.kernels)
    return {value: (slope, score) for value, slope in pairwise(derivatives) if value in letters}
