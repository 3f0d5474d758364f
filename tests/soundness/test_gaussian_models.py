"""Gaussian claims with numbers: what they say holds of solved equations, and not of altered ones.

The equations of a statement are solved as they are written there, with parameters that jump; the
hypotheses and the conclusion are evaluated by quadrature.  A statement that is altered is solved
again, so that its hypotheses still hold and its conclusion is what must fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import soundness_mutants as mutants
from scipy.integrate import solve_ivp
from soundness_models import Discrete, Model, real
from soundness_mutants import Rule

from proofs import language as la
from proofs.claims import (
    covariance_equation,
    gaussian_l2,
    gaussian_linear,
    gaussian_masked_linear,
    gaussian_multihead,
    gaussian_sinkhorn,
    gaussian_sinkhorn_plan,
    l2_velocity,
    sinkhorn_roots,
)
from proofs.claims.base import Claim
from proofs.claims.preservation import ALWAYS_POSITIVE, Layer
from proofs.claims.preserving_heads import COVARIANCE, MEAN, alpha, x
from proofs.kernel import KernelError, Session, Statement
from proofs.terms import DIM, Term, application, free_variables, substitute, variable

JUMP, END = 0.3, 0.8
TIMES = (0.0, 0.3, 0.6)
D = 2
rng = np.random.default_rng(3)


# Solutions of the equations that a statement contains -----------------------------------------


def jumping(rows: int, columns: int, size: float = 0.6) -> Callable[[np.ndarray], np.ndarray]:
    """One matrix before the jump, another one from it on."""
    early, late = size * rng.normal(size=(2, rows, columns))
    return lambda t: early if t[0, 0] < JUMP else late


def family(rows: int, columns: int) -> Callable[[int], Callable[[np.ndarray], np.ndarray]]:
    members = [jumping(rows, columns, 0.4) for _ in range(2)]
    return lambda i: members[i - 1]


@dataclass(frozen=True)
class Equation:
    """letter' = velocity, or of the member of a family at a position."""

    letter: str
    position: float | None
    velocity: Term
    start: np.ndarray


def equations(statement: Statement, masked: bool) -> Iterator[Equation]:
    for hypothesis in statement.hypotheses:
        body = hypothesis.args[0].args[-1] if hypothesis.op == "forall" else hypothesis
        if body.op != "ode":
            continue
        for place in TIMES if masked else (None,):
            ode = hypothesis
            if place is not None:
                ode = application(hypothesis.args[0], la.number(Fraction(str(place))))
            (letter,) = {
                str(node.data)
                for node in ode.args[1].walk()
                if node.op == "var" and node.args[0] != DIM
            }
            start = STARTS[letter] * (1 + (place or 0))
            yield Equation(letter, place, ode.args[2], start)


STARTS = {"alpha": np.array([[0.5], [-0.3]]), "Sigma": np.array([[0.1, 0.03], [0.03, 0.06]])}


def solved(statement: Statement, values: dict[str, Any], masked: bool = False) -> Model:
    """A model of the hypotheses: the equations solved from one jump to the next."""
    system = list(equations(statement, masked))
    shapes = [e.start.shape for e in system]
    ends = np.cumsum([rows * columns for rows, columns in shapes])

    def parts(vector: np.ndarray) -> list[np.ndarray]:
        pieces = np.split(vector, ends[:-1])
        return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]

    def letters(curve: Callable[[int], Callable[[np.ndarray], np.ndarray]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for i, equation in enumerate(system):
            found.setdefault(equation.letter, {})[equation.position] = curve(i)
        if not masked:
            return {letter: members[None] for letter, members in found.items()}
        return {
            letter: lambda s, members=members: members[round(float(s[0, 0]), 9)]
            for letter, members in found.items()
        }

    def model(curves: dict[str, Any], points: tuple[np.ndarray, ...] = ()) -> Model:
        return Model(
            {"d": D, "k": 1, **{f"H_{mark}": 2 for mark in ("soft", "l2", "sink", "lin")}},
            {"Sigma0": STARTS["Sigma"], "T": END, **values, **curves},
            times=TIMES,
            states=points,
            nodes=5,
        )

    def right(t: float, vector: np.ndarray) -> np.ndarray:
        now = parts(vector)
        frozen = model(letters(lambda i: lambda _: now[i]))
        velocities = [frozen(e.velocity)(real(t)) for e in system]
        return np.concatenate([v.ravel() for v in velocities])

    state = np.concatenate([e.start.ravel() for e in system])
    dense = []
    for begin, end in ((0.0, JUMP), (JUMP, END)):
        inside = (begin, end - 1e-12)  # not the value at the next jump
        piece = solve_ivp(
            right, inside, state, rtol=1e-11, atol=1e-12, dense_output=True, method="DOP853"
        )
        state = piece.y[:, -1]
        dense.append(piece.sol)

    def curve(i: int) -> Callable[[np.ndarray], np.ndarray]:
        return lambda t: parts(dense[int(t[0, 0] >= JUMP)](t[0, 0]))[i]

    points = tuple(np.random.default_rng(4).normal(size=(2, D, 1)))
    return model(letters(curve), points)


# The claims -----------------------------------------------------------------------------------

SQUARE = {name: jumping(D, D, 1.0) for name in ("V", "A")}
KEYS = {name: jumping(1, D) for name in ("Q", "K")}
HEADS = {
    f"{name}_{mark}": family(*shape)
    for mark, names in (("soft", "VA"), ("l2", "QKV"), ("sink", "VA"), ("lin", "VA"))
    for name in names
    for shape in [(1, D) if name in "QK" else (D, D)]
}
POSITIONS = Discrete([real(0.0), real(0.3), real(0.6)], [0.2, 0.3, 0.1])
VALUES: dict[str, dict[str, Any]] = {
    "gaussian.l2": {**SQUARE, **KEYS},
    "gaussian.linear": SQUARE,
    "gaussian.sinkhorn": SQUARE,
    "gaussian.multihead": HEADS,
    "gaussian.masked-linear": {**SQUARE, "theta": POSITIONS},
}
CLAIMS: dict[str, Claim] = {
    module.CLAIM.id: module.CLAIM
    for module in (
        gaussian_l2,
        gaussian_linear,
        gaussian_sinkhorn,
        gaussian_multihead,
        gaussian_masked_linear,
    )
}


def model_of(statement: Statement, claim_id: str) -> Model:
    return solved(statement, VALUES[claim_id], masked="masked" in claim_id)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_hypotheses_can_be_met_and_the_conclusion_follows(claim: Claim):
    model = model_of(claim.statement, claim.id)
    for hypothesis, name in zip(claim.statement.hypotheses, claim.hypotheses, strict=True):
        assert model(hypothesis), name
    assert model(claim.statement.conclusion)


# Altered statements ---------------------------------------------------------------------------

d = la.dim("d")
t, s, y = la.real("t"), gaussian_masked_linear.s, la.vec("y", d)
TRUE = la.eq(la.number(0), la.number(0))
PLAN = gaussian_sinkhorn_plan.CLAIM
L2, SINKHORN, LINEAR = (
    module.LAYER.heads[0] for module in (gaussian_l2, gaussian_sinkhorn, gaussian_linear)
)
SEEN = gaussian_masked_linear.SEEN
POSITIVITY = {la.psd(covariance_equation.Sigma0), ALWAYS_POSITIVE, gaussian_masked_linear.POSITIVE}
#: lemmas are established once
WITH_LEMMAS = Session()


def everywhere(term: Term) -> Term:
    """With pattern variables in place of what statements bind."""
    names = [letter for letter in (t, s, x, y) if letter in free_variables(term).values()]
    return substitute(term, {str(v.data): variable(f"?{v.data}", v.args[0]) for v in names})


def mean_equation(velocity: Term) -> Term:
    return la.ode(la.lifetime("T"), alpha, la.lam(t, velocity))


def under_root(score: Term, covariance: Term, factor: int, flipped: Term | None = None) -> Term:
    """I + factor W A Sigma A^T W."""
    right = la.tp(score) if flipped is None else flipped
    inside = sinkhorn_roots.gram(score, covariance, right)
    return la.add(la.identity(d), la.scale(factor, inside))


def l2_changes() -> Iterator[tuple[str, Term, Term]]:
    Q, K, _ = L2.now
    precision = l2_velocity.precision(K, COVARIANCE)
    tilt = la.mul(COVARIANCE, la.tp(K), Q, x)
    at_mean = substitute(tilt, {"x": MEAN})

    def inner(first: Term, second: Term, factor: int = 2) -> Term:
        form = la.mul(COVARIANCE, la.tp(first), second)
        return la.add(la.identity(d), la.scale(factor, form))

    yield "2 dropped in B", L2.linear, L2.linear.args[1]
    yield "2 dropped in the precision", precision, inner(K, K, 1)
    yield "Q^T Q for K^T K", precision, inner(Q, Q)
    yield "K^T Q for K^T K", precision, inner(K, Q)
    yield "minus in the precision", precision, inner(K, K, -2)
    yield "2 dropped in the mean equation", la.scale(2, at_mean), at_mean
    yield "2 dropped in the velocity", la.scale(2, tilt), tilt
    yield "inverse dropped", la.inv(precision), la.identity(d)


def sinkhorn_changes() -> Iterator[tuple[str, Term, Term]]:
    V, A = SINKHORN.now
    root = under_root(A, COVARIANCE, 4)
    decoupled = la.mul(V, MEAN)
    coupled = la.mul(V, la.add(MEAN, la.mul(COVARIANCE, A, MEAN)))
    E = sinkhorn_roots.shrinking(A, COVARIANCE, la.tp(A))
    yield "minus under the root", root, under_root(A, COVARIANCE, -4)
    yield "2 for 4 under the root", root, under_root(A, COVARIANCE, 2)
    yield "transpose dropped under the root", root, under_root(A, COVARIANCE, 4, A)
    yield "A^T for A under the root", root, under_root(la.tp(A), COVARIANCE, 4, A)
    yield "2 dropped in E", E, E.args[1]
    yield "mean not decoupled", mean_equation(decoupled), mean_equation(coupled)
    yield "softmax covariance", SINKHORN.linear, la.mul(V, COVARIANCE, A)


def linear_changes() -> Iterator[tuple[str, Term, Term]]:
    V, A = LINEAR.now
    moment = la.add(COVARIANCE, la.mul(MEAN, la.tp(MEAN)))
    yield "alpha alpha^T dropped", moment, COVARIANCE
    yield "Sigma dropped", moment, moment.args[1]
    yield "A^T for A in B", LINEAR.linear, la.mul(V, moment, la.tp(A))
    yield "V^T for V in B", LINEAR.linear, la.mul(la.tp(V), moment, A)
    mean = LINEAR.mean_velocity
    yield "softmax mean", mean_equation(mean), mean_equation(SINKHORN.mean_velocity)


def masked_changes() -> Iterator[tuple[str, Term, Term]]:
    tau, theta = gaussian_masked_linear.tau, gaussian_masked_linear.theta
    moment = gaussian_masked_linear.second_moment(tau)
    seen = la.past(theta, s)
    flipped = la.mul(la.at(LINEAR.parameters[0], t), SEEN, la.tp(la.at(LINEAR.parameters[1], t)))
    yield "alpha alpha^T dropped", SEEN, la.integral(seen, tau, moment.args[0])
    yield "mask dropped", SEEN, la.integral(theta, tau, moment)
    yield "a mask at 0", SEEN, la.integral(la.past(theta, la.number(0)), tau, moment)
    yield "only one's own moment", SEEN, gaussian_masked_linear.second_moment(s)
    yield "A^T for A", gaussian_masked_linear.LINEAR, flipped


def multihead_changes() -> Iterator[tuple[str, Term, Term]]:
    layer = gaussian_multihead.LAYER
    for k, head in enumerate(layer.heads):
        fewer = Layer(layer.heads[:k] + layer.heads[k + 1 :])
        yield f"{head.variant} heads dropped from B", layer.linear, fewer.linear
        mean = layer.mean_equation, fewer.mean_equation
        yield f"{head.variant} heads dropped from the mean equation", *mean
        yield f"{head.variant} heads dropped from the velocity", layer.affine(x), fewer.affine(x)
    softmax = layer.heads[0]
    (V, A), h = softmax.now, softmax.index
    summed = la.mul(la.total(h, la.mul(V, COVARIANCE)), la.total(h, A))
    yield "product of sums", softmax.total(softmax.linear), summed


def plan_changes() -> Iterator[tuple[str, Term, Term]]:
    A, Sigma = gaussian_sinkhorn_plan.A, sinkhorn_roots.Sigma
    root = under_root(A, Sigma, 4)
    yield "minus under the root", root, under_root(A, Sigma, -4)
    yield "2 for 4 under the root", root, under_root(A, Sigma, 2)
    yield "transpose dropped", root, under_root(A, Sigma, 4, A)
    density = gaussian_sinkhorn_plan.DENSITY
    yield "constant dropped", density, density.args[1]
    pull = sinkhorn_roots.pull(A, Sigma)
    yield "A^T for A in the pull", pull, la.mul(*pull.args[:-1], la.tp(A))
    yield "softmax pull", pull, la.mul(Sigma, A)
    larger = gaussian_sinkhorn_plan.LARGER
    yield "root dropped in the singular values", larger, larger.args[0]


CHANGES: dict[str, list[tuple[str, Rule]]] = {
    name: [(kind, Rule(everywhere(old), everywhere(new))) for kind, old, new in make()]
    for name, make in {
        "gaussian.l2": l2_changes,
        "gaussian.sinkhorn": sinkhorn_changes,
        "gaussian.linear": linear_changes,
        "gaussian.masked-linear": masked_changes,
        "gaussian.multihead": multihead_changes,
        PLAN.id: plan_changes,
    }.items()
}
CASES = [pytest.param(name, *c, id=f"{name}-{c[0]}") for name in CHANGES for c in CHANGES[name]]


def plan_model() -> Model:
    """Points, and singular vectors of M with their singular values."""
    A, V = 0.8 * np.random.default_rng(5).normal(size=(2, D, D))
    values = {"alpha": STARTS["alpha"], "Sigma": STARTS["Sigma"], "A": A, "V": V}
    sizes = {"d": D}
    M = Model(sizes, values)(sinkhorn_roots.M)
    left, singular, right = np.linalg.svd(M)
    vectors = [left[:, [0]], right[[0]].T, left[:, [1]], right[[1]].T]
    points = [np.array([[0.7], [-0.4]]), *vectors]
    return Model(sizes, values, times=(), states=(*points, *singular), nodes=7)


def test_the_plan_is_the_balanced_kernel():
    assert plan_model()(PLAN.statement.conclusion)


@pytest.mark.parametrize(("name", "kind", "rule"), CASES)
def test_altered_statements_are_false(name: str, kind: str, rule: Rule):
    claim = PLAN if name == PLAN.id else CLAIMS[name]
    statement = mutants.Rewriter([rule]).statement(claim.statement)
    assert statement != claim.statement
    model = plan_model() if claim is PLAN else model_of(statement, name)
    assert all(model(hypothesis) for hypothesis in statement.hypotheses)
    assert not model(statement.conclusion)


@pytest.mark.parametrize(("name", "kind", "rule"), CASES)
def test_altered_statements_are_not_proved(name: str, kind: str, rule: Rule):
    """The proof ends elsewhere, and altered in the same way it does not go through."""
    claim = PLAN if name == PLAN.id else CLAIMS[name]
    mutant = mutants.run(claim, kind, rule)
    assert mutant.result is None
    assert mutant.error is not None
    assert mutant.error.rule in {"algebra", "fact", "positivity", "lemma", "specialise"}
    proved = mutants.sequents(claim.proof)[-1]
    known = set(proved.hypotheses) <= set(mutant.statement.hypotheses)
    assert not known or proved.conclusion != mutant.statement.conclusion
    if kind == CHANGES[name][0][0]:
        with pytest.raises(KernelError) as info:
            WITH_LEMMAS.establish(mutant.statement, claim.proof)
        assert info.value.rule == "statement"


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_positivity_is_not_dropped(claim: Claim):
    hypotheses = claim.statement.hypotheses
    dropped = [h for h in hypotheses if h in POSITIVITY]
    assert dropped
    for hypothesis in dropped:
        rest = tuple(h for h in hypotheses if h != hypothesis)
        with pytest.raises(KernelError, match="assumptions are not the claim's hypotheses"):
            WITH_LEMMAS.establish(Statement(rest, claim.statement.conclusion), claim.proof)
