"""Two tokens in the plane that move along lines, for the claims on energies of two tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs.claims.base import Claim
from proofs.claims.two_tokens import X
from proofs.crosschecks.base import Comparison, CrossCheck
from proofs.crosschecks.moving_particles import MASSES, POINTS, VELOCITIES, B, line
from proofs.crosschecks.structure import consequence, expect
from proofs.language import at, real
from proofs.terms import Term, application

PAIR = slice(0, 2)
VALUES: dict[str, Any] = {
    "d": 2,
    "m": MASSES[PAIR],
    "X": [line(*moving) for moving in zip(POINTS[PAIR], VELOCITIES[PAIR], strict=True)],
    "U": [line(u, [0, 0]) for u in VELOCITIES[PAIR]],
    "B": B,
    "t": 0,
}


def asked(claim: Claim, motion: tuple[Term, Term]) -> Term:
    """The derivative that the claim asks of an energy along a motion X, U, at the time t."""
    structure = next(
        part
        for part in claim.statement.hypotheses
        if part.op == "forall" and part.args[0].args[0] == X.args[0]
    )
    for letter in motion:
        structure = application(expect(structure, "forall").args[0], letter)
    return at(expect(consequence(structure), "ode").args[2], real("t"))


def compared(
    claim: Claim, formula: Term, values: dict[str, Any], independent: Callable[[int], Any]
) -> CrossCheck:
    quantity = "the derivative that an energy would have, two tokens in the plane"
    return CrossCheck(claim.id, (Comparison(quantity, formula, {**VALUES, **values}, independent),))
