"""A proof as numbered steps in words, read off what the kernel accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofs.kernel import Proof, Step, Theorem, trace
from proofs.printing.abbreviations import Abbreviations, Definition
from proofs.printing.latex import LATEX
from proofs.printing.notation import Notation
from proofs.printing.propositions import Printer, where
from proofs.printing.text import TEXT, text
from proofs.terms import Term


@dataclass(frozen=True, slots=True)
class PrintedStep:
    """One step of a proof.

    Attributes:
        number: 1, 2, 3, ... within its proof.
        term: what the step proves.
        text: the same for a terminal.
        latex: the same in LaTeX.
        rule: the kernel's name of the rule.
        name: the fact or lemma that it instantiates, or empty.
        reason: why it holds.
        reason_latex: the same with formulas in LaTeX between dollar signs.
        checked: how the kernel made sure.
        uses: numbers of the steps that it uses, each once.
        assumptions: numbers of the steps that assume what it still rests on.
    """

    number: int
    term: Term
    text: str
    latex: str
    rule: str
    name: str
    reason: str
    reason_latex: str
    checked: str
    uses: tuple[int, ...]
    assumptions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrintedProof:
    """The steps of one proof, and the letters that they are written with.

    Attributes:
        lemma: the lemma that is proved, empty for the proof itself.
        where: the definitions of the letters, for a terminal.
        where_latex: the same in LaTeX.
    """

    lemma: str
    steps: tuple[PrintedStep, ...]
    where: tuple[str, ...]
    where_latex: tuple[str, ...]

    def proving(self, term: Term) -> PrintedStep:
        """The first step that proves a term.

        Raises:
            LookupError: there is none.
        """
        for step in self.steps:
            if step.term == term:
                return step
        raise LookupError(f"no step proves {text(term)}")

    def by(self, rule: str, name: str = "") -> list[PrintedStep]:
        """The steps by a rule and, for facts and lemmas, of that name."""
        return [step for step in self.steps if (step.rule, step.name) == (rule, name)]


Notations = Callable[[str], Sequence[Definition]]
"""The definitions to abbreviate by, for each lemma, and for the empty name the proof itself."""


def derivation(proof: Proof, notations: Notations = lambda lemma: ()) -> list[PrintedProof]:
    """The proofs of the lemmas that a proof calls, each once, then the proof itself.

    Raises:
        KernelError: the proof is not accepted.
    """
    printed: list[PrintedProof] = []
    _print_proof(proof, "", notations, printed, [])
    return printed


def _print_proof(
    proof: Proof, name: str, notations: Notations, printed: list[PrintedProof], done: list[Proof]
) -> None:
    for lemma_name, lemma in proof.lemmas.items():
        if not any(lemma.proof is earlier for earlier in done):
            done.append(lemma.proof)
            _print_proof(lemma.proof, lemma_name, notations, printed, done)
    sequents = trace(proof)
    short = Abbreviations(notations(name), [sequent.conclusion for sequent in sequents])
    steps, folded = [], []
    assumed: dict[Term, int] = {}
    for index, (step, sequent) in enumerate(zip(proof.steps, sequents, strict=True)):
        if step.rule == "assume":
            assumed.setdefault(sequent.conclusion, index + 1)
        context = _Context(step, sequents, assumed, short)
        in_latex = replace(context, in_latex=True)
        reason = REASONS[step.rule]
        folded.append(short.fold(sequent.conclusion))
        steps.append(
            PrintedStep(
                number=index + 1,
                term=sequent.conclusion,
                text=_write(TEXT, short, folded[-1]),
                latex=_write(LATEX, short, folded[-1]),
                rule=step.rule,
                name=str(step.args["name"]) if step.rule in ("fact", "lemma") else "",
                reason=reason.words(context),
                reason_latex=reason.words(in_latex),
                checked=reason.check(context),
                uses=tuple(dict.fromkeys(use + 1 for use in step.uses)),
                assumptions=tuple(sorted(assumed[h] for h in sequent.hypotheses)),
            )
        )
    letters = [tuple(where(notation, short, folded)) for notation in (TEXT, LATEX)]
    printed.append(PrintedProof(name, tuple(steps), *letters))


def _write(notation: Notation, short: Abbreviations, folded: Term) -> str:
    return Printer(notation, [folded, *short.letters]).whole(folded)


@dataclass(frozen=True, slots=True)
class _Context:
    """A step, the sequents of all steps, where each assumption was made, and the letters."""

    step: Step
    sequents: Sequence[Theorem]
    assumed: Mapping[Term, int]
    short: Abbreviations
    in_latex: bool = False

    def arg(self, name: str) -> Any:
        return self.step.args[name]

    def term(self, name: str) -> str:
        folded = self.short.fold(self.step.args[name])
        if self.in_latex:
            return f"${_write(LATEX, self.short, folded)}$"
        return _write(TEXT, self.short, folded)

    def used(self, position: int) -> Term:
        """The conclusion of a step that this one uses."""
        return self.sequents[self.step.uses[position]].conclusion

    def numbers(self, positions: Sequence[int] | None = None) -> str:
        """The numbers of the used steps, or of those at some positions."""
        uses = self.step.uses
        chosen = uses if positions is None else [uses[i] for i in positions]
        return ", ".join(str(use + 1) for use in dict.fromkeys(chosen))

    def source(self) -> str:
        """``from 2, 5``, or nothing for a step that uses none."""
        return f" from {self.numbers()}" if self.step.uses else ""

    def assumption(self) -> str:
        """The assumption that the step discharges."""
        number = self.assumed.get(self.arg("proposition"))
        return f"the assumption {number}" if number else f"the premise {self.term('proposition')}"


def _algebra(context: _Context) -> str:
    return "algebra" + _modulo(context, range(len(context.step.uses)))


def _modulo(context: _Context, positions: Sequence[int]) -> str:
    """The equations that a calculation uses, and the letters that it takes to be symmetric."""
    pairs = list(zip(positions, context.step.args.get("contexts", ()), strict=True))
    equations = [position for position, template in pairs if template is not None]
    symmetric = [position for position, template in pairs if template is None]
    words = f" from {context.numbers(equations)}" if equations else ""
    if symmetric:
        words += f", with symmetry by {context.numbers(symmetric)}"
    return words


def _positivity(context: _Context) -> str:
    summands = context.arg("summands")
    kind = "a positive" if context.step.args.get("strict", False) else "a nonnegative"
    if not summands:
        words = "positivity: it is zero"
    elif len(summands) == 1:
        words = f"positivity: {kind} term"
    else:
        words = f"positivity: sum of {len(summands)} nonnegative terms"
        if context.step.args.get("strict", False):
            words += ", one of them positive"
    signs = [
        position
        for summand in summands
        for position in (*summand["scalars"], summand["core"])
        if position is not None
    ]
    if signs:
        words += f", signs by {context.numbers(signs)}"
    equations = context.step.args.get("equations", ())
    return words + ("; algebra" + _modulo(context, equations) if equations else "")


def _schema(kind: str) -> Callable[[_Context], str]:
    return lambda context: f"by {kind} {context.arg('name')}{context.source()}"


def _part(context: _Context) -> str:
    return f"part {context.arg('index') + 1} of {context.numbers()}"


def _definite(context: _Context) -> str:
    """By the pivots, or by a congruence R, which is shown when it is small."""
    if "congruence" not in context.step.args:
        return "all pivots have the right sign"
    form = "$R^\\top M R$" if context.in_latex else "Rᵀ M R"
    R = context.arg("congruence").data
    if R.rows > MAX_SHOWN:
        times = r"$\times$" if context.in_latex else "×"
        return f"{form} is diagonally dominant for an R of size {R.rows} {times} {R.columns}"
    name = "$R$" if context.in_latex else "R"
    return f"{form} is diagonally dominant for {name} = {context.term('congruence')}"


def _definite_check(context: _Context) -> str:
    value = "" if context.arg("matrix").op == "literal" else "exact value of the expression, "
    return value + ("exact products" if "congruence" in context.step.args else "exact LDLᵀ")


def _differentiate(context: _Context) -> str:
    inverses = f", inverses exist by {context.numbers()}" if context.step.uses else ""
    return f"differentiation in {context.term('time')}{inverses}"


def _entries(c: _Context) -> str:
    symmetric = f", symmetric by {c.numbers()}" if c.step.uses else ""
    return f"the entries are the same polynomials{symmetric}"


def _smooth_at(c: _Context) -> str:
    return f"regular by {c.numbers()}" if c.step.uses else "the entries are polynomials"


def _continuous(context: _Context) -> str:
    inverses = f", inverses exist by {context.numbers()}" if context.step.uses else ""
    return f"composed of continuous maps{inverses}"


def _obtain(context: _Context) -> str:
    existence, use = (number + 1 for number in context.step.uses)
    return f"from {use}, where {context.term('variable')} exists by {existence}"


def _contradiction(context: _Context) -> str:
    return f"{context.numbers()} contradict each other under {context.assumption()}"


def _replace(context: _Context) -> str:
    equation, use = (number + 1 for number in context.step.uses)
    return f"equation {equation} inserted in {use}"


@dataclass(frozen=True, slots=True)
class _Reason:
    """The words for a rule, and how the kernel checks a step by this rule."""

    words: Callable[[_Context], str]
    checked: str | Callable[[_Context], str]

    def check(self, context: _Context) -> str:
        """How the kernel checked this step."""
        return self.checked if isinstance(self.checked, str) else self.checked(context)


#: rows of the largest congruence that is written out
MAX_SHOWN = 4
LOGIC = "rule of logic"

REASONS: Mapping[str, _Reason] = {
    "assume": _Reason(lambda c: "assumption", "kept until it is discharged"),
    "fact": _Reason(_schema("fact"), "premises matched; the fact is cited"),
    "lemma": _Reason(_schema("lemma"), "premises matched; the lemma is proved"),
    "discharge": _Reason(lambda c: f"{c.numbers()} under {c.assumption()}", LOGIC),
    "modus_ponens": _Reason(lambda c: f"from {c.numbers()}", LOGIC),
    "generalise": _Reason(lambda c: f"{c.numbers()} for arbitrary {c.term('variable')}", LOGIC),
    "specialise": _Reason(lambda c: f"{c.numbers()} at {c.term('value')}", LOGIC),
    "cases": _Reason(lambda c: f"all cases, by {c.numbers()}", "each case matched"),
    "conjunction": _Reason(lambda c: f"{c.numbers()} together", LOGIC),
    "part": _Reason(_part, LOGIC),
    "exhibit": _Reason(lambda c: f"{c.numbers()}, with the value {c.term('value')}", LOGIC),
    "obtain": _Reason(_obtain, LOGIC),
    "contradiction": _Reason(_contradiction, LOGIC),
    "replace": _Reason(_replace, "both sides matched"),
    "extensionality": _Reason(lambda c: f"{c.numbers()} for arbitrary {c.term('variable')}", LOGIC),
    "reflexivity": _Reason(lambda c: "both sides are the same", "comparison"),
    "algebra": _Reason(_algebra, "word algebra + random exact evaluation"),
    "nonnegative": _Reason(
        lambda c: f"a polynomial in {c.term('time')} on [0, {c.term('end')}]",
        "Bernstein coefficients + random exact evaluation",
    ),
    "entries": _Reason(_entries, "multiplied out + random exact evaluation"),
    "positivity": _Reason(_positivity, "word algebra + random exact evaluation"),
    "definite": _Reason(_definite, _definite_check),
    "indefinite": _Reason(lambda c: f"uᵀ M u < 0 for u = {c.term('witness')}", "exact evaluation"),
    "unequal": _Reason(lambda c: "two entries differ", "exact comparison"),
    "rank": _Reason(lambda c: "elimination", "exact elimination"),
    "differentiate": _Reason(_differentiate, "rules of differentiation"),
    "smooth_at": _Reason(_smooth_at, "inspection of the term"),
    "polynomial": _Reason(lambda c: "the entries are polynomials", "inspection of the term"),
    "continuous": _Reason(_continuous, "inspection of the term"),
}
"""The rules of the kernel, in words."""
