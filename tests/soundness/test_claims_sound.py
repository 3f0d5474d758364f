"""The hypotheses of every claim are needed by its proof and can be met; lemmas do not go round."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import soundness_flows as flows
import soundness_mutants as mutants
import soundness_truth as truth
from soundness_models import Model, real

from proofs import language as la
from proofs.claims import l2_velocity
from proofs.claims.base import Claim, ledger
from proofs.claims.pair_energy import pair_energy
from proofs.kernel import Proof
from proofs.terms import DIM, Term, application, index, size, substitute

LEDGER = ledger()
#: what a lemma of that name says, wherever it is used
STATED = {
    "pair-energy": pair_energy().statement,
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
#: y^2 - z^2 >= 0 and y > 0
QUADRANT = {"w": [[1], [0]], "M": [[1, 0], [0, -1]], "x0": [[2], [1]], "k": [[HALF]]}
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
#: B V = c A
METRIC = {
    "A": [[1, 2], [2, -1]],
    "B": [[2, 1], [1, 1]],
    "c": [[-2]],
    "V": [[2, -6], [-6, 8]],
}
WEIGHTS = [[[HALF]], [[3]]]
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
    # x = (1/(1 - t), (1 - t)/2) and y = x(0) + t x'(0)
    "covariance.enclosure": {
        "x0": [[1], [HALF]],
        "M": [[Fraction(11, 10)], [Fraction(9, 20)]],
        "s": [[Fraction(1, 10)]],
        "b": [[Fraction(1, 10)]],
        "c": [[Fraction(22, 100)]],
        "l": [[Fraction(23, 10)]],
        "m": [[Fraction(1, 100)]],
        "e": [[Fraction(4, 100)]],
    },
    "covariance.existence-time": {**PLANE, "v": [[2]], "a": [[3]], "m": [[4]]},
    # V_h = I and A_h = I twice: tr(F(Z)) = 4 tr(Z^2), between 2 tr(Z)^2 and 4 tr(Z)^2
    "covariance.blowup-lyapunov": {**PLANE, "P": [[1, 0], [0, 1]], "c": [[2]]},
    "covariance.lasting-lyapunov": {**PLANE, "P": [[1, 0], [0, 1]], "c": [[4]]},
    # y' = y^2 and z' = -y z; y' = -y^2 and z' = -2 y z
    "covariance.blowup-cone": {
        **QUADRANT,
        "m": [[2]],
        "c": ONE,
        "b": ONE,
        "s": [[Fraction(5, 2)]],
        "r": [[HALF]],
        "R": [[HALF]],
    },
    "covariance.bounded-cone": {**QUADRANT, "m": [[-2]], "b": ONE, "N": [[5, 0], [0, -1]]},
    # y' = y^2 = (y/2) (2 y)
    "covariance.clocked-cone": {
        **QUADRANT,
        "m": [[2]],
        "b": [[0]],
        "c": [[HALF]],
        "s": [[Fraction(5, 2)]],
    },
    "covariance.lyapunov": {"P": [[2, 1], [1, 1]]},
    "covariance.l2-global": {**PLANE, "k": 1},
    "covariance.l2-in-kernel": {**PLANE, "k": 1},
    "covariance.l2-one-row": {**PLANE, "k": 1, "w": [[1, -1]], "n": [[4]]},
    "covariance.l2-rank": {**PLANE, "k": 1},
    "covariance.l2-tied": {**PLANE, "k": 1},
    "covariance.linear-centered": PLANE,
    "covariance.multihead-definite-value": {**PLANE, "P": [[1, 0], [0, 1]]},
    "covariance.multihead-existence-time": {**PLANE, "m": [[4]]},
    "covariance.multihead-rank": PLANE,
    **{f"gradient.{name}": METRIC for name in ("softmax", "exponential", "linear", "sigmoid")},
    **{f"gradient.multihead-{name}": METRIC for name in ("exponential", "linear", "sigmoid")},
    "gradient.dissipation": METRIC,
    "gradient.none.opposite-heads": {"a": [[2]]},
    "gradient.sinkhorn": METRIC,
    "variation.softmax": METRIC,
    "variation.softmax-dirac": METRIC,
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
    # y' = y^2 and z' = -y z
    "covariance.enclosure": {
        "U": [[[1], [0]], [[0], [1]]],
        "Q": [[[1, 0], [0, 0]], [[0, -HALF], [-HALF, 0]]],
        "q": [ONE, [[HALF]]],
    },
    "covariance.explicit": {**HEADS},
    "covariance.lasting-lyapunov": {"V": UNITS, "A": UNITS},
    # P V_1 = -(A_1 + A_1^T)/2 is indefinite, P V_2 > 0 and A_2 + A_2^T <= 0
    "covariance.lyapunov": {
        "V": [[[-HALF, -3 * HALF], [0, 5 * HALF]], [[1, 0], [0, 1]]],
        "A": [[[1, 2], [-1, -1]], [[-1, 1], [-1, 0]]],
    },
    "covariance.l2-global": {**L2_HEADS},
    "covariance.l2-in-kernel": {**L2_HEADS},
    "covariance.l2-one-row": {
        **L2_HEADS,
        "K": [[[2, -2]], [[-2, 2]]],
        "a": [[[2]], [[-2]]],
    },
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
    **{
        f"gradient.{name}": {"m": WEIGHTS}
        for name in (
            *("dissipation", "exponential", "l2", "linear", "sigmoid", "sinkhorn", "softmax"),
            *("none.l2", "none.masked", "softmax-converse"),
        )
    },
    **{
        f"gradient.multihead-{name}": {
            "m": WEIGHTS,
            "A": [METRIC["A"], [[0, HALF], [HALF, 1]]],
            "V": [METRIC["V"], [[1, 1], [-2, -3]]],
        }
        for name in ("exponential", "linear", "sigmoid")
    },
    "variation.softmax": {"m": WEIGHTS},
    "gaussian.multihead-bias": {
        "V": HEADS["V"],
        "Q": [[[1, 0], [0, 2]], [[0, 1], [1, 0]]],
        "K": [[[-1, 0], [0, -1]], [[1, 1], [0, 1]]],
        "b_q": [[[1], [0]], [[0], [1]]],
        "b_k": [[[0], [2]], [[1], [1]]],
        "b_v": [[[1], [1]], [[-1], [0]]],
    },
}
CURVES = {"maximal", "ode", "piecewise", "within", "limit", "forall", "smooth"}
ARITHMETIC = {"root", "add", "mul", "scale", "transpose", "trace", "inverse", "identity", "zero"}


LOGIC = {"eq", "psd", "pd", "and", "not", "literal", "Mat", "size"}
INDICES = {"forall", "lambda", "bound", "Index", "family", "apply", "sum"}


def over_indices(proposition: Term) -> bool:
    return proposition.op == "forall" and proposition.args[0].args[0].op == "Index"


def sums_heads(proposition: Term) -> bool:
    return any(node.op == "sum" for node in proposition.walk())


def is_function(term: Term) -> bool:
    """A free letter for a curve or another function, or for a family of them."""
    sort = term.args[0] if term.op == "var" else term
    while sort.op == "Fun" and sort.args[0].op == "Index":
        sort = sort.args[1]
    return term.op == "var" and sort.op == "Fun"


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

    test_gaussian_models.py and test_gradient_models.py meet those of their claims with numbers,
    and those of claims on quadratic systems are met below.
    """
    if claim.counterexample is not None:
        return  # its hypotheses are met by the counterexample, as the kernel checks
    instance = instance_of(claim)
    for hypothesis in claim.statement.hypotheses:
        if hypothesis.op in CURVES and not over_indices(hypothesis):
            continue
        if any(is_function(node) for node in hypothesis.walk()):
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


# Systems whose solutions are known, for each claim first one where all its hypotheses hold --------

Values = dict[str, Any]


def column(*entries: float) -> np.ndarray:
    return np.array(entries, dtype=float)[:, None]


def curve(value: Callable[[float], Any]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: column(*value(float(t[0, 0])))


def solved(field: Callable[[float, float], Any], solution: Callable, end: float) -> Values:
    x = curve(solution)
    return {"f": lambda z: column(*field(*z[:, 0])), "x": x, "x0": x(real(0)), "T": end}


def tube(radius: float, growth: float) -> Values:
    return {"r": lambda t: real(radius) + growth * t, "g": lambda t: real(growth)}


def opposite(function: Callable) -> Callable:
    return lambda z: -function(z)


def numbers(**values: float) -> Values:
    return {name: real(value) for name, value in values.items()}


def rising(t: float) -> tuple[float, float]:
    return 2 / (1 - 2 * t), 1 - 2 * t


def falling(t: float) -> tuple[float, float]:
    return 2 / (1 + 2 * t), (1 + 2 * t) ** -2


BLOWS_UP = solved(lambda y, z: (y * y, -y * z), rising, 0.5)
DECAYS = solved(lambda y, z: (-y * y, -2 * y * z), falling, math.inf)
# there is no way on where the fields jump, y = 3 and y = 1
STUCK_RISING = solved(lambda y, z: ((1 + (y >= 3)) * y * y, -y * z), rising, 1 / 6)
STUCK_FALLING = solved(lambda y, z: (-(1 + (y <= 1)) * y * y, -2 * y * z), falling, 0.5)
for values in (STUCK_RISING, STUCK_FALLING):
    values["stuck"] = values["f"]
# from outside the cone: y = -2 tanh, and z escapes
TURNS_BACK = solved(
    lambda y, z: (y * y - 4 * z * z, 0),
    lambda t: (-2 * math.tanh(2 * t - math.atanh(0.5)), 1),
    math.inf,
)
BREAKS_OUT = solved(
    lambda y, z: (0, z * z - y * z), lambda t: (1, 1 / (1 - math.exp(t) / 2)), math.log(2)
)
BELOW = {
    "rising": solved(lambda y, z: (y * y, -y * z), lambda t: (-1 / (1 + t), 0), math.inf),
    "falling": solved(lambda y, z: (-y * y, -2 * y * z), lambda t: (-1 / (1 - t), 0), 1.0),
}
#: the clock runs at the pace 2 y
IN_TIME = BLOWS_UP | {
    "h": lambda z: 2 * z[:1],
    "q": lambda t: real(-2 * math.log(1 - 2 * t[0, 0]) if t[0, 0] < 0.5 else math.inf),
}
RUNS_ON: Values = {"q": lambda t: 2 * t}
STOPPED: Values = {"h": lambda z: real(0), "q": lambda t: real(0)}
FLAT, THIN = np.diag([1.0, -16.0]), np.diag([1.0, -0.25])
FOLLOWED = {
    "x": curve(lambda t: (1 / (1 - t), (1 - t) / 2)),
    "T": 1.0,
    "y": curve(lambda t: (1 + t, 0.5 - t / 2)),
    "v": curve(lambda t: (1, -0.5)),
    **tube(0, 0.3),
}
ASIDE = {"y": curve(lambda t: (1 + t, 0.6 - t / 2)), "M": column(1.1, 0.55)}
#: x' = x^2 beside the equilibrium 0
BESIDE = {
    "U": lambda h: column(1, 0),
    "Q": lambda h: np.diag([1.0, 0.0]) * (h == 1),
    "q": lambda h: real(0),
    "x": curve(lambda t: (0.5 / (1 - t / 2), 0)),
    "x0": column(0.5, 0),
    "T": 2.0,
    "y": curve(lambda t: (0, 0)),
    "v": curve(lambda t: (0, 0)),
    "M": column(0, 0),
    **tube(0.5, 0),
    **numbers(s=1, b=0.6, c=0, l=0, e=0.6),
}
#: claim -> values beside those of the instance; then changes of them with which the conclusion is
#: wrong, each by the one hypothesis, counted from 0, that fails.  The others follow: b > 0 for
#: blow-up from c > 0, b >= 0 for boundedness as there is no other case, and for
#: clocked cones b >= 0 and s >= 0 from 0 < y' and |z|^2 >= 0.
SOLVED: dict[str, tuple[Values, list[tuple[int, Values]]]] = {
    "covariance.blowup-cone": (
        BLOWS_UP,
        [
            (0, STUCK_RISING | numbers(b=2, r=0.25)),
            (1, {"T": 0.4}),
            (2, TURNS_BACK | numbers(k=-15 / 16, m=0, c=0.75, R=2)),
            (3, numbers(c=-1, R=-0.5)),
            (5, BELOW["rising"] | numbers(R=-1)),
            (6, TURNS_BACK | numbers(c=0.5, R=2) | {"M": FLAT}),
            (7, numbers(c=2, R=0.25)),
            (7, numbers(b=0.5, r=1)),
            (8, numbers(r=0.6)),
            (9, numbers(R=0.4)),
        ],
    ),
    "covariance.bounded-cone": (
        DECAYS,
        [
            (0, STUCK_FALLING | numbers(m=-4, b=2)),
            (1, {"T": 0.4}),
            (2, BREAKS_OUT | numbers(k=-63 / 64, m=0) | {"M": THIN, "N": np.eye(2)}),
            (4, BELOW["falling"]),
            (5, BREAKS_OUT | numbers(m=0) | {"M": FLAT, "N": np.eye(2)}),
            (6, BLOWS_UP),
            (6, BLOWS_UP | {"N": np.diag([0.0, 1.0])}),
        ],
    ),
    "covariance.clocked-cone": (
        IN_TIME,
        [
            (0, STUCK_RISING | numbers(c=1)),
            (1, {"T": 0.3}),
            (2, BREAKS_OUT | RUNS_ON | numbers(k=-63 / 64, m=0) | {"M": THIN}),
            (4, numbers(c=-0.5) | {name: opposite(IN_TIME[name]) for name in "hq"}),
            (6, BELOW["falling"] | STOPPED | numbers(m=-2, b=1)),
            (7, BREAKS_OUT | RUNS_ON | numbers(m=0) | {"M": FLAT}),
            (8, STOPPED),
            (9, RUNS_ON),
        ],
    ),
    "covariance.enclosure": (
        FOLLOWED,
        [
            (0, BESIDE),
            (1, {"T": 0.05}),
            (2, {"y": curve(lambda t: (1, 0.5)), "M": column(1, 0.5)} | numbers(c=0)),
            (3, {"r": lambda t: real(0.001)} | numbers(m=0.001, e=0.003)),
            (4, tube(0.001, 0.003) | numbers(c=0, m=0.001, e=0.003)),
            (5, numbers(m=-0.02, e=0.02) | {"M": column(1.08, 0.45)}),
            (5, numbers(e=0.01)),
            (6, {**ASIDE, **tube(0, 0.4), **numbers(c=0.3, e=0.06)}),
            (7, {"M": column(2, 2)}),
        ],
    ),
}
#: directions in and around the cones, on their boundaries, and where the fields jump
DIRECTIONS = [column(1, k / 8) for k in range(-12, 13)] + [
    column(*x) for x in ((1, 1.5**0.5), (1, -(1.5**0.5)), (0, 1), (-1, 0.5), (3, 0), (2, 1))
]


@pytest.mark.parametrize("name", SOLVED)
def test_true_of_solved_systems_and_every_hypothesis_is_needed(name: str):
    claim, (solution, changes) = LEDGER[name], SOLVED[name]
    value, instance = Model({}, {}), instance_of(claim)
    sizes = {letter: value.size(term) for letter, term in instance.items() if term.op == "size"}
    given = {letter: value(term) for letter, term in instance.items() if letter not in sizes}

    def verdict(change: Values) -> tuple[list[int], bool]:
        values = given | solution | change
        model = Model(sizes, values, (0.0, 0.05, 0.1, 0.3, 0.45, 0.8, 1.0, 1.7), DIRECTIONS)
        model.stuck = values.get("stuck")
        failing = [i for i, h in enumerate(claim.statement.hypotheses) if not model(h)]
        return failing, model(claim.statement.conclusion)

    assert verdict({}) == ([], True)
    for hypothesis, change in changes:
        assert verdict(change) == ([hypothesis], False)


ALONE = {"R": real(1), "P": real(0), "c": real(1)}


@pytest.mark.parametrize(
    ("model", "failing"),
    [
        (flows.line(lambda x: x, math.exp, math.inf, R=real(1), P=real(1), c=real(2)), None),
        (flows.line(lambda x: x, math.exp, math.inf, **ALONE), None),
        (flows.line(flows.falling, flows.sinking, 1.0, stuck=True, **ALONE), 0),
        (flows.line(lambda x: x, math.exp, 0.5, **ALONE), 1),
        (flows.line(flows.falling_below, flows.sinking, 2.0, stuck=True, **ALONE), 2),
        (flows.line(flows.square, flows.pole(1.0), 1.0, **{**ALONE, "R": real(0)}), 5),
        (flows.line(flows.square, flows.pole(1.0), 1.0, **ALONE), 7),
    ],
)
def test_two_forms_on_the_line(model: Model, failing: int | None):
    """With u = x and y = 0 or x; ``failing`` is the one hypothesis that does not hold."""
    model.values["Sigma"], model.values["Sigma0"] = model.values["X"], model.values["X0"]
    statement = LEDGER["covariance.two-forms"].statement
    missed = [i for i, h in enumerate(statement.hypotheses) if not model(h)]
    assert missed == ([] if failing is None else [failing])
    assert model(statement.conclusion) == (failing is None)


def test_the_instances_can_fail():
    assert not holds(la.psd(la.literal([[-1]])))
    assert not holds(la.eq(la.literal([[1]]), la.literal([[2]])))
    h = la.head("h", size(2))
    members = Term("family", (la.number(1), la.number(-1)))
    assert not holds(la.forall(h, la.psd(la.at(members, h))))
