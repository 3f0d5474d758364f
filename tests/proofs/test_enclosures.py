"""Enclosures from a given start: against integration, changed certificates, unstable starts.

The enclosures are asked for directly, so that no theorem answers first.
"""

import json
import math
import os
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from time import monotonic

import pytest
from matrix_flow import Flow, exact, fraction, mpf, multiply
from mpmath import mp

from numeric.parameters import ParameterError, from_mapping, model_from_mapping
from proofs.certificates import CertificateError, make, recheck_document
from proofs.codec import CodecError
from proofs.kernel import KernelError, Statement
from proofs.terms import Literal, Term
from proofs.verdicts.enclosures.followed import Following
from proofs.verdicts.subject import problem_of
from proofs.verify import verify

REJECTED = (CertificateError, CodecError, KernelError, ParameterError)
CASES = {
    case["name"]: case["parameters"]
    for case in map(
        json.loads,
        (Path(__file__).parent / "cases" / "existence.jsonl").read_text().splitlines(),
    )
}
#: so that it is the same on every machine, however busy
AMPLE = 3600
DIGITS = 30


@dataclass(frozen=True)
class Followed:
    """What following a solution proves, and the certificate."""

    parameters: object
    finding: object
    document: dict

    @property
    def tubes(self):
        """What the variables of the claim stand for, one tube after the other."""
        steps = self.finding.proof.steps
        return [step.args["instance"] for step in reversed(steps) if named(step, "enclosure")]

    @property
    def cone(self):
        """The same for the claim on the cone at the end, in which it grows or decays."""
        ends = ("blowup-cone", "bounded-cone")
        (step,) = (s for s in self.finding.proof.steps if any(named(s, end) for end in ends))
        return step.args["instance"]


def named(step, claim):
    return step.rule == "lemma" and step.args["name"] == f"covariance.{claim}"


def follow(fields):
    """None where nothing is proved."""
    read = model_from_mapping if "heads" in fields else from_mapping
    parameters = read({"variant": "softmax", **fields})
    following = Following.of(problem_of(parameters), monotonic() + AMPLE, lambda *_: None)
    if following is None:
        return None
    application = following.by_cone() or following.by_growth()
    if application is None:
        return None
    (finding,) = application.findings
    document = make(parameters, finding.statement, finding.proof)
    return Followed(parameters, finding, document)


@cache
def followed(name):
    return follow(CASES[name])


# Against integration -------------------------------------------------------------------------

BLOW_UPS = (
    "multihead-d2-11",
    "multihead-d2-22",
    "multihead-d2-37",
    "multihead-d3-20",
    "softmax-d2-13",
    "softmax-d2-19",
    "softmax-d2-34",
    "softmax-d3-3",
    "softmax-d3-17",
    "softmax-d3-39",
)
#: one is done in every run anyway, for its certificate
FIRST = "softmax-d2-19"
SAMPLE = (FIRST, *random.Random(10).sample([name for name in BLOW_UPS if name != FIRST], 2))
BOUNDED = ("softmax-d2-14", "softmax-d2-26")


def check_blow_up_time(name):
    found = followed(name)
    assert recheck_document(found.document).theorem.statement == found.finding.statement
    assert found.finding.verdict == "blow-up"
    low, high = found.finding.time
    end = Flow(CASES[name], DIGITS).blow_up()
    room = Fraction(1, 10 ** (DIGITS - 3))
    assert low * (1 - room) <= fraction(end) <= high * (1 + room)
    assert high - low <= Fraction(1, 10**6) * high
    print(f"{name}: {mp.nstr(end, DIGITS)}, width {float((high - low) / high):.1e}")


def check_tubes(name):
    """The solution is inside each tube: in the middle of the time, and at the end."""
    flow = Flow(CASES[name], DIGITS)
    Sigma = flow.start
    with mp.workdps(DIGITS + 10):
        for tube in followed(name).tubes:
            functionals = [entries(P) for P in functionals_of(tube["x0"], len(Sigma))]
            s, end = (entries(tube[letter])[0] for letter in "se")
            half = flow.after(Sigma, s / 2)
            Sigma = flow.after(half, s / 2)
            for time, matrix in ((s / 2, half), (s, Sigma)):
                x = [trace_of_product(P, matrix) for P in functionals]
                y, (r,) = (values(tube[letter], time) for letter in "yr")
                assert inside(x, y, r)
            assert inside(x, entries(tube["M"]), end)


def entries(literal):
    return literal.data.entries


def functionals_of(x0, d):
    """The P_k in s tr(P_1 Sigma0) U_1 + ..., for s = 1."""
    if x0.op == "family" and x0.args[0].data.columns == d:
        return x0.args
    return next(filter(None, (functionals_of(arg, d) for arg in x0.args)), ())


def trace_of_product(P, matrix):
    flat = [x for row in zip(*matrix, strict=True) for x in row]
    return mp.fdot((mp.mpf(p.numerator) / p.denominator, x) for p, x in zip(P, flat, strict=True))


def values(curve, time):
    """A polynomial t -> a_0 + a_1 t + ..., exactly."""
    rows = rows_of(coefficients(curve).data)
    return [sum(a * time**k for k, a in enumerate(row)) for row in rows]


def coefficients(curve):
    """Of t -> a polynomial: one row for each coordinate."""
    body = next(arg for arg in curve.args if arg.op == "polynomial")
    return next(arg for arg in body.args if arg.op == "literal")


def rows_of(literal):
    n = literal.columns
    return [list(literal.entries[i * n : (i + 1) * n]) for i in range(literal.rows)]


def inside(x, centre, radius):
    """Whether |x - centre| <= radius, but for the error of the integration."""
    distance = sum((fraction(a) - b) ** 2 for a, b in zip(x, centre, strict=True))
    size = max(abs(fraction(a)) for a in x)
    return distance <= (radius + size / 10 ** (DIGITS - 5)) ** 2


@pytest.mark.parametrize("name", SAMPLE)
def test_sample_of_blow_up_times(name):
    check_blow_up_time(name)


def test_the_solution_is_in_the_tubes():
    check_tubes(FIRST)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", BLOW_UPS)
def test_blow_up_times(name):
    check_blow_up_time(name)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", [*BLOW_UPS, *BOUNDED])
def test_solutions_are_in_the_tubes(name):
    check_tubes(name)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", BLOW_UPS)
def test_two_integrations_agree(name):
    """With another precision, order and steps."""
    first, second = Flow(CASES[name], DIGITS), Flow(CASES[name], DIGITS + 8, 2 * DIGITS)
    with mp.workdps(DIGITS + 20):
        end = second.blow_up()
        assert abs(first.blow_up() - end) < mp.mpf(10) ** (3 - DIGITS) * end


# Changed certificates ------------------------------------------------------------------------


def changed(value, new):
    """With other literals, wherever they are."""
    if isinstance(value, Term):
        args = tuple(changed(arg, new) for arg in value.args)
        return replace(value, args=args, data=new.get(value.data, value.data))
    if isinstance(value, tuple | list):
        return type(value)(changed(one, new) for one in value)
    if isinstance(value, dict):
        return {key: changed(one, new) for key, one in value.items()}
    return value


def resealed(found, new):
    """The certificate with other literals in the statement and in all steps."""
    stated, proof = found.finding.statement, found.finding.proof
    statement = Statement(changed(stated.hypotheses, new), changed(stated.conclusion, new))
    steps = tuple(replace(step, args=changed(dict(step.args), new)) for step in proof.steps)
    assert (statement, steps) != (stated, proof.steps)
    return make(found.parameters, statement, replace(proof, steps=steps))


def multiplied(literal, factor):
    return Literal(literal.rows, literal.columns, tuple(factor * x for x in literal.entries))


def halved(*literals, factor=Fraction(1, 2)):
    return {one: multiplied(one, factor) for one in literals if any(one.entries)}


def polynomial(literal, of):
    """With other rows of coefficients."""
    rows = [of(row) for row in rows_of(literal)]
    return Literal(len(rows), len(rows[0]), tuple(x for row in rows for x in row))


def differentiated(literal):
    return polynomial(literal, lambda row: [k * a for k, a in enumerate(row)][1:])


def curves(tube, of):
    """y and its derivative, changed."""
    y, v = (coefficients(tube[letter]).data for letter in "yv")
    assert differentiated(y) == v
    other = polynomial(y, of)
    return {y: other, v: differentiated(other)}


def halvings(tube):
    """Every ball of a tube halved, and other polynomials in its middle."""
    for letter in "bclme":
        yield letter, halved(tube[letter].data)
    r, g = (coefficients(tube[letter]).data for letter in "rg")
    yield "r", halved(r, g, Literal(1, 1, r.entries[:1]))
    yield "M", halved(tube["M"].data)
    yield "y truncated", curves(tube, lambda row: row[: len(row) * 3 // 4])
    for k in (1, 3):
        yield f"y, order {k}", curves(tube, lambda row, k=k: [*row[:k], row[k] / 2, *row[k + 1 :]])


def cone_halvings(found):
    """Every constant of the cone halved, and the bounds of T."""
    cone = found.cone
    for letter in "kcbsmrRN":
        if letter in cone:
            yield letter, halved(cone[letter].data)
    opening = cone["M"].data
    first = (opening.entries[0] / 4, *opening.entries[1:])
    yield "M", {opening: Literal(opening.rows, opening.columns, first)}
    for name, bound in zip(("from", "until"), found.finding.time or (), strict=False):
        yield name, halved(Literal(1, 1, (bound,)))


def every_halving(found):
    places = [(f"tube {i}", halvings(tube)) for i, tube in enumerate(found.tubes)]
    for place, changes in (*places, ("the cone", cone_halvings(found))):
        for name, new in changes:
            if new:  # not for 0
                yield f"{name} of {place}", new


def check_rejected(found, chosen):
    survivors = []
    for name, new in chosen:
        try:
            recheck_document(resealed(found, new))
        except REJECTED:
            continue
        survivors.append(name)
    assert survivors == []


def test_a_harmless_change_is_accepted():
    """So that it is for the halved number that the others are rejected."""
    found = followed(FIRST)
    for letter in "bcl":
        wider = halved(found.tubes[-1][letter].data, factor=1 + Fraction(1, 2**25))
        document = resealed(found, wider)
        assert document != found.document
        assert recheck_document(document).theorem.statement == found.finding.statement


def test_a_sample_of_halved_balls():
    found = followed(FIRST)
    every = list(every_halving(found))
    check_rejected(found, random.Random(3).sample(every, 6))


@pytest.mark.acceptance
@pytest.mark.parametrize("name", [FIRST, "multihead-d2-11", "softmax-d2-14"])
def test_halved_balls(name):
    found = followed(name)
    every = list(every_halving(found))
    assert len(every) >= 8 * len(found.tubes)  # two of ten numbers can be 0
    check_rejected(found, every)


# Unstable starts -----------------------------------------------------------------------------


def diagonal(*values):
    return [[a if i == j else 0 for j in range(len(values))] for i, a in enumerate(values)]


def turned(first, second):
    """A matrix with these eigenvalues, turned by a rational angle."""
    c, s = Fraction(3, 5), Fraction(4, 5)
    a, b = Fraction(first), Fraction(second)
    return [[c * c * a + s * s * b, c * s * (a - b)], [c * s * (a - b), s * s * a + c * c * b]]


TINY = Fraction(1, 10**9)
MIXED = [[2, 1], [1, -1]]
GENERIC = [[3, 1], [1, 2]]


def scaled(rows, factor):
    return [[factor * x for x in row] for row in rows]


#: A and Sigma0, with V = I
STARTS = {
    "saddle": (diagonal(1, -1), diagonal(1, 1)),
    "on the ray that decays": (diagonal(1, -1), diagonal(0, 1)),
    "near the ray that decays": (diagonal(1, -1), diagonal(TINY, 1)),
    "second eigenvector": (diagonal(2, 1), diagonal(0, 1)),
    "near the second eigenvector": (diagonal(2, 1), diagonal(TINY, 1)),
    "near the second eigenvector, turned": (turned(2, 1), turned(TINY, 1)),
    "both at once": (diagonal(2, 1), diagonal("1/2", 1)),
    "the first a little sooner": (diagonal(2, 1), diagonal(Fraction(1, 2) + TINY, 1)),
    "the second a little sooner": (diagonal(2, 1), diagonal(Fraction(1, 2) - TINY, 1)),
    "the first a little sooner, turned": (turned(2, 1), turned(Fraction(1, 2) + TINY, 1)),
    "the first sooner, turned": (turned(2, 1), turned(Fraction(501, 1000), 1)),
    "eigenvalues cross": (diagonal(2, "1/2"), diagonal(1, 2)),
    "equal eigenvalues": (diagonal(1, 1), diagonal(1, 1)),
    "almost equal eigenvalues": (diagonal(1, 1), diagonal(1, 1 + TINY)),
    "rank 1": (MIXED, [[1, 1], [1, 1]]),
    "rank 1 that decays": (MIXED, [[1, -3], [-3, 9]]),
    "rank 1 of 3": ([[2, 1, 0], [1, -1, 1], [0, 1, 1]], [[1, 2, 1], [2, 4, 2], [1, 2, 1]]),
    "generic": (MIXED, GENERIC),
    "large": (MIXED, scaled(GENERIC, 10**12)),
    "small": (MIXED, scaled(GENERIC, Fraction(1, 10**12))),
    "nearly rank 1": (MIXED, [[1 + Fraction(1, 10**12), 1], [1, 1]]),
    "nearly rank 1, turned": (turned(2, 1), turned(1, Fraction(1, 10**12))),
    "decay": (diagonal(-1, -2), [[2, 1], [1, 2]]),
    "settles": (diagonal(-1, 0), [[2, 1], [1, 2]]),
    "stationary": ([[0, 1], [-1, 0]], GENERIC),
    "zero": (diagonal(2, 1), diagonal(0, 0)),
    "late": (diagonal(-1, "1e-6"), [[1, "1/2"], ["1/2", 1]]),
}
#: in every run; what is proved from them
PROVED = {
    "near the second eigenvector, turned": "blow-up",
    "decay": "global",
}


def parameters_of(A, start):
    text = [[[str(x) for x in row] for row in rows] for rows in (A, start)]
    return {"V": diagonal(*[1] * len(A)), "A": text[0], "Sigma0": text[1]}


def lifetime(A, start):
    """1/(2 l) for the largest eigenvalue l > 0 of A Sigma0: Sigma is Sigma0 (I - 2 t A Sigma0)^-1.

    That is for V = I and symmetric A; for skew A nothing moves.
    """
    if exact(A) != [list(column) for column in zip(*exact(A), strict=True)]:
        return math.inf
    with mp.workdps(60):
        values = mp.eig(mp.matrix(multiply(mpf(exact(A)), mpf(exact(start)))), right=False)
        largest, size = max(map(mp.re, values)), max(map(abs, values))
        return fraction(1 / (2 * largest)) if largest > size * mp.mpf(10) ** -30 else math.inf


def check_truth(verdict, time, end):
    """What is proved of a solution that ends at ``end``; a part in 10^20 is for rounding there."""
    low, high = time or (Fraction(0), None)
    room = Fraction(1, 10**20)
    assert low * (1 - room) <= end
    if verdict == "blow-up":
        assert high is None or end <= high * (1 + room)
        assert end < math.inf
    if verdict == "global":
        assert end == math.inf


def check_start(name):
    """The verdict, which is not a wrong one."""
    A, start = STARTS[name]
    found = follow(parameters_of(A, start))
    if found is None:
        return None
    assert recheck_document(found.document).theorem.statement == found.finding.statement
    check_truth(found.finding.verdict, found.finding.time, lifetime(A, start))
    return found.finding


@pytest.mark.parametrize("name", PROVED)
def test_sample_of_unstable_starts(name):
    finding = check_start(name)
    assert finding.verdict == PROVED[name]
    if finding.verdict == "blow-up":
        low, high = finding.time
        assert high - low <= Fraction(1, 10**6) * high


@pytest.mark.acceptance
@pytest.mark.parametrize("name", STARTS)
def test_unstable_starts(name):
    finding = check_start(name)
    print(name, finding and (finding.verdict, *map(float, filter(None, finding.time or ()))))


@pytest.mark.acceptance
@pytest.mark.parametrize("name", STARTS)
def test_verdicts_of_unstable_starts(name):
    """With the theorems, which may answer first."""
    A, start = STARTS[name]
    existence = verify({"variant": "softmax", **parameters_of(A, start)}, trend=False).existence
    if existence.status == "proved":
        check_truth(existence.verdict, existence.time, lifetime(A, start))
    elif existence.time is not None:
        check_truth("unknown", existence.time, lifetime(A, start))


def test_an_irrational_scale_and_two_heads():
    """A = sqrt(2) K^T Q, and the time is that of K^T Q divided by it."""
    halves = [
        {"V": diagonal(1, 1), "K": diagonal(1, 1), "Q": Q}
        for Q in (diagonal(3, 1), [[-1, 1], [1, -2]])
    ]
    found = follow({"heads": halves, "scale": "sqrt(2)", "Sigma0": GENERIC})
    assert found.finding.verdict == "blow-up"
    low, high = found.finding.time
    end = lifetime(MIXED, GENERIC)
    assert 2 * low**2 <= end**2 <= 2 * high**2
    assert high - low <= Fraction(1, 10**6) * high
    recheck_document(found.document)


# Determinism ---------------------------------------------------------------------------------

AGAIN = """
import json, sys
sys.path[:0] = [{folder!r}, {tests!r}]
from test_enclosures import CASES, follow
print(follow(CASES[{name!r}]).document["digest"])
"""


@pytest.mark.acceptance
def test_the_same_certificate_again():
    """In this process and in another one that hashes in another way."""
    name = FIRST
    first = followed(name).document["digest"]
    assert follow(CASES[name]).document["digest"] == first
    folder = Path(__file__).parent
    code = AGAIN.format(folder=str(folder), tests=str(folder.parent), name=name)
    root = str(folder.parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [first]
