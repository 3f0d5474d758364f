"""Softmax attention on Gaussian measures: velocity, equations, closed form, blow-up, limit.

Every formula is the print of a term: a fact, a step that the kernel accepted, or an expression
derived with SymPy that the kernel has proved equal to the term of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from proofs.bridge import to_term
from proofs.claims import covariance_commuting_factored as factored
from proofs.claims import gaussian_softmax as softmax
from proofs.claims import square_root_form as closed
from proofs.claims.base import claim_named
from proofs.claims.covariance_equation import A, F, S, Sigma0, V, d, t
from proofs.facts.base import fact_named
from proofs.language import add, at, eq, identity, inv, minus, mul, scale, vec, zero
from proofs.printing.abbreviations import Definition
from proofs.printing.prose import latex_prose
from proofs.reports.checked import (
    INTRODUCTION,
    agreeing,
    cited,
    cross_checks,
    defined,
    definitions,
    facts,
    letters,
    proofs_of,
    proved_equal,
    shown,
    theorem,
)
from proofs.reports.document import Block, Document, Heading, Paragraph
from proofs.reports.variants_table import all_variants
from proofs.terms import Term, substitute
from symbolic import closed_forms
from symbolic.gaussian import reduction
from symbolic.gaussian.base import tilted_mean

CLAIMS = (
    "gaussian.softmax",
    "covariance.rank",
    "covariance.commuting-factored",
    "covariance.commuting",
    "covariance.commuting-blowup",
    "covariance.commuting-limit",
)
"""The claims that the document shows."""


def gaussian(variant: str) -> Document:
    """The document of the only variant that it is about, "softmax"."""
    return Document(
        "Softmax attention on Gaussian measures",
        [
            Paragraph(INTRODUCTION),
            *definitions("softmax"),
            *_velocity(),
            *_equations(),
            Heading("The rank"),
            theorem("covariance.rank"),
            *_closed_form(),
            Heading("Blow-up"),
            theorem("covariance.commuting-blowup"),
            Heading("Limit"),
            theorem("covariance.commuting-limit"),
            *facts(CLAIMS),
            *cross_checks(CLAIMS),
            *all_variants(),
        ],
    )


# The sections --------------------------------------------------------------------------------


def _velocity() -> Iterator[Block]:
    claim_id = "gaussian.softmax"
    proof = proofs_of(claim_id)[""]
    (tilt_step,) = proof.by("fact", "gaussian-tilt")
    instance = claim_named(claim_id).proof.steps[tilt_step.number - 1].args["instance"]
    mean, tilt = add(instance["a"], mul(instance["C"], instance["h"])), instance["h"]
    if mean not in tilt_step.term.walk():
        raise LookupError("the fact on tilted Gaussians does not name the tilted mean")
    derived = {step.name: step for step in reduction("softmax").steps}
    now = {**softmax.NOW, "x": softmax.x, "eta": vec("eta", d)}
    law = Definition("mu", softmax.LAW)
    field = at(softmax.VELOCITY, t, softmax.x)
    formula = to_term(derived["velocity"].expression, now)
    last = proof.proving(eq(field, formula))
    equal = "The kernel proved the SymPy expression equal to"

    def sentence(name: str) -> str:
        reason = derived[name].reason
        return f"{reason[0].upper()}{reason[1:]}."

    yield Heading("The velocity on a Gaussian")
    yield cited("gaussian-tilt")
    yield Paragraph(latex_prose(f"Reference: {fact_named('gaussian-tilt').reference}."))
    yield defined(
        r"\Gamma(t, x)",
        agreeing(derived["definition"].expression, now, field),
        f"{sentence('definition')} {equal} the velocity in `{claim_id}`.",
        law,
    )
    yield defined(
        r"L(\eta)",
        to_term(derived["log transform"].expression, now),
        f"{sentence('log transform')} Derived by SymPy, for the reader: the kernel takes the mean "
        "of the tilted measure from the fact.",
    )
    agreeing(tilted_mean(), {**now, "eta": tilt}, mean)
    yield defined(
        r"\nabla L(\eta)",
        to_term(derived["tilted mean"].expression, now),
        f"{sentence('tilted mean')} {equal} the mean in step {tilt_step.number} of "
        f"`{claim_id}` (fact `gaussian-tilt`).",
    )
    yield defined(
        r"\eta",
        agreeing(derived["tilt"].expression, now, tilt),
        f"{sentence('tilt')} {equal} the tilt in step {tilt_step.number} of `{claim_id}`.",
    )
    yield from letters(proof)
    yield shown(claim_id, tilt_step)
    for number in last.uses:
        yield shown(claim_id, proof.steps[number - 1])
    yield shown(claim_id, last)


def _equations() -> Iterator[Block]:
    claim_id = "gaussian.softmax"
    proof = proofs_of(claim_id)[""]
    (transport,) = proof.by("fact", "affine-transport")
    (result,) = proof.by("fact", "equal-velocity-fields")
    instance = claim_named(claim_id).proof.steps[transport.number - 1].args["instance"]
    derived = reduction("softmax")
    remark = f"Read off the velocity. The kernel proved it equal to the one in `{claim_id}`."
    yield Heading("Mean and covariance")
    for name, part in (("B", derived.linear), ("c", derived.constant)):
        yield defined(f"{name}(t)", agreeing(part, softmax.NOW, at(instance[name], t)), remark)
    for number in transport.uses:
        yield shown(claim_id, proof.steps[number - 1])
    yield shown(claim_id, transport)
    yield shown(claim_id, result)
    yield theorem(claim_id)


def _closed_form() -> Iterator[Block]:
    lemma_id, claim_id = "covariance.commuting-factored", "covariance.commuting"
    proof = proofs_of(claim_id)[lemma_id]
    derivative = proof.by("differentiate")[0]
    slope = at(derivative.term.args[2], t)
    now, pencil = at(factored.X, t), factored.PENCIL
    main = [
        proof.proving(eq(mul(pencil, inv(pencil)), identity(factored.k))),
        proof.proving(eq(now, add(Sigma0, scale(t, mul(Sigma0, S, now))))),
        proof.proving(eq(minus(mul(V, now), mul(now, V)), zero(d, d))),
        derivative,
        proof.proving(eq(slope, at(F, now))),
    ]
    yield Heading("Closed form in the commuting case")
    yield theorem(claim_id)
    yield Paragraph(
        "It is the case $L = \\Sigma_0^{1/2}$, $E = I$ of a lemma, whose main steps follow: the "
        "resolvent, its identity, that $V$ commutes with the curve, and the derivative."
    )
    yield theorem(lemma_id, "Lemma")
    yield from letters(proof)
    for step in main:
        yield shown(lemma_id, step)
    yield from _sympy_closed_form(claim_id, slope)


def _sympy_closed_form(claim_id: str, slope: Term) -> Iterator[Block]:
    """The closed form of ``symbolic``, its derivative and right-hand side, against the claim's."""
    form = closed_forms.commuting()
    names = {"A": A, "V": V, "Sigma_0": Sigma0, "t": t}
    for (left, right), hypothesis in zip(form.hypotheses, closed.HYPOTHESES[1:], strict=True):
        proved_equal(minus(to_term(left, names), to_term(right, names)), minus(*hypothesis.args))
    curve = at(closed.X, t)
    special = {"L": closed.R, "E": identity(d), "k": d}
    remark = f"The kernel proved it equal to the term of `{claim_id}`."
    solution = agreeing(form.solution, names, curve)
    agreeing(form.derivative, names, substitute(slope, special))
    agreeing(form.right_hand_side, names, at(F, curve))
    yield Paragraph(
        "The same closed form as a SymPy expression. Its hypotheses, and its derivative and the "
        "right-hand side of the equation as SymPy computes them, were proved equal to those of "
        "the proof as well."
    )
    yield defined(r"\Sigma(t)", solution, remark, Definition("S", S), Definition("M", closed.M))
