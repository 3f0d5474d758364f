"""Blocks of derivations: every formula is the print of a term that was checked, or derived.

A formula is a fact, a step that the kernel accepted, a term of a claim, or an expression derived
with SymPy, which its remark says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from sympy import Basic

from proofs.bridge import to_term
from proofs.builder import Builder
from proofs.claims.base import claim_named
from proofs.claims.covariance_equation import d
from proofs.crosschecks.base import cross_check_of
from proofs.facts.base import fact_named
from proofs.kernel import Refutation, Statement, check
from proofs.kernel import Theorem as Proved
from proofs.language import dim, family, mat, real, vec
from proofs.printing.abbreviations import Abbreviations, Definition
from proofs.printing.derivation import PrintedProof, PrintedStep, derivation
from proofs.printing.latex import LATEX
from proofs.printing.propositions import Printer
from proofs.printing.prose import latex_prose
from proofs.reports.document import Block, Formula, Heading, Items, Paragraph, Theorem
from proofs.reports.explain import fact_uses, notation_of
from proofs.terms import ONE, REAL, Term, function_sort, measure_sort, variable
from symbolic import notation
from symbolic.gaussian.base import GaussianReduction, Step
from symbolic.latex import latex as sympy_latex
from symbolic.variants import lookup
from symbolic.variants.base import Form

INTRODUCTION = (
    "Statements are printed from the terms that the proof checker has accepted, steps from its "
    "proofs. The remark below a formula says why it holds and how that was checked. A fact is a "
    "theorem of analysis that is cited, not proved."
)


@cache
def settled(claim_id: str) -> Proved | Refutation:
    """What the kernel makes of a claim."""
    return claim_named(claim_id).settle()


@cache
def proofs_of(claim_id: str) -> Mapping[str, PrintedProof]:
    """The printed proof of a claim (under the empty name) and those of its lemmas."""
    claim = claim_named(claim_id)
    return {proof.lemma: proof for proof in derivation(claim.proof, notation_of(claim))}


def theorem(claim_id: str, kind: str = "Theorem") -> Block:
    """The statement that the kernel returned."""
    name = f"{kind} (`{claim_id}`, {verdict(claim_id)} by the kernel)."
    return Theorem(name, settled(claim_id).statement, claim_named(claim_id).notation)


def verdict(claim_id: str) -> str:
    """What the kernel makes of a claim, in a word."""
    return "proved" if isinstance(settled(claim_id), Proved) else "refuted"


def lemma(claim_id: str, name: str, notation: Sequence[Definition] = ()) -> Block:
    """The statement of a lemma in the proof of a claim."""
    statement = claim_named(claim_id).proof.lemmas[name].statement
    title = f"Lemma (`{name}`, in the proof of `{claim_id}`, proved by the kernel)."
    return Theorem(title, statement, tuple(notation))


def cited(name: str) -> Block:
    """A fact as a statement."""
    fact = fact_named(name)
    return Theorem(f"Fact (`{name}`).", Statement(fact.premises, fact.conclusion))


def shown(claim_id: str, step: PrintedStep) -> Block:
    """One step of the proof of a claim, with its reason and how it was checked."""
    remark = f"Step {step.number} of `{claim_id}`: {step.reason_latex}. Checked: {step.checked}."
    return Formula(step.latex, remark)


def letters(proof: PrintedProof) -> Iterator[Block]:
    """The letters that the steps of a proof are written with, if any."""
    if not proof.where_latex:
        return
    yield Paragraph("In the steps below:")
    yield Items(tuple(f"${letter}$" for letter in proof.where_latex))


def defined(left: str, term: Term, remark: str, *short: Definition) -> Block:
    """``left = term`` for a term that the remark accounts for."""
    abbreviations = Abbreviations(short, [term])
    folded = abbreviations.fold(term)
    printer = Printer(LATEX, [folded, *abbreviations.letters])
    return Formula(printer.definition(left, folded), remark)


def proved_equal(left: Term, right: Term) -> None:
    """Have the kernel prove that two matrices are equal, whatever the values of their letters.

    Raises:
        KernelError: they have different normal forms.
    """
    p = Builder()
    p.algebra(left, right)
    check(p.proof())


def agreeing(expression: Basic, names: Mapping[str, Term], term: Term) -> Term:
    """The kernel term of a SymPy expression, proved equal to a term of the claim."""
    derived = to_term(expression, names)
    proved_equal(derived, term)
    return derived


def facts(claims: Sequence[str]) -> Iterator[Block]:
    """The facts that claims rest on, with their references."""
    yield Heading("Facts that are cited")
    names = sorted({name for claim_id in claims for name in settled(claim_id).facts})
    items = []
    for name in names:
        fact = fact_named(name)
        users = [claim_id for claim_id in claims if fact_uses(claim_named(claim_id).proof)[name]]
        used = ", ".join(f"`{claim_id}`" for claim_id in users)
        words = latex_prose(f"{fact.text} Reference: {fact.reference}.")
        items.append(f"`{name}`: {words} Used by {used}.")
    yield Items(tuple(items))


def cross_checks(claims: Sequence[str]) -> Iterator[Block]:
    """The digits to which the formulas of claims agree with independent computations."""
    yield Heading("Cross-checks")
    yield Paragraph(
        "Formulas compared with computations that know the parameters only. They are evidence "
        "beside the proofs: no status rests on them."
    )
    items = []
    for claim_id in claims:
        result = cross_check_of(claim_id).run()
        if result.digits is None:
            items.append(f"`{claim_id}`: no number is compared: {result.reason}.")
        else:
            items.append(f"`{claim_id}`: {result.digits} digits ({result.quantity}).")
    yield Items(tuple(items))


def definitions(variant: str) -> Iterator[Block]:
    """Score, kernel and velocity, from the table of variants."""
    attention = lookup(variant)
    form: Form = "A" if attention.score_matrix_suffices else "QK"
    letters, one_head = _letters(variant), _letters("")
    remark = "From the table of attention variants."
    yield Heading("Definitions")
    yield Paragraph(
        "Tokens are points of $\\mathbb{R}^d$ with law $\\mu$. The score matrix is "
        f"$A = {LATEX.superscript('K', 'T')} Q$. {attention.description}"
    )
    score = attention.score(notation.x, notation.y, form=form)
    kernel = attention.kernel(notation.x, notation.y, form=form)
    velocity = attention.velocity(notation.x, notation.mu, form=form)
    yield defined(r"\operatorname{score}(x, y)", to_term(score, one_head), remark)
    yield defined(
        r"\operatorname{kernel}(x, y)",
        to_term(kernel, one_head),
        f"{remark} Normalisation: {attention.normalisation.value}.",
    )
    yield defined(attention.lhs, to_term(velocity, letters), f"{remark} The velocity.")


def _letters(variant: str) -> dict[str, Term]:
    """What the letters of a variant stand for: families for several heads, laws by position."""
    k, count = dim("k"), dim("H")
    rows = {"A": d, "V": d, "Q": k, "K": k}
    if "multihead-" in variant:
        heads = {name: family(name, count, n, d) for name, n in rows.items()}
    else:
        heads = {name: mat(name, n, d) for name, n in rows.items()}
    law: Term = measure_sort(d)
    if variant.startswith("masked-"):
        law = function_sort(REAL, law)
    return {
        **heads,
        "H": count,
        "x": vec("x", d),
        "y": vec("y", d),
        "s": real("s"),
        "theta": variable("theta", measure_sort(ONE)),
        "mu": variable("mu", law),
    }


def reduction_steps(reduction: GaussianReduction) -> Iterator[Block]:
    """What SymPy derives, step by step: for the reader, the proof is the kernel's."""
    yield from derived_steps(reduction.steps)


def derived_steps(steps: Iterable[Step]) -> Iterator[Block]:
    """Steps that SymPy derived, each with its name and reason."""
    for step in steps:
        name, expression = step.name[0].upper() + step.name[1:], sympy_latex(step.expression)
        formula = f"{step.left} = {expression}" if step.left else expression
        yield Formula(formula, f"{name}: {step.reason}. Derived by SymPy.")


def equations(claim_id: str) -> Iterator[Block]:
    """The claim that Gaussians are kept, and the step that moves them."""
    proof = proofs_of(claim_id)[""]
    yield Heading("Mean and covariance")
    yield cited("affine-transport")
    yield theorem(claim_id)
    yield from letters(proof)
    for name in ("affine-transport", "equal-velocity-fields"):
        for step in proof.by("fact", name):
            yield shown(claim_id, step)
