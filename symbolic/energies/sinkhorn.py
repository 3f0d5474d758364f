"""Sinkhorn attention: half the value of entropic transport of mu to itself, in a constant metric.

E(mu) is the largest value of E_plan[<A x, y>] - KL(plan, mu x mu) over the plans with marginals mu
and mu.  The plan that attains it has the density kappa_infinity, so that E(mu) is the integral of
kappa (<A x, y> - log kappa), and the energy is E/2.
"""

from dataclasses import dataclass

from sympy import Basic, Expr, Rational, exp, log

from symbolic.energies.base import Energy
from symbolic.energies.softmax import score
from symbolic.nodes import DoublyStochastic, MeasureIntegral
from symbolic.notation import mu, x, y


@dataclass(frozen=True, repr=False)
class EntropicTransport(Energy):
    """F = E/2, E(mu) the value of entropic transport (regularisation 1) of mu to itself."""

    name: str
    title: str

    def energy(self, mu: Basic = mu) -> Expr:
        plan = DoublyStochastic(exp(score(x, y)), (x, y), mu, (x, y))
        inner = MeasureIntegral(plan * (score(x, y) - log(plan)), y, mu)
        return Rational(1, 2) * MeasureIntegral(inner, x, mu)


ENERGY = EntropicTransport("sinkhorn", "Sinkhorn attention")
