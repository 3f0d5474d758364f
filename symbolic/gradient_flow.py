"""The flow of the tokens as a gradient flow: first variation, its gradient, and what dissipates.

Integrals over y are handled by their integrands: the first variation of F = 1/2 int int U is
int U(x, y) dmu(y), since a token enters as x and as y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, MatAdd, MatMul, MatrixExpr, log

from symbolic.calculus import derivative_along, gradient
from symbolic.energies import lookup
from symbolic.energies.base import Energy, Interaction
from symbolic.gaussian.base import Step
from symbolic.geodesics import chain_of
from symbolic.latex import latex
from symbolic.nodes import DoublyStochastic, Inner, MeasureIntegral, VectorMeasureIntegral
from symbolic.notation import B, Gamma, mu, u, x, y
from symbolic.pair_densities import collected, exchanged, expanded


@dataclass(frozen=True)
class GradientFlow:
    """w B Gamma = ``sign`` times the gradient of the first variation.

    ``first_variation`` is dF/dmu at x, a number (for Sinkhorn attention up to a constant),
    ``gradient`` and ``momentum`` (w B Gamma) are d x 1, and ``dissipation`` is dF/dt in terms of
    the velocity Gamma (d x 1) at x, a number.

    >>> from symbolic.gradient_flow import gradient_flow
    >>> gradient_flow("exponential").gradient
    VectorMeasureIntegral(exp(Inner(A*x, y))*A*y, y, mu)
    """

    variant: str
    sign: int
    first_variation: Expr
    gradient: MatrixExpr
    momentum: MatrixExpr
    dissipation: Expr
    steps: tuple[Step, ...]


@cache
def gradient_flow(name: str) -> GradientFlow:
    """The gradient flow of the variant of that name.

    Raises ValueError when the variant is unknown or has no energy, and ArithmeticError when the
    velocity is not the gradient in the metric.

    >>> print(gradient_flow("linear").sign)
    -1
    """
    energy = lookup(name)
    if isinstance(energy, Interaction):
        density, slope, steps = _of_interaction(energy)
    else:
        density, slope, steps = _of_transport(energy)
    momentum = integrand(energy)
    if not _same_column(momentum, energy.sign * slope):
        raise ArithmeticError(f"the velocity of '{name}' is not a gradient of its energy")
    dissipation = energy.sign * MeasureIntegral(energy.weight(x) * Inner(B * Gamma, Gamma), x, mu)
    left, right = energy.relation()
    steps += [
        Step("relation", right, "what ties the metric to the parameters", latex(left)),
        Step(
            "momentum",
            VectorMeasureIntegral(_abbreviated(energy, momentum), y, mu),
            "the velocity by $w B$, where the relation is used; it is "
            f"{'minus ' if energy.sign < 0 else ''}the gradient",
            r"w(x) B \Gamma_\mu(x)",
        ),
        Step(
            "dissipation",
            dissipation,
            r"$\int \langle \nabla (\delta F/\delta \mu), \Gamma\rangle \, d\mu$ with the gradient "
            r"as $w B \Gamma$ up to sign, where $\Gamma = \Gamma_\mu(x)$",
            r"\frac{d}{dt} F(\mu)",
        ),
    ]
    return GradientFlow(
        name,
        energy.sign,
        MeasureIntegral(density, y, mu),
        VectorMeasureIntegral(slope, y, mu),
        VectorMeasureIntegral(momentum, y, mu),
        dissipation,
        tuple(steps),
    )


def _abbreviated(energy: Energy, expression: MatrixExpr) -> MatrixExpr:
    """The expression with the letters of kernels."""
    if not isinstance(energy, Interaction):
        return expression
    return expression.xreplace({meaning: u for u, meaning in energy.definitions().items()})


def _of_interaction(energy: Interaction) -> tuple[Expr, MatrixExpr, list[Step]]:
    """Integrands of the first variation and of its gradient, with the steps."""
    activation = energy.derivatives(0)[0]
    half = activation / 2
    both = collected(half + exchanged(half))
    form = collected(derivative_along(both, {x: u}, chain_of(energy)))
    slope = gradient(form, u)
    written = energy.definitions()
    steps = [
        Step("energy", energy.energy(), "the energy", r"F(\mu)"),
        *(
            Step("kernel", meaning, "abbreviation", latex(letter))
            for letter, meaning in written.items()
            if {letter} & (both.free_symbols | slope.free_symbols)
        ),
        Step(
            "first variation",
            MeasureIntegral(both, y, mu),
            r"a token enters the double integral as $x$ and as $y$",
            r"\frac{\delta F}{\delta \mu}(x)",
        ),
        Step(
            "gradient",
            VectorMeasureIntegral(slope, y, mu),
            "gradient in $x$ under the integral",
            r"\nabla \frac{\delta F}{\delta \mu}(x)",
        ),
    ]
    return both.xreplace(written), slope.xreplace(written), steps


def _of_transport(energy: Energy) -> tuple[Expr, MatrixExpr, list[Step]]:
    """The same for entropic transport of mu to itself, from the potential f of its plan."""
    (plan,) = energy.energy().atoms(DoublyStochastic)
    (score,) = plan.args[0].args  # the kernel is an exponential
    potential = score - log(plan)
    slope = plan * gradient(score, x)
    steps = [
        Step("energy", energy.energy(), "half the value of entropic transport", r"F(\mu)"),
        Step("plan", score, r"with the potential $f$: $\log \kappa_\infty(x, y) + f(x) + f(y)$"),
        Step(
            "first variation",
            MeasureIntegral(potential, y, mu),
            r"$F = \int f \, d\mu$ is the least value of $\int f \, d\mu + \frac{1}{2} \int \int "
            r"(e^{\langle Ax, y\rangle - f(x) - f(y)} - 1) \, d\mu \, d\mu$ over $f$, so that only "
            r"$\mu$ varies: it is $f(x)$ up to a constant",
            r"\frac{\delta F}{\delta \mu}(x) + c",
        ),
        Step(
            "gradient",
            VectorMeasureIntegral(slope, y, mu),
            r"$\int e^{\langle Ax, y\rangle - f(x) - f(y)} \, d\mu(y) = 1$, differentiated in $x$",
            r"\nabla \frac{\delta F}{\delta \mu}(x)",
        ),
    ]
    return potential, slope, steps


def integrand(energy: Energy) -> MatrixExpr:
    """The column (d x 1) whose integral over dmu(y) is w(x) B Gamma_mu(x), by the relation of B.

    >>> integrand(lookup("linear"))
    (-Inner(A*x, y))*A*y
    """
    product = (energy.weight(x) * energy.velocity(x)).doit().expand().doit()
    body = MatAdd(*(_integrand(term) for term in MatAdd.make_args(product)))
    left, right = energy.relation()
    moved = []
    for term in MatAdd.make_args(body.doit()):
        scalar, column = term.as_coeff_mmul()
        by_metric = (B * column).doit()
        # B V has to be read as one factor; B alone stays.
        by_metric = by_metric.subs(left, right).doit() if left != B else by_metric
        moved.append(scalar * by_metric)
    return MatAdd(*moved).doit()


def _integrand(term: MatrixExpr) -> MatrixExpr:
    """The integrand over y of one term: an integral of a column, or an integral times a column."""
    if isinstance(term, VectorMeasureIntegral):
        return term.args[0]
    scalar, column = term.as_coeff_mmul()
    bodies = {e: e.args[0] for e in scalar.atoms(MeasureIntegral)}
    if len(bodies) == 1 and isinstance(term, MatMul):
        return scalar.xreplace(bodies) * column
    raise ValueError(f"not an integral over y: {term}")


def _same_column(left: MatrixExpr, right: MatrixExpr) -> bool:
    """Whether two columns are equal, by their inner products with any column."""
    return bool(_tested(left) - _tested(right) == 0)


def _tested(column: MatrixExpr) -> Expr:
    terms = (term.as_coeff_mmul() for term in MatAdd.make_args(column.doit()))
    return expanded(sum(scalar * Inner(part, u) for scalar, part in terms))
