"""Linear functions, rational solutions and starts with different fates: verdicts, certificates."""

import copy
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from importlib import resources

import jsonschema
import pytest
from click.testing import CliRunner
from mpmath import mp

from numeric.lyapunov import decrease, growth
from numeric.parameters import ParameterError, from_mapping, model_from_mapping
from numeric.precise.flow import BlowUpError, covariance_at, covariance_of_heads_at
from proofs.certificates import CertificateError, make, recheck_document
from proofs.cli import main as command
from proofs.codec import CodecError, digest
from proofs.kernel import KernelError
from proofs.printing.statement import statement_text
from proofs.verdicts import explicit, lyapunov
from proofs.verdicts.subject import problem_of
from proofs.verify import verify

SCHEMA = json.loads(resources.files("proofs").joinpath("schemas/verify.json").read_text())
CERTIFICATE = json.loads(resources.files("proofs").joinpath("schemas/certificate.json").read_text())
REJECTED = (CertificateError, CodecError, KernelError, ParameterError)

I2 = [[1, 0], [0, 1]]
#: global for every start: P V symmetric positive definite, or a function found by the search
DEFINITE = {"V": [[1, 0], [0, 3]], "A": [[-2, -1], [-3, -3]]}
FALLING = {"V": [[1, 2], [-2, -1]], "A": [[2, 1], [0, 1]]}
WEIGHTED = {"V": [[2, -1], [-2, 0]], "A": [[1, 2], [2, 1]]}
#: blow-up from every start
RISING = {"V": [[1, 0], [0, 3]], "A": [[2, 1], [3, 3]]}
#: I is stationary, and other starts blow up
MIXED = {"V": [[1, 1], [1, -2]], "A": [[-1, 2], [1, 1]]}
#: a ray of dimension 2 beside a number: rational, neither a ray nor commuting
ESCAPING = {
    "V": [[1, -1, 0], [-2, 4, 0], [0, 0, 1]],
    "A": [["-1/2", "7/4", 0], ["-1/4", "1/4", 0], [0, 0, "1/4"]],
    "Sigma0": [[1, 0, 0], [0, 4, 0], [0, 0, 1]],
}
LASTING = {**ESCAPING, "A": [["1/2", "-7/4", 0], ["1/4", "-1/4", 0], [0, 0, "-1/4"]]}


def softmax(**fields):
    read = model_from_mapping if "heads" in fields else from_mapping
    return read({"variant": "softmax", **fields})


def main(arguments):
    return CliRunner().invoke(command, arguments)


def scaled(fields, scale):
    """A = scale K^T Q with K = I."""
    kept = {name: value for name, value in fields.items() if name != "A"}
    return {**kept, "K": I2, "Q": fields["A"], "scale": scale}


def fractions(rows):
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def answered(fields, **options):
    answer = verify(softmax(**fields), trend=False, **options)
    jsonschema.validate(answer.to_json(), SCHEMA)
    return answer


def certified(fields, part="existence"):
    parameters = softmax(**fields)
    finding = getattr(verify(parameters, trend=False), part).finding
    return make(parameters, finding.statement, finding.proof)


def goes_on(fields, start, until):
    """Whether an independent integration reaches a time."""
    try:
        late = covariance_at(*map(fractions, (fields["V"], fields["A"], start)), until, digits=15)
    except BlowUpError:
        return False
    return bool(mp.isfinite(mp.norm(late)))


STARTS = ([[1, 0], [0, 1]], [[2, 1], [1, 1]], [[1, -2], [-2, 5]], [[7, 0], [0, "1/3"]])


# What is answered ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "theorem"),
    [
        (DEFINITE, "covariance.definite-value"),
        (FALLING, "covariance.lyapunov"),
        (WEIGHTED, "covariance.lyapunov"),
    ],
)
def test_global_for_every_start(fields, theorem):
    answer = answered(fields)
    existence = answer.to_json()["existence"]
    assert (existence["verdict"], existence["status"]) == ("global", "proved")
    assert (existence["for_sigma0"], existence["theorem"]) == ("all", theorem)
    assert existence["witnesses"] is None
    assert answer.limit.verdict in ("bounded", "converges")
    for start in STARTS:
        assert goes_on(fields, start, 5)
        given = answered({**fields, "Sigma0": start}).existence
        assert (given.verdict, given.status) == ("global", "proved")


def test_the_search_alone_finds_a_function_where_a_theorem_decides():
    application = lyapunov.decreasing(problem_of(softmax(**DEFINITE)), 5)
    verdicts = {finding.section: finding.verdict for finding in application.findings}
    assert verdicts["existence"] == "global"
    for finding in application.findings:
        assert finding.theorem().statement == finding.statement


def test_the_limit_of_a_function_that_always_falls():
    answer = answered(DEFINITE)
    assert (answer.limit.verdict, answer.limit.finding.rank) == ("converges", 0)
    late = covariance_at(*map(fractions, (*DEFINITE.values(), I2)), 50, digits=15)
    assert mp.norm(late) < 0.1


def test_blow_up_for_every_start_and_for_a_given_one():
    existence = answered(RISING).to_json()["existence"]
    assert (existence["verdict"], existence["status"]) == ("blow-up", "proved")
    assert (existence["for_sigma0"], existence["time"]) == ("all", None)
    assert existence["theorem"] == "covariance.blowup-lyapunov"
    for start in STARTS:
        given = answered({**RISING, "Sigma0": start}).existence
        assert (given.verdict, given.status) == ("blow-up", "proved")
        low, high = given.time
        assert 0 < low <= high
        assert goes_on(RISING, start, low)
        assert not goes_on(RISING, start, high)


@pytest.mark.parametrize("scale", ["1/sqrt(d)", "sqrt(3/5)", 2])
def test_an_irrational_scale_changes_the_time_only(scale):
    """Time is multiplied by the scale."""
    factor = {"1/sqrt(d)": Fraction(1, 2), "sqrt(3/5)": Fraction(3, 5), 2: Fraction(4)}[scale]
    existence = answered(scaled({**RISING, "Sigma0": I2}, scale)).existence
    assert (existence.verdict, existence.status) == ("blow-up", "proved")
    low, high = existence.time
    root = Fraction(math.sqrt(factor))
    assert goes_on(RISING, I2, low * root * Fraction(999, 1000))
    assert not goes_on(RISING, I2, high * root * Fraction(1001, 1000))
    for fields, verdict in ((FALLING, "global"), (RISING, "blow-up"), (MIXED, "depends")):
        assert answered(scaled(fields, scale)).existence.verdict == verdict


def test_two_heads():
    skew = {"V": I2, "A": [[0, 1], [-1, 0]]}
    for fields, verdict in ((FALLING, "global"), (RISING, "blow-up")):
        answer = answered({"heads": [fields, skew]})
        assert (answer.existence.verdict, answer.existence.status) == (verdict, "proved")
        V, A = ([fractions(head[name]) for head in (fields, skew)] for name in "VA")
        for start in STARTS[:2]:
            if verdict == "global":
                late = covariance_of_heads_at(V, A, fractions(start), 5, digits=15)
                assert mp.isfinite(mp.norm(late))
                continue
            given = answered({"heads": [fields, skew], "Sigma0": start}).existence
            low, high = given.time
            covariance_of_heads_at(V, A, fractions(start), low, digits=15)
            with pytest.raises(BlowUpError):
                covariance_of_heads_at(V, A, fractions(start), high, digits=15)


def test_rational_solutions():
    escaping = answered(ESCAPING).existence
    assert (escaping.verdict, escaping.status) == ("blow-up", "proved")
    assert (escaping.theorem, escaping.time) == ("covariance.explicit", (1, 1))
    assert goes_on(ESCAPING, ESCAPING["Sigma0"], Fraction(9, 10))
    lasting = answered(LASTING).existence
    assert (lasting.verdict, lasting.status) == ("global", "proved")
    assert lasting.theorem == "covariance.explicit"
    assert goes_on(LASTING, LASTING["Sigma0"], 5)


def test_two_fates():
    answer = answered(MIXED)
    existence = answer.to_json()["existence"]
    assert (existence["verdict"], existence["status"]) == ("depends", "proved")
    assert (existence["for_sigma0"], existence["time"]) == ("some", None)
    blow_up, stays = existence["witnesses"]
    assert (blow_up["verdict"], stays["verdict"]) == ("blow-up", "global")
    assert stays["time"] is None
    for witness in existence["witnesses"]:
        # the same from verify with this start, and from an integration
        alone = answered({**MIXED, "Sigma0": witness["Sigma0"]}).to_json()["existence"]
        assert (alone["verdict"], alone["status"]) == (witness["verdict"], "proved")
        assert (alone["time"], alone["theorem"]) == (witness["time"], witness["theorem"])
        assert alone["witnesses"] is None
    low, high = map(Fraction, blow_up["time"])
    assert 0 < low <= high
    assert goes_on(MIXED, blow_up["Sigma0"], low)
    assert not goes_on(MIXED, blow_up["Sigma0"], high)
    assert goes_on(MIXED, stays["Sigma0"], 10)
    # both are positive definite, as starts are when none is given
    for witness in existence["witnesses"]:
        (a, b), (c, e) = fractions(witness["Sigma0"])
        assert b == c
        assert a > 0
        assert a * e > b * c


def test_the_statement_of_two_fates_names_both_starts():
    accepted = recheck_document(certified(MIXED))
    text = statement_text(accepted.theorem.statement)
    witnesses = answered(MIXED).existence.witnesses
    for witness in witnesses:
        rows = ", ".join(f"[{', '.join(map(str, row))}]" for row in witness.start)
        assert f"(0) = [{rows}])".replace("-", "−") in text
    assert f"T₁ ≤ {witnesses[0].time[1]}" in text
    assert "T₁ = ∞" in text


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.pop("witnesses"),
        lambda e: e["witnesses"].pop(),
        lambda e: e["witnesses"][0].pop("Sigma0"),
        lambda e: e["witnesses"][0].pop("theorem"),
        lambda e: e["witnesses"][0].update(verdict="unknown"),
        lambda e: e["witnesses"][0].update(verdict="depends"),
        lambda e: e["witnesses"][0].update(time=["0.1", "0.2"]),
        lambda e: e["witnesses"][0].update(Sigma0=[[1, 0], [0, 1]]),
        lambda e: e["witnesses"][0].update(rank=1),
        lambda e: e.update(verdict="both"),
    ],
)
def test_the_schema_knows_witnesses(change):
    document = answered(MIXED).to_json()
    jsonschema.validate(document, SCHEMA)
    change(document["existence"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_reports_name_the_witnesses():
    text = repr(answered(MIXED))
    assert "depends" in text
    for witness in answered(MIXED).existence.witnesses:
        assert "; ".join(" ".join(map(str, row)) for row in witness.start).replace("-", "−") in (
            text.replace("-", "−")
        )


def test_no_time_to_search_is_an_open_verdict():
    for fields in (FALLING, MIXED, ESCAPING):
        existence = answered(fields, budget=0).existence
        assert (existence.verdict, existence.status) == ("unknown", "open")


# Certificates --------------------------------------------------------------------------------

CASES = {
    "falling": FALLING,
    "weighted": WEIGHTED,
    "rising": RISING,
    "rising-from": {**RISING, "Sigma0": I2},
    "mixed": MIXED,
    "escaping": ESCAPING,
    "lasting": LASTING,
}


@pytest.fixture(scope="module")
def written():
    """A certificate of each case."""
    return {name: certified(fields) for name, fields in CASES.items()}


def resealed(document):
    document["digest"] = digest(document)
    return document


@pytest.mark.parametrize("name", CASES)
def test_certificates_are_accepted_as_they_are_written(name, written, tmp_path):
    jsonschema.validate(written[name], CERTIFICATE)
    source = tmp_path / "parameters.json"
    source.write_text(json.dumps({"variant": "softmax", **CASES[name]}))
    result = main(["verify", str(source), "--json", "-o", str(tmp_path)])
    assert result.exit_code == 0
    existence = json.loads(result.stdout)["existence"]
    path = tmp_path / existence["certificate"]
    assert main(["recheck", str(path), "--parameters", str(source)]).exit_code == 0
    assert json.loads(path.read_text())["statement"] == written[name]["statement"]
    document = json.loads(path.read_text())
    # another digest, other parameters
    path.write_text(json.dumps({**document, "digest": document["digest"][:-2] + "00"}))
    assert main(["recheck", str(path)]).exit_code == 1
    path.write_text(json.dumps(document))
    other = {**CASES[name], "V": [[x * 2 for x in row] for row in CASES[name]["V"]]}
    source.write_text(json.dumps({"variant": "softmax", **other}))
    assert main(["recheck", str(path), "--parameters", str(source)]).exit_code == 1


def matrices(node):
    """All literal matrices in a document, as tuples of rows of strings."""
    if isinstance(node, dict):
        for value in node.values():
            yield from matrices(value)
    elif isinstance(node, list):
        if len(node) == 2 and node[0] == "matrix":
            yield tuple(map(tuple, node[1]))
        else:
            for value in node:
                yield from matrices(value)


def replaced(node, old, new):
    """The document with one matrix in the place of another one, everywhere."""
    if isinstance(node, dict):
        return {key: replaced(value, old, new) for key, value in node.items()}
    if isinstance(node, list):
        if node == ["matrix", [list(row) for row in old]]:
            return ["matrix", [list(row) for row in new]]
        return [replaced(value, old, new) for value in node]
    return node


def altered(matrix):
    """The matrix with one entry changed, and with a symmetric pair of entries changed."""
    rows, columns = len(matrix), len(matrix[0])
    for i in range(rows):
        for j in range(columns):
            for both in {(i, j), (j, i)} and ((False, True) if rows == columns > 1 else (False,)):
                changed = [list(row) for row in matrix]
                places = {(i, j), (j, i)} if both else {(i, j)}
                for a, b in places:
                    changed[a][b] = str(Fraction(changed[a][b]) + Fraction(1, 7))
                yield tuple(map(tuple, changed))


def outcome(document, original):
    """Whether a changed document is rejected, or states the same as the original."""
    try:
        accepted = recheck_document(resealed(document))
    except REJECTED:
        return True
    return accepted.theorem.statement == recheck_document(original).theorem.statement


@pytest.mark.parametrize("name", ["falling", "weighted", "rising", "rising-from", "mixed"])
def test_a_changed_matrix_of_the_evidence_is_rejected(name, written):
    """P, the matrices of congruences and of squares: one entry, wherever the matrix stands."""
    document = written[name]
    given = set(matrices(document["statement"]))
    own = [m for m in dict.fromkeys(matrices(document["evidence"])) if m not in given]
    square = [m for m in own if len(m) == len(m[0]) > 1 and any(Fraction(x) for r in m for x in r)]
    assert square
    for matrix in square[:4]:
        for changed in list(altered(matrix))[:3]:
            other = copy.deepcopy(document)
            other["evidence"] = replaced(other["evidence"], matrix, changed)
            assert other["evidence"] != document["evidence"]
            with pytest.raises(REJECTED):
                recheck_document(resealed(other))


def numbers(node, path=()):
    if isinstance(node, dict):
        for key, value in node.items():
            yield from numbers(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from numbers(value, (*path, i))
    elif isinstance(node, str) and re.fullmatch(r"-?\d+(/\d+)?", node):
        yield path


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("part", ["parameters", "statement", "evidence"])
def test_changed_numbers_are_rejected(name, part, written):
    original = written[name]
    paths = list(numbers(original[part]))
    step = max(1, len(paths) // 6)
    for path in paths[::step]:
        document = copy.deepcopy(original)
        node = document[part]
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = str(Fraction(node[path[-1]]) + Fraction(1, 3))
        assert outcome(document, original), path


@pytest.mark.parametrize("name", ["rising-from", "mixed", "escaping"])
def test_a_changed_time_is_rejected(name, written):
    """Everywhere, so that the document still fits together."""
    finding = verify(softmax(**CASES[name]), trend=False).existence
    time = finding.witnesses[0].time if finding.witnesses else finding.time
    text = json.dumps(written[name])
    for bound in set(time):
        if str(bound) == "1":  # that of the rational solution, which is in many places
            continue
        for other in (bound * Fraction(99, 100), bound * Fraction(101, 100), -bound):
            changed = text.replace(f'"{bound}"', f'"{other}"')
            assert changed != text
            with pytest.raises(REJECTED):
                recheck_document(resealed(json.loads(changed)))


def starts(node):
    """Where a document says that a solution is maximal, and from which start."""
    if isinstance(node, list):
        if len(node) == 5 and node[0] == "maximal":
            yield node
        for value in node:
            yield from starts(value)
    elif isinstance(node, dict):
        for value in node.values():
            yield from starts(value)


def test_a_changed_start_of_a_witness_is_rejected(written):
    document = written["mixed"]
    for witness in answered(MIXED).existence.witnesses:
        old = ["matrix", [[str(x) for x in row] for row in witness.start]]
        rows = tuple(map(tuple, old[1]))
        new = (rows[0], (rows[1][0], str(witness.start[1][1] + 1)))
        # in the statement alone, in the evidence alone, everywhere
        for parts in (("statement",), ("evidence",), ("statement", "evidence")):
            other = copy.deepcopy(document)
            for part in parts:
                other[part] = replaced(other[part], rows, new)
                assert other[part] != document[part]
            with pytest.raises(REJECTED):
                recheck_document(resealed(other))
        # where the statement says that the solution starts there
        other = copy.deepcopy(document)
        places = [node for node in starts(other["statement"]["conclusion"]) if node[4] == old]
        assert places
        for node in places:
            node[4] = ["matrix", [list(row) for row in new]]
        with pytest.raises(REJECTED):
            recheck_document(resealed(other))


@pytest.mark.parametrize("name", CASES)
def test_dropped_steps_are_rejected(name, written):
    count = len(written[name]["evidence"]["steps"])
    for index in range(0, count, max(1, count // 12)):
        document = copy.deepcopy(written[name])
        del document["evidence"]["steps"][index]
        with pytest.raises(REJECTED):
            recheck_document(resealed(document))


def test_verdicts_cannot_be_exchanged(written):
    """The evidence of one case does not prove the statement of another one."""
    for first, second in (("falling", "weighted"), ("escaping", "lasting"), ("rising", "mixed")):
        for a, b in ((first, second), (second, first)):
            document = copy.deepcopy(written[a])
            document["evidence"] = copy.deepcopy(written[b]["evidence"])
            with pytest.raises(REJECTED):
                recheck_document(resealed(document))


# What a search proposes, changed -------------------------------------------------------------


def changed_certificates(certificate):
    """One entry of P, of a term's matrix, a weight; a term less; a term twice."""
    yield replace(certificate, P=bumped(certificate.P, 0, 0))
    yield replace(certificate, P=bumped(certificate.P, 0, 1))
    for name in ("congruences", "squares", "variances"):
        terms = getattr(certificate, name)
        for i, (weight, matrix) in enumerate(terms):
            before, after = terms[:i], terms[i + 1 :]
            for other in (
                [],
                [(weight, matrix)] * 2,
                [(weight * 2, matrix)],
                [(-weight, matrix)],
                [(weight, bumped(matrix, 0, 0))],
                [(weight, bumped(matrix, 0, len(matrix) - 1))],
            ):
                if any(any(row) for row in matrix):
                    yield replace(certificate, **{name: (*before, *other, *after)})


def bumped(matrix, i, j):
    """With another entry at i, j and, for symmetric matrices, at j, i."""
    rows = [list(row) for row in matrix]
    symmetric = all(rows[a][b] == rows[b][a] for a in range(len(rows)) for b in range(len(rows)))
    for a, b in {(i, j), (j, i)} if symmetric else {(i, j)}:
        rows[a][b] += Fraction(1, 5)
    return tuple(map(tuple, rows))


@pytest.mark.parametrize("fields", [FALLING, WEIGHTED])
def test_a_wrong_function_that_falls_is_rejected(fields, monkeypatch):
    problem = problem_of(softmax(**fields))
    found = decrease(((problem.V, problem.score),), seconds=5)
    application = lyapunov.decreasing(problem, 5)
    assert application.findings
    count = 0
    for other in changed_certificates(found.certificate):
        wrong = replace(found, certificate=other)
        monkeypatch.setattr(lyapunov, "decrease", lambda *_, wrong=wrong, **__: wrong)
        with pytest.raises(KernelError):
            lyapunov.decreasing(problem, 5)
        count += 1
    assert count > 5


@pytest.mark.parametrize("fields", [{**RISING, "Sigma0": I2}, RISING, {"V": I2, "A": I2}])
def test_a_wrong_function_that_grows_is_rejected(fields, monkeypatch):
    problem = problem_of(softmax(**fields))
    found = growth(((problem.V, problem.score),), problem.start, seconds=5)
    assert lyapunov.growing(problem, 5)[0].findings
    count = 0
    for other in changed_certificates(found.certificate):
        wrong = replace(found, certificate=other)
        monkeypatch.setattr(lyapunov, "growth", lambda *_, wrong=wrong, **__: wrong)
        with pytest.raises(KernelError):
            lyapunov.growing(problem, 5)
        count += 1
    assert count > 5


@pytest.mark.parametrize("fields", [ESCAPING, LASTING])
def test_a_wrong_rational_solution_is_rejected(fields, monkeypatch):
    """Another D, another N, another end: nothing is proved."""
    problem = problem_of(softmax(**fields))
    assert explicit.explicit(problem) is not None
    found = explicit.rational_solution(((problem.V, problem.score),), problem.start)
    changed = []
    for i, x in enumerate(found.denominator):
        below = [*found.denominator]
        below[i] = x + Fraction(1, 9)
        changed.append(replace(found, denominator=type(found.denominator)(below)))
    for k, N in enumerate(found.numerator):
        for i, j in ((0, 0), (0, 1), (2, 2)):
            above = [*found.numerator]
            above[k] = bumped(N, i, j)
            changed.append(replace(found, numerator=type(found.numerator)(above)))
    changed.append(replace(found, numerator=type(found.numerator)([*found.numerator[:1]])))
    ends = (None, Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), Fraction(2))
    changed += [replace(found, end=end) for end in ends if end != found.end]
    for other in changed:
        monkeypatch.setattr(explicit, "rational_solution", lambda *_, other=other: other)
        assert explicit.explicit(problem) is None, other
