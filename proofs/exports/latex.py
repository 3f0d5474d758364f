r"""LaTeX: a fragment for each claim, a document of all, their macros and their references.

A fragment is read with ``\input`` by a paper that has read ``macros.tex``.  Compiled alone, it
finds that no document has begun, and begins one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs.exports.macros import MACROS, MacroSentence, breakable, macros_tex
from proofs.exports.prose import prose
from proofs.exports.references import bibliography_tex, bibtex, citations, cited, keys
from proofs.exports.settled import Settled
from proofs.facts.base import Fact, all_facts
from proofs.kernel import Refutation, Statement
from proofs.printing.latex import inline
from proofs.printing.propositions import Printer
from proofs.reports.document import to_latex

PACKAGES = r"\usepackage{amsmath,amssymb}"

PREAMBLE = rf"""\documentclass{{article}}
\usepackage[utf8]{{inputenc}}
\usepackage[margin=1in]{{geometry}}
{PACKAGES}
\setlength{{\emergencystretch}}{{4em}}
\raggedright
\hyphenpenalty=1000
\input{{macros.tex}}
"""

# \@nodocument is \relax from \begin{document} on
HEAD = r"""\expandafter\ifx\csname @nodocument\endcsname\relax
  \providecommand{\lfend}[1]{}
\else
  \input{preamble.tex}
  \newcommand{\lfend}[1]{\lfreferences{#1}\end{document}}
  \begin{document}
\fi
"""

SUBJECTS: Mapping[str, str] = {
    "gaussian": "Gaussians",
    "covariance": "The covariance",
    "gradient": "Gradient flows",
    "variation": "Second variations",
    "seed": "Statements of public summaries",
}
"""First word of an id -> title of the section."""


def files(settled: Sequence[Settled]) -> dict[str, str]:
    """Name -> text: fragments, ``facts.tex``, ``all.tex`` and what they read."""
    names = {fact.name for item in settled for fact in item.facts}
    facts = [fact for fact in all_facts().values() if fact.name in names]
    return {
        **{f"{item.claim.id}.tex": fragment(item) for item in settled},
        "facts.tex": _alone(_facts(facts), keys(fact.reference for fact in facts)),
        "all.tex": _collected(settled, facts),
        "preamble.tex": PREAMBLE + bibliography_tex(),
        "macros.tex": macros_tex(),
        "references.bib": bibtex(),
    }


def fragment(settled: Settled) -> str:
    """One claim: statement, counterexample, source, facts."""
    claim = settled.claim
    parts = [
        rf"\begin{{lfclaim}}{{{claim.id}}}{{{prose(claim.title)}}}{{{settled.status}}}",
        MacroSentence(MACROS).write(settled.statement, claim.notation),
    ]
    if isinstance(settled.result, Refutation):
        parts.append(rf"\lfcounterexample {_counterexample(settled.result)}")
    parts.append(rf"\lfsource{{{cited(claim.source, prose)}.}}")
    if claim.note:
        parts.append(rf"\lfnote{{{prose(claim.note)}}}")
    facts = settled.facts
    if facts:
        parts.append(_rests_on(facts))
    if settled.digits:
        parts.append(rf"\lfdigits{{{prose(settled.digits)}}}")
    parts.append(r"\end{lfclaim}")
    return _alone("\n".join(parts), keys([claim.source, *(fact.reference for fact in facts)]))


def _alone(body: str, cited_keys: Sequence[str]) -> str:
    end = rf"\lfend{{{','.join(cited_keys)}}}" if cited_keys else r"\lfend{}"
    return f"{HEAD}{body}\n{end}\n"


def _rests_on(facts: Sequence[Fact]) -> str:
    """The facts with their citations, then those that are definitions or axioms."""
    places = {fact.name: ", ".join(citations(fact.reference)) for fact in facts}
    quoted = [rf"\lffact{{{name}}}{{{place}}}" for name, place in places.items() if place]
    plain = [rf"\lffactname{{{name}}}" for name, place in places.items() if not place]
    groups = [",\n  ".join(quoted)] if quoted else []
    if plain:
        groups.append("by definition or axiom: " + ",\n  ".join(plain))
    return "\\lffacts{%\n  " + ";\n  ".join(groups) + ".}"


def _counterexample(refutation: Refutation) -> str:
    """The values, sizes first."""
    values = refutation.instance
    given = [name for name in refutation.statement.variables() if name in values]
    given.sort(key=lambda name: values[name].op != "size")
    printed = [Printer(MACROS, [values[n]]).definition(MACROS.name(n), values[n]) for n in given]
    return f"{', '.join(breakable(inline(value)) for value in printed)}."


def _facts(facts: Sequence[Fact]) -> str:
    parts = []
    for fact in facts:
        statement = MacroSentence(MACROS).write(Statement(fact.premises, fact.conclusion), ())
        reference = cited(fact.reference, prose)
        parts.append(
            rf"\begin{{lfclaim}}{{{fact.name}}}{{{prose(fact.text.rstrip('.'))}}}{{fact}}"
            f"\n{statement}\n\\lfsource{{{reference}.}}\n\\end{{lfclaim}}"
        )
    return "\n\n".join(parts)


def _collected(settled: Sequence[Settled], facts: Sequence[Fact]) -> str:
    lines = [
        r"\input{preamble.tex}",
        r"\title{Claims on the dynamics of deep Transformers}",
        r"\author{}\date{}",
        r"\begin{document}",
        r"\maketitle",
        "Statements are printed from the terms that the kernel of lemmaformer has checked; the "
        "statuses are the kernel's. Titles, notes and sources are words and no part of that.",
    ]
    subjects = list(dict.fromkeys(item.claim.id.split(".")[0] for item in settled))
    for subject in subjects:
        lines.append(rf"\section{{{SUBJECTS.get(subject, to_latex(subject))}}}")
        ids = (item.claim.id for item in settled if item.claim.id.split(".")[0] == subject)
        lines += [rf"\input{{{name}.tex}}" for name in ids]
    if facts:
        lines += [r"\section{Facts that are cited}", r"\input{facts.tex}"]
    references = [item.claim.source for item in settled] + [fact.reference for fact in facts]
    cited_keys = keys(references)
    if cited_keys:
        lines.append(rf"\lfreferences{{{','.join(cited_keys)}}}")
    lines.append(r"\end{document}")
    return "\n".join(lines) + "\n"
