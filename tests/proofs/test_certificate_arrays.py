"""Certificates of large matrices: their size, and what becomes of changed ones."""

import base64
import copy
import gc
import json
import tracemalloc
from fractions import Fraction
from importlib import resources

import jsonschema
import numpy as np
import pytest

from numeric.errors import ParameterError
from numeric.matrices import ExactMatrix
from numeric.model import Head, Layer, Model
from proofs import language as la
from proofs import parameter_arrays
from proofs.builder import Builder
from proofs.certificates import CertificateError, make, recheck, recheck_document, write
from proofs.codec import CodecError, digest, read_json
from proofs.kernel import KernelError, Statement
from proofs.parameter_arrays import arrays_of, literal_of, model_of
from proofs.verdicts.problem import to_literal
from proofs.verdicts.subject import problem_of, read_subject
from proofs.verify import verify

REJECTED = (CertificateError, CodecError, KernelError, ParameterError)
D = 33


def weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((D, D)).astype("f4")


def fields(seed: int) -> dict[str, object]:
    return {"A": weights(seed), "V": weights(seed + 1)}


def factored(seed: int, k: int) -> dict[str, object]:
    """V = W U and A = K^T Q through k dimensions."""
    names = {"W": 0, "V": 1, "K": 2, "Q": 3}
    rows = {name: weights(seed + i)[:k] / 8 for name, i in names.items()}
    return {**rows, "W": rows["W"].T}


def certificate(mapping: dict[str, object]):
    """The certificate that the first value and a matrix that is no parameter commute under +."""
    about = read_subject({"variant": "softmax", **mapping, "Sigma0": np.eye(D, dtype="f4")}, "test")
    problem = problem_of(about)
    values = problem.terms["V"]
    first = values.args[0] if values.op == "family" else values
    other = to_literal(ExactMatrix.from_array(weights(9)).fractions())
    p = Builder()
    p.algebra(la.add(first, other), la.add(other, first))
    return make(
        about, problem.statement(la.eq(la.add(first, other), la.add(other, first))), p.proof()
    )


@pytest.fixture(scope="module")
def one():
    return certificate(fields(1))


@pytest.fixture(scope="module")
def two():
    return certificate({"heads": [fields(1), fields(3)]})


@pytest.fixture(scope="module")
def factors():
    return certificate(factored(1, 32))


@pytest.fixture(scope="module")
def verified():
    """Bounds of the lifetime that are proved, for small factors: these are no arrays."""
    start = {"Sigma0": np.eye(D, dtype="f4")}
    answer = verify({"variant": "softmax", **factored(1, 4), **start}, trend=False)
    finding = answer.existence.finding
    assert finding is not None
    return make(answer.parameters, finding.statement, finding.proof)


def resealed(document):
    document["digest"] = digest(document)
    return document


def through_json(document):
    return json.loads(json.dumps(document))


def places(node: object, form: str, path: tuple[object, ...] = ()):
    """Paths of the lists that begin with ``form``."""
    if isinstance(node, (dict, list)):
        if isinstance(node, list) and node and node[0] == form:
            yield path
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(value, form, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def refused(document) -> str:
    """The line that a changed certificate with a fresh digest is rejected with."""
    with pytest.raises(REJECTED) as caught:
        recheck_document(resealed(document))
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 300
    return message


# Size ----------------------------------------------------------------------------------------


def test_weights_are_written_once(one, two, factors):
    for document, parameters in ((one, 3), (two, 5), (factors, 5)):
        text = json.dumps(document)
        arrays = parameters + 2  # the other matrix, in the statement and in the evidence
        assert len(text) < arrays * D * D * 4 * 4 / 3 + 3000
        recheck_document(json.loads(text))
    assert {at(factors, path)[1] for path in places(factors, "parameter")} == {
        *("W", "V", "K", "Q", "Sigma0")
    }
    assert {tuple(at(one, path)) for path in places(one, "parameter")} == {
        ("parameter", name) for name in ("A", "V", "Sigma0")
    }
    assert {at(two, path)[1] for path in places(two, "parameter")} == {
        *(f"heads/{i}/{name}" for i in range(2) for name in ("A", "V")),
        "Sigma0",
    }


def test_they_follow_the_schema(one, two, factors, verified):
    schema = json.loads(resources.files("proofs").joinpath("schemas/certificate.json").read_text())
    for document in (one, two, factors, verified):
        jsonschema.validate(document, schema)
    for path, place, value in (
        (next(places(one, "floats")), 1, "float16"),
        (next(places(one, "floats")), 4, "not base64"),
        (next(places(one, "parameter")), 1, "heads/x/Q"),
        (next(places(one, "parameter")), 1, 3),
        (next(places(one, "listed")), 1, -1),
        (next(places(one, "listed")), 1, "0"),
        (("evidence", "matrices"), 0, ["listed", 0]),
        (("evidence", "matrices"), 0, ["parameter", "V"]),
        (("evidence",), "matrices", []),
    ):
        document = copy.deepcopy(one)
        at(document, path)[place] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, schema)


def test_written_and_rechecked(one, tmp_path):
    path = tmp_path / "certificate.json"
    write(path, one)
    accepted = recheck(path)
    assert accepted.theorem.statement == recheck_document(one).theorem.statement


# Paths of a model ----------------------------------------------------------------------------


def head(seed: int) -> Head:
    names = ("V", "W", "Q", "K")
    return Head(**{n: ExactMatrix.from_array(weights(seed + i)) for i, n in enumerate(names)})


@pytest.mark.parametrize(
    "layers",
    [
        [Layer((head(0),))],
        [Layer((head(0), head(4)))],
        [Layer((head(0),), time=Fraction(1))],
        [Layer((head(0), head(4)), time=Fraction(1))],
        [Layer((head(0),), time=Fraction(1)), Layer((head(4), head(8)))],
    ],
    ids=range(5),
)
def test_paths_are_those_of_the_json(layers):
    identity = ExactMatrix.from_array(np.eye(D))
    thirds = ExactMatrix.from_rows([[Fraction(1, 3)] * D] * D)
    for start in (None, identity, thirds):
        model = Model("softmax", tuple(layers), (Fraction(0),) * D, Sigma0=start)
        document = model.to_json()
        arrays = arrays_of(model)
        found = list(arrays_at(document))
        assert len(found) == sum(4 * len(layer.heads) for layer in layers) + (start is not None)
        for path, matrix in found:
            literal = arrays.at(path).data
            assert (literal.rows, literal.columns) == (D, D)
            assert literal.entries == tuple(x for row in matrix.fractions() for x in row)
            assert arrays.path(literal) == path


def arrays_at(node: object, path: str = ""):
    """The matrices of the JSON of a model, by path, biases and such left out."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, dict) and "float32" in value:
            data = base64.b64decode(value["float32"])
            yield f"{path}{key}", ExactMatrix.from_bytes("float32", data, tuple(value["shape"]))
        elif key == "Sigma0":
            yield key, ExactMatrix.from_rows([[Fraction(x) for x in row] for row in value])
        elif isinstance(value, (dict, list)):
            yield from arrays_at(value, f"{path}{key}/")


def test_one_head_is_the_model_that_it_is(one):
    model = model_of(read_subject(one["parameters"], "test"))
    assert model.to_json() == one["parameters"]
    assert model_of(model) is model


def test_literals_are_built_once_and_live_as_long_as_the_matrices(one):
    """Paths and hypotheses lead to the same objects; nothing is kept when a model is gone."""
    gc.collect()
    kept = set(map(id, parameter_arrays._known.values()))
    stated = read_subject(one["parameters"], "test")
    arrays = arrays_of(model_of(stated))
    terms = problem_of(stated).terms
    assert all(arrays.at(name).data is terms[name].data for name in ("V", "A"))
    assert literal_of(ExactMatrix.from_array(weights(1))) is arrays.at("A").data
    del stated, arrays, terms
    gc.collect()
    assert set(map(id, parameter_arrays._known.values())) == kept


# Changes -------------------------------------------------------------------------------------


def changed(text: str, place: int) -> str:
    """The base64 of the same bytes but one."""
    data = bytearray(base64.b64decode(text))
    data[place] ^= 1
    return base64.b64encode(data).decode()


def test_a_changed_byte_fails_the_digest(one):
    document = copy.deepcopy(one)
    array = at(document, next(places(document, "floats")))
    array[4] = changed(array[4], 0)
    with pytest.raises(CertificateError, match="digest"):
        recheck_document(document)


@pytest.mark.parametrize("place", [0, 1, 2, 3, 4 * 500, 4 * D * D - 1])
def test_a_changed_byte_of_a_literal(one, place):
    """In one place it is rejected; in all, the changed statement is proved."""
    paths = list(places(one, "floats"))
    assert len(paths) == 2
    for path in paths:
        document = copy.deepcopy(one)
        array = at(document, path)
        array[4] = changed(array[4], place)
        refused(document)
    old = at(one, paths[0])[4]
    document = json.loads(json.dumps(one).replace(old, changed(old, place)))
    accepted = recheck_document(resealed(document)).theorem.statement
    before = recheck_document(one).theorem.statement
    assert accepted.hypotheses == before.hypotheses
    assert accepted.conclusion != before.conclusion


def test_a_changed_byte_of_the_parameters(one):
    """The same theorem about other weights: paths lead to these."""
    document = copy.deepcopy(one)
    blob = document["parameters"]["V"]
    blob["float32"] = changed(blob["float32"], 4)
    accepted = recheck_document(resealed(document))
    stated = read_subject(document["parameters"], "test")
    assert accepted.parameters == stated
    assert accepted.theorem.statement.hypotheses == problem_of(stated).hypotheses
    with pytest.raises(CertificateError, match="other parameters"):
        recheck_document(document, recheck_document(one).parameters)


def test_every_other_path_is_refused_in_the_hypotheses(one, two):
    """Swapped, or of another matrix of the same shape."""
    for original in (one, two):
        paths = list(places(original["statement"]["hypotheses"], "parameter"))
        names = {at(original["statement"]["hypotheses"], path)[1] for path in paths}
        for path in paths:
            for name in names - {at(original["statement"]["hypotheses"], path)[1]}:
                document = copy.deepcopy(original)
                at(document["statement"]["hypotheses"], path)[1] = name
                assert "hypotheses are not those" in refused(document)
        first, second = paths[:2]
        document = copy.deepcopy(original)
        hypotheses = document["statement"]["hypotheses"]
        one_way, other_way = at(hypotheses, first), at(hypotheses, second)
        one_way[1], other_way[1] = other_way[1], one_way[1]
        assert "hypotheses are not those" in refused(document)


def test_other_paths_in_the_conclusion_and_the_evidence(one):
    """Everywhere but in the hypotheses: the changed statement is proved; in one place: refused."""
    parts = [("statement", "conclusion"), ("evidence",)]
    for part in parts:
        for path in places(at(one, part), "parameter"):
            document = copy.deepcopy(one)
            at(at(document, part), path)[1] = "A"
            refused(document)
    document = copy.deepcopy(one)
    for part in parts:
        for path in places(at(one, part), "parameter"):
            at(at(document, part), path)[1] = "A"
    conclusion = recheck_document(resealed(document)).theorem.statement.conclusion
    assert conclusion.args[0].args[0] == problem_of(read_subject(one["parameters"], "")).terms["A"]


@pytest.mark.parametrize("path", ["Q", "heads/0/V", "layers/0/V", "alpha0", "", 1, None, ["V"]])
@pytest.mark.parametrize("part", [("statement", "hypotheses"), ("evidence",)])
def test_paths_that_lead_nowhere(one, part, path):
    document = copy.deepcopy(one)
    at(document, (*part, *next(places(at(one, part), "parameter"))))[1] = path
    assert "no large matrix" in refused(document)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, "float64"),
        (2, 32),
        (2, 34),
        (2, 60000),
        (3, 11),
        (4, "AAAA"),
        (4, base64.b64encode(b"\0\0\xc0\x7f" * D * D).decode()),
        (4, base64.b64encode(b"\0\0\x80\x7f" * D * D).decode()),
        (4, base64.b64encode(b"\0\0\0\x80" * D * D).decode()),
    ],
    ids=range(9),
)
def test_arrays_that_do_not_fit(one, place, value):
    for path in places(one, "floats"):
        document = copy.deepcopy(one)
        at(document, path)[place] = value
        refused(document)


@pytest.mark.parametrize(
    "blob",
    [
        {"float32": "A" * 1000, "shape": [60000, 60000]},
        {"float32": "AAAA", "shape": [D, D]},
        {"float32": base64.b64encode(b"\0\0\xc0\x7f" * D * D).decode(), "shape": [D, D]},
        {"float32": base64.b64encode(b"\0\0\0\x80" * D * D).decode(), "shape": [D, D]},
        {"float64": base64.b64encode(bytes(8 * D * D)).decode(), "shape": [D, D]},
        [["0"] * D] * D,
    ],
    ids=range(6),
)
def test_parameters_out_of_normal_form(one, blob):
    document = copy.deepcopy(one)
    document["parameters"]["V"] = blob
    refused(document)


def test_a_claimed_array_allocates_nothing():
    """A document of some kB, a matrix of 14 GB."""
    small = certificate_of_size_two()
    claim = ["floats", "float32", 60000, 60000, "A" * 1000]
    small["evidence"]["steps"][0]["args"]["left"] = {"term": claim}
    text = json.dumps(resealed(small))
    assert len(text) < 3000
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="a size is between 1 and") as caught:
            recheck_document(read_json(text))
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)


# The table of matrices ------------------------------------------------------------------------


def test_verified_factors_are_listed(verified):
    table = verified["evidence"]["matrices"]
    assert len(table) == 6  # the factors, and the two projections on half of 8 coordinates
    listed = [at(verified, path)[1] for path in places(verified, "listed")]
    assert set(listed) == set(range(6))
    assert len(listed) > 50
    assert len(json.dumps(verified)) < 90_000
    recheck_document(through_json(verified))


def test_a_changed_reference(verified):
    """To another entry of the same shape, or to the next."""
    paths = list(places(verified, "listed"))
    statement = recheck_document(verified).theorem.statement
    shapes = [shape(entry) for entry in verified["evidence"]["matrices"]]
    rejected = 0
    for path in paths[::9]:
        document = copy.deepcopy(verified)
        number = at(document, path)[1]
        count = len(at(document, (path[0], "matrices")))
        alike = [i for i in range(count) if shapes[i] == shapes[number] and i != number]
        at(document, path)[1] = (*alike, (number + 1) % count)[0]
        rejected += is_refused(document, statement)
    assert rejected == len(paths[::9])


def test_two_references_change_places(verified):
    paths = list(places(verified["evidence"], "listed"))
    statement = recheck_document(verified).theorem.statement
    for first, second in zip(paths[::15], paths[7::15], strict=False):
        document = copy.deepcopy(verified)
        one_way, other_way = (at(document["evidence"], path) for path in (first, second))
        if one_way != other_way:
            one_way[1], other_way[1] = other_way[1], one_way[1]
            is_refused(document, statement)


def shape(entry):
    return (entry[2], entry[3]) if entry[0] == "floats" else (len(entry[1]), len(entry[1][0]))


def is_refused(document, statement) -> bool:
    """Whether a certificate with changed evidence is rejected; it proves no other statement."""
    try:
        accepted = recheck_document(resealed(document))
    except REJECTED:
        return True
    assert accepted.theorem.statement == statement
    return False


def test_a_changed_table(verified):
    """Entries of the evidence exchanged, repeated, removed, or another matrix."""
    for change, line in (
        (lambda table: table.reverse(), "not in order"),
        (lambda table: table.insert(1, table[0]), "not in order"),
        (lambda table: table.append(["number", "9" * 99]), "nothing refers to entry 6"),
        (lambda table: table.append(["listed", 0]), "entry 6 of the table of matrices: a number"),
        (lambda table: table.pop(), "has no entry 5"),
        (lambda table: table.clear(), "left out when it is empty"),
    ):
        document = copy.deepcopy(verified)
        change(document["evidence"]["matrices"])
        assert line in refused(document)
    for number in range(6):
        document = copy.deepcopy(verified)
        entry = document["evidence"]["matrices"][number]
        if entry[0] == "floats":
            entry[4] = changed(entry[4], 0)
        else:
            entry[1][0][0] = "2"
        refused(document)


def test_changed_weights_of_both_tables_are_not_those_of_the_parameters(verified):
    floats = [entry for entry in verified["statement"]["matrices"] if entry[0] == "floats"]
    assert len(floats) == 4
    for _, _, _, _, old in floats:
        text = json.dumps(verified).replace(old, changed(old, 0))
        assert "not those of the stated parameters" in refused(json.loads(text))


def certificate_of_size_two():
    unit = [["1", "0"], ["0", "1"]]
    about = read_subject({"variant": "softmax", "V": unit, "A": unit, "Sigma0": unit}, "test")
    V = problem_of(about).terms["V"]
    p = Builder()
    p.algebra(V, V)
    return make(about, Statement(problem_of(about).hypotheses, la.eq(V, V)), p.proof())
