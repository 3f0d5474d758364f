"""Facts: well formed, about general mathematics, applied only with all premises, and true."""

import itertools
import math
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import soundness_flows as curious
import soundness_models as models
import soundness_mutants as mutants
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import least_squares
from soundness_models import Model, real

from proofs import language as la
from proofs.facts.base import Fact, all_facts
from proofs.kernel import KernelError, Proof, Statement, Step, check
from proofs.terms import (
    DIM,
    ONE,
    Term,
    application,
    free_variables,
    size,
    sort_of,
    substitute,
    variable,
)

FACTS = all_facts()
facts = pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)


# What is written -----------------------------------------------------------------------------


@facts
def test_well_formed(fact: Fact):
    Statement(fact.premises, fact.conclusion).check()
    assert fact.text.strip().endswith(".")
    assert len(fact.reference) > 4
    assert FACTS[fact.name] is fact


@facts
def test_general_mathematics(fact: Fact):
    words = f"{fact.name} {fact.text} {fact.reference}".lower()
    for word in ("attention", "softmax", "sinkhorn", "sigmoid", "transformer", "token", "l2 "):
        assert word not in words
    for paper in ("arxiv", "2501.18322", "castin", "unified perspective", "lemmaformer"):
        assert paper not in words
    assert not re.search(r"\b[QV]\b", f"{fact.text} {fact.reference}")
    names = set(free_variables(Term("schema", (*fact.premises, fact.conclusion))))
    assert not names & {"Q", "K", "V", "Sigma", "Sigma0"}


# How it is applied ---------------------------------------------------------------------------


def instances(fact: Fact) -> list[dict[str, Term]]:
    """Other variables of the same sorts: for all sizes, and for sizes 1."""
    variables = free_variables(Term("schema", (*fact.premises, fact.conclusion)))
    found = []
    for number in (None, ONE, size(3)):
        table: dict[str, Term] = {}
        for name, var in sorted(variables.items(), key=lambda item: item[1].args[0] != DIM):
            if var.args[0] == DIM and number is not None:
                table[name] = number
            else:
                table[name] = variable(f"generic_{name}", substitute(var.args[0], table))
        found.append(table)
    return found


def apply(fact: Fact, premises: list[Term], instance: dict[str, Term]):
    steps = [Step("assume", (), {"proposition": p}) for p in premises]
    uses = tuple(range(len(steps)))
    return check(Proof((*steps, Step("fact", uses, {"name": fact.name, "instance": instance}))))


@facts
def test_applied_with_all_premises_only(fact: Fact):
    for instance in instances(fact):
        premises = [substitute(p, instance) for p in fact.premises]
        theorem = apply(fact, premises, instance)
        assert theorem.conclusion == substitute(fact.conclusion, instance)
        assert theorem.hypotheses == tuple(dict.fromkeys(premises))
        assert theorem.facts == {fact.name}
        others = (la.eq(la.number(0), la.number(0)), la.psd(la.number(1)))
        for i in range(len(premises)):
            fewer = premises[:i] + premises[i + 1 :]
            changed = [
                fewer,
                *([*premises[:i], other, *premises[i + 1 :]] for other in others),
                [*premises[:i], la.negation(premises[i]), *premises[i + 1 :]],
            ]
            if premises[i].op == "pd":
                changed.append([*premises[:i], la.psd(*premises[i].args), *premises[i + 1 :]])
            for wrong in changed:
                with pytest.raises(KernelError) as info:
                    apply(fact, wrong, instance)
                assert info.value.rule == "fact"
        if len(set(premises)) > 1:
            with pytest.raises(KernelError):
                apply(fact, premises[1:] + premises[:1], instance)
        for name in instance:
            with pytest.raises(KernelError):
                apply(fact, premises, {k: v for k, v in instance.items() if k != name})


# Whether it is true: numerical models --------------------------------------------------------

rng = np.random.default_rng(0)
INF = math.inf


def gram(n: int, rank: int) -> np.ndarray:
    factor = rng.normal(size=(n, rank))
    return factor @ factor.T


def symmetric(n: int) -> np.ndarray:
    matrix = rng.normal(size=(n, n))
    return matrix + matrix.T


def kinds(n: int) -> list[np.ndarray]:
    """Generic, singular, zero, symmetric, semidefinite, nilpotent matrices."""
    nilpotent = np.zeros((n, n))
    nilpotent[0, -1] = 0 if n == 1 else 1
    return [
        rng.normal(size=(n, n)),
        np.zeros((n, n)),
        symmetric(n),
        gram(n, max(1, n - 1)),
        gram(n, n) + np.eye(n),
        -np.eye(n),
        nilpotent,
        np.outer(rng.normal(size=n), rng.normal(size=n)),
    ]


def product_models(**pools) -> list[Model]:
    """All combinations of values, for sizes 1, 2, 3."""
    found = []
    for n in (1, 2, 3):
        lists = {name: make(n) for name, make in pools.items()}
        for combination in itertools.product(*lists.values()):
            values = dict(zip(lists, combination, strict=True))
            witnesses = []
            for value in combination:
                if isinstance(value, np.ndarray) and value.shape == (n, n):
                    eigen = np.linalg.eigh((value + value.T) / 2)[1]
                    witnesses += [eigen[:, [i]] for i in range(n)]
            sizes = dict.fromkeys(("d", "m", "n", "p", "q"), n)
            found.append(Model(sizes, values, witnesses=witnesses, late=1e8))
    return found


def reals(_: int) -> list[np.ndarray]:
    return [real(x) for x in (-1.5, 0, 0.25, 1, 3)]


def lifetimes(_: int) -> list[float]:
    return [INF, -1.0, 0.0, 0.5, 2.0]


def states(n: int) -> list[np.ndarray]:
    return [gram(n, 1), np.zeros((n, n)), np.eye(n)]


def rectangles(rows: int, columns: int) -> list[np.ndarray]:
    full = rng.normal(size=(rows, columns))
    return [full, np.zeros((rows, columns)), full[:, :1] @ rng.normal(size=(1, columns))]


def rectangular(shapes: dict[str, tuple[str, str]]) -> list[Model]:
    found = []
    for sizes in ({"m": 2, "n": 3, "p": 1}, {"m": 3, "n": 2, "p": 4}):
        pools = [rectangles(sizes[r], sizes[c]) for r, c in shapes.values()]
        for combination in itertools.product(*pools):
            tests = [rng.normal(size=(sizes["n"], 1)), np.zeros((sizes["n"], 1))]
            for x in combination:
                if x.shape[1] == sizes["n"]:
                    kernel = np.linalg.svd(x)[2][np.linalg.matrix_rank(x) :]
                    tests += [row[:, None] for row in kernel]
            values = dict(zip(shapes, combination, strict=True))
            found.append(Model(sizes, values, states=tests))
    return found


def orthogonal_pairs() -> list[Model]:
    found = []
    for a, b in ((1, 1), (2, 1), (0, 2), (0, 0)):
        left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (3, 4))
        C = left[:, :a] @ rng.normal(size=(a, a)) @ right[:, :a].T if a else np.zeros((3, 4))
        D = left[:, a : a + b] @ rng.normal(size=(b, b)) @ right[:, a : a + b].T
        D = D if b else np.zeros((3, 4))
        found.append(Model({"m": 3, "n": 4}, {"C": C, "D": D}))
    generic = {"C": rng.normal(size=(3, 4)), "D": rng.normal(size=(3, 4))}
    return [*found, Model({"m": 3, "n": 4}, generic)]


def square_flow(n: int = 2) -> dict:
    """X' = X^2, X(0) = diag(1, 1/2): X = (X0^{-1} - t)^{-1}, which escapes at 1."""
    start = np.diag([1.0, 0.5][:n])
    return {
        "X": lambda t: start @ np.linalg.inv(np.eye(n) - t[0, 0] * start),
        "F": lambda Z: Z @ Z,
        "X0": start,
        "T": 1.0,
    }


def decay_flow(rate: float = -1.0) -> dict:
    """X' = -X."""
    start = np.array([[2.0, 1.0], [1.0, 3.0]])
    return {
        "X": lambda t: math.exp(rate * t[0, 0]) * start,
        "F": lambda Z: rate * Z,
        "X0": start,
        "T": INF,
    }


def linear_flow() -> dict:
    """X' = B X + X B^T, B = [[0, 1], [-1, 0]]: a rotation."""
    B = np.array([[0.0, 1.0], [-1.0, 0.0]])
    start = np.diag([1.0, 2.0])
    return {
        "X": lambda t: expm(B * t[0, 0]) @ start @ expm(B * t[0, 0]).T,
        "F": lambda Z: B @ Z + Z @ B.T,
        "X0": start,
        "T": INF,
    }


def integrated_flow() -> dict:
    """X' = V X A X + X A^T X V^T by numerical integration, and its fundamental matrix."""
    V, A = np.array([[1.0, 0.5], [0.0, 2.0]]), np.array([[-1.0, 0.3], [0.2, -0.7]])
    start = np.array([[1.0, 0.2], [0.2, 0.5]])

    def field(Z):
        return V @ Z @ A @ Z + Z @ A.T @ Z @ V.T

    def right(t, y):
        X, P = y[:4].reshape(2, 2), y[4:].reshape(2, 2)
        return np.concatenate([field(X).ravel(), (V @ X @ A @ P).ravel()])

    y0 = np.concatenate([start.ravel(), np.eye(2).ravel()])
    dense = solve_ivp(
        right, (-0.1, 20.0), solve_ivp(right, (0, -0.1), y0, rtol=1e-12, atol=1e-12).y[:, -1],
        rtol=1e-11, atol=1e-12, dense_output=True, method="DOP853",
    ).sol  # fmt: skip
    return {
        "X": lambda t: dense(t[0, 0])[:4].reshape(2, 2),
        "Phi": lambda t: dense(t[0, 0])[4:].reshape(2, 2),
        "F": field,
        "B": lambda Z: V @ Z @ A,
        "X0": start,
        "T": INF,
    }


PLANE = dict.fromkeys("dmn", 2)
CONE = [gram(2, 1), gram(2, 2), np.zeros((2, 2)), np.eye(2), np.diag([2.0, 0.0]), symmetric(2)]
POSITIVE = np.array([[2.0, 1.0], [1.0, 1.0]])
END = np.diag([2.0, 0.0])


def flow_models(extra: list[dict], states_=CONE, **kwargs) -> list[Model]:
    flows = (square_flow(), decay_flow(), linear_flow(), decay_flow(0.4))
    found = []
    for flow in flows:
        for values in extra:
            late = {"late": 30.0} if math.isinf(flow["T"]) else {}
            found.append(Model(PLANE, {**flow, **values}, states=states_, **late, **kwargs))
    return found


def unique_models() -> list[Model]:
    found = []
    for flow in (square_flow(), decay_flow()):
        end = flow["T"]

        def other(t, flow=flow, end=end):
            return flow["X"](t) if t[0, 0] < end else np.full((2, 2), 7.0)

        found.append(Model(PLANE, {**flow, "Y": other, "S": end}))
        found.append(Model(PLANE, {**flow, "Y": other, "S": end / 2}))
    return found


def invariance_models() -> list[Model]:
    flow = decay_flow()
    zero = np.zeros((2, 2))
    # V = 1, A = -diag(1, 0): X' = -2 X e1 e1^T X, limit e2-part
    e = np.diag([1.0, 0.0])
    start = np.array([[2.0, 1.0], [1.0, 3.0]])
    riccati = {
        "X": lambda t: np.linalg.inv(np.linalg.inv(start) + 2 * t[0, 0] * e),
        "F": lambda Z: -2 * Z @ e @ Z,
        "X0": start,
        "T": INF,
    }
    point = np.diag([0.0, np.linalg.inv(np.linalg.inv(start)[1:, 1:])[0, 0]])
    return [
        Model(PLANE, {**flow, "P": POSITIVE, "b": real(50)}, states=CONE, limit_points=[zero]),
        Model(PLANE, {**riccati, "P": np.eye(2), "b": real(50)}, states=CONE, limit_points=[point]),
    ]


def only_limit_models() -> list[Model]:
    found = []
    for model in invariance_models():
        for limit in (model.limit_points[0], np.eye(2)):
            values = {**model.values, "L": limit}
            found.append(
                Model(PLANE, values, states=CONE, limit_points=model.limit_points, late=1e7)
                if model.values["F"](np.eye(2))[1, 1] == 0
                else Model(PLANE, values, states=CONE, limit_points=model.limit_points, late=40.0)
            )
    return found


def equilibrium_models() -> list[Model]:
    """Curves that converge to zeros of the field, also where it jumps; and other limits."""
    found = []
    for model in invariance_models():
        limit, field = model.limit_points[0], model.values["F"]
        lame = {"F": lambda Z, field=field, limit=limit: field(Z) + (limit == Z).all() * np.eye(2)}
        for extra in ({"L": limit}, {"L": np.eye(2)}, {"L": limit, **lame}):
            values = {**model.values, **extra}
            late = 1e7 if field(np.eye(2))[1, 1] == 0 else 40.0
            found.append(Model(PLANE, values, states=[*CONE, limit], late=late))
    return found


def constant_along_models() -> list[Model]:
    """Functions of diag(2, exp(-t)): constant along it or not, with a jump at the limit or not."""
    functions = [
        lambda Z: np.array([[Z[0, 0], 3.0]]),
        lambda Z: np.array([[Z[0, 0] ** 2 + Z[0, 1], Z[0, 0] * Z[1, 0] + 1]]),
        lambda Z: np.array([[Z[0, 0] + Z[1, 1], 3.0]]),
        lambda Z: np.array([[2.0 + (Z == END).all(), 3.0]]),
    ]
    return [
        Model(
            {"m": 2, "n": 2, "p": 1, "k": 2},
            {
                "X": lambda t: np.diag([2.0, math.exp(-t[0, 0])]),
                "E": end,
                "g": g,
                "C": np.array([value]),
            },
            states=[END, *CONE],
            late=40.0,
        )
        for g in functions
        for end in (END, np.eye(2))
        for value in ([2.0, 3.0], [4.0, 1.0])
    ]


def riccati_models() -> list[Model]:
    found = []
    for s, r in ((1.0, 1.0), (1.5, 1.0), (1.0, 2.0), (0.5, 1.0), (1.0, 0.5)):
        vectors = [np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]), np.zeros((2, 1))]
        tests = [np.diag([2.0, 1.0]), np.eye(2), np.zeros((2, 2)), *vectors, 2.0, 1.0, 0.0]
        for flow in (square_flow(), decay_flow(-0.1)):
            values = {**flow, "s": real(s), "r": real(r)}
            if flow["T"] == INF:
                values["s"] = real(4.0 * s)
            found.append(Model(PLANE, values, states=tests))
    # the bound is attained, with r and s apart
    for s, r in ((1.5, 0.5), (0.4, 2.0)):
        start = np.diag([s, s / 3])
        sharp = {
            "X": lambda t, x=start, r=r: x @ np.linalg.inv(np.eye(2) - r * t[0, 0] * x),
            "F": lambda Z, r=r: r * Z @ Z,
            "X0": start,
            "T": 1 / (r * s),
            "s": real(s),
            "r": real(r),
        }
        pairs = [np.diag([s, s / 2]), *vectors, s, 2 * s, 0.0]
        found.append(Model(PLANE, sharp, states=pairs))
    return found


def linear_growth_models() -> list[Model]:
    """X' = B X + X B^T; the bound is attained for B = I/2 and fails for what grows faster."""
    vectors = [np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]), np.zeros((2, 1))]
    pairs = [np.diag([2.0, 1.0]), np.eye(2), np.zeros((2, 2)), *vectors, 2.0, 1.0, 0.0]
    found = []
    for s, r in ((2.0, 1.0), (3.0, 2.0), (2.0, 0.5), (1.0, 1.0)):
        for B in (np.eye(2) / 2, np.array([[0.0, 1.0], [-1.0, 0.0]]), -np.eye(2)):

            def moved(t, B=B):
                return expm(B * t[0, 0]) @ np.diag([2.0, 1.0]) @ expm(B * t[0, 0]).T

            values = {
                "X": moved,
                "F": lambda Z, B=B: B @ Z + Z @ B.T,
                "X0": np.diag([2.0, 1.0]),
                "T": INF,
                "s": real(s),
                "r": real(r),
            }
            found.append(Model(PLANE, values, states=pairs))
    return found


def affine_models() -> list[Model]:
    """B and c constant; with wrong signs the premises fail."""
    B, c = np.array([[0.3, -0.5], [0.2, -0.4]]), np.array([[0.2], [-0.1]])
    found = []
    for start in (np.array([[1.0, 0.3], [0.3, 0.5]]), np.zeros((2, 2)), np.diag([1.0, 0.0])):
        a0 = np.array([[0.5], [-0.3]])
        big = np.block([[B, c], [np.zeros((1, 3))]])

        def mean(t, a0=a0, big=big):
            return (expm(big * t[0, 0]) @ np.vstack([a0, [[1.0]]]))[:2]

        def covariance(t, start=start):
            return expm(B * t[0, 0]) @ start @ expm(B * t[0, 0]).T

        values = {
            "a": mean,
            "C": covariance,
            "B": lambda t: B,
            "c": lambda t: c,
            "T": INF,
            "mu": lambda t, m=mean, k=covariance: models.Gaussian(m(t), k(t)),
            "v": lambda t: lambda x: B @ x + c,
            "w": lambda t: lambda x: c + B @ x,
        }
        points = [rng.normal(size=(2, 1)) for _ in range(3)]
        wrong = {**values, "w": lambda t: lambda x: B @ x, "C": lambda t: -np.eye(2)}
        for chosen in (values, wrong):
            found.append(Model({"d": 2}, chosen, times=(0.0, 0.4, 1.1), states=points))
    return found


def switched(before, after, switch: float):
    """t -> one value before the switch, another one from it on."""
    return lambda t: after if t[0, 0] >= switch else before


def switched_models() -> list[Model]:
    """X' = B X + (B X)^T and a' = B a + c with B and c that jump at 0.3; also the wrong way."""
    first, second = np.array([[0.3, -0.5], [0.2, -0.4]]), np.array([[-0.6, 0.1], [0.9, 0.2]])
    blocks = [np.zeros((3, 3)) for _ in range(2)]
    for block, B, c in zip(blocks, (first, second), ([0.2, -0.1], [-0.7, 0.4]), strict=True):
        block[:2, :2], block[:2, 2] = B, c

    def propagator(t):
        late = max(t[0, 0] - 0.3, 0)
        return expm(blocks[1] * late) @ expm(blocks[0] * (t[0, 0] - late))

    def mean(t):
        return (propagator(t) @ np.array([[0.5], [-0.3], [1.0]]))[:2]

    jumping = switched(*blocks, 0.3)
    late = switched(*blocks, 0.3 + 1e-12)  # the jump, but from the left
    found = []
    for start in (np.array([[1.0, 0.3], [0.3, 0.5]]), np.diag([1.0, 0.0]), np.ones((2, 2))):

        def covariance(t, start=start):
            Phi = propagator(t)[:2, :2]
            return Phi @ start @ Phi.T

        values = {
            "B": lambda t: jumping(t)[:2, :2],
            "c": lambda t: jumping(t)[:2, 2:],
            "X": covariance,
            "C": covariance,
            "a": mean,
            "X0": start,
            "T": 2.0,
        }
        wrong = {**values, "B": lambda t: late(t)[:2, :2]}
        bent = {**values, "X0": start + np.array([[0.0, 1.0], [0.0, 0.0]])}
        for chosen in (values, wrong, bent):
            found.append(
                Model(
                    PLANE,
                    chosen,
                    times=(0.0, 0.1, 0.3, 0.8),
                    witnesses=[lambda t: propagator(t)[:2, :2]],
                )
            )
    return found


def jumping_curves() -> list[Model]:
    """Curves that jump at 0.3, from the right or from the left, and a sum of two of them."""
    found = []
    for switch in (0.3, 0.3 + 1e-12, 4.0):
        one, two = (switched(*rng.normal(size=(2, 2, 3)), switch) for _ in range(2))
        other = switched(*rng.normal(size=(2, 3, 4)), 0.55)
        values = {
            "X": one,
            "Y": other,
            "f": lambda i, one=one, two=two: (one, two)[i - 1],
            "G": lambda t: np.zeros((2, 3)),
        }
        for end in (INF, 0.2, 2.0):
            sizes = {"m": 2, "n": 3, "p": 4, "k": 2}
            found.append(Model(sizes, {**values, "T": end}))
    return found


def inequality_models() -> list[Model]:
    """Solutions of X' = B X + (B X)^T with B that jumps, less or more than they should move."""
    found = []
    for model in switched_models():
        value, linear, start = (model.values[name] for name in ("X", "B", "X0"))
        for growth, shift in ((0.0, 0.0), (0.7, 0.0), (-3.0, 0.0), (0.0, -1.0)):

            def curve(t, value=value, growth=growth, shift=shift):
                return math.exp(growth * t[0, 0]) * (value(t) + shift * np.eye(2))

            def velocity(t, value=value, growth=growth, shift=shift, linear=linear, curve=curve):
                moved = linear(t) @ value(t)
                return growth * curve(t) + math.exp(growth * t[0, 0]) * (moved + moved.T)

            values = {"B": linear, "X": curve, "G": velocity, "T": 2.0}
            found.append(Model(PLANE, values, times=(0.0, 0.1, 0.3, 0.8)))
        # X = X0 + t G falls out of the cone, against the inequality for B = 0
        leaving = {
            "B": lambda t: np.zeros((2, 2)),
            "X": lambda t, start=start: start - 3 * t[0, 0] * np.eye(2),
            "G": lambda t: -3 * np.eye(2),
            "T": 2.0,
        }
        found.append(Model(PLANE, leaving, times=(0.0, 0.1, 0.3, 0.8)))
    return found


def approaching_curves() -> list[Model]:
    """Curves of 2 x 3 matrices that tend to a value, and another value."""
    value = rng.normal(size=(2, 3))
    return [
        Model({"m": 2, "n": 3}, {"X": lambda t: value * (1 + 1 / (1 + t[0, 0])), "E": end})
        for end in (value, 0 * value)
    ]


def gaussian_models() -> list[Model]:
    found = []
    for n in (1, 2):
        for C in (gram(n, n) / 4, gram(n, 1) / 2, np.zeros((n, n)), -np.eye(n)):
            values = {
                "C": C,
                "a": rng.normal(size=(n, 1)),
                "h": rng.normal(size=(n, 1)) / 2,
                "L": rng.normal(size=(3, n)),
                "b": rng.normal(size=(3, 1)),
                "R": rng.normal(size=(n, 2)),
            }
            found.append(Model({"d": n, "m": 3, "n": 2}, values))
    return found


def atoms(n: int, count: int = 4) -> models.Discrete:
    """Point masses; the total is not 1."""
    points = [rng.normal(size=(n, 1)) for _ in range(count)]
    return models.Discrete(points, list(rng.uniform(0.2, 1.5, size=count)))


def quadratic_models() -> list[Model]:
    """Weights exp(-z^T S z / 2), also growing ones, and ones that are not integrable."""
    found = []
    for n in (1, 2):
        for C in (gram(n, n) / 8, gram(n, 1) / 8, np.zeros((n, n)), -np.eye(n)):
            largest = np.linalg.eigvalsh(C)[-1]
            for S in (
                np.eye(n) + gram(n, 1) / 2,
                -0.4 / max(largest, 1) * np.eye(n),
                -2 / max(largest, 1e-3) * np.eye(n),
                np.eye(n) + np.triu(np.ones((n, n)), 1),
            ):
                values = {
                    "C": C,
                    "S": S,
                    "a": rng.normal(size=(n, 1)),
                    "h": rng.normal(size=(n, 1)) / 2,
                    "L": rng.normal(size=(3, n)),
                    "b": rng.normal(size=(3, 1)),
                    "r": real(1.5),
                }
                found.append(Model({"d": n, "m": 3}, values, nodes=28 if n == 1 else 9))
    return found


def measured(values: dict, points: Sequence[np.ndarray]) -> Model:
    times = [float(point[0, 0]) for point in points]
    return Model({"d": len(points[0])}, values, states=points, times=times)


def discrete_plans() -> list[Model]:
    """Potentials of point masses by Newton's method; exact everywhere, or at the atoms only."""
    found = []
    for n in (1, 2):
        nu, M = atoms(n), rng.normal(size=(n, n))
        points, mass = nu.points, np.array(nu.weights)
        table = np.exp([[(x.T @ M @ y)[0, 0] for y in points] for x in points])

        def defect(logs, table=table, mass=mass):
            """Rows that do not sum to 1, columns that do not, and the gauge."""
            u, v = np.exp(logs[: len(mass)]), np.exp(logs[len(mass) :])
            plan = u[:, None] * table * v[None, :]
            return np.concatenate([plan @ mass - 1, mass @ plan - 1, [logs[0]]])

        logs = least_squares(defect, np.zeros(2 * len(mass)), xtol=1e-15, ftol=1e-15).x
        v = np.exp(logs[len(mass) :]) * mass
        u = np.exp(logs[: len(mass)]) * mass

        columns = np.hstack(points)

        def phi(x, v=v, columns=columns, M=M):
            return -np.log(np.exp(x.T @ M @ columns) @ v[:, None])

        def psi(y, u=u, columns=columns, M=M):
            return -np.log(np.exp(y.T @ M.T @ columns) @ u[:, None])

        def bent(x, phi=phi, points=points):
            return phi(x) + (0 if any(x is point for point in points) else 1)

        seen = [*points[:2], rng.normal(size=(n, 1))]
        values = {"nu": nu, "M": M, "r": real(1), "phi": phi, "psi": psi}
        found += [
            measured(values, seen),
            measured({**values, "r": real(4), "phi": lambda x, f=phi: f(x) - math.log(4)}, seen),
            measured({**values, "r": real(2)}, seen),
            measured({**values, "r": real(-1)}, seen),
            measured({**values, "phi": bent}, seen),
            measured({**values, "M": 2 * M}, seen),
            measured({**values, "M": M.T + 1}, seen),
            measured({**values, "nu": models.Discrete(points, [0.0] * 4)}, seen),
        ]
    return found


def gaussian_plans() -> list[Model]:
    """On the line, where the roots are numbers."""
    found = []
    for variance, slope in ((0.5, 1.2), (1.0, -0.6), (0.0, 2.0)):
        mean = 0.4
        shrink = 2 / (1 + math.sqrt(1 + 4 * (variance * slope) ** 2))
        curvature = slope**2 * variance * shrink
        constant = math.sqrt(1 + variance * curvature)

        def log_potential(x, sides, p=curvature, m=slope, a=mean):
            """-p (x - a)^2 / 2 - m a x, and what is left of m (x - a) (y - a)."""
            return -p * (x - a) ** 2 / 2 - m * a * x + sides * m * a * a

        values = {
            "nu": models.Gaussian(real(mean), real(variance)),
            "M": real(slope),
            "r": real(constant),
            "phi": lambda x, f=log_potential: f(x, 1),
            "psi": lambda y, f=log_potential: f(y, 0),
        }
        seen = [real(x) for x in (-0.7, 0.0, 1.1)]
        found += [measured(values, seen), measured({**values, "M": real(-slope)}, seen)]
    return found


def linear_images() -> list[Model]:
    """Against a Gaussian and point masses; a factor 0 makes what is not integrable integrable."""
    found = []

    def smooth(y):
        return np.array([[math.exp(y[0, 0] / 2), y[1, 0] ** 2, 1.0], [y[0, 0], 0.0, y[1, 0]]])

    def steep(y):
        return np.full((2, 3), math.exp((y**2).sum()))

    for nu in (
        models.Gaussian(rng.normal(size=(2, 1)), gram(2, 2) / 4 + np.eye(2)),
        models.Gaussian(rng.normal(size=(2, 1)), gram(2, 1) / 8),
        atoms(2),
        models.Discrete([np.ones((2, 1))], [0.0]),
    ):
        for f in (smooth, steep):
            values = {"nu": nu, "f": f, "N": rng.normal(size=(4, 2)), "P": rng.normal(size=(3, 1))}
            found.append(Model({"d": 2, "k": 4, "m": 2, "n": 3, "p": 1}, values))
    return found


def jumping_positive_curves() -> list[Model]:
    """Jumping curves of semidefinite matrices, singular ones, and indefinite ones; other ends."""
    found = []
    for before, after in (
        (gram(2, 2), gram(2, 1)),
        (np.zeros((2, 2)), np.eye(2)),
        (np.diag([4.0, 0.0]), np.diag([0.0, 9.0])),
        (-np.eye(2), np.eye(2)),
        (np.array([[0.0, 1.0], [0.0, 0.0]]), np.eye(2)),
    ):
        for switch in (0.3, 0.3 + 1e-12, 4.0):
            for end in (INF, 0.2, -1.0):
                X = switched(before, after, switch)
                found.append(Model(PLANE, {"X": X, "T": end}))

    def through_zero(t):
        return (t[0, 0] - 1.7) ** 2 * np.ones((2, 2))

    return [*found, Model(PLANE, {"X": through_zero, "T": 5.0})]


def two_jumping_curves() -> list[Model]:
    found = []
    for model in jumping_curves():
        other = switched(*rng.normal(size=(2, 2, 3)), 0.55)
        found.append(Model(model.sizes, {**model.values, "Y": other, "G": other}))
    return found


def integrals() -> list[Model]:
    found = []
    for factor in (0.0, -1.0, 2.5):
        values = {
            "nu": models.Gaussian(rng.normal(size=(2, 1)), gram(2, 2) / 4),
            "r": real(factor),
            "f": lambda y: np.array([[math.exp(y[0, 0]), y[1, 0] ** 2, 1.0]]),
        }
        found.append(Model({"d": 2, "m": 1, "n": 3}, values))
    return found


def limits() -> list[Model]:
    found = []
    for rows, columns in ((2, 3), (1, 1)):
        value = rng.normal(size=(rows, columns))
        values = {
            "X": lambda t, value=value: value * (1 - 1 / (1 + t[0, 0])),
            "Y": value,
            "L": rng.normal(size=(2, rows)),
            "R": rng.normal(size=(columns, 4)),
        }
        sizes = {"m": rows, "n": columns, "p": 2, "q": 4}
        found.append(Model(sizes, values))
        found.append(Model(sizes, {**values, "Y": 2 * value}))
    return found


def equal_curves() -> list[Model]:
    value = rng.normal(size=(2, 3))

    def curve(t):
        return value * (1 - 1 / (1 + t[0, 0] ** 2))

    def other(t):
        return curve(t) if t[0, 0] >= 0 else 0 * value

    found = []
    for W in (other, lambda t: 0 * value, lambda t: 2 * curve(t)):
        values = {"Y": curve, "W": W, "Y0": value}
        found.append(Model({"m": 2, "n": 3}, values))
    return found


def equal_paths() -> list[Model]:
    """Y' = G; a curve that agrees with Y on [0, 1/2) only, another one, and a wrong G."""
    Y, G = lambda t: np.array([[math.sin(t[0, 0])]]), lambda t: np.array([[math.cos(t[0, 0])]])
    found = []
    for W in (lambda t: Y(t) if t[0, 0] < 0.5 else 0 * Y(t), lambda t: 2 * Y(t)):
        for slope, end in itertools.product((G, lambda t: 2 * G(t)), (0.5, 1.0)):
            values = {"Y": Y, "G": slope, "W": W, "T": end}
            found.append(Model({"m": 1, "n": 1}, values, times=(0.0, 0.1, 0.3, 0.45, 0.8)))
    return found


def velocities() -> list[Model]:
    curve = {
        "Y": lambda t: np.array([[math.sin(t[0, 0]), t[0, 0] ** 2]]),
        "G": lambda t: np.array([[math.cos(t[0, 0]), 2 * t[0, 0]]]),
        "H": lambda t: np.array([[math.cos(-t[0, 0]), t[0, 0] + t[0, 0]]]),
    }
    wrong = {**curve, "H": lambda t: 2 * curve["G"](t)}
    return [
        Model({"m": 1, "n": 2}, {**values, "T": end})
        for values in (curve, wrong)
        for end in (INF, 1.0, 0.0, -1.0)
    ]


KINK_TIMES = (0.0, 0.1, 0.3, 0.8, 1.7)


def kinked(t: np.ndarray) -> float:
    """A continuous function whose derivative jumps at 0.3."""
    return abs(t[0, 0] - 0.3)


def kink(t: np.ndarray) -> float:
    """Its derivative from the right."""
    return 1.0 if t[0, 0] >= 0.3 else -1.0


def differentiable_curves() -> list[Model]:
    """X and Y are 2 x 3, Z is 3 x 1, with kinks; also with the derivatives from the left."""
    A, B = rng.normal(size=(2, 2, 3))
    C = rng.normal(size=(3, 1))

    def late(t):
        return kink(t - 1e-12)

    values = {
        "X": lambda t: math.sin(t[0, 0]) * A + kinked(t) * B,
        "Y": lambda t: t[0, 0] ** 2 * B + A,
        "H": lambda t: 2 * t[0, 0] * B,
        "Z": lambda t: kinked(t) * C,
        "L": lambda t: kink(t) * C,
    }
    found = []
    for slope in (kink, late):
        moving = {**values, "G": lambda t, f=slope: math.cos(t[0, 0]) * A + f(t) * B}
        for end in (INF, 1.0, 0.0, -1.0):
            found.append(
                Model(
                    {"m": 2, "n": 3, "p": 1},
                    {**moving, "T": end},
                    times=KINK_TIMES,
                )
            )
    return found


def invertible_curves() -> list[Model]:
    """M = M0 + |t - 0.3| N, singular at t = 0.8 for the second one."""
    starts = (np.array([[2.0, 1.0], [0.0, 3.0]]), np.diag([-0.5, 1.0]))
    N = np.array([[1.0, 0.0], [0.5, 1.0]])
    found = []
    for M0, factor, end in itertools.product(starts, (1.0, 2.0), (INF, 0.5, -1.0)):
        values = {
            "M": lambda t, M0=M0: M0 + kinked(t) * N,
            "D": lambda t, f=factor: f * kink(t) * N,
            "T": end,
        }
        found.append(Model(PLANE, values, times=KINK_TIMES))
    return found


def kinked_curves() -> list[Model]:
    """r = b + |t - 0.3|, positive or not, with its derivative or another one."""
    found = []
    for base, factor, end in itertools.product((-0.5, 0.2, 1.0), (1.0, 1.5), (INF, 0.5, -1.0)):
        values = {
            "r": lambda t, b=base: real(b + kinked(t)),
            "g": lambda t, f=factor: real(f * kink(t)),
            "T": end,
        }
        found.append(Model({}, values, times=KINK_TIMES))
    return found


def kinked_logarithms() -> list[Model]:
    """r = b + |t - 0.3|, positive or not, with its derivative or another one."""
    return [model for model in kinked_curves() if not math.isinf(model.values["T"])]


def two_slopes() -> list[Model]:
    """A curve with kinks, its derivative and other ones."""
    A = rng.normal(size=(2, 3))
    right, wrong = (lambda t: kink(t) * A), (lambda t: (kink(t) + 1) * A)
    found = []
    for G, H in itertools.product((right, wrong), repeat=2):
        values = {"X": lambda t: kinked(t) * A, "G": G, "H": H, "T": 1.0}
        found.append(Model({"m": 2, "n": 3}, values, times=KINK_TIMES))
    return found


def linearised_gradients() -> list[Model]:
    """G f is the gradient of E at the motions that are tried, or one premise fails."""
    S, inverse = np.array([[2.0, 1.0], [1.0, -1.0]]), np.array([[2.0, 0.5], [0.5, 1.0]])
    skew, unit = np.array([[0.0, 1.0], [-1.0, 0.0]]), np.eye(2)
    metric = np.linalg.inv(inverse)
    origin, off = np.zeros((2, 1)), np.array([[0.3], [-0.2]])
    turned = unit + skew

    def quadratic(matrix):
        return lambda x: x.T @ matrix @ x / 2

    def linear(J, G=lambda x: unit, form=S, derivative=None):
        return {
            "p": origin,
            "f": lambda x: J @ x,
            "h": lambda u: lambda t: J @ u,
            "J": J if derivative is None else derivative,
            "G": G,
            "E": quadratic(form),
        }

    def rotating(x):
        """G with G (1 + skew) x = x, but for x = 0."""
        y = turned @ x
        if not y.any():
            return unit
        across = skew @ y
        return x @ x.T / (x.T @ y) + across @ across.T / (y.T @ y)

    def scaled(x):
        return S @ x / (1 + x[0, 0])

    def scaled_slope(x, u):
        return S @ u / (1 + x[0, 0]) - S @ x * u[0, 0] / (1 + x[0, 0]) ** 2

    away = {
        "p": off,
        "f": scaled,
        "h": lambda u: lambda t: scaled_slope(off + t * u, u),
        "J": np.hstack([scaled_slope(off, unit[:, k : k + 1]) for k in (0, 1)]),
        "G": lambda x: (1 + x[0, 0]) * unit,
        "E": quadratic(S),
    }
    chosen = [
        linear(inverse @ S, lambda x: metric),
        linear(turned, rotating, unit),
        away,
        linear(S, derivative=S + skew),
        linear(skew),
    ]
    u = np.array([[0.4], [0.5]])
    motions = [
        lambda t: off + t * u,
        lambda t: u,
        lambda t: np.array([[t[0, 0] ** 2 + 0.1], [0.3 - t[0, 0]]]),
        lambda t: np.array([[2 * t[0, 0]], [-1.0]]),
    ]
    return [
        Model({"n": 2}, values, times=(0.0, 0.2, 0.7), states=[origin, u, off], motions=motions)
        for values in chosen
    ]


def functions_of_two() -> list[Model]:
    """sin(t + 2 s) + t s^2, with its derivatives or other ones; t s (t^2 - s^2)/(t^2 + s^2).

    The mixed derivatives of the last one are not continuous at 0, and differ there.
    """

    def numbers(**functions):
        return {
            name: lambda t, function=function: lambda s: real(function(t[0, 0], s[0, 0]))
            for name, function in functions.items()
        }

    def ratio(above):
        return lambda t, s: above(t, s) / (t * t + s * s) ** 2 if t or s else 0.0

    def mixed(at_zero):
        def value(t, s):
            if not (t or s):
                return at_zero
            above = t**6 + 9 * t**4 * s**2 - 9 * t**2 * s**4 - s**6
            return above / (t * t + s * s) ** 3

        return value

    smooth = {
        "f": lambda t, s: math.sin(t + 2 * s) + t * s * s,
        "g": lambda t, s: math.cos(t + 2 * s) + s * s,
        "h": lambda t, s: 2 * math.cos(t + 2 * s) + 2 * t * s,
        "q": lambda t, s: -2 * math.sin(t + 2 * s) + 2 * s,
    }
    smooth["p"] = smooth["q"]
    kinked_at_zero = {
        "f": lambda t, s: t * s * (t * t - s * s) / (t * t + s * s) if t or s else 0.0,
        "g": ratio(lambda t, s: s * (t**4 + 4 * t * t * s * s - s**4)),
        "h": ratio(lambda t, s: t * (t**4 - 4 * t * t * s * s - s**4)),
        "p": mixed(-1.0),
        "q": mixed(1.0),
    }
    shifted = {name: lambda t, s, function=smooth[name]: function(t, s) + 1 for name in ("p", "q")}
    chosen = [
        smooth,
        smooth | {"p": shifted["p"]},
        smooth | {"q": shifted["q"]},
        kinked_at_zero,
    ]
    states = [np.zeros((2, 1)), np.array([[0.3], [0.8]])]
    return [Model({}, numbers(**values), times=(0.0, 0.2, 0.7), states=states) for values in chosen]


def families_of_curves() -> list[Model]:
    """Two curves of 2 x 3 matrices with kinks, with their derivatives or with other ones."""
    A, B = rng.normal(size=(2, 2, 3))
    right = [
        (lambda t: math.sin(t[0, 0]) * A, lambda t: math.cos(t[0, 0]) * A),
        (lambda t: kinked(t) * B, lambda t: kink(t) * B),
    ]
    wrong = [right[0], (right[1][0], lambda t: B)]
    found = []
    for curves, end in itertools.product((right, wrong), (INF, 0.5, -1.0)):
        values = {
            "f": lambda i, c=curves: c[i - 1][0],
            "h": lambda i, c=curves: c[i - 1][1],
            "T": end,
        }
        found.append(Model({"m": 2, "n": 3, "p": 2}, values, times=KINK_TIMES))
    return found


def point_masses() -> list[Model]:
    """Three points of the plane, two of which agree; the last model has a negative mass."""
    places = [np.array([[1.0], [2.0]]), np.array([[-0.5], [0.3]]), np.array([[1.0], [2.0]])]

    def number_at(x):
        return real(math.sin(x[0, 0]) + x[1, 0])

    def pole_at(x):
        return real(INF if x[0, 0] == 1 else x[0, 0])

    found = []
    chosen = ((0.2, 0.0, 0.7), number_at), ((1.0, 2.0, 3.0), pole_at), ((1.0, -2.0, 3.0), number_at)
    for weights, function in chosen:
        values = {
            "f": lambda x: math.exp(x[0, 0]) * np.array([[1.0, x[1, 0]]]),
            "phi": function,
            "w": lambda i, w=weights: real(w[i - 1]),
            "x": lambda i: places[i - 1],
        }
        found.append(Model({"d": 2, "m": 1, "n": 2, "p": 3}, values, states=places))
    return found


def growing_curves() -> list[Model]:
    """Exponentials, some of them slowed down from 0.3 on, against several rates."""
    found = []
    for start, rate, slow in itertools.product((2.0, -1.0, 0.0), (-1.0, 0.0, 0.7), (0.0, 0.5)):

        def value(t, start=start, rate=rate, slow=slow):
            return real(start * math.exp(rate * t[0, 0] - slow * max(t[0, 0] - 0.3, 0.0)))

        def slope(t, value=value, rate=rate, slow=slow):
            return (rate - (slow if t[0, 0] >= 0.3 else 0.0)) * value(t)

        for c, end in ((-1.0, INF), (0.0, INF), (0.7, INF), (1.0, INF), (1.0, 0.2), (0.0, -1.0)):
            values = {"r": value, "g": slope, "c": real(c), "T": end}
            found.append(Model({}, values, times=KINK_TIMES))
    return found


def squeezed_curves() -> list[Model]:
    """M(t) <= N(t), or not, with N(t) -> 0, or not."""
    small, large = np.ones((2, 2)), 2 * np.ones((2, 2)) + np.diag([0.0, 1.0])

    def over_time(matrix):
        return lambda t: matrix / (1 + t[0, 0])

    pairs = [
        (over_time(small), over_time(large)),
        (over_time(large), over_time(small)),
        (lambda t: small, lambda t: large),
        (over_time(-small), over_time(small)),
        (lambda t: small, over_time(large)),
        (lambda t: -small, over_time(large)),
    ]
    return [Model(PLANE, {"M": M, "N": N}) for M, N in pairs]


def escape_models() -> list[Model]:
    found = []
    for r, c in ((1.0, 0.5), (1.0, 1.0), (1.0, 2.0), (2.0, 0.3), (-1.0, 1.0)):
        for w in (np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]), np.zeros((2, 1))):
            times = (0.0, 0.3, 0.9, 0.999, 0.99999, 1.5, 1.99)
            values = {**square_flow(), "r": real(r), "c": real(c), "w": w}
            found.append(Model(PLANE, values, times=times))
    return found


def solution_models() -> list[Model]:
    return flow_models([{"r": real(1.0)}, {"r": real(0.6)}, {"r": real(-1)}])


def equal_field_models() -> list[Model]:
    """Fields that agree on symmetric matrices, or do not."""
    fields = (
        (square_flow(), lambda Z: Z.T @ Z),
        (square_flow(), lambda Z: 2 * Z @ Z),
        (decay_flow(), lambda Z: -Z.T),
        (decay_flow(), lambda Z: Z),
        (linear_flow(), linear_flow()["F"]),
    )
    return [Model(PLANE, {**flow, "G": other}) for flow, other in fields]


def equal_fields_on_cone_models() -> list[Model]:
    """The same with fields that jump far from the cone, or on it, and a curve that leaves it."""

    def jumping(flow, where):
        field = flow["F"]
        return {**flow, "F": lambda Z: field(Z) + 3 * float(where(np.linalg.eigvalsh(Z + Z.T)[0]))}

    outside = [jumping(flow, lambda least: least < -1) for flow in (square_flow(), decay_flow())]
    inside = jumping(decay_flow(), lambda least: least > 0)
    leaving = {
        "X": lambda t: (1 - t[0, 0]) * np.eye(2),
        "F": lambda Z: -np.eye(2),
        "X0": np.eye(2),
        "T": INF,
    }
    fields = (
        (outside[0], lambda Z: Z.T @ Z),
        (outside[0], lambda Z: 2 * Z @ Z),
        (outside[1], lambda Z: -Z.T),
        (outside[1], lambda Z: Z),
        (inside, inside["F"]),
        (leaving, leaving["F"]),
    )
    return [Model(PLANE, {**flow, "G": other}, states=CONE) for flow, other in fields]


def constant_curves() -> list[Model]:
    """Curves of 2 x 3 matrices that stay, move, or jump once."""
    value = rng.normal(size=(2, 3))
    curves_ = (lambda t: value, lambda t: t[0, 0] * value, lambda t: (t[0, 0] < 0.3) * value)
    return [
        Model({"m": 2, "n": 3}, {"X": curve, "T": end}, times=KINK_TIMES)
        for curve in curves_
        for end in (INF, 0.2, 0.0, -1.0)
    ]


def commuting_models() -> list[Model]:
    """Fields that are tangent to the matrices that commute with B_1, B_2, and one that is not."""
    diagonal = (np.diag([1.0, 2.0]), np.diag([0.0, -1.0]))
    start = decay_flow()["X0"]
    powers = (start, start @ start)
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    leaving = {
        "X": lambda t: np.eye(2) + t[0, 0] * turn,
        "F": lambda Z: turn,
        "X0": np.eye(2),
        "T": INF,
    }
    bent = {**decay_flow(), "F": lambda Z: -Z - (Z - Z.T)}
    found = []
    for flow, others in (
        (square_flow(), diagonal),
        (decay_flow(), powers),
        (bent, powers),
        (decay_flow(), diagonal),
        (leaving, diagonal),
        (linear_flow(), diagonal),
    ):
        values = {**flow, "B": lambda i, others=others: others[i - 1]}
        states = [*CONE, *diagonal, *powers, rng.normal(size=(2, 2))]
        found.append(Model({"d": 2, "k": 2}, values, states=states))
    return found


def bounded_models() -> list[Model]:
    """Constant and growing bounds; one tends to infinity where the solution ends."""
    bounds = [lambda t, b=b: real(b * math.exp(0.4 * t[0, 0])) for b in (0.01, 30.0)]
    bounds += [lambda t: real(30.0), lambda t: real(30 / (1 - t[0, 0]) if t[0, 0] < 1 else 0.0)]
    times = (0.0, 0.2, 0.7, 0.99, 1.0, 1.5)
    return [
        model
        for b in bounds
        for model in flow_models([{"P": P, "b": b} for P in (POSITIVE, -np.eye(2))], times=times)
    ]


def congruence_models() -> list[Model]:
    B = np.array([[0.0, 1.0], [-1.0, 0.0]])
    linear = {**linear_flow(), "B": lambda Z: B}
    symmetric_states = [symmetric(2) for _ in range(3)]
    whole = integrated_flow()
    times = (0.0, 0.2, 0.7, 1.5)
    return [
        Model(PLANE, linear, times, symmetric_states, [lambda t: expm(B * t[0, 0])]),
        Model(PLANE, whole, times, symmetric_states, [whole["Phi"]]),
        Model(PLANE, {**linear, "B": lambda Z: 2 * B}, times, symmetric_states),
    ]


def matrices(n: int) -> list[np.ndarray]:
    return kinds(n)


def vectors(n: int) -> list[np.ndarray]:
    return [np.zeros((n, 1)), np.eye(n)[:, :1], rng.normal(size=(n, 1))]


LINE = {"d": 1, "n": 1}
PLACES = [-3.0, -1.0, 2.0, 4.0, 40.0]


def numbered(names: str, *rows: tuple[float, ...]) -> list[Model]:
    """Models with real letters, one for each row of values, tried at places far out."""
    return [
        Model(LINE, dict(zip(names, map(real, row), strict=True)), states=PLACES[:4])
        for row in rows
    ]


def independent_models() -> list[Model]:
    """(a + b x) exp(p x + q x^2) = c exp(r x + s x^2) + g + h x in all ways that it can hold."""
    return numbered(
        "abpqcrsgh",
        (2, 0, 1, -0.5, 2, 1, -0.5, 0, 0),  # one exponential
        (2, 3, 0, 0, 0, 1, 1, 2, 3),  # the exponent vanishes
        (2, 3, 0, 0, 1, 0, 0, 1, 3),  # both exponents vanish
        (0, 0, 1, 1, 0, 2, 2, 0, 0),
        (0, 0, 1, 1, 3, 0, 0, -3, 0),
        (1, 0, 1, 0, 1, 1, 0, 0, 0),
        (2, 1, 1, -0.5, 2, 1, -0.5, 0, 0),  # not equal
        (1, 0, 0, 0.1, 0, 1, 1, 2, 0),
    )


def growth_models() -> list[Model]:
    return numbered(
        "bckqmrs",
        (0, 2, 0, 0.2, 1, 3, 0),
        (0, -2, 0, 0.3, -1, 2, 0),
        (3, -2, 0, 0.3, -1, 8, 1),
        (0, -2, 0, 1.5, 0, 3, 2),
        (0, -2, 1e-3, 0.3, -1, 5, 0),  # not bounded
        (1, 0, 0, 0.3, 0, 2, 0),
        (1, 0, 0, -0.3, 0, 2, 0),
    )


def square_growth_models() -> list[Model]:
    """Curves that end when they must, or before; negative ones, and slower ones, go on."""
    found = []
    for r, g, end, c in (
        (lambda t: 2 / (1 - 2 * t), lambda t: 4 / (1 - 2 * t) ** 2, 0.5, 1),
        (lambda t: 1 / (1 - 3 * t), lambda t: 3 / (1 - 3 * t) ** 2, 1 / 3, 3),
        (lambda t: math.tan(t + 1), lambda t: 1 + math.tan(t + 1) ** 2, math.pi / 2 - 1, 1),
        (lambda t: 1 / (1 - t), lambda t: 1 / (1 - t) ** 2, 1, 2),  # not fast enough
        (lambda t: -math.exp(-t), lambda t: math.exp(-t), INF, 1),  # not positive at first
        (lambda t: t - 1, lambda t: 1, 1.5, 1),
        (lambda t: 1 - t, lambda t: -1, INF, 1),  # falls
    ):
        values = {
            "r": lambda t, r=r: real(r(t[0, 0])),
            "g": lambda t, g=g: real(g(t[0, 0])),
            "T": end,
            "c": real(c),
        }
        found.append(Model({}, values))
    return found


def waves(n: int) -> list[Callable]:
    """Functions of one argument (n x 1), bounded and not, smooth and not."""
    return [
        lambda y: real(math.sin(y.sum())),
        lambda y: real(0.5 + 0.5 * math.tanh(y[0, 0])),
        lambda y: real((y**2).sum() + 1),
        lambda y: real(math.exp(min(0.7 * (y**2).sum(), 700))),
        lambda y: real(0),
        lambda y: real(float(y[0, 0] >= 2)),  # jumps at a point that is tried
    ]


def gaussians(n: int) -> list[models.Gaussian]:
    mean = np.full((n, 1), 0.3)
    return [models.Gaussian(mean, C) for C in (np.eye(n), 0.5 * gram(n, 1), np.zeros((n, n)))]


def points(n: int) -> list[np.ndarray]:
    return [np.full((n, 1), 2.0), np.full((n, 1), -0.4), np.eye(n)[:, :1]]


def dominated_models() -> list[Model]:
    return [
        Model({"d": n}, {"f": f, "g": g, "nu": nu}, states=points(n))
        for n in (1, 2)
        for f, g, nu in itertools.product(waves(n), waves(n), gaussians(n))
    ]


def parameter_models() -> list[Model]:
    """Integrands that depend on a parameter; one jumps in it, where the bound still holds."""
    integrands = [
        lambda u: lambda y: real(math.tanh(u.sum() * y.sum())),
        lambda u: lambda y: real(math.exp(-(u.sum() ** 2)) * y.sum()),
        lambda u: lambda y: real(float(u[0, 0] >= 2)),
        lambda u: lambda y: real(float(y[0, 0] >= 2)),
    ]
    return [
        Model({"d": n, "n": n}, {"f": f, "g": g, "nu": nu}, states=points(n))
        for n in (1, 2)
        for f, g, nu in itertools.product(integrands, waves(n), gaussians(n))
    ]


def ordered_models() -> list[Model]:
    found = []
    for n in (1, 2):
        for f, g, C in itertools.product(waves(n), waves(n), (np.eye(n), np.zeros((n, n)))):
            for z in (np.zeros((n, 1)), np.full((n, 1), 0.7)):
                values = {"f": f, "g": g, "C": C, "a": np.full((n, 1), 0.3), "z": z}
                found.append(Model({"d": n}, values, states=[*points(n), z]))
    return found


def third_derivative_models() -> list[Model]:
    """The gradient of z^T S z / 2 + sin <C, z>, whose second derivative is -sin <C, z> C C C; and
    a map z -> L(z, z) that is no gradient.
    """
    found = []
    for m, n in ((1, 1), (2, 1), (2, 2)):
        count, shape = m * n, (m, n)
        points = [rng.normal(size=shape) / 2 for _ in range(4)]
        S, L = symmetric(count), rng.normal(size=(count, count, count))
        C, Z, U, W = (rng.normal(size=shape) / 2 for _ in "CZUW")

        def energy(z, S=S, C=C):
            v = z.reshape(-1)
            return real(v @ S @ v / 2 + math.sin((C * z).sum()))

        def field(z, S=S, C=C, shape=shape):
            return (S @ z.reshape(-1)).reshape(shape) + math.cos((C * z).sum()) * C

        def bent(z, L=L, shape=shape):
            v = z.reshape(-1)
            return (L @ v @ v).reshape(shape)

        def first(u, S=S, C=C, Z=Z, shape=shape):
            def slope(t):
                fall = math.sin((C * (Z + t[0, 0] * u)).sum()) * (C * u).sum()
                return (S @ u.reshape(-1)).reshape(shape) - fall * C

            return slope

        def second(u, C=C, Z=Z):
            return lambda t: -math.cos((C * (Z + t[0, 0] * u)).sum()) * (C * u).sum() ** 2 * C

        def first_bent(u, L=L, Z=Z, shape=shape):
            def slope(t):
                v, w = (Z + t[0, 0] * u).reshape(-1), u.reshape(-1)
                return (L @ v @ w + L @ w @ v).reshape(shape)

            return slope

        def second_bent(u, L=L, shape=shape):
            return lambda t: 2 * (L @ u.reshape(-1) @ u.reshape(-1)).reshape(shape)

        def along(one, two, U=U, W=W):
            letters = (("G", U), ("H", W), ("J", U + W))
            return {
                **{name: one(u) for name, u in letters},
                **{f"{name}2": two(u) for name, u in letters},
            }

        right = {"E": energy, "F": field, "Z": Z, "U": U, "W": W, **along(first, second)}
        turned = {"F": bent, **along(first_bent, second_bent)}
        changes = [{}, turned, *({name: right["G2"]} for name in ("H2", "J2"))]
        changes += [
            {"G2": right["H2"]},
            *({f"{x}2": second_bent(U), x: first_bent(U)} for x in "GHJ"),
        ]
        for change in changes:
            found.append(Model({"m": m, "n": n}, {**right, **change}, states=points))
    return found


def smooth_rays() -> list[Model]:
    """Waves, whose derivatives are the witnesses, and a kink, which has no derivative there."""
    found = []
    for m, n, k, l in ((1, 1, 1, 1), (2, 1, 1, 2), (1, 2, 2, 2)):  # noqa: E741 (a size)
        C, Z, U = rng.normal(size=(3, m, n)) / 2
        D = rng.normal(size=(k, l))
        rate = (C * U).sum()

        def phase(t, C=C, Z=Z, U=U):
            return (C * (Z + t[0, 0] * U)).sum()

        witnesses = [
            lambda t, phase=phase, D=D, rate=rate: rate * math.cos(phase(t)) * D,
            lambda t, phase=phase, D=D, rate=rate: -(rate**2) * math.sin(phase(t)) * D,
        ]
        for function in (
            lambda z, C=C, D=D: math.sin((C * z).sum()) * D,
            lambda z, C=C, D=D: abs(math.sin((C * z).sum())) * D,
        ):
            root = -(C * Z).sum() / (C * C).sum()
            found.append(
                Model(
                    {"m": m, "n": n, "k": k, "l": l},
                    {"S": function, "Z": Z, "U": U},
                    states=[Z, Z + root * C],
                    witnesses=witnesses,
                )
            )
    return found


def factored_curves() -> list[Model]:
    """X = A + t B + t^2 C."""
    found = []
    for _ in range(3):
        A, B, C = rng.normal(size=(3, 2, 2))

        def curve(t, A=A, B=B, C=C):
            return A + t[0, 0] * B + t[0, 0] ** 2 * C

        def slope(t, B=B, C=C):
            return B + 2 * t[0, 0] * C

        right = {
            "X": curve,
            "G": lambda t, curve=curve, slope=slope: curve(t) + t[0, 0] * slope(t),
            "H": lambda t, B=B, C=C: 2 * B + 6 * t[0, 0] * C,
            "J": slope,
        }
        for change in ({}, {"J": curve}, {"H": slope}, {"X": slope, "J": lambda t, C=C: 2 * C}):
            found.append(Model({"m": 2, "n": 2}, {**right, **change}))
    return found


def line_models() -> list[Model]:
    """m' = B m + c, S' = 2 B S: then the velocity is B x + c."""
    found = []
    for B, c, start in ((0.4, -0.2, 1.0), (-0.5, 0.0, 0.7), (0.0, 0.3, 2.0)):

        def mean(t, B=B, c=c):
            grown = math.exp(B * t[0, 0])
            return real(grown + (c * (grown - 1) / B if B else c * t[0, 0]))

        def variance(t, B=B, start=start):
            return real(start * math.exp(2 * B * t[0, 0]))

        right = {
            "m": mean,
            "S": variance,
            "w": lambda t, B=B, c=c: lambda x: B * x + c,
            "T": INF,
            "t": real(0.4),
        }
        bent = {**right, "w": lambda t, B=B, c=c: lambda x: B * x + c + 0.1 * np.sin(x)}
        late = {**right, "t": real(-0.4)}
        for values in (right, bent, late):
            found.append(
                Model(LINE, values, times=(0.0, 0.4, 1.1), witnesses=[B, c, 0.0], states=[-2.0])
            )
    return found


def families(make: Callable[[int], list[np.ndarray]], counts: Sequence[int]) -> list[Model]:
    """Families f of all combinations of matrices, d x d for d = 1, 2."""
    found = []
    for n, count in itertools.product((1, 2), counts):
        for members in itertools.product(make(n), repeat=count):
            values = {"f": lambda i, members=members: members[i - 1]}
            found.append(Model({"d": n, "m": count}, values))
    return found


MODELS = {
    "within": lambda: product_models(t=reals, T=lifetimes),
    "within-finite": lambda: product_models(t=reals, r=reals),
    "time-within": lambda: product_models(t=reals, r=reals),
    "time-before-infinity": lambda: product_models(t=reals),
    "within-longer": lambda: product_models(t=reals, S=lifetimes, T=lifetimes),
    "lifetime-bound": lambda: product_models(r=reals, T=lifetimes),
    "finite-lifetime": lambda: product_models(r=reals),
    "lifetimes-ordered": lambda: product_models(a=reals, b=reals),
    "time-at-most": lambda: product_models(t=reals, T=lifetimes),
    "every-time": lambda: product_models(S=lifetimes, T=lifetimes),
    "below-infinity": lambda: product_models(T=lifetimes),
    "unbounded-lifetime": lambda: product_models(T=lifetimes),
    "infinite-otherwise": lambda: product_models(T=lifetimes),
    "antisymmetry": lambda: product_models(a=reals, b=reals),
    "lifetimes-transitive": lambda: product_models(R=lifetimes, S=lifetimes, T=lifetimes),
    "positive-factor": lambda: product_models(a=reals, b=reals),
    "nonzero-number": lambda: product_models(r=reals),
    "solution": lambda: [*solution_models(), *curious.oblong()],
    "equal-velocities": velocities,
    "equal-curves": equal_curves,
    "equal-paths": equal_paths,
    "positive-definite": lambda: product_models(M=matrices),
    "semidefinite-symmetric": lambda: product_models(M=matrices),
    "square-root": lambda: product_models(M=matrices),
    "definite-inverse": lambda: product_models(M=matrices),
    "inverse": lambda: product_models(M=matrices),
    "slit": lambda: product_models(M=matrices, N=matrices),
    "principal-root": lambda: product_models(M=matrices),
    "root-intertwines": lambda: product_models(M=matrices, N=matrices),
    "one-sided-inverse": lambda: [
        *product_models(M=matrices, N=matrices),
        *(
            Model({"d": 3}, {"M": M, "N": np.linalg.inv(M)})
            for M in (rng.normal(size=(3, 3)), np.eye(3), gram(3, 3))
        ),
    ],
    "definite-form": lambda: product_models(M=matrices, u=vectors),
    "determinant-positive": lambda: product_models(M=matrices),
    "determinant-of-products": lambda: [
        *product_models(R=matrices, P=matrices),
        *rectangular({"R": ("m", "n"), "P": ("n", "m")}),
    ],
    "trace-dominates": lambda: product_models(M=matrices),
    "trace-nonnegative": lambda: product_models(M=matrices),
    "zero-trace": lambda: product_models(M=matrices),
    "zero-form": lambda: [
        *product_models(M=matrices, Z=matrices),
        Model({"d": 2, "n": 1}, {"M": np.diag([1.0, 0.0]), "Z": np.array([[0.0], [2.0]])}),
    ],
    "largest-eigenvalue": lambda: product_models(M=matrices),
    "moore-penrose": lambda: [*product_models(R=matrices), *rectangular({"R": ("m", "n")})],
    "rank-of-product": lambda: rectangular({"A": ("m", "n"), "B": ("n", "p")}),
    "rank-of-sum": lambda: rectangular({"C": ("m", "n"), "D": ("m", "n")}),
    "rank-of-orthogonal-sum": orthogonal_pairs,
    "rank-of-identity": lambda: product_models(),
    "rank-by-kernels": lambda: rectangular({"X": ("m", "n"), "Y": ("p", "n")}),
    "resolvent-limit": lambda: product_models(N=matrices),
    "limit-of-product": limits,
    "sum-nonnegative": lambda: families(kinds, (1, 2)),
    "sum-positive": lambda: families(kinds, (1, 2)),
    "sum-of-nonnegative-zero": lambda: families(reals, (1, 2, 3)),
    "derivative-of-sum": differentiable_curves,
    "derivative-of-product": differentiable_curves,
    "derivative-of-family-sum": families_of_curves,
    "derivative-of-logarithm": kinked_logarithms,
    "derivative-of-transpose": differentiable_curves,
    "derivative-of-trace": invertible_curves,
    "derivative-of-inverse": invertible_curves,
    "derivative-of-root": kinked_curves,
    "derivative-of-exponential": kinked_curves,
    "unique-derivative": two_slopes,
    "mixed-derivatives": functions_of_two,
    "zero-derivative": lambda: [*curious.constant(), *constant_curves()],
    "exponential-bound": growing_curves,
    "invariant-cone": curious.cone,
    "falling-function": curious.falls,
    "limit-by-difference": approaching_curves,
    "squeezed-limit": squeezed_curves,
    "uniqueness": lambda: [*unique_models(), *curious.unique()],
    "global-solution": lambda: [*solution_models(), *curious.usual()],
    "escaping-solution": lambda: [*solution_models(), *curious.escaping()],
    "equal-fields": equal_field_models,
    "equal-fields-on-cone": lambda: [
        *curious.equal_on_cone(),
        *equal_fields_on_cone_models(),
    ],
    "change-of-time": curious.other_times,
    "commutant-invariance": commuting_models,
    "unbounded-form": escape_models,
    "bounded-solution": lambda: [*bounded_models(), *curious.bounded()],
    "quadratic-bound": curious.quadratic,
    "decreasing-form": lambda: flow_models([{"P": POSITIVE}, {"P": -np.eye(2)}]),
    "invariance-principle": lambda: [*invariance_models(), *curious.invariance()],
    "equilibrium": equilibrium_models,
    "constant-along": constant_along_models,
    "only-limit-point": only_limit_models,
    "congruence-flow": lambda: [*congruence_models(), *curious.congruent()],
    "linear-congruence-flow": switched_models,
    "linear-inequality": inequality_models,
    "solution-piecewise": jumping_curves,
    "transpose-piecewise": jumping_curves,
    "product-piecewise": jumping_curves,
    "sum-piecewise": jumping_curves,
    "two-summands-piecewise": two_jumping_curves,
    "root-piecewise": jumping_positive_curves,
    "inverse-piecewise": jumping_positive_curves,
    "riccati-comparison": riccati_models,
    "linear-comparison": lambda: [*linear_growth_models(), *curious.below()],
    "approximate-solution": curious.approximate,
    "restart": curious.again,
    "lifetime-nonnegative": curious.any_lifetime,
    "coordinates": curious.linear_images,
    "bounded-orbit": curious.bounded_orbits,
    "quadratic-lifetime": curious.quadratic_lifetimes,
    "exponential-of-sum": lambda: product_models(r=reals, s=reals),
    "constant-factor": integrals,
    "integral-over-atoms": point_masses,
    "integrable-over-atoms": point_masses,
    "gaussian-tilt": gaussian_models,
    "gaussian-quadratic-tilt": lambda: quadratic_models()[::3],
    "gaussian-quadratic-integrable": lambda: quadratic_models()[::4],
    "balanced-kernel": lambda: [*discrete_plans(), *gaussian_plans()],
    "linear-image-of-integral": linear_images,
    "gaussian-second-moment": gaussian_models,
    "affine-transport": lambda: [*affine_models(), *switched_models()],
    "equal-velocity-fields": affine_models,
    "exponential-above-tangent": lambda: product_models(r=reals),
    "exponential-of-logarithm": lambda: product_models(r=reals),
    "gradient-linearisation": linearised_gradients,
    "logarithm-of-exponential": lambda: product_models(r=reals),
    "exponentials-independent": independent_models,
    "exponential-growth": growth_models,
    "quadratic-growth": lambda: [*curious.growth(), *square_growth_models()],
    "dominated-integral": lambda: dominated_models()[::3],
    "dominated-continuity": parameter_models,
    "strict-order-of-integrals": ordered_models,
    "gaussian-exponential-moment": gaussian_models,
    "line-velocity": line_models,
    "symmetric-third-derivative": third_derivative_models,
    "smooth-along-line": smooth_rays,
    "derivative-of-factor": factored_curves,
}


def test_line_velocity_names_the_inverse_density():
    """With b = c = 0 and k = 1 the velocity times the density of N(m, S) is a constant."""
    body = FACTS["line-velocity"].conclusion
    for value in (0, 0, 1):
        body = application(body.args[0], la.number(value))
    profile = application(body.args[0], la.real("x")).args[1]
    for m, S, x in itertools.product((0.0, -1.2), (0.5, 3.0), (0.0, 0.7, 2.5)):
        law = {"m": lambda t, m=m: real(m), "S": lambda t, S=S: real(S)}
        value = Model(LINE, {**law, "t": real(0.0), "x": real(x)})(profile)
        assert models.close(value * math.exp(-((x - m) ** 2) / (2 * S)), real(1.0))


def true_in(fact: Fact, conclusion: Term, model: Model) -> bool | None:
    """Whether the conclusion holds; None when a premise fails."""
    if not all(model(p) for p in fact.premises):
        return None
    return model(conclusion)


def wrong_conclusions(fact: Fact) -> list[tuple[str, Term]]:
    """The conclusion with one subterm changed."""
    found = []
    letters = [
        v for v in free_variables(fact.conclusion).values() if v.args and v.args[0].op == "Mat"
    ]
    for path, term, context in mutants.positions(fact.conclusion):
        if term.op in ("bound", "lambda", "forall", "exists"):
            continue
        old = mutants.pattern(term, context)
        for kind, new in mutants.candidates(old, letters):
            if new != old and sort_of(new) == sort_of(old) and kind != "part dropped":
                rule = mutants.Rule(old, new)
                found.append((f"{kind} {path}", mutants.Rewriter([rule])(fact.conclusion)))
    return found


@facts
def test_true_in_numerical_models(fact: Fact):
    if fact.name not in MODELS:
        pytest.fail(f"add models for the fact {fact.name}")
    rng.bit_generator.state = np.random.default_rng(1).bit_generator.state  # in any order
    chosen = MODELS[fact.name]()
    verdicts = [true_in(fact, fact.conclusion, model) for model in chosen]
    assert any(verdict is not None for verdict in verdicts), "no model meets the premises"
    assert all(verdict is not False for verdict in verdicts)
    met = [m for m, v in zip(chosen, verdicts, strict=True) if v][:60]
    wrong = wrong_conclusions(fact)
    caught = [kind for kind, c in wrong if any(not m(c) for m in met)]
    missed = [kind for kind, _ in wrong if kind not in caught]
    print(f"\n{fact.name}: {len(met)} models, caught {len(caught)} of {len(wrong)}, not {missed}")
    # what the models could show to be wrong: a changed conclusion, or the conclusion elsewhere
    assert caught or any(not m(fact.conclusion) for m in chosen)


#: premises, or parts of them, counted from 0, without which some model shows the conclusion to be
#: wrong; two in one entry are dropped together.  What is missing follows from the others, or is for
#: convenience.
NEEDED: dict[str, tuple[tuple[int, ...], ...]] = {
    "definite-form": ((0,), (1,)),
    "derivative-of-trace": ((0,),),
    "zero-derivative": ((0,),),
    "quadratic-growth": ((0,), (1,), (2,), (3,)),
    "uniqueness": ((0,), (1,), (2,)),
    "escaping-solution": ((0,), (1,), (2,), (3,), (4,)),
    "equal-fields-on-cone": ((0,), (1,), (2,), (3,)),
    "change-of-time": ((0,), (1,), (2,), (3,), (4,), (5,)),
    "time-at-most": ((0,),),
    "every-time": ((0,), (1,)),
    "unbounded-lifetime": ((0,),),
    "infinite-otherwise": ((0,),),
    "bounded-solution": ((0,), (1,), (2,), (3,), (4,), (5,)),
    "quadratic-bound": ((0,), (1,), (2,), (3,), (6,)),
    "invariance-principle": ((0,), (1,), (2,), (4,)),
    "congruence-flow": ((1,), (2,), (3,), (0, 4)),
    "linear-comparison": ((0,), (1,), (2,), (3,)),
    "approximate-solution": tuple((i,) for i in range(13)),
    "restart": ((0,), (1,)),
    "lifetime-nonnegative": ((0,),),
    "coordinates": tuple((i,) for i in range(7)),
    "bounded-orbit": ((0,), (1,), (2,)),
    "quadratic-lifetime": ((0,), (1,), (2,), (5,)),
    "derivative-of-transpose": ((0,),),
    "derivative-of-family-sum": ((0,),),
    "derivative-of-logarithm": ((0,), (1,)),
    "equal-paths": ((0,), (1,)),
    "unique-derivative": ((0,), (1,)),
    "mixed-derivatives": ((2,), (3,), (4, 5)),
    "symmetric-third-derivative": ((0,), (3,), (5,), (7,)),
    "smooth-along-line": ((0,),),
    "derivative-of-factor": ((0,), (1,), (2,)),
    "gradient-linearisation": ((0,), (2,), (4,), (5,)),
    "integral-over-atoms": ((0,),),
    "invariant-cone": ((0,), (1,), (2,), (4,), (5,), (6,)),
    "falling-function": ((0,), (1,)),
    "solution": ((0,),),
    "trace-dominates": ((0,),),
}


@pytest.mark.parametrize("name", NEEDED)
def test_premises_are_needed(name: str):
    fact = FACTS[name]
    rng.bit_generator.state = np.random.default_rng(1).bit_generator.state
    chosen = MODELS[name]()
    parts = [q for p in fact.premises for q in (p.args if p.op == "and" else (p,))]
    table = [([m(p) for p in parts], m(fact.conclusion)) for m in chosen]
    assert any(all(premises) for premises, _ in table)
    for dropped in NEEDED[name]:
        assert any(
            not conclusion and all(p for i, p in enumerate(premises) if i not in dropped)
            for premises, conclusion in table
        ), f"no model without the premises {dropped}"
