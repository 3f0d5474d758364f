"""A whole statement as one sentence: variables, hypotheses, conclusions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from proofs.kernel import Statement
from proofs.printing.abbreviations import Abbreviations, Definition
from proofs.printing.expressions import family_sizes, matrix_sizes
from proofs.printing.latex import LATEX, inline
from proofs.printing.markup import to_html
from proofs.printing.names import PARTICLES
from proofs.printing.notation import Notation
from proofs.printing.propositions import Printer, where
from proofs.printing.text import TEXT
from proofs.terms import DIM


def statement_text(
    statement: Statement,
    notation: Sequence[Definition] = (),
    constants: Collection[str] = (),
) -> str:
    """The statement for a terminal; several hypotheses or conclusions stand one to a line.

    Variables that are named in ``constants`` have values that the reader knows.

    White space matters nowhere, so that ``" ".join(result.split())`` says the same in one line.
    Terms in ``notation`` are abbreviated; those that occur are listed at the end.

    >>> from proofs.language import dim, mat, mul, psd, tp
    >>> d = dim("d")
    >>> V, M = mat("V", d, d), mat("M", d, d)
    >>> claim = Statement((psd(M),), psd(mul(V, M, tp(V))))
    >>> print(statement_text(claim))
    For every size d ≥ 1, all M, V ∈ ℝ^{d×d}: if M ⪰ 0, then V M Vᵀ ⪰ 0.
    >>> print(statement_text(claim, [Definition("N", mul(V, M, tp(V)))]))
    For every size d ≥ 1, all M, V ∈ ℝ^{d×d}: if M ⪰ 0, then N ⪰ 0, where N = V M Vᵀ.
    """
    return Sentence(TEXT, constants).write(statement, notation)


def statement_latex(statement: Statement, notation: Sequence[Definition] = ()) -> str:
    """The statement as LaTeX text, several hypotheses or conclusions as lists.

    Terms in ``notation`` are abbreviated, as in :func:`statement_text`.

    >>> from proofs.language import dim, mat, mul, psd, tp
    >>> V, M = mat("V", dim("d"), dim("d")), mat("M", dim("d"), dim("d"))
    >>> print(statement_latex(Statement((psd(M),), psd(mul(V, M, tp(V))))))
    For every size $d \\ge 1$, all $M, V \\in \\mathbb{R}^{d \\times d}$: if $M \\succeq 0$,
    then $V M V^\\top \\succeq 0$.
    """
    return LatexSentence(LATEX).write(statement, notation)


def statement_markdown(statement: Statement, notation: Sequence[Definition] = ()) -> str:
    """The statement as Markdown with formulas between dollar signs."""
    return _MarkdownSentence(LATEX).write(statement, notation)


def statement_html(statement: Statement, notation: Sequence[Definition] = ()) -> str:
    """The statement as HTML with formulas as MathML, several hypotheses or conclusions as lists."""
    return _HtmlSentence(LATEX).write(statement, notation)


class Sentence:
    """Writes a statement in one notation; here formulas stand in text as they are."""

    list_ends: ClassVar[tuple[str, ...]] = ("  (",)

    def __init__(self, notation: Notation, constants: Collection[str] = ()) -> None:
        self._notation = notation
        self._constants = constants

    def formula(self, formula: str) -> str:
        return formula

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        return "\n".join(f"  ({label}) {item}" for label, item in labelled)

    def definitions(self, lines: Sequence[str]) -> str:
        """Several definitions, one to a line."""
        return "\n".join(f"  {line}" for line in lines)

    def write(self, statement: Statement, definitions: Sequence[Definition]) -> str:
        goal = statement.conclusion
        terms = [*statement.hypotheses, goal]
        short = Abbreviations(definitions, terms)
        printer = Printer(self._notation, [*terms, *short.letters])
        parts = goal.args if goal.op == "and" else (goal,)
        folded = [short.fold(part) for part in (*statement.hypotheses, *parts)]
        formulas = [self.formula(printer.whole(part)) for part in folded]
        count = len(statement.hypotheses)
        hypotheses, conclusions = formulas[:count], formulas[count:]
        letters = [self.formula(clause) for clause in where(self._notation, short, folded)]
        quantifiers = self._quantifiers(statement, printer)
        sentence = f"For {', '.join(quantifiers)}:" if quantifiers else ""
        if hypotheses:
            sentence = self._append(sentence, "if" if quantifiers else "If")
            labels = [str(number) for number in range(1, len(hypotheses) + 1)]
            sentence = self._append(sentence, self._list(hypotheses, labels, ","))
            sentence = self._append(sentence, "then")
        labels = [chr(ord("a") + i % 26) * (1 + i // 26) for i in range(len(conclusions))]
        listed = self._list(conclusions, labels, "," if letters else ".")
        return self._where(self._append(sentence, listed), letters)

    def _where(self, sentence: str, letters: Sequence[str]) -> str:
        if not letters:
            return sentence
        if len(letters) == 1:
            return self._append(sentence, f"where {letters[0]}.")
        lines = [*(f"{letter}," for letter in letters[:-1]), f"{letters[-1]}."]
        return f"{self._append(sentence, 'where')}\n{self.definitions(lines)}"

    def _quantifiers(self, statement: Statement, printer: Printer) -> list[str]:
        """A solution that is assumed to be maximal is declared on its lifetime, which is > 0."""
        domains = {}
        for hypothesis in statement.hypotheses:
            if hypothesis.op == "maximal":
                end, curve = hypothesis.args[:2]
                if end.op == "var":
                    domains[str(end.data)] = self._notation.symbols["lifetimes"]
                if curve.op == "var":
                    domains[str(curve.data)] = printer.interval(end)
        variables = [
            var for var in statement.variables().values() if str(var.data) not in self._constants
        ]
        nodes = [n for part in (*statement.hypotheses, statement.conclusion) for n in part.walk()]
        counts = family_sizes(nodes) - matrix_sizes(nodes)
        sizes = [var for var in variables if var.args[0] == DIM and var not in counts]
        particles = [var for var in variables if var in counts and var.data == PARTICLES]
        heads = [var for var in variables if var in counts and var not in particles]
        others = [var for var in variables if var.args[0] != DIM]
        quantifiers = []
        for dims, one, several in (
            (sizes, "every size", "all sizes"),
            (heads, "every number of heads", "all numbers of heads"),
            (particles, "every number of particles", "all numbers of particles"),
        ):
            if dims:
                words = one if len(dims) == 1 else several
                quantifiers.append(f"{words} {self.formula(printer.declare(dims))}")
        if others:
            quantifiers.append(f"all {self.formula(printer.declare(others, domains))}")
        return quantifiers

    def _list(self, items: Sequence[str], labels: Sequence[str], end: str) -> str:
        ended = [f"{item}," for item in items[:-1]] + [items[-1] + end]
        if len(ended) == 1:
            return ended[0]
        return "\n" + self.items([*zip(labels, ended, strict=True)])

    def _append(self, sentence: str, rest: str) -> str:
        if not sentence or rest.startswith("\n"):
            return sentence + rest
        after_list = sentence.splitlines()[-1].startswith(self.list_ends)
        return f"{sentence}\n{rest}" if after_list else f"{sentence} {rest}"


class LatexSentence(Sentence):
    """Formulas in math mode, lists as ``enumerate``."""

    list_ends = (r"\end",)

    def formula(self, formula: str) -> str:
        return inline(formula)

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        lines = [rf"\item[({label})] {item}" for label, item in labelled]
        return "\n".join([r"\begin{enumerate}", *lines, r"\end{enumerate}"])

    def definitions(self, lines: Sequence[str]) -> str:
        items = [rf"\item[] {line}" for line in lines]
        return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])


class _MarkdownSentence(LatexSentence):
    """Formulas in math mode, lists as Markdown lists between blank lines."""

    list_ends = ("- ",)

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        return "\n" + "\n".join(f"- ({label}) {item}" for label, item in labelled)

    def definitions(self, lines: Sequence[str]) -> str:
        return "\n" + "\n".join(f"- {line}" for line in lines)

    def _append(self, sentence: str, rest: str) -> str:
        joined = super()._append(sentence, rest)
        after_list = sentence.splitlines()[-1:] and sentence.splitlines()[-1].startswith("- ")
        return f"{sentence}\n\n{rest}" if after_list else joined


class _HtmlSentence(LatexSentence):
    """Formulas as MathML, lists as ``ol`` and ``ul`` without marks of their own."""

    list_ends = ("</",)

    def write(self, statement: Statement, definitions: Sequence[Definition]) -> str:
        """Until here what is not a list is text with formulas between dollar signs."""
        lines = super().write(statement, definitions).splitlines()
        return "\n".join(line if line.startswith("<") else to_html(line) for line in lines)

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        lines = [
            f'<li><span class="label">({label})</span> {to_html(item)}</li>'
            for label, item in labelled
        ]
        return "\n".join(["<ol>", *lines, "</ol>"])

    def definitions(self, lines: Sequence[str]) -> str:
        return "\n".join(["<ul>", *(f"<li>{to_html(line)}</li>" for line in lines), "</ul>"])
