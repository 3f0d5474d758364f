"""Decisions about large heads, kept as products, against the products multiplied out, exactly."""

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from mpmath import mp
from sympy import Poly, Rational, Symbol

from numeric.mappings import model_from_mapping
from proofs.verdicts.commuting import NAMES, NEGATIVE_NAME, POSITIVE_NAME
from proofs.verdicts.definite_value import SCORE_NAME, VALUE_NAME
from proofs.verdicts.every_start import NAME as SCALAR_NAME
from proofs.verdicts.factored import decisions as decisions_module
from proofs.verdicts.factored import spectrum
from proofs.verdicts.factored.decisions import Decisions
from proofs.verdicts.factored.existence import Start
from proofs.verdicts.factored.head import Factor, FactoredHead
from proofs.verdicts.factored.head_report import HeadReport
from proofs.verdicts.factored.words import describe, words
from proofs.verdicts.subject import layer_problem

D = 33
"""The smallest dimension at which matrices stay products."""

# Exact matrices, multiplied out ---------------------------------------------------------------


def matrix(rows):
    """Rows of fractions as a matrix of python-flint."""
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])


def identity(d):
    return fmpq_mat([[fmpq(i == j) for j in range(d)] for i in range(d)])


def is_semidefinite(M):
    """Symmetric elimination: a pivot is positive, or 0 together with the rest of its row."""
    assert M.transpose() == M
    rows = M.tolist()
    while rows:
        (pivot, *rest), *below = rows
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in rest)):
            return False
        rows = [row[1:] for row in below]
        if pivot != 0:
            rows = [
                [x - head * y / pivot for x, y in zip(row, rest, strict=True)]
                for head, row in zip(rest, rows, strict=True)
            ]
    return True


def alternates(polynomial):
    """Whether the signs of a monic polynomial alternate, as they do when all roots are >= 0."""
    return all((-1) ** i * c >= 0 for i, c in enumerate(reversed(polynomial.coeffs())))


def is_nonnegative(M):
    """As :func:`is_semidefinite`, in another way, faster for long fractions."""
    return alternates(M.charpoly())  # all roots are real


def is_symmetrisable(V):
    """Diagonalisable with eigenvalues >= 0: a minimal polynomial of simple roots >= 0."""
    m = V.minpoly()
    if not alternates(m) or m.gcd(m.derivative()).degree() > 0:
        return False
    polynomial = Poly([Rational(int(c.p), int(c.q)) for c in reversed(m.coeffs())], Symbol("x"))
    return polynomial.count_roots(0, None) == m.degree()


def multiple(M, N):
    """c with M = c N, for N != 0, else None."""
    places = [(i, j) for i in range(N.nrows()) for j in range(N.ncols())]
    place = next(p for p in places if N[p] != 0)
    c = M[place] / N[place]
    return c if c * N == M else None


def close(text, value):
    """Whether a number as it is printed, exactly or to 6 digits, is this one."""
    value = Fraction(int(value.p), int(value.q))
    if not text.startswith("≈"):
        return Fraction(text) == value
    return abs(Fraction(text[1:]) - value) <= abs(value) / 10**5


NUMBER = r"(≈?-?[0-9.E+/-]*[0-9])"
PLACE = r"\((\d+), (\d+)\)"


def numbers(pattern, text):
    """What stands in a witness; places count from 1."""
    found = re.search(pattern, text)
    assert found, text
    return found.groups()


class Truth:
    """V and A / s of a head multiplied out, and what they satisfy."""

    def __init__(self, head, start):
        self.V = matrix(head.V.fractions())
        if head.W is not None:
            self.V = matrix(head.W.fractions()) * self.V
        if head.A is not None:
            self.A = matrix(head.A.fractions())
        else:
            self.A = matrix(head.K.fractions()).transpose() * matrix(head.Q.fractions())
        self.start = None if start is None else matrix(start.fractions())
        product = self.V * self.A
        self.S = product + product.transpose()
        self.both = self.A + self.A.transpose()
        self.d = self.V.nrows()

    @property
    def scalar(self):
        return multiple(self.V, identity(self.d))

    @property
    def image(self):
        """F(Sigma0) / s."""
        half = self.V * self.start * self.A * self.start
        return half + half.transpose()

    def without_start(self):
        return {
            "A symmetric": self.A.transpose() == self.A,
            SCALAR_NAME: self.scalar is not None,
            NAMES[1]: self.V * self.S == self.S * self.V,
            SCORE_NAME: is_semidefinite(-self.both),
            VALUE_NAME: is_symmetrisable(self.V),
            SYMMETRIC_VALUE: self.V.transpose() == self.V and is_semidefinite(self.V),
        }

    def with_start(self):
        bent = self.start * self.S * self.start
        zero = self.start == 0 * self.start
        return {
            NAMES[0]: self.V * self.start == self.start * self.V,
            NEGATIVE_NAME: is_semidefinite(-bent),
            POSITIVE_NAME: not is_semidefinite(-bent),
            STATIONARY: self.image == 0 * self.image,
            SELF_SIMILAR: zero or multiple(self.image, self.start) is not None,
        }


SELF_SIMILAR = "F(Sigma0) = c Sigma0"
STATIONARY = "Sigma is stationary: F(Sigma0) = 0"
SYMMETRIC_VALUE = "V_h symmetric positive semidefinite (P = I)"


# What the witnesses say -----------------------------------------------------------------------


def two_entries(M, witness):
    """An entry and the one that it should be equal to."""
    i, j, one, k, n, other = numbers(
        f"entry {PLACE}.* is {NUMBER}, entry {PLACE} is {NUMBER}", witness
    )
    place = int(i) - 1, int(j) - 1
    assert (int(n) - 1, int(k) - 1) == place
    assert M[place] != M[place[::-1]]
    assert close(one, M[place])
    assert close(other, M[place[::-1]])


def one_entry(M, witness):
    """An entry that should be 0."""
    i, j, value = numbers(f"^entry {PLACE} of .* is {NUMBER}$", witness)
    entry = M[int(i) - 1, int(j) - 1]
    assert entry != 0
    assert close(value, entry)


def form(M, vector):
    """u^T M u."""
    u = matrix([[x] for x in vector.entries])
    return (u.transpose() * M * u)[0, 0]


def positive_form(M, vector, witness):
    """A vector that is described, with the value of its form."""
    if vector is None:
        assert "positive eigenvalue" in witness
        return
    sign, value = numbers(r" ([=≈]) (\S+)$", witness)
    assert describe(vector) in witness
    assert form(M, vector) > 0
    assert close(value if sign == "=" else f"≈{value}", form(M, vector))


def an_eigenvalue(V, witness):
    """A number that is not >= 0; V minus it is as singular as its digits tell."""
    if witness == "V is not diagonalisable":
        m = V.minpoly()
        assert m.gcd(m.derivative()).degree() > 0
        return
    real, sign, imaginary = re.search(
        r"^V has the eigenvalue ≈(-?[0-9.e+-]*[0-9])(?: ([+-]) ([0-9.e+-]+)i)?$", witness
    ).groups()
    value = float(real) + 1j * float((sign or "") + (imaginary or "0"))
    assert value.imag or value.real < 0
    shifted = np.array(V.tolist(), dtype=float) - value * np.eye(V.nrows())
    assert np.linalg.svd(shifted, compute_uv=False)[-1] < 6e-6 * abs(value)


def no_scalar(V, witness):
    if " of rank " in witness:
        assert numbers(r"of rank (\d+) < (\d+)", witness) == (str(V.rank()), str(V.nrows()))


CHECKS = {
    "A symmetric": lambda t, d, w: two_entries(t.A, w),
    SYMMETRIC_VALUE: lambda t, d, w: (
        two_entries(t.V, w) if w.startswith("not symmetric") else an_eigenvalue(t.V, w)
    ),
    NAMES[1]: lambda t, d, w: one_entry(t.V * t.S - t.S * t.V, w),
    SCORE_NAME: lambda t, d, w: positive_form(t.both, d.both_scores.positive_direction(), w),
    VALUE_NAME: lambda t, d, w: an_eigenvalue(t.V, w),
    SCALAR_NAME: lambda t, d, w: no_scalar(t.V, w),
}


def in_the_range(truth, decisions, witness):
    """u = Sigma0 w with u^T S u > 0."""
    start = words([decisions.start])
    vector = (start * decisions.drift * start).positive_direction()
    assert describe(vector) in witness
    assert form(truth.start * truth.S * truth.start, vector) > 0


def no_multiple(truth, decisions, witness):
    """F(Sigma0) is c Sigma0 at the largest entry of Sigma0, and not at another."""
    i, j, value, expected = numbers(
        f"^entry {PLACE} of .* is {NUMBER}; in c Sigma0 it would be {NUMBER}$", witness
    )
    place = int(i) - 1, int(j) - 1
    largest = max(abs(x) for x in truth.start.entries())
    rates = {
        truth.image[k, n] / truth.start[k, n]
        for k in range(truth.d)
        for n in range(truth.d)
        if abs(truth.start[k, n]) == largest
    }
    assert any(close(expected, rate * truth.start[place]) for rate in rates)
    assert close(value, truth.image[place])
    assert value != expected


CHECKS_FROM_START = {
    NAMES[0]: lambda t, d, w: one_entry(t.V * t.start - t.start * t.V, w),
    POSITIVE_NAME: in_the_range,
    STATIONARY: lambda t, d, w: one_entry(t.image, w),
    SELF_SIMILAR: no_multiple,
}

# Heads of every kind --------------------------------------------------------------------------


@dataclass
class Case:
    """A head, and a start or none."""

    fields: dict
    start: object = None

    @property
    def model(self):
        start = {} if self.start is None else {"Sigma0": self.start}
        return model_from_mapping({"variant": "softmax", **self.fields, **start})


def integers(seed, *shape):
    """Small integers, zeros included."""
    return np.random.default_rng(seed).integers(-3, 4, shape)


def floats(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


def exact(values):
    """Rows for a parameter file."""
    return [[str(x) for x in row] for row in values]


def factors(make, k=3, r=2, d=D, seed=1, **changed):
    """Q, K, W and V, for some of which others may be given."""
    shapes = {"Q": (k, d), "K": (k, d), "W": (d, r), "V": (r, d)}
    found = {name: make(seed + i, *shape) for i, (name, shape) in enumerate(shapes.items())}
    return {name: value for name, value in {**found, **changed}.items() if value is not None}


def thirds(seed, *shape):
    """Rationals that are no floats."""
    values = integers(seed, *shape).tolist()
    return [[f"{x}/{3 + (i + j) % 5}" for j, x in enumerate(r)] for i, r in enumerate(values)]


def skew(k):
    upper = np.triu(integers(11, k, k) + 4, 1)
    return upper - upper.T


def columns(d, r):
    """r orthonormal columns with entries 0 and 1/2 or -1/2, for d a multiple of 4."""
    signs = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    return np.kron(np.eye(d // 4), signs)[:, np.random.default_rng(5).permutation(d)[:r]]


K4 = integers(3, 4, D)
FRAME = columns(36, 5)
PROJECTION = FRAME @ FRAME.T
ONES = np.ones((D, 1), dtype=int)
ONES_3 = np.ones((3, D), dtype=int)

CASES = {
    "floats": Case(factors(floats)),
    "integers": Case(factors(integers)),
    "d = 40": Case(factors(floats, k=4, r=6, d=40)),
    "rationals": Case(factors(thirds)),
    "irrational scale": Case(factors(integers, k=2, scale="1/sqrt(k)")),
    "rational scale": Case(factors(integers, d=36, scale="3/7")),
    "one": Case(factors(integers, k=1, r=1)),
    "many rows": Case(factors(floats, k=17, r=17)),
    "more rows": Case(factors(floats, k=20, r=5)),
    "tied": Case(factors(integers, k=4, Q=-K4, K=K4)),
    "tied floats": Case(factors(floats, Q=-floats(8, 3, D), K=floats(8, 3, D))),
    "tied the other way": Case(factors(integers, k=4, Q=K4, K=K4)),
    "skew": Case(factors(integers, k=4, Q=skew(4) @ K4, K=K4)),
    "dissipative": Case(
        factors(integers, k=4, Q=(skew(4) - np.diag([1, 0, 2, 0])) @ K4, K=K4, scale="1/sqrt(2)")
    ),
    "nearly dissipative": Case(
        factors(integers, k=4, Q=(skew(4) - np.diag([1, 0, 2, -1])) @ K4, K=K4)
    ),
    "zero value": Case(factors(integers, V=0 * integers(1, 2, D))),
    "zero score": Case(factors(integers, Q=0 * integers(1, 3, D))),
    "zero": Case(factors(integers, W=0 * integers(1, D, 2), K=0 * integers(1, 3, D))),
    "deficient W": Case(factors(integers, r=3, W=integers(1, D, 1) @ integers(2, 1, 3))),
    "deficient W and U": Case(
        factors(
            integers,
            r=3,
            W=integers(1, D, 2) @ integers(2, 2, 3),
            V=integers(3, 3, 2) @ integers(4, 2, D),
        )
    ),
    "deficient K": Case(factors(floats, K=np.ones((3, D)))),
    "deficient K and Q": Case(
        factors(
            integers,
            K=integers(1, 3, 2) @ integers(2, 2, D),
            Q=integers(3, 3, 2) @ integers(4, 2, D),
        )
    ),
    "value cancels": Case(
        factors(integers, r=2, W=ONES @ [[1, 1]], V=np.array([[1], [-1]]) @ integers(1, 1, D))
    ),
    "tied and deficient": Case(factors(integers, Q=-ONES_3, K=ONES_3)),
    "dense value": Case(factors(floats, r=D, W=None)),
    "dense integers": Case(factors(integers, r=D, W=None)),
    "dense score": Case(factors(integers, Q=None, K=None, A=integers(9, D, D))),
    "dense": Case({"V": floats(1, D, D), "A": floats(2, D, D)}),
    "dense, negative score": Case(
        {"V": floats(1, D, D), "A": skew(D) - np.eye(D, dtype=int)},
    ),
    "nearly negative": Case({"V": integers(1, D, D), "A": np.diag([-(10**12)] * 9 + [1] * 24)}),
    "dense, symmetric": Case(
        {
            "V": integers(1, D, D) @ integers(1, D, D).T + np.eye(D, dtype=int),
            "A": -integers(2, D, D) @ integers(2, D, D).T - np.eye(D, dtype=int),
        }
    ),
    "identity": Case(factors(floats, r=D, W=None, V=np.eye(D, dtype="f4"))),
    "scalar": Case(factors(thirds, r=D, W=None, V=exact(np.eye(D, dtype=int) * Fraction(2, 3)))),
    "negative scalar": Case(factors(integers, r=D, W=None, V=-2 * np.eye(D, dtype=int))),
    "projector": Case({"W": FRAME, "V": FRAME.T, "K": FRAME.T, "Q": FRAME.T}),
    "negative projector": Case({"W": -FRAME, "V": FRAME.T, "K": FRAME.T, "Q": FRAME.T}),
    "projector of another score": Case(factors(integers, d=36, W=FRAME, V=FRAME.T)),
    "diagonalisable": Case(
        {"W": FRAME @ np.triu(np.ones((5, 5))), "V": np.diag([1, 2, 3, 4, 5]) @ FRAME.T}
        | {"K": FRAME.T, "Q": -FRAME.T}
    ),
    "nilpotent": Case(factors(integers, r=1, W=[[1]] + [[0]] * (D - 1), V=[[0] * (D - 1) + [1]])),
}

ONE = np.eye(D, dtype=int)
ONE_36 = np.eye(36, dtype=int)
RAY = 2 * FRAME[:, [1]] @ FRAME[:, [1]].T
GRAM = integers(20, D, 4) @ integers(20, D, 4).T
PROJECTOR = {"W": FRAME, "V": FRAME.T, "K": FRAME.T, "Q": FRAME.T}

STARTED = {
    "identity": Case(factors(floats), ONE),
    "irrational scale": Case(factors(integers, scale="1/sqrt(k)"), ONE),
    "rational start": Case(
        factors(integers), exact(np.diag([Fraction(1, i + 1) for i in range(D)]))
    ),
    "semidefinite start": Case(factors(floats), GRAM),
    "dense": Case({"V": floats(1, D, D), "A": floats(2, D, D)}, ONE),
    "zero start": Case(factors(integers), 0 * ONE),
    "zero head": Case(factors(integers, Q=0 * integers(1, 3, D)), ONE),
    "projector": Case(PROJECTOR, ONE_36),
    "projector, from its range": Case(PROJECTOR, PROJECTION),
    "projector, across its range": Case(PROJECTOR, ONE_36 - PROJECTION),
    "projector, from a start that commutes": Case({**PROJECTOR, "scale": 3}, ONE_36 + PROJECTION),
    "negative projector": Case({**PROJECTOR, "W": -FRAME}, ONE_36),
    "negative projector, from its range": Case({**PROJECTOR, "W": -FRAME}, PROJECTION),
    "identity and skew": Case({"V": ONE, "A": skew(D)}, GRAM),
    "scalar": Case(factors(integers, r=D, W=None, V=-2 * ONE), GRAM),
    "ray": Case(factors(integers, d=36, W=FRAME, V=FRAME.T, scale="2/3"), RAY),
    "stationary ray": Case(
        factors(integers, d=36, W=FRAME, V=FRAME.T, Q=None, K=None, A=skew(36)), RAY
    ),
}


def decisions_of(case):
    (layer,) = case.model.layers
    (head,) = layer.heads
    start = case.model.Sigma0
    decisions = Decisions(FactoredHead.of(head), None if start is None else Factor.of(start))
    return decisions, Truth(head, start)


def by_name(*hypotheses):
    return {h.name: h for h in hypotheses}


def about_the_head(decisions):
    return by_name(
        decisions.symmetric(),
        decisions.scalar(),
        decisions.commutes_with_drift,
        decisions.score_negative,
        decisions.symmetrisable,
        decisions.symmetric_value(),
    )


def about_the_start(decisions):
    return by_name(
        decisions.commutes_with_start(),
        *decisions.signs(),
        decisions.stationary(),
        decisions.self_similar(SELF_SIMILAR),
    )


@pytest.mark.parametrize("name", CASES)
def test_decisions_are_those_of_the_products(name):
    decisions, truth = decisions_of(CASES[name])
    found = about_the_head(decisions)
    assert {name: h.holds for name, h in found.items()} == truth.without_start()
    failing = {name for name, h in found.items() if h.holds is False}
    assert all(found[name].witness for name in failing)
    for name in failing & set(CHECKS):
        CHECKS[name](truth, decisions, found[name].witness)


@pytest.mark.parametrize("name", STARTED)
def test_decisions_from_a_given_start(name):
    decisions, truth = decisions_of(STARTED[name])
    found = about_the_start(decisions)
    assert {name: h.holds for name, h in found.items()} == truth.with_start()
    assert all(h.witness for h in found.values() if h.holds is False)
    for name, check in CHECKS_FROM_START.items():
        if found[name].holds is (name == POSITIVE_NAME):
            check(truth, decisions, found[name].witness)


def test_what_is_too_large_for_an_exact_test_stays_open(monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_CHARACTERISTIC", 4)
    decisions, truth = decisions_of(CASES["nearly negative"])
    open_one = decisions.score_negative
    assert (open_one.holds, truth.without_start()[SCORE_NAME]) == (None, False)
    assert "close to singular" in open_one.witness
    for name in (
        "tied floats",
        "dense, negative score",
    ):  # a test of size 4, and one of another kind
        decisions, _ = decisions_of(CASES[name])
        assert decisions.score_negative.holds
    decisions, _ = decisions_of(STARTED["negative projector"])
    assert [h.holds for h in decisions.signs()] == [None, None]
    decisions, _ = decisions_of(CASES["diagonalisable"])
    assert decisions.symmetrisable.holds is None
    assert "too large" in decisions.symmetrisable.witness


POWER_SUMS = {  # what they satisfy when none is negative: blocks of a matrix that does not
    "tr V >= 0": [[[-2]]],
    "tr V^2 >= 0": [[[1, 6], [-6, 1]]],
    "(tr V)^2 >= tr V^2": [[[-3]], [[8]]],
    "(tr V)^2 <= d tr V^2": [[[5, 5], [-5, 5]]],
    "(tr V^2)^2 <= tr V tr V^3": [[[5, 4], [-4, 5]]],
    "(tr V^3)^2 <= tr V^2 tr V^4": [[[6]], [[0, 1], [-1, 0]]],
}


@pytest.mark.parametrize("name", POWER_SUMS)
def test_traces_tell_that_an_eigenvalue_is_not_positive(name, monkeypatch):
    monkeypatch.setattr(decisions_module, "FEW", 0)
    V, place = np.zeros((D, D), dtype=int), 0
    for block in map(np.array, POWER_SUMS[name]):
        V[place : place + len(block), place : place + len(block)] = block
        place += len(block)
    decisions, truth = decisions_of(Case({"V": V, "A": ONE}))
    assert (decisions.symmetrisable.holds, is_symmetrisable(truth.V)) == (False, False)
    assert decisions.symmetrisable.witness.startswith(f"{name} would hold")


def test_traces_never_refute_what_holds(monkeypatch):
    monkeypatch.setattr(decisions_module, "FEW", 0)
    for name in CASES:
        decisions, truth = decisions_of(CASES[name])
        assert decisions.symmetrisable.holds is is_symmetrisable(truth.V)


def test_what_depends_on_the_start():
    for name in ("floats", "scalar"):
        decisions, truth = decisions_of(CASES[name])
        found = about_the_start(decisions)
        commutes = found.pop(NAMES[0])
        assert commutes.holds is (True if truth.scalar is not None else None)
        assert {h.holds for h in found.values()} == {None}
        assert all(h.witness for h in found.values())


@pytest.mark.parametrize("name", CASES)
def test_ranks_are_those_of_the_products(name):
    decisions, truth = decisions_of(CASES[name])
    products = {"V": truth.V, "A": truth.A, "A + A^T": truth.both, "S": truth.S}
    assert decisions.ranks() == {name: M.rank() for name, M in products.items()}


def enclosed(interval, M):
    low, high = (fmpq(x.numerator, x.denominator) for x in interval)
    one = identity(M.nrows())
    above, below = high * one - M, low * one - M
    return is_nonnegative(above) and not (is_nonnegative(below) and below.det() != 0)


@pytest.mark.parametrize("name", CASES)
def test_enclosures_of_eigenvalues(name):
    decisions, truth = decisions_of(CASES[name])
    for symmetric, M in (
        (decisions.symmetric_score, truth.both),
        (decisions.symmetric_drift, truth.S),
    ):
        lowest, highest = symmetric.spectrum()
        assert enclosed((-lowest[1], -lowest[0]), -M)
        assert enclosed(highest, M)
        size = max(map(abs, (*lowest, *highest)))
        for low, high in (lowest, highest):
            assert high - low <= Fraction(1, 10**5) * size


@pytest.mark.parametrize("name", ["irrational scale", "dissipative", "rational scale"])
def test_enclosures_are_scaled(name):
    case = CASES[name]
    (layer,) = case.model.layers
    problem = layer_problem(layer, case.model)
    report = HeadReport.of(0, problem.heads[0], problem, Start.of(None))
    _, truth = decisions_of(case)
    with mp.workdps(30):
        scale = mp.sqrt(mp.mpf(problem.heads[0].scale_squared.numerator))
        scale /= mp.sqrt(problem.heads[0].scale_squared.denominator)
        for (lowest, highest), M in ((report.scores, truth.both), (report.drift, truth.S)):
            rows = [[mp.mpf(int(x.p)) / int(x.q) for x in row] for row in M.tolist()]
            values = scale * mp.eigsy(mp.matrix(rows), eigvals_only=True)
            for (low, high), value in ((lowest, min(values)), (highest, max(values))):
                below, above = (mp.mpf(x.numerator) / x.denominator for x in (low, high))
                slack = mp.mpf(10) ** -20 * max(map(abs, values))
                assert below - slack <= value <= above + slack
                assert above - below <= 1e-5 * max(map(abs, values))
