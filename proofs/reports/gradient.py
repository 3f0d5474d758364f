"""An attention flow as a gradient flow: energy, metric, first variation, dissipation."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.claims.base import ledger
from proofs.reports.checked import cross_checks, derived_steps, facts, theorem
from proofs.reports.document import Block, Document, Formula, Heading, Paragraph
from symbolic.energies import lookup
from symbolic.energies.base import Energy
from symbolic.gradient_flow import gradient_flow
from symbolic.latex import latex
from symbolic.notation import mu, x
from symbolic.transport_energy import transport_energy

TABLE = "From the table of energies."

METRIC = r"\lvert v\rvert^2 = \int \langle Bv(x), v(x)\rangle w(x) \, d\mu(x)"

INTRODUCTION = (
    "The formulas were derived by SymPy from the energy and the metric, for every dimension; the "
    "remark below a formula says how."
)


def written(variant: str) -> Document:
    """The document of a variant that has an energy."""
    energy = lookup(variant)
    flow = gradient_flow(variant)
    return Document(
        f"{capitalised(energy)} as a gradient flow",
        [
            Paragraph(INTRODUCTION),
            *setting(energy),
            Heading("First variation and dissipation"),
            *derived_steps(step for step in flow.steps if step.name not in ("energy", "relation")),
            Paragraph(conclusion(energy)),
            *_on_gaussians(variant),
            *kernel_checked(f"gradient.{variant}"),
        ],
    )


def capitalised(energy: Energy) -> str:
    """The title of a variant at the start of a sentence."""
    return f"{energy.title[0].upper()}{energy.title[1:]}"


def setting(energy: Energy) -> Iterator[Block]:
    """Energy, velocity, metric, and what ties the metric to the parameters."""
    left, right = energy.relation()
    yield Heading("Energy and metric")
    yield Paragraph(
        f"Tokens are points of $\\mathbb{{R}}^d$ with law $\\mu$, for which the integrals below "
        f"exist, and {energy.condition}. The matrix $B$ is symmetric and positive definite."
    )
    yield Formula(rf"\Gamma_\mu(x) = {latex(energy.velocity(x, mu))}", f"The velocity. {TABLE}")
    yield Formula(rf"F(\mu) = {latex(energy.energy(mu))}", f"The energy. {TABLE}")
    yield Formula(METRIC, f"The metric, for a velocity field $v$. {TABLE}")
    yield Formula(f"w(x) = {latex(energy.weight(x, mu))}", f"Its weight. {TABLE}")
    yield Formula(f"{latex(left)} = {latex(right)}", f"What $B$ has to satisfy. {TABLE}")


def conclusion(energy: Energy) -> str:
    """What the identity means for the flow."""
    sign, sense = ("-", "falls") if energy.sign < 0 else ("", "grows")
    return (
        rf"So $w B \Gamma_\mu = {sign}\nabla (\delta F/\delta \mu)$: the flow is a gradient "
        f"{energy.direction} of $F$ in this metric, and $F$ {sense} along it."
    )


def _on_gaussians(variant: str) -> Iterator[Block]:
    if variant != "sinkhorn":
        return
    yield Heading("On Gaussian measures")
    yield Formula(
        r"2F(\mathcal{N}(\alpha, \Sigma)) = \langle A\alpha, \alpha\rangle + \sum_i "
        r"\left(s_i c_i + \frac{1}{2}\log(1 - c_i^2)\right)",
        r"$s_i$ are the singular values of $\Sigma^{1/2} A \Sigma^{1/2}$, $c_i$ the correlations "
        "of the plan. Derived by SymPy as follows.",
    )
    yield from derived_steps(transport_energy().steps[:3])


def kernel_checked(subject: str) -> Iterator[Block]:
    """The claims of that id, and those whose ids go on after it, with their facts."""
    ids = [name for name in ledger() if name == subject or name.startswith(f"{subject}-")]
    if not ids:
        return
    yield Heading("What the kernel has checked")
    yield from map(theorem, ids)
    yield from facts(ids)
    yield from cross_checks(ids)
