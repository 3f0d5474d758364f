"""The hypotheses of every claim are needed by its proof and can be met; lemmas do not go round."""

from fractions import Fraction
from typing import Any

import pytest
import soundness_mutants as mutants
import soundness_truth as truth

from proofs import language as la
from proofs.claims import l2_velocity
from proofs.claims.base import Claim, ledger
from proofs.kernel import Proof
from proofs.terms import DIM, REAL, Term, application, index, size, substitute

LEDGER = ledger()
#: what a lemma of that name says, wherever it is used
STATED = {
    **{name: claim.statement for name, claim in LEDGER.items()},
    l2_velocity.NAME: l2_velocity.lemma().statement,
}
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
        assert lemma.statement == STATED[name]
        lemma_names(lemma.proof, (*path, name))


@claims
def test_no_lemma_cycle(claim: Claim):
    lemma_names(claim.proof, (claim.id,))


# Instances at which the parameters satisfy every hypothesis -----------------------------------

ONE = [[1]]
HALF = Fraction(1, 2)
PLANE = {"V": [[1, 0], [0, 2]], "A": [[-1, 0], [0, -3]], "Sigma0": [[1, 0], [0, 4]]}
FACTORS = {**PLANE, "L": [[1, 0], [0, 2]], "E": [[1, 0], [0, 1]]}
HEADS = {
    "V": [[[1, 0], [0, 2]], [[0, -1], [3, 0]]],
    "A": [[[-1, 0], [0, -3]], [[0, 1], [-1, 2]]],
}
#: V_h diagonal, and S = diag(-2, -14) although no A_h is
COMMUTING_HEADS = {
    "V": [[[1, 0], [0, 2]], [[3, 0], [0, -1]]],
    "A": [[[-1, 2], [0, -3]], [[0, 0], [2, 1]]],
}
#: 1 + 4 a^2 s0^2 = (5/4)^2
LINE = {
    "v": [[Fraction(3, 4)]],
    "a": [[Fraction(2, 3)]],
    "k": [[Fraction(4, 3)]],
    "s0": [[Fraction(9, 16)]],
}
#: K_g V_h = 0
L2_HEADS = {
    "V": [[[0, 0], [1, 2]], [[0, 0], [-1, 1]]],
    "Q": [[[1, -1]], [[2, 3]]],
    "K": [[[1, 0]], [[-2, 0]]],
}
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
    # V_h = I and A_h = I twice: tr(F(Z)) = 4 tr(Z^2), between 2 tr(Z)^2 and 4 tr(Z)^2
    "covariance.blowup-lyapunov": {**PLANE, "P": [[1, 0], [0, 1]], "c": [[2]]},
    "covariance.lasting-lyapunov": {**PLANE, "P": [[1, 0], [0, 1]], "c": [[4]]},
    "covariance.lyapunov": {"P": [[2, 1], [1, 1]]},
    "covariance.l2-global": {**PLANE, "k": 1},
    "covariance.l2-in-kernel": {**PLANE, "k": 1},
    "covariance.l2-rank": {**PLANE, "k": 1},
    "covariance.l2-tied": {**PLANE, "k": 1},
    "covariance.linear-centered": PLANE,
    "covariance.multihead-definite-value": {**PLANE, "P": [[1, 0], [0, 1]]},
    "covariance.multihead-existence-time": {**PLANE, "m": [[4]]},
    "covariance.multihead-rank": PLANE,
    "covariance.no-convergence": {
        "d": 3,
        "a": [[1], [0], [0]],
        "b": [[0], [1], [0]],
        "c": [[0], [0], [1]],
        "Sigma0": [[1, 0, HALF], [0, 1, Fraction(-1, 3)], [HALF, Fraction(-1, 3), 1]],
    },
    # P V = -A^T
    "covariance.opposite-value": {
        "P": [[2, 1], [1, 1]],
        "V": [[2, -2], [-3, 2]],
        "A": [[-1, 1], [2, 0]],
    },
    "covariance.rank": PLANE,
    "covariance.scalar-l2": {**LINE, "c": [[Fraction(3, 8)]]},
    "covariance.scalar-sinkhorn": {**LINE, "c": [[Fraction(1, 2)]]},
    "covariance.scalar-softmax": {**LINE, "c": [[Fraction(9, 16)]]},
    "covariance.self-similar": {
        "V": [[1, -1], [-2, 4]],
        "A": [[Fraction(-1, 2), Fraction(7, 4)], [Fraction(-1, 4), Fraction(1, 4)]],
        "Sigma0": [[1, 0], [0, 4]],
        "c": ONE,
    },
    "covariance.sinkhorn-clustering": {**PLANE, "P": [[2, 1], [1, 1]]},
    "covariance.sinkhorn-equation": {**PLANE, "Z": [[1, 1], [1, 1]]},
    "covariance.sinkhorn-global": {**PLANE, "s": [[4]]},
    "covariance.sinkhorn-rank": PLANE,
    "covariance.stationary-rank": {
        "A": [[1, 0], [0, -1]],
        "Hp": [[2, 0], [0, 0]],
        "Hn": [[0, 0], [0, 2]],
        "Sigma": [[1, 1], [1, 1]],
    },
    "gaussian.not-exponential": {"v": [[-2]], "a": [[3]]},
    "gaussian.not-masked-softmax": {"v": [[-2]], "a": [[3]], "p1": [[2]]},
    "gaussian.not-sigmoid": {"v": [[-2]], "a": [[3]]},
    "gaussian.softmax": PLANE,
}
#: claim -> the members of its families, for two heads
UNITS = [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]
FAMILIES: dict[str, dict[str, list[Any]]] = {
    "covariance.blowup-lyapunov": {"V": UNITS, "A": UNITS},
    "covariance.explicit": {**HEADS},
    "covariance.lasting-lyapunov": {"V": UNITS, "A": UNITS},
    # P V_1 = -(A_1 + A_1^T)/2 is indefinite, P V_2 > 0 and A_2 + A_2^T <= 0
    "covariance.lyapunov": {
        "V": [[[-HALF, -3 * HALF], [0, 5 * HALF]], [[1, 0], [0, 1]]],
        "A": [[[1, 2], [-1, -1]], [[-1, 1], [-1, 0]]],
    },
    "covariance.l2-global": {**L2_HEADS},
    "covariance.l2-in-kernel": {**L2_HEADS},
    "covariance.l2-rank": {**L2_HEADS},
    "covariance.l2-tied": {
        **L2_HEADS,
        "V": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]],
        "K": [[[-1, 1]], [[-2, -3]]],
    },
    "covariance.multihead-commuting": {**COMMUTING_HEADS},
    "covariance.multihead-commuting-blowup": {**COMMUTING_HEADS},
    "covariance.multihead-rank": {**HEADS},
    "covariance.multihead-scalar": {
        **HEADS,
        "V": [[[2, 0], [0, 2]], [[-3, 0], [0, -3]]],
        "v": [[[2]], [[-3]]],
    },
    "covariance.multihead-definite-value": {
        "V": [[[1, 0], [0, 2]], [[1, 1], [1, 1]]],
        "A": [[[-1, 1], [-1, -3]], [[0, 2], [-2, 0]]],
    },
    "covariance.multihead-existence-time": {**HEADS, "v": [[[2]], [[3]]], "a": [[[3]], [[4]]]},
    "covariance.sinkhorn-clustering": {
        "V": [[[2, -2], [-3, 2]], [[0, 0], [0, -1]]],
        "A": [[[-1, 1], [2, 0]], [[0, 0], [1, 1]]],
    },
    "covariance.sinkhorn-global": {**HEADS, "v": [[[2]], [[3]]]},
    "covariance.sinkhorn-rank": {**HEADS},
    "gaussian.multihead-bias": {
        "V": HEADS["V"],
        "Q": [[[1, 0], [0, 2]], [[0, 1], [1, 0]]],
        "K": [[[-1, 0], [0, -1]], [[1, 1], [0, 1]]],
        "b_q": [[[1], [0]], [[0], [1]]],
        "b_k": [[[0], [2]], [[1], [1]]],
        "b_v": [[[1], [1]], [[-1], [0]]],
    },
}
CURVES = {"maximal", "ode", "piecewise", "within", "limit", "forall"}
ARITHMETIC = {"root", "add", "mul", "scale", "transpose", "trace", "inverse", "identity", "zero"}


LOGIC = {"eq", "psd", "pd", "and", "not", "literal", "Mat", "size"}
INDICES = {"forall", "lambda", "bound", "Index", "family", "apply", "sum"}


def over_indices(proposition: Term) -> bool:
    return proposition.op == "forall" and proposition.args[0].args[0].op == "Index"


def sums_heads(proposition: Term) -> bool:
    return any(node.op == "sum" for node in proposition.walk())


def is_curve(term: Term) -> bool:
    """A free letter for a curve, or for a family of curves."""
    sort = term.args[0] if term.op == "var" else term
    while sort.op == "Fun" and sort.args[0].op == "Index":
        sort = sort.args[1]
    return term.op == "var" and sort.op == "Fun" and sort.args[0] == REAL


def holds(proposition: Term) -> bool:
    value = truth.Point(0)
    if over_indices(proposition):
        count = value.size(proposition.args[0].args[0].args[0])
        cases = (application(proposition.args[0], index(i + 1, count)) for i in range(count))
        return all(map(holds, cases))
    if proposition.op == "and":
        return all(map(holds, proposition.args))
    if proposition.op == "not":
        return not holds(proposition.args[0])
    if proposition.op == "implies":
        return not holds(proposition.args[0]) or holds(proposition.args[1])
    if proposition.op == "eq":
        return value(proposition.args[0]) == value(proposition.args[1])
    assert proposition.op in ("psd", "pd")
    return truth.semidefinite(value(proposition.args[0]), proposition.op == "pd")


def instance_of(claim: Claim) -> dict[str, Term]:
    """Values for all parameters: those above, the plane's, otherwise ones of size 2."""
    known = {**PLANE, **INSTANCES.get(claim.id, {})}
    instance: dict[str, Term] = {}
    for name, var in claim.statement.variables().items():
        sort = var.args[0]
        if sort == DIM:
            instance[name] = size(known.get(name, 2))
        elif sort.op == "Fun" and sort.args[0].op == "Index" and sort.args[1].op == "Mat":
            members = map(la.literal, FAMILIES[claim.id][name])
            instance[name] = Term("family", tuple(members))
        elif name in known:
            instance[name] = la.literal(known[name])
        elif sort.op == "Mat":
            rows, columns = (1 if n == size(1) else 2 for n in sort.args)
            ones = [[int(i == j or columns == 1) for j in range(columns)] for i in range(rows)]
            instance[name] = la.literal(ones)
    return instance


@claims
def test_parameter_hypotheses_can_be_met(claim: Claim):
    """Exactly, with fractions.  Hypotheses on curves are met by Picard-Lindelof and constants.

    test_gaussian_models.py meets those of the Gaussian claims with numbers.
    """
    if claim.counterexample is not None:
        return  # its hypotheses are met by the counterexample, as the kernel checks
    instance = instance_of(claim)
    for hypothesis in claim.statement.hypotheses:
        if hypothesis.op in CURVES and not over_indices(hypothesis):
            continue
        if any(is_curve(node) for node in hypothesis.walk()):
            continue
        at_instance = substitute(hypothesis, instance)
        unknown = (
            {n.op for n in at_instance.walk()}
            - ARITHMETIC
            - (INDICES if over_indices(hypothesis) or sums_heads(hypothesis) else set())
        )
        assert unknown <= LOGIC, unknown
        assert holds(at_instance), f"add an instance for {claim.id}"


CONES = ("covariance.blowup-lyapunov", "covariance.lasting-lyapunov", "covariance.lyapunov")
#: positive semidefinite, of rank 0, 1 and 2
STATES = [
    [[0, 0], [0, 0]],
    [[1, 0], [0, 0]],
    [[0, 0], [0, 3]],
    [[1, -2], [-2, 4]],
    [[4, 6], [6, 9]],
    [[1, 0], [0, 1]],
    [[2, 1], [1, 1]],
    [[5, -3], [-3, 2]],
]


@pytest.mark.parametrize("name", CONES)
def test_hypotheses_on_the_cone_hold_at_the_instances(name: str):
    """For several Z >= 0; so they do not for the other sign of the heads."""
    claim = LEDGER[name]
    instance = instance_of(claim)
    (hypothesis,) = [h for h in claim.statement.hypotheses if h.op == "forall"]
    minus = [[[-x for x in row] for row in V] for V in FAMILIES[name]["V"]]
    opposite = {**instance, "V": Term("family", tuple(map(la.literal, minus)))}
    for values, expected in ((instance, True), (opposite, name == "covariance.lasting-lyapunov")):
        predicate = substitute(hypothesis, values).args[0]
        cases = [application(predicate, la.literal(state)) for state in STATES]
        assert all(holds(case.args[0]) for case in cases)
        assert all(holds(case.args[1]) for case in cases) == expected


def test_the_instances_can_fail():
    assert not holds(la.psd(la.literal([[-1]])))
    assert not holds(la.eq(la.literal([[1]]), la.literal([[2]])))
    h = la.head("h", size(2))
    members = Term("family", (la.number(1), la.number(-1)))
    assert not holds(la.forall(h, la.psd(la.at(members, h))))
