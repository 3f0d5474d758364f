"""The literature behind the claims: one table, from which citations and BibTeX are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A book or an article.

    Attributes:
        key: what papers cite it by.
        label: what stands in brackets in the documents that compile alone.
        phrase: how facts and claims refer to it.
        kind, fields: the BibTeX entry.
        printed: the entry in print, as LaTeX.
    """

    key: str
    label: str
    phrase: str
    kind: str
    fields: tuple[tuple[str, str], ...]
    printed: str


def _book(
    key: str, label: str, phrase: str, author: str, title: str, publisher: str, **more: str
) -> Source:
    fields = {"author": author, "title": title, "publisher": publisher, **more}
    edition = f", {more['edition'].lower()} edition" if "edition" in more else ""
    printed = f"{_names(author)}. \\emph{{{title}}}{edition}. {publisher}, {more['year']}."
    return Source(key, label, phrase, "book", tuple(fields.items()), printed)


def _names(authors: str) -> str:
    """First names first."""
    people = [" ".join(reversed(person.split(", "))) for person in authors.split(" and ")]
    return people[0] if len(people) == 1 else f"{', '.join(people[:-1])} and {people[-1]}"


_PAPER = {
    "author": (
        r"Castin, Val{\'e}rie and Ablin, Pierre and Carrillo, Jos{\'e} Antonio and "
        r"Peyr{\'e}, Gabriel"
    ),
    "title": "A Unified Perspective on the Dynamics of Deep Transformers",
    "year": "2025",
    "eprint": "2501.18322",
    "archiveprefix": "arXiv",
    "note": "arXiv:2501.18322",
}
_RANKS = {
    "author": "Marsaglia, George and Styan, George P. H.",
    "title": "Equalities and inequalities for ranks of matrices",
    "journal": "Linear and Multilinear Algebra",
    "volume": "2",
    "number": "3",
    "pages": "269--292",
    "year": "1974",
}
_TRANSPORT = {
    "author": "Nutz, Marcel",
    "title": "Introduction to Entropic Optimal Transport",
    "year": "2021",
    "note": "Lecture notes, Columbia University",
}

SOURCES: tuple[Source, ...] = (
    Source(
        "CastinAblinCarrilloPeyre2025",
        "CACP25",
        "arXiv:2501.18322",
        "misc",
        tuple(_PAPER.items()),
        f"{_names(_PAPER['author'])}. {_PAPER['title']}. arXiv:2501.18322, 2025.",
    ),
    _book(
        "Billingsley1995",
        "Bil95",
        "Billingsley, Probability and Measure, 3rd ed.",
        "Billingsley, Patrick",
        "Probability and Measure",
        "Wiley",
        edition="Third",
        year="1995",
    ),
    _book(
        "Hartman2002",
        "Har02",
        "Hartman, Ordinary Differential Equations, 2nd ed.",
        "Hartman, Philip",
        "Ordinary Differential Equations",
        "SIAM",
        edition="Second",
        series="Classics in Applied Mathematics",
        year="2002",
    ),
    _book(
        "Hormander1990",
        "Hor90",
        "Hormander, The Analysis of Linear Partial Differential Operators I, 2nd ed.",
        r"H{\"o}rmander, Lars",
        "The Analysis of Linear Partial Differential Operators I",
        "Springer",
        edition="Second",
        year="1990",
    ),
    _book(
        "Dieudonne1969",
        "Die69",
        "Dieudonne, Foundations of Modern Analysis",
        r"Dieudonn{\'e}, Jean",
        "Foundations of Modern Analysis",
        "Academic Press",
        year="1969",
    ),
    _book(
        "Bhatia1997",
        "Bha97",
        "Bhatia, Matrix Analysis",
        "Bhatia, Rajendra",
        "Matrix Analysis",
        "Springer",
        year="1997",
    ),
    _book(
        "Higham2008",
        "Hig08",
        "Higham, Functions of Matrices",
        "Higham, Nicholas J.",
        "Functions of Matrices: Theory and Computation",
        "SIAM",
        year="2008",
    ),
    _book(
        "HornJohnson2013",
        "HJ13",
        "Horn and Johnson, Matrix Analysis, 2nd ed.",
        "Horn, Roger A. and Johnson, Charles R.",
        "Matrix Analysis",
        "Cambridge University Press",
        edition="Second",
        year="2013",
    ),
    _book(
        "Kato1995",
        "Kat95",
        "Kato, Perturbation Theory for Linear Operators",
        "Kato, Tosio",
        "Perturbation Theory for Linear Operators",
        "Springer",
        series="Classics in Mathematics",
        year="1995",
    ),
    _book(
        "Khalil2002",
        "Kha02",
        "Khalil, Nonlinear Systems, 3rd ed.",
        "Khalil, Hassan K.",
        "Nonlinear Systems",
        "Prentice Hall",
        edition="Third",
        year="2002",
    ),
    Source(
        "MarsagliaStyan1974",
        "MS74",
        "Marsaglia and Styan, Equalities and inequalities for ranks of matrices (1974)",
        "article",
        tuple(_RANKS.items()),
        f"{_names(_RANKS['author'])}. {_RANKS['title']}. "
        rf"\emph{{{_RANKS['journal']}}} 2(3), 269--292, 1974.",
    ),
    Source(
        "Nutz2021",
        "Nut21",
        "Nutz, Introduction to Entropic Optimal Transport (2021)",
        "misc",
        tuple(_TRANSPORT.items()),
        rf"Marcel Nutz. \emph{{{_TRANSPORT['title']}}}. {_TRANSPORT['note']}, 2021.",
    ),
    _book(
        "Rudin1976",
        "Rud76",
        "Rudin, Principles of Mathematical Analysis, 3rd ed.",
        "Rudin, Walter",
        "Principles of Mathematical Analysis",
        "McGraw-Hill",
        edition="Third",
        year="1976",
    ),
)

WITHOUT_SOURCE = ("definition", "field axioms", "order axioms")
"""How references begin that need no literature."""

_NUMBER = r"[0-9IVX][0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*"
_PLACE = rf"(?:Theorem|Section|Corollary|Observation|Problem|Remark)s? {_NUMBER}"
_PLACES = rf"{_PLACE}(?: and (?:{_PLACE}|{_NUMBER}))*"
_CITED = re.compile(
    f"({'|'.join(re.escape(source.phrase) for source in SOURCES)})(?:, ({_PLACES}))?"
)
_KEYS = {source.phrase: source.key for source in SOURCES}


def _cite(match: re.Match[str]) -> str:
    place = f"[{match[2]}]" if match[2] else ""
    return rf"\cite{place}{{{_KEYS[match[1]]}}}"


def cited(reference: str, prose: Callable[[str], str] = str) -> str:
    r"""A reference as LaTeX with citations; ``prose`` writes the words between them.

    >>> cited("Horn and Johnson, Matrix Analysis, 2nd ed., Theorem 4.2.2 (Rayleigh)")
    '\\cite[Theorem 4.2.2]{HornJohnson2013} (Rayleigh)'
    """
    text, end = "", 0
    for match in _CITED.finditer(reference):
        text += prose(reference[end : match.start()]) + _cite(match)
        end = match.end()
    return text + prose(reference[end:])


def citations(reference: str) -> list[str]:
    r"""The citations in a reference alone, without the words around them."""
    return [_cite(match) for match in _CITED.finditer(reference)]


def keys(references: Iterable[str]) -> list[str]:
    """The keys that these references cite, as they are sorted in a bibliography."""
    found = {_KEYS[match[1]] for text in references for match in _CITED.finditer(text)}
    return [source.key for source in SOURCES if source.key in found]


def uncovered(reference: str) -> bool:
    """Whether a reference names something that the table does not have."""
    rest = _CITED.sub("", reference)
    if " ed." in rest or re.search(r"\b(?:19|20)\d\d\b", rest):
        return True
    return rest == reference and not reference.startswith(WITHOUT_SOURCE)


def bibtex() -> str:
    """All sources as a BibTeX file."""
    entries = []
    for source in SOURCES:
        fields = [f"  {name} = {{{_protected(name, value)}}}," for name, value in source.fields]
        entries.append("\n".join([f"@{source.kind}{{{source.key},", *fields, "}"]))
    return "\n\n".join(entries) + "\n"


def _protected(name: str, value: str) -> str:
    return f"{{{value}}}" if name == "title" else value


def bibliography_tex() -> str:
    r"""``\lfreferences{keys}``, for documents that compile alone in one run.

    Labels are known before the first run; once there are others, as with BibTeX, those count.
    """
    lines = [r"\makeatletter"]
    for source in SOURCES:
        lines += [
            rf"\@namedef{{lf@label@{source.key}}}{{{source.label}}}",
            rf"\@namedef{{lf@entry@{source.key}}}{{{source.printed}}}",
            rf"\AtBeginDocument{{\ifcsname b@{source.key}\endcsname\else",
            rf"  \expandafter\gdef\csname b@{source.key}\endcsname{{{source.label}}}\fi}}",
        ]
    return "\n".join(lines) + _LIST


_LIST = r"""
\newcommand{\lf@item}[1]{\bibitem[\csname lf@label@#1\endcsname]{#1}\csname lf@entry@#1\endcsname}
\newcommand{\lfreferences}[1]{\begin{thebibliography}{CACP25}%
  \@for\lf@key:=#1\do{\expandafter\lf@item\expandafter{\lf@key}}\end{thebibliography}}
\makeatother
"""
