"""How long large layers are proved to exist, and the certificates that say so."""

import base64
import copy
import json
import math
from fractions import Fraction
from importlib import resources

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from numeric.covariance import follow
from numeric.errors import ParameterError
from numeric.heads import float_layers
from numeric.mappings import model_from_mapping
from numeric.rescaled import State
from proofs import language as la
from proofs.certificates import CertificateError, recheck_document
from proofs.cli import main
from proofs.codec import CodecError, digest
from proofs.kernel import KernelError
from proofs.verdicts.subject import problem_of, read_subject
from proofs.verify import verify

REJECTED = (CertificateError, CodecError, KernelError, ParameterError)
SCHEMA = json.loads(resources.files("proofs").joinpath("schemas/verify.json").read_text())
CERTIFICATE = json.loads(resources.files("proofs").joinpath("schemas/certificate.json").read_text())
D = 33
ONE = np.eye(D, dtype=int)


def floats(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


def head(seed, k=3, r=2, d=D, **more):
    shapes = {"Q": (k, d), "K": (k, d), "W": (d, r), "V": (r, d)}
    made = {name: floats(10 * seed + i, *shape) for i, (name, shape) in enumerate(shapes.items())}
    return {**made, "scale": "1/sqrt(k)", **more}


def dense(seed, **more):
    """A head with V alone."""
    fields = head(seed, r=D, **more)
    del fields["W"]
    return {**fields, "V": fields["V"] / 8}


def softmax(*heads, **more):
    (first, *others) = heads
    fields = {"heads": list(heads)} if others else first
    return {"variant": "softmax", **fields, **more}


def document(answer):
    """The JSON of an answer, valid."""
    result = json.loads(json.dumps(answer.to_json()))
    jsonschema.validate(result, SCHEMA)
    return result


# Known times ----------------------------------------------------------------------------------


def columns(d, r, seed=5):
    """r orthonormal columns with entries 0 and 1/2 or -1/2, for d a multiple of 4."""
    signs = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    return np.kron(np.eye(d // 4), signs)[:, np.random.default_rng(seed).permutation(d)[:r]]


P = columns(36, 5)
RANGE = P @ P.T
ONE_36 = np.eye(36)


def projector(v, **more):
    """V = v P P^T and A = s P P^T: in the range c' = 2 v s c^2, and nothing moves across it."""
    return {"W": v * P, "V": P.T, "K": P.T, "Q": P.T, **more}


KNOWN = {  # heads, Sigma0, and 1 / t* = 2 c sum v s, squared
    "one": ([projector(1)], ONE_36, 4),
    "large": ([projector(8)], ONE_36, 16**2),
    "rational scale": ([projector(1, scale="3/7")], ONE_36, Fraction(6, 7) ** 2),
    "irrational scale": ([projector(2, scale="1/sqrt(k)")], ONE_36, Fraction(16, 5)),
    "larger start": ([projector(1)], 4 * ONE_36, 64),
    "another start": ([projector(1, scale="sqrt(3)")], ONE_36 + RANGE, 48),
    "start in the range": ([projector(1)], RANGE / 2, 1),
    "two heads": ([projector(1), projector(4)], ONE_36, 100),
    "three heads": ([projector(1, scale="sqrt(2)")] * 3, ONE_36, 72),
    "two heads of other kinds": (
        [projector(1), {"V": ONE_36, "A": RANGE}],
        ONE_36,
        16,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_blow_up_times(name):
    heads, start, inverse_square = KNOWN[name]
    answer = verify(softmax(*heads, Sigma0=start), trend=False)
    time, latest = answer.existence.time
    assert latest is None
    assert time**2 * inverse_square <= 1
    assert time**2 * inverse_square > Fraction(9999, 10000)
    kind = "multihead-" if len(heads) > 1 else ""
    assert answer.existence.theorem == f"covariance.{kind}existence-time"


@pytest.mark.parametrize("v", [-1, -(2**-20), -(2**40)])
def test_the_time_is_longer_where_the_drift_is_negative(v):
    # |V| |A| |Sigma0| = |v| alone would give 1 / (2 |v|); here S = 2 v P P^T <= 0
    answer = verify(softmax(projector(v), Sigma0=ONE_36), trend=False)
    assert Fraction(9999, 10000) < answer.existence.time[0] * abs(Fraction(v)) <= 1


# Random heads ---------------------------------------------------------------------------------


def norms(model):
    """sum_h |V_h| |A_h|, and the sum over the heads of half the largest eigenvalue of S_h."""
    (layer,) = float_layers(model)
    products, drifts = 0, 0
    for one in layer.heads:
        V = one.V if one.W is None else one.W @ one.V
        A = one.Q if one.K is None else one.K.T @ one.Q
        products += np.linalg.norm(V, 2) * np.linalg.norm(A, 2)
        drifts += max(0, np.linalg.eigvalsh(V @ A + (V @ A).T)[-1] / 2)
    return products, drifts


GRAM = np.rint(8 * floats(77, D, 6)) / 8
RANDOM = {
    "one": softmax(head(1, k=1, r=1), Sigma0=ONE),
    "two": softmax(head(2, k=2), head(3, k=2), Sigma0=ONE),
    "three": softmax(head(4), head(5), head(6), Sigma0=ONE / 4),
    "semidefinite start": softmax(head(7), Sigma0=GRAM @ GRAM.T + ONE),
    "singular start": softmax(head(7), Sigma0=GRAM @ GRAM.T),
    "dense": softmax(dense(8), Sigma0=ONE),
    "dense score": softmax({"V": floats(9, D, D), "A": floats(10, D, D)}, Sigma0=ONE),
    "many rows": softmax(head(11, k=20, r=20), Sigma0=ONE),
    "rank deficient": softmax(head(12, r=3, W=floats(1, D, 1) @ np.ones((1, 3))), Sigma0=ONE),
}
#: where integration sees a blow-up
EXPLODING = {"one", "semidefinite start", "singular start", "dense score"}


@pytest.mark.parametrize("name", RANDOM)
def test_bounds_of_random_heads(name):
    """At least what the norms give, and no more than the life of the solution."""
    answer = verify(RANDOM[name], trend=False)
    model = answer.parameters
    time = float(answer.existence.time[0])
    products, drifts = norms(model)
    start = model.Sigma0.array()
    largest = np.linalg.eigvalsh(start)[-1]
    assert time >= (1 - 1e-5) / (2 * products * largest)
    assert time == pytest.approx(1 / ((products + drifts) * largest), rel=1e-5)
    (layer,) = float_layers(model)
    passage = follow(layer.heads, State.of(start), time)
    assert passage.trend.verdict == "reached"
    bound = largest / (1 - (products + drifts) * largest * time * (1 - 1e-5))
    assert passage.end.log_trace <= math.log(bound * D)
    if name in EXPLODING:
        evidence = follow(layer.heads, State.of(start), math.inf).trend
        assert evidence.verdict == "blow-up"
        assert time < evidence.time


# No blow-up -----------------------------------------------------------------------------------


def damped(seed, **more):
    """V = U^T U and Q = L K with L + L^T = -2 I: V = V^T >= 0 and A + A^T <= 0."""
    U, K = np.rint(4 * floats(seed, 2, D)) / 4, np.rint(4 * floats(seed + 1, 2, D)) / 4
    turn = np.array([[-1, 3], [-3, -1]])
    return {"W": U.T, "V": U, "K": K, "Q": turn @ K, **more}


@pytest.mark.parametrize("start", [{}, {"Sigma0": ONE}], ids=["every start", "given"])
@pytest.mark.parametrize(
    "heads",
    [[damped(1)], [damped(3, scale="sqrt(2)")], [damped(1), damped(5)]],
    ids=["one", "irrational scale", "two"],
)
def test_damped_heads_never_blow_up(heads, start):
    answer = verify(softmax(*heads, **start), trend=False)
    assert (answer.existence.verdict, answer.existence.status) == ("global", "proved")
    assert (answer.limit.verdict, answer.limit.status) == ("bounded", "proved")
    T = problem_of(answer.parameters).terms["T"]
    assert answer.existence.finding.theorem().conclusion == la.eq(T, la.INFINITY)
    result = document(answer)
    assert result["existence"]["for_sigma0"] == ("given" if start else "all")
    # tr Sigma decreases
    model = model_from_mapping(softmax(*heads, Sigma0=ONE))
    (layer,) = float_layers(model)
    passage = follow(layer.heads, State.of(np.eye(D)), 1e-3)
    assert passage.trend.verdict == "reached"
    assert passage.end.log_trace < math.log(D)


# What the answer says -------------------------------------------------------------------------


def test_without_a_start_the_bound_is_for_some():
    answer = verify(softmax(head(1), head(2)), trend=False)
    result = document(answer)
    for part in (result["existence"], *(item["existence"] for item in result["by_head"])):
        assert (part["for_sigma0"], part["status"], part["verdict"]) == ("some", "open", "unknown")
    finding = answer.existence.finding
    terms = problem_of(answer.parameters).terms
    time = la.number(answer.existence.time[0])
    start = la.le(terms["Sigma0"], la.scale(la.number(1), la.identity(terms["d"])))
    lasting = la.at_most(la.finite(time), terms["T"])
    assert finding.statement.conclusion == la.implies(start, lasting)
    assert la.pd(terms["Sigma0"]) in finding.statement.hypotheses


def test_with_a_start_the_bound_is_for_it():
    given = verify(softmax(head(1), head(2), Sigma0=ONE), trend=False)
    result = document(given)
    for part in (result["existence"], *(item["existence"] for item in result["by_head"])):
        assert part["for_sigma0"] == "given"
    terms = problem_of(given.parameters).terms
    time = la.number(given.existence.time[0])
    assert given.existence.finding.statement.conclusion == la.at_most(la.finite(time), terms["T"])
    some = verify(softmax(head(1), head(2)), trend=False)
    # Sigma0 <= m I with m slightly above 1
    ratio = given.existence.time[0] / some.existence.time[0]
    assert 1 - Fraction(1, 10**5) < ratio <= 1


# Certificates ---------------------------------------------------------------------------------


def run(*args):
    return CliRunner().invoke(main, [str(a) for a in args])


def save(path, fields):
    path.write_text(json.dumps(model_from_mapping(fields).to_json()))
    return path


LAYERS = {
    "variant": "softmax",
    "layers": [
        {"heads": [head(1), head(2)], "time": "1/1000000"},
        {**head(3), "time": "1/1000000"},
    ],
}
WRITTEN = {
    "head": (softmax(head(1)), {}),
    "heads": (
        softmax(head(1), head(2), Sigma0=ONE),
        {"head-0": "head 0", "head-1": "head 1"},
    ),
    "stack": (
        LAYERS,
        {
            "layer-0.existence": "layer 0",
            "layer-0.head-0": "layer 0, head 0",
            "layer-0.head-1": "layer 0, head 1",
            "layer-1.existence": "layer 1",
            "layer-1.head-0": "layer 1",
        },
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_certificates_of_heads_layers_and_stacks(name, tmp_path):
    fields, parts = WRITTEN[name]
    mine, folder = save(tmp_path / "mine.json", fields), tmp_path / "out"
    result = run("verify", mine, "-o", folder, "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, SCHEMA)
    parts = {"existence": "", **parts}
    files = {part: folder / f"{part}.certificate.json" for part in parts}
    assert set(folder.iterdir()) == set(files.values())
    assert answer["existence"]["certificate"] == "existence.certificate.json"
    for path in files.values():
        jsonschema.validate(json.loads(path.read_text()), CERTIFICATE)
    alone = run("recheck", *files.values())
    assert alone.exit_code == 0, alone.output
    assert alone.output.count(": proved") == len(files)
    against = run("recheck", *files.values(), "--parameters", mine)
    assert against.exit_code == 0, against.output
    for part, path in files.items():
        about = f" ({parts[part]} of {mine})" if parts[part] else ""
        assert f"{path}: proved{about}\n" in against.output
    others = save(tmp_path / "others.json", softmax(head(4), head(5)))
    refused = run("recheck", *files.values(), "--parameters", others)
    assert refused.exit_code == 1
    assert refused.stderr.count("other parameters") == len(files)


def test_every_head_is_verified_as_if_alone():
    together = verify(softmax(head(1), dense(2), Sigma0=ONE), trend=False)
    for one, fields in zip(together.heads, (head(1), dense(2)), strict=True):
        alone = verify(softmax(fields, Sigma0=ONE), trend=False)
        assert one.existence == alone.existence
        assert one.report.applications == alone.applications


# Changed certificates -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A certificate with arrays of every kind: weights, a start, small factors, congruences."""
    folder = tmp_path_factory.mktemp("certified")
    verify(softmax(dense(1), Sigma0=ONE), trend=False, certificates_in=folder)
    return json.loads((folder / "existence.certificate.json").read_text())


def arrays(node, path=()):
    """Places of base64 text, with the size of an entry in bytes."""
    if isinstance(node, list) and node and node[0] == "floats":
        yield (*path, 4), {"float32": 4, "float64": 8}[node[1]]
    elif isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            if key in ("float32", "float64"):
                yield (*path, key), {"float32": 4, "float64": 8}[key]
            else:
                yield from arrays(value, (*path, key))


def tampered(document, place, byte, bit):
    """A copy with one bit of one byte of an array changed, and a digest that fits."""
    document = copy.deepcopy(document)
    *path, last = place
    node = document
    for key in path:
        node = node[key]
    data = bytearray(base64.b64decode(node[last]))
    data[byte] ^= 1 << bit
    node[last] = base64.b64encode(data).decode()
    document["digest"] = digest(document)
    return document


def outcome(document):
    """What a certificate proves, None when it is rejected."""
    try:
        return recheck_document(document)
    except REJECTED:
        return None


def test_one_changed_bit(certified):
    """It is rejected, or proves what it then states."""
    outcomes = {}
    before = recheck_document(certified).theorem.statement
    for place, size in arrays(certified):
        entry = size * (D + 1)  # entry (2, 2) of a square matrix
        for byte, bit in ((entry, 0), (entry + size - 1, 6)):
            document = tampered(certified, place, byte, bit)
            accepted = outcome(document)
            outcomes[place, bit] = accepted is not None
            if accepted is None:
                continue
            stated = read_subject(document["parameters"], "changed")
            assert accepted.parameters == stated
            assert accepted.theorem.statement.hypotheses == problem_of(stated).hypotheses
            assert accepted.theorem.statement.conclusion == before.conclusion
            model = model_from_mapping(document["parameters"])
            products, drifts = norms(model)
            largest = np.linalg.eigvalsh(model.Sigma0.array())[-1]
            time = float(before.conclusion.args[0].args[0].data.entries[0])
            assert time * (products + drifts) * largest <= 1 + 1e-12
    # a weight: in its last bit, and by a factor of 2^64
    assert outcomes[("parameters", "V", "float32"), 0]
    assert not outcomes[("parameters", "V", "float32"), 6]
    # factors in the statement and in the evidence are those of the parameters
    assert not any(state for (place, _), state in outcomes.items() if "matrices" in place)
    assert sum("matrices" in place for place, _ in outcomes) == 8
    # any matrix is a congruence, as long as it shows that another is positive
    congruences = {bit: s for (place, bit), s in outcomes.items() if "congruence" in place}
    assert congruences == {0: True, 6: False}


def test_a_changed_byte_without_a_new_digest(certified):
    for place, _ in arrays(certified):
        document = tampered(certified, place, 5, 3)
        document["digest"] = certified["digest"]
        with pytest.raises(CertificateError, match="digest"):
            recheck_document(document)
