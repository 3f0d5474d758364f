"""The lemmas on low-rank products: exact instances where the bounds are nearly attained."""

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import soundness_mutants as mutants
import soundness_truth as truth
from soundness_lemmas import LOW_RANK
from soundness_mutants import Rule

from proofs import language as la
from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import symmetrised
from proofs.claims.head_growth import I
from proofs.kernel import KernelError, Lemma, Statement, Theorem, establish
from proofs.terms import DIM, Term, size, substitute
from proofs.verdicts.factored import low_rank as lr

Values = dict[str, truth.Matrix]

lemmas = pytest.mark.parametrize("claim", LOW_RANK.values(), ids=LOW_RANK)
HALF, NEARLY = Fraction(1, 2), Fraction(10**9 - 1, 10**9)
SAMPLE = 24


# Exact instances -----------------------------------------------------------------------------


def number(x: Fraction | int) -> truth.Matrix:
    return truth.matrix([[x]])


def rotation(n: int, generator: random.Random) -> truth.Matrix:
    """A rational orthogonal matrix, by the Cayley transform."""
    rows = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            rows[i][j] = Fraction(generator.randint(-4, 4), 2)
            rows[j][i] = -rows[i][j]
    skew, unit = truth.matrix(rows), truth.identity(n)
    return truth.product(
        truth.add(unit, truth.times(Fraction(-1), skew)), truth.inverse(truth.add(unit, skew))
    )


def random_matrix(rows: int, columns: int, generator: random.Random) -> truth.Matrix:
    entries = [[generator.randint(-5, 5) for _ in range(columns)] for _ in range(rows)]
    return truth.times(Fraction(1, 2), truth.matrix(entries))


def with_norm(norm: Fraction, generator: random.Random) -> tuple[truth.Matrix, truth.Matrix]:
    """P (3 x 2) and N (2 x 3) such that P N has exactly this norm."""
    left, right = rotation(3, generator), rotation(3, generator)
    inner = random_matrix(2, 2, generator)
    if truth.rank(inner) < 2:
        inner = truth.identity(2)
    scales = truth.matrix([[norm, 0], [0, norm / 3]])
    P = truth.product(truth.matrix(row[:2] for row in left), truth.product(scales, inner))
    return P, truth.product(truth.inverse(inner), right[:2])


def largest(matrix: truth.Matrix) -> Fraction:
    """The largest eigenvalue of a symmetric matrix, a little too large."""
    floats = np.array([[float(x) for x in row] for row in matrix])
    value = Fraction(float(np.linalg.eigvalsh(floats)[-1]))
    return value + Fraction(1, 10**9)


def symmetric_product(V: truth.Matrix, A: truth.Matrix) -> truth.Matrix:
    product = truth.product(V, A)
    return truth.add(product, truth.transpose(product))


#: factors of the two bounds: exact, a little too small, too large, of the wrong sign
PAIRS = ((1, 1), (NEARLY, 1), (1, NEARLY), (NEARLY, NEARLY), (2, 1), (1, 2), (-1, 1), (1, -1))
#: s, q and a / b that do not fit together, or only just
MISFITS = ((2, 1, 1), (2, -1, 1), (2, 4, 1), (4, 4, 2), (-1, 1, 1))


def scalars(**values: Fraction | int) -> Values:
    return {name: number(value) for name, value in values.items()}


def scaled_bounds(b: Fraction) -> Iterator[Values]:
    """s, q = s^2, a = |s| b and b, about right and wrong."""
    for s in (HALF, Fraction(-3)):
        for first, second in PAIRS:
            yield scalars(s=s, q=s * s, b=b * first, a=abs(s) * b * second)
    for s, q, ratio in MISFITS:
        yield scalars(s=s, q=q, b=b, a=ratio * b)


#: rows 1 x 1 matrices P, N with P N > 1
SINGLE = (
    (truth.matrix([[4]]), truth.matrix([[HALF]])),
    (truth.matrix([[2]]), truth.matrix([[2]])),
)


def value_points(generator: random.Random) -> Iterator[Values]:
    for norm in (Fraction(1, 3), Fraction(5)):
        W, U = with_norm(norm, generator)
        for factor in (1, NEARLY, 2, 0, -1):
            yield {"W": W, "U": U, "v": number(norm * factor)}
    for W, U in SINGLE:
        yield {"W": W, "U": U, "v": number(1)}


def score_points(generator: random.Random) -> Iterator[Values]:
    for norm in (Fraction(1, 3), Fraction(5)):
        P, K = with_norm(norm, generator)
        for bounds in scaled_bounds(norm):
            yield {"Q": truth.transpose(P), "K": K, **bounds}
    for Q, K in SINGLE:
        yield {"Q": Q, "K": K, **scalars(s=1, q=1, b=1, a=1)}


def half(row: tuple[Fraction, ...]) -> truth.Matrix:
    return truth.times(HALF, (row,))


def drift_points(generator: random.Random) -> Iterator[Values]:
    # w q^T + q w^T has the eigenvalue w.q + |w| |q| = 63 + 65 for w = (3, 4), q = (5, 12)
    plane = {
        "W": truth.matrix([[3], [4], [0]]),
        "Q": truth.matrix([[5, 12, 0]]),
        "U": truth.matrix([[1, 0, 0]]),
        "K": truth.matrix([[1, 2, 2]]),
    }
    sizes = {"W": (4, 2), "U": (2, 4), "Q": (1, 4), "K": (1, 4)}
    drawn = {name: random_matrix(*shape, generator) for name, shape in sizes.items()}
    for frame in (plane, drawn):
        W, U, Q, K = (frame[name] for name in "WUQK")
        r, unit = len(U), truth.identity(len(U) + len(Q))
        Y = symmetric_product(truth.product(W, U), truth.product(truth.transpose(K), Q))
        b = Fraction(64) if frame is plane else largest(Y) / 2
        for bounds in scaled_bounds(b):
            yield {**frame, "E1": unit[:r], "E2": unit[r:], **bounds}
    # selectors that make P J P^T smaller than it should be
    upper, lower = truth.identity(2)
    tilted = (Fraction(-3, 5), Fraction(4, 5))
    for E1, E2 in ((half(upper), (lower,)), ((upper,), half(lower)), ((upper,), (tilted,))):
        smaller = {**plane, "E1": E1, "E2": E2}
        product = la.mul(lr.FRAME, lr.J, la.tp(lr.FRAME))
        b = largest(point(LOW_RANK["drift"].statement, smaller)(product)) / 2
        yield {**smaller, **scalars(s=1, q=1, b=b, a=b)}
    # |w| = |q|, so that C J is symmetric
    even = {**plane, "Q": truth.matrix([[4, 3, 0]]), "E1": ((1, 0),), "E2": ((0, 1),)}
    yield {**even, **scalars(s=1, q=1, b=HALF, a=HALF)}


def dense_points(generator: random.Random) -> Iterator[Values]:
    V = random_matrix(3, 3, generator)
    Q, K = (random_matrix(2, 3, generator) for _ in "QK")
    b = largest(symmetric_product(V, truth.product(truth.transpose(K), Q))) / 2
    for bounds in scaled_bounds(b):
        yield {"V": V, "Q": Q, "K": K, **bounds}
    # a drift that is negative
    eye = truth.identity(2)
    below = {"V": truth.times(Fraction(-1), eye), "Q": eye, "K": eye}
    for a in (1, -2):
        yield {**below, **scalars(s=1, q=1, b=-1, a=a)}


def plain_points(generator: random.Random) -> Iterator[Values]:
    turn = rotation(3, generator)
    for v, a in itertools.product((Fraction(2), Fraction(-2)), (Fraction(1, 3), Fraction(-1, 3))):
        V, A = truth.times(v, turn), truth.times(a, truth.transpose(turn))
        for first, second in PAIRS:
            yield {"V": V, "A": A, **scalars(v=v * first, a=a * second)}


POINTS = {
    "value_norm": value_points,
    "score_norm": score_points,
    "drift": drift_points,
    "dense_drift": dense_points,
    "plain_drift": plain_points,
}


@cache
def chosen_values(name: str) -> tuple[Values, ...]:
    return tuple(POINTS[name](random.Random(name)))


def pool(claim: Claim) -> list[truth.Point]:
    return [point(claim.statement, values) for values in chosen_values(claim.id)]


def point(statement: Statement, values: Values) -> truth.Point:
    """The values, with the sizes that they have."""
    known: dict = {("var", name): value for name, value in values.items()}
    for name, value in values.items():
        rows, columns = statement.variables()[name].args[0].args
        known.update({("size", rows.data): len(value), ("size", columns.data): len(value[0])})
    return truth.Point(0, values=known)


def holds(proposition: Term, at: truth.Point) -> bool:
    if proposition.op == "eq":
        return at(proposition.args[0]) == at(proposition.args[1])
    assert proposition.op in ("psd", "pd")
    return truth.semidefinite(at(proposition.args[0]), proposition.op == "pd")


def applies(statement: Statement, at: truth.Point) -> bool:
    return all(holds(h, at) for h in statement.hypotheses)


def refutes(at: truth.Point, statement: Statement) -> bool:
    return not holds(statement.conclusion, at) and applies(statement, at)


# The lemmas ----------------------------------------------------------------------------------


@lemmas
def test_proved_from_facts_on_inverses_alone(claim: Claim):
    theorem = establish(claim.statement, claim.proof)
    assert theorem.statement == claim.statement
    assert theorem.facts == {"inverse", "definite-inverse"}


@lemmas
def test_true_and_sharp_at_exact_points(claim: Claim):
    """Where the premises hold the conclusion holds, at some point with next to nothing to spare."""
    met = [at for at in pool(claim) if applies(claim.statement, at)]
    margins = [at(claim.statement.conclusion.args[0]) for at in met]
    assert all(truth.semidefinite(margin) for margin in margins)
    slack = [
        truth.add(margin, truth.times(Fraction(-1, 10**6), truth.identity(len(margin))))
        for margin in margins
    ]
    assert not all(truth.semidefinite(matrix) for matrix in slack)


def at_numbers(claim: Claim, values: Values) -> Theorem:
    """The lemma applied by the kernel to literal matrices, its premises proved there."""
    here = point(claim.statement, values)
    instance: dict[str, Term] = {}
    for name, var in claim.statement.variables().items():
        if var.args[0] == DIM:
            instance[name] = size(here.size(var))
        else:
            instance[name] = la.literal([list(row) for row in values[name]])
    p = Builder({"lemma": Lemma(claim.statement, claim.proof)})
    premises = []
    for hypothesis in claim.statement.hypotheses:
        premise = substitute(hypothesis, instance)
        if premise.op == "eq":
            premises.append(p.algebra(*premise.args))
        else:
            premises.append(p.definite(premise.args[0], strict=premise.op == "pd"))
    p.lemma("lemma", *premises, **instance)
    return establish(Statement((), substitute(claim.statement.conclusion, instance)), p.proof())


@lemmas
def test_the_kernel_applies_them_where_they_apply(claim: Claim):
    chosen = random.Random(1).sample(chosen_values(claim.id), len(chosen_values(claim.id)))
    met = [values for values in chosen if applies(claim.statement, point(claim.statement, values))]
    others = [values for values in chosen if values not in met]
    for values in met[:3]:
        theorem = at_numbers(claim, values)
        assert theorem.hypotheses == ()
        assert holds(theorem.conclusion, truth.Point(0))
    for values in others[:6]:
        with pytest.raises(KernelError) as info:
            at_numbers(claim, values)
        assert info.value.rule in ("definite", "algebra")


# Changed lemmas ------------------------------------------------------------------------------

W, U, Q, K, V, A = lr.W, lr.U, lr.Q, lr.K, lr.V, lr.A
a, b, q, s, v = lr.a, lr.b, lr.q, lr.s, lr.v
#: M = left right, the bound of |M|, and the number of rows of right
PRODUCTS = {"value_norm": (W, U, v, lr.r), "score_norm": (la.tp(Q), K, b, lr.k)}


def changed_cores() -> Iterator[tuple[str, str, Rule]]:
    """Other tests than b^2 E - E G E >= 0."""
    for name, (left, right, bound, rows) in PRODUCTS.items():
        square, e, g = la.mul(bound, bound), la.mul(right, la.tp(right)), la.mul(la.tp(left), left)
        once, sandwich = la.scale(square, e), la.mul(e, g, e)
        changed = {
            "b^2 E + E G E": la.add(once, sandwich),
            "E G E - b^2 E": la.minus(sandwich, once),
            "b^2 - E G E": la.minus(la.scale(square, la.identity(rows)), sandwich),
            "b^2 E - G": la.minus(once, g),
            "2 b^2 E - E G E": la.minus(la.scale(2, once), sandwich),
            "b E - E G E": la.minus(la.scale(bound, e), sandwich),
            "b^2 E - E G E / 2": la.minus(once, la.scale(HALF, sandwich)),
        }
        for text, core in changed.items():
            yield name, text, Rule(lr.core(left, right, bound), core)


def changed_bounds() -> Iterator[tuple[str, str, Rule]]:
    """Other factors, and other sides."""
    doubled, product = la.scale(2, la.scale(b, lr.GRAM)), la.mul(lr.GRAM, lr.J, lr.GRAM)
    frame = {
        "4 b C - C J C": la.minus(la.scale(2, doubled), product),
        "2 b C + C J C": la.add(doubled, product),
        "2 b C - J": la.minus(doubled, lr.J),
        "2 b C - C J": la.minus(doubled, la.mul(lr.GRAM, lr.J)),
    }
    for text, core in frame.items():
        yield "drift", text, Rule(lr.SYMMETRIC_CORE, core)
    a_squared, scaled = la.mul(a, a), la.mul(q, la.mul(b, b))
    for name in ("score_norm", "drift", "dense_drift"):
        yield name, "2 a^2 >= q b^2", Rule(lr.SCALED, la.le(scaled, la.scale(2, a_squared)))
        yield name, "a^2 >= b^2", Rule(lr.SCALED, la.le(la.mul(b, b), a_squared))
        yield name, "a^2 <= q b^2", Rule(lr.SCALED, la.le(a_squared, scaled))
        yield name, "s = q", Rule(lr.SQUARE, la.eq(s, q))
    small = symmetrised(V, la.mul(la.tp(K), Q))
    twice_b, fourfold = (la.le(small, la.scale(c, la.scale(b, I))) for c in (2, 4))
    yield "dense_drift", "<= 4 b", Rule(twice_b, fourfold)
    drifts = {
        "drift": (symmetrised(lr.PRODUCT, lr.SCORE), a),
        "dense_drift": (symmetrised(V, lr.SCORE), a),
        "plain_drift": (symmetrised(V, A), la.mul(v, a)),
    }
    for name, (drift, bound) in drifts.items():
        twice, once = la.scale(2, la.scale(bound, I)), la.scale(bound, I)
        yield name, "<= a", Rule(la.le(drift, twice), la.le(drift, once))
        yield name, ">= 2 a", Rule(la.le(drift, twice), la.le(twice, drift))


CHANGED = [*changed_cores(), *changed_bounds()]


@pytest.mark.parametrize(
    ("name", "rule"),
    [(name, rule) for name, _, rule in CHANGED],
    ids=[f"{name}: {text}" for name, text, _ in CHANGED],
)
def test_false_lemmas(name: str, rule: Rule):
    """False at an exact point, and the proof with the same change is rejected."""
    claim = LOW_RANK[name]
    mutant = mutants.run(claim, "by hand", rule)
    assert any(refutes(at, mutant.statement) for at in pool(claim))
    assert mutant.error is not None
    assert mutant.error.rule in ("positivity", "algebra")


#: premises that only the proof needs: |M| <= |b| follows from the core for every b, a drift below
#: 2 b with b < 0 is below 2 a for every a > 0, and P J P^T vanishes off the range of P
SPARED = {
    "value_norm": {la.pd(v)},
    "score_norm": {la.pd(b)},
    "drift": {la.pd(b), la.pd(lr.GRAM)},
    "dense_drift": {la.pd(b)},
    "plain_drift": set(),
}


@lemmas
def test_dropped_premises(claim: Claim):
    """Without one of its premises a lemma is false at an exact point."""
    hypotheses = claim.statement.hypotheses
    spared = set()
    for i, hypothesis in enumerate(hypotheses):
        fewer = Statement(hypotheses[:i] + hypotheses[i + 1 :], claim.statement.conclusion)
        if not any(refutes(at, fewer) for at in pool(claim)):
            spared.add(hypothesis)
    assert spared == SPARED[claim.id]


@lemmas
def test_no_mutant_that_is_false_at_an_exact_point_is_accepted(claim: Claim):
    campaign(claim, mutants.sample(claim, SAMPLE, seed=0))


@pytest.mark.acceptance
@lemmas
def test_no_mutant_at_all_that_is_false_at_an_exact_point_is_accepted(claim: Claim):
    campaign(claim, mutants.mutations(claim))


def campaign(claim: Claim, chosen: list[tuple[str, Rule]]) -> None:
    points = pool(claim)
    met = [mutants.run(claim, kind, rule) for kind, rule in chosen]
    false = [m for m in met if any(refutes(at, m.statement) for at in points)]
    print(f"\n{claim.id}: {len(met)} mutants, {len(false)} false at an exact point")
    assert [m.rule for m in false if m.error is None] == []
    assert len(false) > len(met) / 4
