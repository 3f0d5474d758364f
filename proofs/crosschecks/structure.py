"""Taking statements apart: the formulas inside the terms that the kernel checked."""

from __future__ import annotations

from proofs.claims.base import Claim
from proofs.terms import Term, application, substitute


def instantiated(quantified: Term, *values: Term) -> Term:
    """The body of nested quantifiers, with ``values`` for the bound variables."""
    for value in values:
        expect(quantified, "forall", "exists")
        quantified = application(quantified.args[0], value)
    return quantified


def consequence(implication: Term) -> Term:
    """Q, from P => Q."""
    return expect(implication, "implies").args[1]


def end_of(proposition: Term) -> Term:
    """r, from a proposition about the lifetime [0, r), or from the finite lifetime itself."""
    if proposition.op in ("maximal", "ode", "escapes"):
        proposition = proposition.args[0]
    return expect(proposition, "finite").args[0]


def greater_side(inequality: Term) -> Term:
    """b, from a <= b."""
    return expect(expect(inequality, "psd").args[0], "add").args[0]


def smaller_side(inequality: Term) -> Term:
    """a, from a <= b."""
    return expect(expect(expect(inequality, "psd").args[0], "add").args[1], "scale").args[1]


def right_side(equation: Term) -> Term:
    """b, from a = b."""
    return expect(equation, "eq").args[1]


def left_side(equation: Term) -> Term:
    """a, from a = b."""
    return expect(equation, "eq").args[0]


def expect(term: Term, *operations: str) -> Term:
    """``term`` itself, when it is one of these operations.

    Raises:
        ValueError: it is another one, so that the statement has changed its form.
    """
    if term.op not in operations:
        raise ValueError(f"expected {' or '.join(operations)}, found {term.op}")
    return term


def exhibited(claim: Claim) -> Term:
    """The conclusion of a claim of existence, with the witnesses of its proof put in."""
    body = claim.statement.conclusion
    for step in reversed(claim.proof.steps):
        if step.rule != "exhibit":
            break
        body = instantiated(body, step.args["value"])
    return body


def refuted(claim: Claim, term: Term) -> Term:
    """A term of the claim's statement at its counterexample.

    Raises:
        ValueError: the claim has none.
    """
    if claim.counterexample is None:
        raise ValueError(f"{claim.id} has no counterexample")
    return substitute(term, claim.counterexample)
