"""What does not change the mathematics does not change the verdict."""

import random
from functools import cache
from typing import Any

import pytest

from proofs import language as la
from proofs.claims.base import Claim, ledger
from proofs.kernel import Lemma, Proof, Statement, Step, Theorem, establish, refute
from proofs.terms import DIM, Term, substitute, variable

LEDGER = ledger()
PROVED = {name: claim for name, claim in LEDGER.items() if claim.counterexample is None}
#: whose proofs take long
LONG = {"covariance.l2-tied"}


def each_of(table):
    return pytest.mark.parametrize(
        "claim",
        [
            pytest.param(claim, id=name, marks=[pytest.mark.acceptance] if name in LONG else [])
            for name, claim in table.items()
        ],
    )


claims = each_of(LEDGER)
#: refutations have to satisfy a further hypothesis, and only theorems are lemmas
theorems = each_of(PROVED)


def settle(claim: Claim, statement: Statement, proof: Proof, instance: Any = None):
    if claim.counterexample is None:
        return establish(statement, proof)
    return refute(statement, instance or claim.counterexample, proof)


@cache
def settled(claim_id: str):
    return LEDGER[claim_id].settle()


def renamed_value(value: Any, table: dict[str, Term]) -> Any:
    if isinstance(value, Term):
        return substitute(value, table)
    if isinstance(value, dict):
        return {key: renamed_value(x, table) for key, x in value.items()}
    if isinstance(value, tuple):
        return tuple(renamed_value(x, table) for x in value)
    return value


def renaming(statement: Statement) -> dict[str, Term]:
    """Every variable gets another name; the sizes inside sorts as well."""
    table: dict[str, Term] = {}
    for name, var in sorted(statement.variables().items(), key=lambda x: x[1].args[0] != DIM):
        table[name] = variable(f"{name}_other", substitute(var.args[0], table))
    return table


@claims
def test_consistent_renaming(claim: Claim):
    table = renaming(claim.statement)
    statement = Statement(
        tuple(substitute(h, table) for h in claim.statement.hypotheses),
        substitute(claim.statement.conclusion, table),
    )
    steps = tuple(
        Step(step.rule, step.uses, renamed_value(dict(step.args), table))
        for step in claim.proof.steps
    )
    instance = {f"{name}_other": value for name, value in (claim.counterexample or {}).items()}
    result = settle(claim, statement, Proof(steps, claim.proof.lemmas), instance)
    assert result.statement == statement
    assert result.facts == settled(claim.id).facts


def shuffled(proof: Proof, seed: int) -> Proof:
    """The same steps in another order that respects what they use; the last stays the last."""
    generator = random.Random(seed)
    waiting, order = set(range(len(proof.steps) - 1)), []
    while waiting:
        ready = sorted(i for i in waiting if not waiting & set(proof.steps[i].uses))
        chosen = generator.choice(ready)
        waiting.remove(chosen)
        order.append(chosen)
    order.append(len(proof.steps) - 1)
    number = {old: new for new, old in enumerate(order)}
    steps = [proof.steps[old] for old in order]
    return Proof(
        tuple(Step(s.rule, tuple(number[i] for i in s.uses), s.args) for s in steps), proof.lemmas
    )


@claims
def test_permuted_steps(claim: Claim):
    proof = shuffled(claim.proof, seed=1)
    assert len(claim.proof.steps) < 5 or proof.steps != claim.proof.steps
    assert settle(claim, claim.statement, proof) == settled(claim.id)


@theorems
def test_a_further_hypothesis_only_weakens(claim: Claim):
    extra = la.pd(la.real("unrelated"))
    statement = Statement((extra, *claim.statement.hypotheses), claim.statement.conclusion)
    result = establish(statement, claim.proof)
    assert isinstance(result, Theorem)
    assert result.statement == statement


@theorems
def test_a_claim_is_its_own_lemma(claim: Claim):
    statement = claim.statement
    steps = [Step("assume", (), {"proposition": h}) for h in statement.hypotheses]
    uses = tuple(range(len(steps)))
    instance = dict(statement.variables())
    steps.append(Step("lemma", uses, {"name": "itself", "instance": instance}))
    proof = Proof(tuple(steps), {"itself": Lemma(statement, claim.proof)})
    assert establish(statement, proof).statement == statement
