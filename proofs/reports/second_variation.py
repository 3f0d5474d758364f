"""The energy of an attention flow along geodesics: their equation, and the second derivative."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Basic, MatrixSymbol

from proofs.reports.checked import derived_steps
from proofs.reports.document import Block, Document, Formula, Heading, Paragraph
from proofs.reports.gradient import INTRODUCTION, capitalised, kernel_checked, setting
from symbolic.energies import lookup
from symbolic.energies.base import Interaction
from symbolic.geodesics import Geodesics, geodesics
from symbolic.latex import latex
from symbolic.nodes import VectorMeasureIntegral
from symbolic.notation import d, mu, x, xdot, y, ydot
from symbolic.second_variation import second_variation
from symbolic.transport_energy import transport_energy

HESSIAN = r"\frac{d^2}{dt^2} F = v^\top H v = \int \int h \, d\mu(y) \, d\mu(x)"
DERIVED = "Derived by SymPy."


def written(variant: str) -> Document:
    """The document of a variant that has an energy."""
    energy = lookup(variant)
    return Document(
        f"{capitalised(energy)}: second variation along geodesics",
        [
            Paragraph(INTRODUCTION),
            *setting(energy),
            *_kernels(variant),
            Heading("Geodesics"),
            *_geodesics(geodesics(variant)),
            Heading("Second variation"),
            *(_on_gaussians() if variant == "sinkhorn" else _on_tokens(variant)),
            *kernel_checked(f"variation.{variant}"),
        ],
    )


def _kernels(variant: str) -> Iterator[Block]:
    energy = lookup(variant)
    if isinstance(energy, Interaction):
        for letter, meaning in energy.definitions().items():
            yield Formula(f"{latex(letter)} = {latex(meaning)}", f"Abbreviation. {DERIVED}")


def _geodesics(path: Geodesics) -> Iterator[Block]:
    yield Paragraph(
        "They are the curves of critical action of particles $x_i$ with masses $a_i$, whose "
        r"Lagrangian is $\frac{1}{2} \sum_i a_i w_i \langle B\dot{x}_i, \dot{x}_i\rangle$; $x$ and "
        "$y$ stand for two of them, and columns are tested with a column $u$."
    )
    yield from derived_steps(path.steps)
    if path.force is None:
        yield Formula(
            r"\ddot{x} = 0",
            f"Geodesics are straight lines, since $B$ is constant and invertible. {DERIVED}",
        )
        return
    integral = latex(VectorMeasureIntegral(path.force, y, mu))
    yield Formula(
        rf"2\left(\dot{{w}}B\dot{{x}} + wB\ddot{{x}}\right) = {integral}",
        f"The equation on measures; $\\dot{{w}}$ is the derivative along the curve. {DERIVED}",
    )
    force = latex(_indexed(path.force))
    sign = "-" if force.startswith("-") else ""
    yield Formula(
        r"2\left(\dot{w}_i B\dot{x}_i + w_i B\ddot{x}_i\right) = "
        rf"{sign}\sum_j a_j {force.removeprefix('-')}",
        rf"The same for particles, with $G$ at $x_i$ and $x_j$. {DERIVED}",
    )


def _indexed(expression: Basic) -> Basic:
    names = {x: "x_i", y: "x_j", xdot: "xdot_i", ydot: "xdot_j"}
    return expression.xreplace({v: MatrixSymbol(name, d, 1) for v, name in names.items()})


def _on_tokens(variant: str) -> Iterator[Block]:
    form = second_variation(variant)
    yield Formula(HESSIAN, f"Along geodesics, $h$ as follows. {DERIVED}")
    yield from derived_steps(form.steps)
    yield Paragraph(
        r"A bound $v^\top H v \ge \lambda v^\top M v$ for all velocities at all measures is "
        r"$\lambda$-convexity along short geodesics. The matrices for finitely many tokens are "
        "`numeric.second_variation.second_variation`."
    )


def _on_gaussians() -> Iterator[Block]:
    yield Paragraph(
        "The energy is no double integral of a function of two tokens. On Gaussians it is a "
        r"function of mean and covariance, and geodesics between Gaussians move tokens by affine "
        r"maps. The mean adds $\langle A\dot{\alpha}, \dot{\alpha}\rangle$. Where $A$, $B$, "
        r"$\Sigma$ and the velocity $x \mapsto b x$ commute, each common eigenvector adds:"
    )
    yield from derived_steps(transport_energy().steps)
    yield Paragraph(
        "It is not negative: on such a family, with the mean at rest, the energy is convex, "
        "whatever the sign of $A$."
    )
