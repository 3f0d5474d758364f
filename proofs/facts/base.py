"""What a fact is, and the table of all facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from proofs.terms import Term

SUBJECTS = (
    "definitions",
    "linear_algebra",
    "calculus",
    "gradients",
    "differential_equations",
    "enclosures",
    "probability",
    "integration",
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A schema: the premises imply the conclusion, for all values of the free variables.

    ``text`` states it in words (informal), ``reference`` says where it is proved; both have
    formulas in Unicode between dollar signs.
    """

    name: str
    premises: tuple[Term, ...]
    conclusion: Term
    text: str
    reference: str


@cache
def all_facts() -> Mapping[str, Fact]:
    """Name -> fact, in the order of the subjects.

    Raises:
        ValueError: two facts have one name.

    >>> print(all_facts()["rank-of-product"].reference)
    Horn and Johnson, Matrix Analysis, 2nd ed., Section 0.4.5
    """
    table: dict[str, Fact] = {}
    for subject in SUBJECTS:
        for fact in import_module(f"proofs.facts.{subject}").FACTS:
            if fact.name in table:
                raise ValueError(f"two facts are called {fact.name}")
            table[fact.name] = fact
    return table


def fact_named(name: str) -> Fact:
    """The fact of that name.

    Raises:
        KeyError: there is none.

    >>> from proofs.printing.text import text
    >>> print(text(fact_named("rank-of-product").conclusion))
    rank(A B) ≤ rank(A) and rank(A B) ≤ rank(B)
    """
    return all_facts()[name]
