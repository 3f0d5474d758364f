"""The second derivative of an energy along geodesics, a quadratic form in the velocities.

F = 1/2 int int U moves with the tokens; what its second derivative contains of the accelerations is
int <grad (dF/dmu), x''> dmu, and the geodesic equation gives x''.  Where the metric is twisted, the
gradient is w q with q the slope of the score at the mean m of the tokens as x sees them, because
that slope is affine in y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, Integer, Symbol

from symbolic.calculus import derivative_along, gradient
from symbolic.energies import lookup
from symbolic.energies.base import Interaction
from symbolic.gaussian.base import Step
from symbolic.geodesics import Geodesics, chain_of, geodesics
from symbolic.latex import latex
from symbolic.nodes import Inner
from symbolic.notation import B, G, m, x, xdot, y, ydot
from symbolic.pair_densities import collected, same_integral

STILL = {x: xdot, y: ydot}
"""What moves when accelerations are left out."""


@dataclass(frozen=True)
class SecondVariation:
    """v^T H v = int int ``hessian`` dmu dmu against v^T M v = int w <B v, v> dmu.

    ``hessian`` is the pair density that was derived, ``compact`` a shorter one with the same
    integral; ``metric`` is a pair density where the metric is twisted, the density of one token
    otherwise.  ``kernel`` is the letter whose weighted mean is m, if m occurs.

    >>> from symbolic.second_variation import second_variation
    >>> second_variation("exponential").hessian
    G*(Inner(A*x, ydot) + Inner(A*xdot, y))**2/2 + G*Inner(A*xdot, ydot)
    """

    variant: str
    hessian: Expr
    compact: Expr
    metric: Expr
    kernel: Symbol | None
    steps: tuple[Step, ...]

    def latex(self) -> dict[str, str]:
        """LaTeX of the densities, ``hessian`` in its compact form, and ``metric``.

        >>> print(second_variation("linear").latex()["metric"])
        g = \\langle \\dot{x}, B\\dot{x}\\rangle
        """
        return {"hessian": f"h = {latex(self.compact)}", "metric": f"g = {latex(self.metric)}"}

    def _repr_latex_(self) -> str:
        return f"${self.latex()['hessian']}$"


@cache
def second_variation(name: str) -> SecondVariation:
    """The second variation of the energy of the variant of that name.

    Raises ValueError when the variant has no energy, or none that is a double integral of a
    function of two tokens (Sinkhorn attention: see `symbolic.transport_energy`).

    >>> print(second_variation("exponential").latex()["metric"])
    g = \\langle \\dot{x}, B\\dot{x}\\rangle
    """
    energy = lookup(name)
    if not isinstance(energy, Interaction):
        raise ValueError(
            f"no second variation on tokens is derived for '{name}': its energy is no double "
            "integral of a function of two tokens"
        )
    path = geodesics(name)
    chain = chain_of(energy)
    derivatives = energy.derivatives(2)
    rate = collected(derivative_along(derivatives[0], STILL, chain) / 2)
    second = collected(derivative_along(rate, STILL, chain))
    steps = [
        Step("energy", derivatives[0] / 2, "density of the energy over $x$ and $y$", "e"),
        Step("rate", rate, r"its derivative along $\dot{x}$ and $\dot{y}$", r"\dot{e}"),
        Step("second rate", second, "its second derivative without accelerations", "h_0"),
    ]
    bent = Integer(0)
    if not path.straight:
        bent, more = _acceleration(energy, path)
        steps += more
    hessian = second + bent
    if not path.straight:
        steps.append(Step("second variation", hessian, "the sum $h_0 + h_1$", "h"))
    metric = 2 * path.lagrangian
    compact = _compact(energy, hessian)
    averaged = "" if path.straight else ", and $m$ in place of $y$ where $y$ occurs just once"
    steps.append(
        Step(
            "compact form",
            compact,
            rf"the same double integral, with $x$ and $y$ exchanged in some terms{averaged}",
            "h",
        )
    )
    steps.append(
        Step("metric", metric, r"density of $v^\top M v$, with $v$ the velocities $\dot{x}$", "g")
    )
    return SecondVariation(
        name, hessian, compact, metric, None if path.straight else G, tuple(steps)
    )


def _acceleration(energy: Interaction, path: Geodesics) -> tuple[Expr, list[Step]]:
    """Density of int <grad dF/dmu, x''> dmu, from w B x'' = force/2 - w' B x'."""
    slope = gradient(energy.metric_score(), x)
    mean_slope = slope.subs(y, m).doit()
    assert path.force is not None
    scalar, column = path.force.as_coeff_mmul()
    pull = scalar / 2 * Inner(mean_slope, B.inverse() * column)
    bent = collected(pull - path.weight_rate * Inner(mean_slope, xdot))
    steps = [
        Step("slope", slope, "gradient in $x$ of the score", r"\nabla_x s"),
        Step(
            "mean slope",
            mean_slope,
            r"$\nabla (\delta F/\delta \mu) = w q$ with $q$ the slope at the mean $m$ of $y$ under "
            "$G$, since it is affine in $y$",
            "q",
        ),
        Step(
            "acceleration",
            bent,
            r"density of $\int \langle w q, \ddot{x}\rangle \, d\mu$ by the geodesic equation",
            "h_1",
        ),
    ]
    return bent, steps


def _compact(energy: Interaction, hessian: Expr) -> Expr:
    """The density in a form for people, found equal to the derived one.

    Raises ArithmeticError when the two have different integrals.
    """
    form = energy.second_variation()
    if not same_integral(form, hessian, G if energy.twisted else None):
        raise ArithmeticError(f"the compact form for '{energy.name}' is not the derived one")
    return form
