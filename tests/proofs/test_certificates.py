"""Certificates: accepted as written, and rejected or true after any change with a fresh digest."""

import copy
import json
from fractions import Fraction
from importlib import resources

import jsonschema
import pytest

from numeric import examples
from numeric.parameters import ParameterError, from_mapping
from proofs import language as la
from proofs.builder import SESSION, Builder
from proofs.certificates import CertificateError, make, recheck, recheck_document
from proofs.codec import CodecError, digest
from proofs.kernel import KernelError, Lemma, Proof, Statement, Step, establish
from proofs.printing.statement import statement_text
from proofs.verdicts.subject import problem_of
from proofs.verify import verify

REJECTED = (CertificateError, CodecError, KernelError, ParameterError)


def certificate(name, part="existence"):
    parameters = examples.load(name)
    finding = getattr(verify(parameters, trend=False), part).finding
    return make(parameters, finding.statement, finding.proof)


@pytest.fixture(scope="module")
def blow_up():
    return certificate("softmax-clustering-rank-one")


@pytest.fixture(scope="module")
def converging():
    return certificate("softmax-to-line", "limit")


def resealed(document):
    document["digest"] = digest(document)
    return document


def test_certificate_follows_the_schema(blow_up):
    schema = json.loads(resources.files("proofs").joinpath("schemas/certificate.json").read_text())
    jsonschema.validate(blow_up, schema)


def test_certificate_states_the_blow_up_time(blow_up):
    accepted = recheck_document(json.loads(json.dumps(blow_up)))
    assert statement_text(accepted.theorem.statement).endswith("then T = 5/22.")
    assert accepted.parameters == examples.load("softmax-clustering-rank-one")


def test_limit_certificate_states_the_rank(converging):
    text = statement_text(recheck_document(converging).theorem.statement)
    assert "rank(Y) = 1" in text


def test_changed_byte_fails_the_digest(blow_up):
    document = copy.deepcopy(blow_up)
    document["parameters"]["Sigma0"][0][0] = "5"
    with pytest.raises(CertificateError, match="digest"):
        recheck_document(document)


def test_certificate_of_other_parameters_is_rejected(blow_up):
    other = examples.load("softmax-clustering-counterexample")
    with pytest.raises(CertificateError, match="other parameters"):
        recheck_document(blow_up, other)


@pytest.mark.parametrize("proved", [True, False])
def test_lemmas_are_proved_again(proved):
    """What a session knows of a lemma does not travel with the certificate: its proof does."""
    zero = la.eq(la.number(0), la.number(0))
    reflexivity = Step("reflexivity", (), {"term": la.number(0)})
    assumption = Step("assume", (), {"proposition": zero})
    lemma = Lemma(Statement((), zero), Proof((reflexivity if proved else assumption,)))
    SESSION.know(lemma, establish(Statement((), zero), Proof((reflexivity,))))
    p = Builder({"zero": lemma})
    p.lemma("zero")
    parameters = examples.load("softmax-clustering-rank-one")
    statement = problem_of(parameters).statement(zero)
    assert SESSION.establish(statement, p.proof()).conclusion == zero
    document = make(parameters, statement, p.proof())
    if proved:
        assert recheck_document(document).theorem.statement == statement
    else:
        with pytest.raises(KernelError, match="assumptions"):
            recheck_document(document)


def _numbers(node, path=()):
    """Paths of all strings that are numbers."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _numbers(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _numbers(value, (*path, i))
    elif isinstance(node, str):
        try:
            Fraction(node)
        except ValueError:
            return
        yield path


def _set(document, path, value):
    node = document
    for key in path[:-1]:
        node = node[key]
    old = node[path[-1]]
    node[path[-1]] = value(old)


@pytest.mark.parametrize("part", ["parameters", "statement", "evidence"])
def test_changed_numbers_with_a_fresh_digest(blow_up, part):
    """A changed number is rejected, except where the changed statement is printed and true."""
    paths = list(_numbers(blow_up[part]))
    assert len(paths) > 5
    step = max(1, len(paths) // 25)
    rejected = 0
    for path in paths[::step]:
        document = copy.deepcopy(blow_up)
        _set(document, (part, *path), lambda x: str(Fraction(x) + 1))
        try:
            accepted = recheck_document(resealed(document))
        except REJECTED:
            rejected += 1
        else:  # only a change that leaves the statement alone is accepted
            assert accepted.theorem.statement == recheck_document(blow_up).theorem.statement
    assert rejected >= len(paths[::step]) - 2


def test_other_blow_up_time_is_rejected(blow_up):
    document = json.loads(json.dumps(blow_up).replace("5/22", "5/21"))
    with pytest.raises(REJECTED):
        recheck_document(resealed(document))


def test_consistent_change_of_parameters_is_rejected(blow_up):
    """V_12 = 2 becomes 3 in the parameters, the statement and every step."""
    text = json.dumps(blow_up)
    changed = text.replace('["1", "2"]', '["1", "3"]')
    assert changed != text
    with pytest.raises(REJECTED):
        recheck_document(resealed(json.loads(changed)))


def test_dropped_step_is_rejected(blow_up):
    for index in range(len(blow_up["evidence"]["steps"])):
        document = copy.deepcopy(blow_up)
        del document["evidence"]["steps"][index]
        with pytest.raises(REJECTED):
            recheck_document(resealed(document))


def test_hypotheses_must_be_the_equation_of_the_parameters(blow_up, converging):
    document = copy.deepcopy(blow_up)
    document["statement"] = converging["statement"]
    with pytest.raises(CertificateError, match="hypotheses"):
        recheck_document(resealed(document))


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"format": "lemmaformer/certificate/2"},
        {"format": "lemmaformer/certificate/1", "digest": "sha256:00"},
    ],
)
def test_malformed_documents_are_rejected(document):
    with pytest.raises(CertificateError):
        recheck_document(document)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[1, 2", b"\xff\xfe", b'{"format": NaN}', b"[" * 10**5]
)
def test_malformed_files_end_in_one_line(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_bytes(text)
    with pytest.raises(CertificateError) as caught:
        recheck(path)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(CertificateError, match="cannot be read"):
        recheck(tmp_path / "none.json")


def test_irrational_scale_is_a_hypothesis():
    parameters = from_mapping(
        {
            "variant": "softmax",
            "V": [["1", "0"], ["0", "1"]],
            "K": [["1", "0"], ["0", "1"]],
            "Q": [["1", "0"], ["0", "1"]],
            "Sigma0": [["1", "0"], ["0", "1"]],
            "scale": "1/sqrt(d)",
        }
    )
    finding = verify(parameters).existence.finding
    text = statement_text(finding.theorem().statement)
    assert "scale > 0" in text
    assert "scale² = 1/2" in text
    # t* = sqrt(2)/2: twice its square is 1
    low, high = finding.time
    assert 2 * low**2 <= 1 <= 2 * high**2
    assert high - low < Fraction(1, 10**12)
