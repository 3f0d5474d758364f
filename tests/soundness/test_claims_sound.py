"""The hypotheses of every claim are needed by its proof and can be met; lemmas do not go round."""

from fractions import Fraction
from typing import Any

import pytest
import soundness_mutants as mutants
import soundness_truth as truth

from proofs import language as la
from proofs.claims.base import Claim, ledger
from proofs.kernel import Proof
from proofs.terms import DIM, Term, size, substitute

LEDGER = ledger()
claims = pytest.mark.parametrize("claim", LEDGER.values(), ids=LEDGER)


@claims
def test_hypotheses_of_the_proof_are_those_of_the_statement(claim: Claim):
    assumed = set(mutants.sequents(claim.proof)[-1].hypotheses)
    stated = claim.statement.hypotheses
    assert len(claim.hypotheses) == len(stated)
    assert len(set(stated)) == len(stated)
    if claim.counterexample is None:
        assert assumed == set(stated)
    else:
        assert assumed == set()


def lemma_names(proof: Proof, path: tuple[str, ...]) -> None:
    for name, lemma in proof.lemmas.items():
        assert name not in path, f"{name} rests on itself"
        assert lemma.statement == LEDGER[name].statement
        lemma_names(lemma.proof, (*path, name))


@claims
def test_no_lemma_cycle(claim: Claim):
    lemma_names(claim.proof, (claim.id,))


# Instances at which the parameters satisfy every hypothesis -----------------------------------

ONE = [[1]]
PLANE = {"V": [[1, 0], [0, 2]], "A": [[-1, 0], [0, -3]], "Sigma0": [[1, 0], [0, 4]]}
FACTORS = {**PLANE, "L": [[1, 0], [0, 2]], "E": [[1, 0], [0, 1]]}
#: claim -> values of its parameters (V commutes with Sigma0 and S here; S <= 0)
INSTANCES: dict[str, dict[str, Any]] = {
    "covariance.commuting": PLANE,
    "covariance.commuting-blowup": PLANE,
    "covariance.commuting-every-start": PLANE,
    "covariance.commuting-limit": PLANE,
    "covariance.commuting-factored": FACTORS,
    # N = L^T S L = diag(2, 0): singular at r = 1/2
    "covariance.commuting-bounds": {
        **FACTORS,
        "A": [[1, 0], [0, 0]],
        "low": [[Fraction(1, 4)]],
        "high": ONE,
        "w": [[1], [0]],
    },
    "covariance.commuting-factored-limit": {
        **FACTORS,
        "A": [[-1, 0], [0, 0]],
        "G": [[0, 0], [0, 1]],
        "Y": [[Fraction(-1, 2), 0], [0, 0]],
    },
    "covariance.definite-value": {**PLANE, "P": [[1, 0], [0, 1]]},
    "covariance.existence-time": {**PLANE, "v": [[2]], "a": [[3]], "m": [[4]]},
    "covariance.linear-centered": PLANE,
    "covariance.rank": PLANE,
    "covariance.self-similar": {
        "V": [[1, -1], [-2, 4]],
        "A": [[Fraction(-1, 2), Fraction(7, 4)], [Fraction(-1, 4), Fraction(1, 4)]],
        "Sigma0": [[1, 0], [0, 4]],
        "c": ONE,
    },
    "covariance.stationary-rank": {
        "A": [[1, 0], [0, -1]],
        "Hp": [[2, 0], [0, 0]],
        "Hn": [[0, 0], [0, 2]],
        "Sigma": [[1, 1], [1, 1]],
    },
    "gaussian.softmax": PLANE,
}
CURVES = {"maximal", "ode", "within", "limit", "forall"}
ARITHMETIC = {"root", "add", "mul", "scale", "transpose", "trace", "inverse", "identity", "zero"}


def holds(proposition: Term) -> bool:
    value = truth.Point(0)
    if proposition.op == "eq":
        return value(proposition.args[0]) == value(proposition.args[1])
    assert proposition.op in ("psd", "pd")
    return truth.semidefinite(value(proposition.args[0]), proposition.op == "pd")


def instance_of(claim: Claim) -> dict[str, Term]:
    """Values for all parameters of size 2: those above, the plane's, otherwise ones."""
    known = {**PLANE, **INSTANCES.get(claim.id, {})}
    instance: dict[str, Term] = {}
    for name, var in claim.statement.variables().items():
        sort = var.args[0]
        if sort == DIM:
            instance[name] = size(2)
        elif name in known:
            instance[name] = la.literal(known[name])
        elif sort.op == "Mat":
            rows, columns = (1 if n == size(1) else 2 for n in sort.args)
            ones = [[int(i == j or columns == 1) for j in range(columns)] for i in range(rows)]
            instance[name] = la.literal(ones)
    return instance


@claims
def test_parameter_hypotheses_can_be_met(claim: Claim):
    """Exactly, with fractions.  Hypotheses on curves are met by Picard-Lindelof."""
    if claim.counterexample is not None:
        return  # its hypotheses are met by the counterexample, as the kernel checks
    instance = instance_of(claim)
    for hypothesis in claim.statement.hypotheses:
        if hypothesis.op in CURVES:
            continue
        at_instance = substitute(hypothesis, instance)
        unknown = {n.op for n in at_instance.walk()} - ARITHMETIC
        assert unknown <= {"eq", "psd", "pd", "literal", "Mat", "size"}, unknown
        assert holds(at_instance), f"add an instance for {claim.id}"


def test_the_instances_can_fail():
    assert not holds(la.psd(la.literal([[-1]])))
    assert not holds(la.eq(la.literal([[1]]), la.literal([[2]])))
