"""One claim in full, as text: statement, proof, facts, cross-check, and why to trust it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proofs.claims.base import Claim, ledger
from proofs.crosschecks.base import CrossCheckResult, cross_check_of
from proofs.facts.base import fact_named
from proofs.kernel import KernelError, Proof, Refutation, Statement, Theorem, establish, refute
from proofs.printing.abbreviations import Definition
from proofs.printing.derivation import Notations, PrintedProof, PrintedStep, derivation
from proofs.printing.markup import to_plain
from proofs.printing.propositions import Printer
from proofs.printing.statement import statement_text
from proofs.printing.text import TEXT
from proofs.reports.trust import ROLES, trusted_lines

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]


def explain(claim: Claim, brief: bool = False) -> list[Section]:
    """The claim, section by section; ``brief`` leaves out the steps of the proof.

    >>> from proofs.claims.base import claim_named
    >>> for section in explain(claim_named("covariance.multihead-scalar"), brief=True):
    ...     print(section.title)
    Claim
    Statement, printed from the checked term
    Facts of analysis that it rests on (0)
    Cross-check
    Why this can be trusted
    """
    settled, problem = _settle(claim)
    statement = claim.statement if settled is None else settled.statement
    sections = [
        Section("Claim", tuple(_heading(claim, settled, problem))),
        Section(
            "Statement, printed from the checked term",
            tuple(_wrapped(statement_text(statement, claim.notation))),
        ),
    ]
    if isinstance(settled, Refutation):
        sections.append(Section("Counterexample", tuple(_counterexample(settled))))
    if settled is not None:
        proofs = derivation(claim.proof, notation_of(claim))
        if not brief:
            sections += [_proof(proof, isinstance(settled, Refutation)) for proof in proofs]
        sections.append(_facts(claim.proof, settled))
    sections.append(Section("Cross-check", tuple(_cross_check(cross_check_of(claim.id).run()))))
    sections.append(Section("Why this can be trusted", tuple(_trust(claim, settled))))
    return sections


def notation_of(claim: Claim) -> Notations:
    """The letters of the claim for its own proof, and those of each lemma for the lemma's."""

    def notation(lemma: str) -> Sequence[Definition]:
        if not lemma:
            return claim.notation
        return ledger()[lemma].notation if lemma in ledger() else ()

    return notation


def _settle(claim: Claim) -> tuple[Theorem | Refutation | None, str]:
    """What the kernel makes, or why it rejects the proof."""
    try:
        return claim.settle(), ""
    except KernelError as error:
        return None, str(error)


def _heading(claim: Claim, settled: Theorem | Refutation | None, problem: str) -> Iterator[str]:
    status = {Theorem: "proved", Refutation: "refuted"}.get(type(settled), "open")
    yield f"id       {claim.id}"
    yield from _wrapped(f"title    {claim.title} (informal)", "         ")
    yield f"status   {status}, by the kernel (recorded: {claim.expected})"
    if problem:
        yield from _wrapped(f"rejected {problem}", "         ")
    yield from _wrapped(f"source   {claim.source}", "         ")
    if claim.note:
        yield from _wrapped(f"note     {claim.note} (informal)", "         ")


def _wrapped(text: str, hanging: str = "") -> Iterator[str]:
    """Lines of at most ``WIDTH`` characters where white space allows it."""
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        yield from textwrap.wrap(
            line,
            WIDTH - 2,
            subsequent_indent=indent + (hanging or ("    " if indent else "")),
            break_long_words=False,
            break_on_hyphens=False,
        )


def _counterexample(refutation: Refutation) -> Iterator[str]:
    """The values, sizes first, then what was proved of them."""
    given = [name for name in refutation.statement.variables() if name in refutation.instance]
    for name in sorted(given, key=lambda name: refutation.instance[name].op != "size"):
        value = refutation.instance[name]
        line = Printer(TEXT, [value]).definition(TEXT.name(name), value)
        yield from _wrapped(line, "    ")
    yield "At these values every hypothesis holds and the conclusion fails: both are proved below."


def _proof(proof: PrintedProof, refuted: bool) -> Section:
    name = f"Lemma {proof.lemma}" if proof.lemma else "Proof"
    if refuted and not proof.lemma:
        name = "Proof of the counterexample"
    lines = [line for step in proof.steps for line in _step(step)]
    if proof.where:
        lines = [*_wrapped("with " + "; ".join(proof.where), "     "), *lines]
    return Section(f"{name} ({len(proof.steps)} steps)", tuple(lines))


def _step(step: PrintedStep) -> Iterator[str]:
    yield from _wrapped(f"{step.number:4d}  {step.text}", "      ")
    reason = f"{step.reason}; checked: {step.checked}"
    others = [number for number in step.assumptions if number != step.number]
    if others:
        reason += f"; under {', '.join(map(str, others))}"
    yield from (f"          {line}" for line in textwrap.wrap(reason, WIDTH - 12))


def fact_uses(proof: Proof) -> Counter[str]:
    """Fact -> number of steps that use it, in the proof and in its lemmas, each lemma once."""
    uses: Counter[str] = Counter()
    seen: dict[int, Proof] = {}
    waiting = [proof]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen[id(current)] = current
        uses.update(str(step.args["name"]) for step in current.steps if step.rule == "fact")
        waiting.extend(lemma.proof for lemma in current.lemmas.values())
    return uses


def _facts(proof: Proof, settled: Theorem | Refutation) -> Section:
    """The facts that the kernel recorded, each as a term, in words, and with its reference."""
    uses = fact_uses(proof)
    lines: list[str] = []
    for name in sorted(settled.facts):
        fact = fact_named(name)
        times = "once" if uses[name] == 1 else f"{uses[name]} times"
        lines.append(f"{name} (used {times})")
        printed = statement_text(Statement(fact.premises, fact.conclusion))
        lines += [f"    {line}" for line in _wrapped(printed)]
        lines += [f"    {line}" for line in _wrapped(f"In words (informal): {to_plain(fact.text)}")]
        lines += [f"    {line}" for line in _wrapped(f"Reference: {to_plain(fact.reference)}")]
    return Section(f"Facts of analysis that it rests on ({len(settled.facts)})", tuple(lines))


def _cross_check(result: CrossCheckResult) -> Iterator[str]:
    if result.digits is None:
        yield from _wrapped(f"no number is compared: {result.reason}")
        return
    yield f"agrees to {result.digits} digits with an independent computation of:"
    for quantity in result.quantity.split("; "):
        yield from _wrapped(f"- {quantity}", "  ")
    if result.reason:
        yield from _wrapped(f"failed: {result.reason}")
    yield "This is evidence beside the proof; no status rests on it."


def _trust(claim: Claim, settled: Theorem | Refutation | None) -> Iterator[str]:
    function = establish if claim.counterexample is None else refute
    name = f"{function.__module__}.{function.__name__}"
    lines = trusted_lines()
    if settled is None:
        yield from _wrapped(f"{name} rejected the proof: nothing is claimed.")
        return
    if isinstance(settled, Theorem):
        compared = (
            "It runs every step, compares the last conclusion with the conclusion of the "
            "statement, and accepts no assumption but the hypotheses of the statement."
        )
    else:
        compared = (
            "It runs every step and compares the last conclusion with the hypotheses and the "
            "negated conclusion of the statement at the values above; no assumption may be left."
        )
    yield from _wrapped(
        f"1. The claim is an object with a statement, which is a term, and a proof. {name} gets "
        f"both. {compared} Only there can a {type(settled).__name__} be made."
    )
    yield from _wrapped(
        "2. The statement above is printed from the term in that object. Letters after 'where' "
        "are put in when it is printed, and the definitions are put back and compared with the "
        "term each time. Titles, notes and the words for facts are informal."
    )
    yield "3. To be trusted:"
    for part, role in ROLES.items():
        yield from _wrapped(f"   - {part}: {lines[part]} lines, {role}", "  ")
    made = lines["kernel"] + lines["terms"] + lines["checkers"]
    yield from _wrapped(
        f"   Theorems are made by {made} lines that compute with integers, rationals and "
        "python-flint alone; the facts listed above are taken from the literature."
    )
    yield "4. To run it again:"
    yield f"     lemmaformer check {claim.id}"
    yield "   and to see the term itself, without letters, as the kernel returns it:"
    yield "     from proofs.claims.base import claim_named"
    yield "     from proofs.printing.statement import statement_text"
    yield f"     print(statement_text(claim_named({claim.id!r}).settle().statement))"
