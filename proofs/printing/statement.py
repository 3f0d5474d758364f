"""A whole statement as one sentence: variables, hypotheses, conclusions."""

from __future__ import annotations

from collections.abc import Sequence

from proofs.kernel import Statement
from proofs.printing.latex import LATEX
from proofs.printing.notation import Notation
from proofs.printing.propositions import Printer
from proofs.printing.text import TEXT
from proofs.terms import DIM


def statement_text(statement: Statement) -> str:
    """The statement for a terminal; several hypotheses or conclusions stand one to a line.

    White space matters nowhere, so that ``" ".join(result.split())`` says the same in one line.

    >>> from proofs.language import dim, mat, mul, psd, tp
    >>> d = dim("d")
    >>> V, M = mat("V", d, d), mat("M", d, d)
    >>> print(statement_text(Statement((psd(M),), psd(mul(V, M, tp(V))))))
    For every size d ≥ 1, all M, V ∈ ℝ^{d×d}: if M ⪰ 0, then V M Vᵀ ⪰ 0.
    """
    return _Sentence(TEXT).write(statement)


def statement_latex(statement: Statement) -> str:
    """The statement as LaTeX text, several hypotheses or conclusions as lists."""
    return _LatexSentence(LATEX).write(statement)


class _Sentence:
    """Writes a statement in one notation; here formulas stand in text as they are."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation

    def formula(self, formula: str) -> str:
        return formula

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        return "\n".join(f"  ({label}) {item}" for label, item in labelled)

    def write(self, statement: Statement) -> str:
        goal = statement.conclusion
        printer = Printer(self._notation, [*statement.hypotheses, goal])
        parts = goal.args if goal.op == "and" else (goal,)
        hypotheses = [self.formula(printer.whole(h)) for h in statement.hypotheses]
        conclusions = [self.formula(printer.whole(c)) for c in parts]
        quantifiers = self._quantifiers(statement, printer)
        sentence = f"For {', '.join(quantifiers)}:" if quantifiers else ""
        if hypotheses:
            sentence = self._append(sentence, "if" if quantifiers else "If")
            labels = [str(number) for number in range(1, len(hypotheses) + 1)]
            sentence = self._append(sentence, self._list(hypotheses, labels, ","))
            sentence = self._append(sentence, "then")
        labels = [chr(ord("a") + i % 26) * (1 + i // 26) for i in range(len(conclusions))]
        return self._append(sentence, self._list(conclusions, labels, "."))

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
        variables = statement.variables().values()
        sizes = [var for var in variables if var.args[0] == DIM]
        others = [var for var in variables if var.args[0] != DIM]
        quantifiers = []
        if sizes:
            words = "every size" if len(sizes) == 1 else "all sizes"
            quantifiers.append(f"{words} {self.formula(printer.declare(sizes))}")
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
        after_list = sentence.splitlines()[-1].startswith(("  (", r"\end"))
        return f"{sentence}\n{rest}" if after_list else f"{sentence} {rest}"


class _LatexSentence(_Sentence):
    """Formulas in math mode, lists as ``enumerate``."""

    def formula(self, formula: str) -> str:
        return f"${formula}$"

    def items(self, labelled: Sequence[tuple[str, str]]) -> str:
        lines = [rf"\item[({label})] {item}" for label, item in labelled]
        return "\n".join([r"\begin{enumerate}", *lines, r"\end{enumerate}"])
