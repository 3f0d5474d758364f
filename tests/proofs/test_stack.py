"""Stacks of small layers: how far they are proved to get, against solutions known by hand."""

import json
from fractions import Fraction
from importlib import resources

import jsonschema
import pytest
from click.testing import CliRunner
from mpmath import mp

from numeric import examples
from numeric.errors import ParameterError
from numeric.mappings import model_from_mapping
from proofs import language as la
from proofs.builder import SESSION
from proofs.certificates import CertificateError, make, recheck_document
from proofs.claims.covariance_existence_time import START
from proofs.cli import main
from proofs.codec import digest
from proofs.terms import substitute
from proofs.verdicts.subject import problem_of
from proofs.verify import verify

SCHEMA = json.loads(resources.files("proofs").joinpath("schemas/verify.json").read_text())
ONE = [[1, 0], [0, 1]]
TURN = [[0, 1], [-1, 0]]
SHEAR = [[1, 1], [0, 1]]


def scalar(rate, time=1, d=2):
    """Sigma' = rate Sigma^2: from c I it is c / (1 - rate c t)."""
    one = [[int(i == j) for j in range(d)] for i in range(d)]
    half = [[str(Fraction(rate) / 2) if i == j else 0 for j in range(d)] for i in range(d)]
    return {"V": one, "A": half, "time": time}


def stack(*layers, **more):
    return {"variant": "softmax", "layers": list(layers), **more}


def checked(fields, **options):
    """The answer; its JSON follows the schema, and what is proved is established."""
    answer = verify(fields, **{"trend": False, **options})
    result = json.loads(json.dumps(answer.to_json()))
    jsonschema.validate(result, SCHEMA)
    assert len(result["layers"]) == len(answer.layers) == len(fields["layers"])
    for part in (answer.existence, *(layer.existence for layer in answer.layers)):
        if part.finding is not None:
            theorem = part.finding.theorem()
            assert theorem.statement == part.finding.statement
    return answer


def lasts(problem, times):
    """The conclusion that layers are passed; the last time is reached when it is a pair."""
    *first, last = [
        la.within(la.number(time), layer.terms["T"])
        if isinstance(time, Fraction)
        else la.at_most(la.finite(la.number(time[0])), layer.terms["T"])
        for layer, time in zip(problem.layers, times, strict=False)
    ]
    return la.conj(*first, last) if first else last


def conclusion(answer):
    """What is proved, below the bound of the start when none is given."""
    stated = answer.existence.finding.statement.conclusion
    return stated if answer.parameters.Sigma0 is not None else stated.args[1]


def passes(answer, *times):
    """All layers are passed: each of these times is proved to lie in the life of its layer."""
    assert (answer.existence.verdict, answer.existence.status) == ("global", "proved")
    assert answer.existence.time is None
    problem = problem_of(answer.parameters)
    assert len(times) == len(problem.layers)
    return conclusion(answer) == lasts(problem, [Fraction(t) for t in times])


def stops(answer, blow_up, *times):
    """A layer after those of the given times need not be passed; its life is bounded sharply."""
    assert (answer.existence.verdict, answer.existence.status) == ("unknown", "open")
    time, latest = answer.existence.time
    assert latest is None
    elapsed = [Fraction(t) for t in times]
    remaining = time - sum(elapsed)
    assert remaining > 0
    expected = lasts(problem_of(answer.parameters), [*elapsed, (remaining,)])
    assert conclusion(answer) == expected
    return time <= blow_up and blow_up - time < Fraction(blow_up) / 10**4


# Scalar layers --------------------------------------------------------------------------------


def test_short_layers_are_passed():
    # 1, then 8/7, then 8/6
    assert passes(checked(stack(scalar(1, "1/8"), scalar(1, "1/8"), Sigma0=ONE)), "1/8", "1/8")
    three = stack(scalar(1, "1/4"), scalar(-9, "1/100"), scalar(1, "1/4"), Sigma0=ONE)
    assert passes(checked(three), "1/4", "1/100", "1/4")


def test_a_layer_may_end_just_before_the_blow_up():
    # 1 / (2 - t) after the first layer
    for time, until in (("99/200", True), ("101/200", False)):
        answer = checked(stack(scalar(1, "1/2"), scalar(1, time), Sigma0=ONE))
        assert (answer.existence.verdict == "global") is until
        if not until:
            assert stops(answer, 1, "1/2")


def test_the_time_in_a_later_layer_counts_from_the_start():
    # 1, then 2 after 1/4, then blow-up after 1/(4 * 2)
    assert stops(checked(stack(scalar(2, "1/4"), scalar(4), Sigma0=ONE)), Fraction(3, 8), "1/4")
    # 1, 3/2, 3, then blow-up after 1/(5 * 3)
    layers = scalar(1, "1/3"), scalar("1/3", 1), scalar(5, "1/15"), scalar(1)
    answer = checked(stack(*layers, Sigma0=ONE))
    assert stops(answer, Fraction(4, 3) + Fraction(1, 15), "1/3", 1)


def test_every_start_below_the_identity():
    answer = checked(stack(scalar(2, "1/4"), scalar(4)))
    assert stops(answer, Fraction(3, 8), "1/4")
    problem = problem_of(answer.parameters)
    terms = problem.first.terms
    below = la.le(terms["Sigma0"], la.scale(la.number(1), la.identity(terms["d"])))
    assert answer.existence.finding.statement.conclusion.args[0] == below
    assert answer.to_json()["existence"]["for_sigma0"] == "some"
    # every start blows up in a first layer that acts for ever, not before time 1
    assert stops(checked(stack(scalar(2, 1))), Fraction(1, 2))


def test_an_infinite_last_layer():
    answer = checked(stack(scalar(2, "1/4"), scalar(4, "inf"), Sigma0=ONE))
    assert stops(answer, Fraction(3, 8), "1/4")
    document = answer.to_json()
    assert [layer["time"] for layer in document["layers"]] == ["1/4", "inf"]
    assert answer.layers[1].existence.time == (Fraction(1, 4), Fraction(1, 4))


def test_an_infinite_layer_alone_is_no_stack():
    unit = verify(stack(scalar(2, "inf"), Sigma0=ONE))
    assert "layers" not in unit.to_json()
    assert unit.existence.time == (Fraction(1, 2), Fraction(1, 2))


def test_one_layer_of_finite_time():
    for time, layer in (("1/3", 2), (7, -2)):
        answer = checked(stack(scalar(layer, time), Sigma0=ONE))
        assert (answer.existence.verdict, answer.existence.status) == ("global", "proved")
    # for ever, as A + A^T <= 0
    T = problem_of(answer.parameters).first.terms["T"]
    assert answer.existence.finding.statement.conclusion == la.eq(T, la.INFINITY)
    assert stops(checked(stack(scalar(2, "1/2"), Sigma0=ONE)), Fraction(1, 2))


# A blow-up in the first layer -----------------------------------------------------------------

RAY = {  # a rank-one start on a ray, t* = 5/22
    "name": "softmax-clustering-rank-one",
    "time": Fraction(5, 22),
}


def first_layer(time):
    """The layer of an example that blows up, and its start."""
    parameters = examples.load(RAY["name"]).to_json()
    layer = {name: parameters[name] for name in ("V", "A", "Q", "K", "scale") if name in parameters}
    return {**layer, "time": time}, parameters["Sigma0"]


@pytest.mark.parametrize("late", [scalar(1), scalar(-1, "inf"), None])
def test_a_blow_up_in_the_first_layer_is_proved(late):
    for time, layer, start in (
        (Fraction(1, 2), scalar(2, "501/1000"), ONE),
        (RAY["time"], *first_layer("1/4")),
    ):
        layers = [layer] if late is None else [layer, late]
        answer = checked(stack(*layers, Sigma0=start))
        assert (answer.existence.verdict, answer.existence.status) == ("blow-up", "proved")
        assert answer.existence.time == (time, time)
        assert (answer.limit.verdict, answer.limit.status) == ("unbounded", "proved")
        assert "T1" in str(answer.existence.finding.statement.conclusion)


def test_a_blow_up_after_the_first_layer_is_not_one_of_it():
    layer, start = first_layer("5/22")
    answer = checked(stack(layer, scalar(-1), Sigma0=start))
    assert answer.existence.verdict == "unknown"
    assert answer.existence.time[0] <= RAY["time"]
    # the first layer alone, for ever
    assert answer.layers[0].existence.time == (RAY["time"], RAY["time"])


# Layers of several heads ----------------------------------------------------------------------


def heads(*rates, time=1):
    """Heads whose rates add up."""
    single = [{k: v for k, v in scalar(rate).items() if k != "time"} for rate in rates]
    return {"heads": single, "time": time}


def test_layers_of_different_numbers_of_heads():
    # rates 2, 1, 3: 1, then 4/3 after 1/8, then 2 after 1/4, and blow-up 1/6 later
    layers = heads(1, "1/2", "1/2", time="1/8"), scalar(2, "1/8"), heads(2, 1)
    assert stops(checked(stack(*layers, Sigma0=ONE)), Fraction(5, 12), "1/8", "1/8")
    short = heads(1, "1/2", "1/2", time="1/8"), scalar(2, "1/8"), heads(2, 1, time="1/7")
    answer = checked(stack(*short, Sigma0=ONE))
    assert passes(answer, "1/8", "1/8", "1/7")
    document = answer.to_json()
    assert document["heads"] == 3
    assert [len(layer["heads"]) for layer in document["layers"]] == [3, 1, 2]
    theorem = "covariance.multihead-existence-time"
    assert answer.existence.theorem == theorem


# The bounds between the layers ----------------------------------------------------------------


def bounds(answer):
    """The numbers m_l for which the proof shows that layer l starts below m_l I."""
    problem = problem_of(answer.parameters)
    found = []
    conclusions = [t.conclusion for t in SESSION.trace(answer.existence.finding.proof)]
    for layer in problem.layers[1:]:
        for proposition in conclusions:
            if proposition.op != "psd" or proposition.args[0].op != "add":
                continue
            factor = proposition.args[0].args[0].args[0]
            claim = substitute(START, {**layer.terms, "m": factor})
            if factor.op == "literal" and claim == proposition:
                found.append(factor.data.entries[0])
    return found


def exact(rows):
    return mp.matrix([[mp.mpf(x.numerator) / x.denominator for x in row] for row in rows])


def ends(model):
    """The largest eigenvalue of the covariance at the end of each layer, by Taylor series."""
    d = model.dimension
    state = exact(model.Sigma0.fractions())
    result = []
    for layer in model.layers:
        parts = []
        for head in layer.heads:
            value = exact(head.V.fractions())
            score = exact(head.A.fractions()) if head.A else None
            if score is None:
                score = exact(head.K.fractions()).T * exact(head.Q.fractions())
                score *= mp.sqrt(mp.mpf(head.scale_squared.numerator))
                score /= mp.sqrt(head.scale_squared.denominator)
            parts.append((value, score))

        def speed(t, flat, parts=parts):
            covariance = mp.matrix(d, d)
            for i in range(d):
                for j in range(d):
                    covariance[i, j] = flat[d * i + j]
            half = mp.matrix(d, d)
            for value, score in parts:
                half += value * covariance * score * covariance
            return list(half + half.T)

        if layer.time is not None:
            time = mp.mpf(layer.time.numerator) / layer.time.denominator
            flat = mp.odefun(speed, 0, list(state), tol=mp.mpf(10) ** -12)(time)
            state = mp.matrix([[flat[d * i + j] for j in range(d)] for i in range(d)])
            result.append(max(mp.eigsy((state + state.T) / 2, eigvals_only=True)))
    return result


THREE = [[1, 0, "1/2"], [0, -1, 1], [1, 1, 0]]
SYMMETRIC = [[2, 1, 0], [1, 3, 0], [0, 0, 1]]
KEYS = {"Q": [[1, -1]], "K": [[2, 1]]}
STACKS = {
    "scalar": stack(scalar(2, "1/4"), scalar(1, "1/4"), scalar(1, "1/100"), Sigma0=ONE),
    "shrinking": stack(scalar(-2, "1/16"), scalar(1, "1/8"), Sigma0=[[2, 1], [1, 2]]),
    "any": stack(
        {"V": SHEAR, "A": TURN, "time": "1/10"},
        {"V": TURN, "A": SHEAR, "time": "1/20"},
        {"V": SHEAR, "A": SHEAR, "time": "1/50"},
        Sigma0=[[1, "1/2"], ["1/2", 1]],
    ),
    "d = 3": stack(
        {"V": THREE, "A": SYMMETRIC, "time": "1/100"},
        {"V": SYMMETRIC, "A": THREE, "time": "1/200"},
        {"V": THREE, "A": THREE, "time": "1/200"},
        Sigma0=SYMMETRIC,
    ),
    "heads": stack(
        {"heads": [{"V": SHEAR, "A": TURN}, {"V": ONE, "A": SHEAR}], "time": "1/20"},
        {"V": TURN, "A": SHEAR, "time": "1/20"},
        {"heads": [{"V": TURN, "A": ONE}] * 3, "time": "1/50"},
        Sigma0=ONE,
    ),
    "irrational scale": stack(
        {"V": SHEAR, **KEYS, "scale": "sqrt(2)", "time": "1/20"},
        {"V": TURN, **KEYS, "scale": "1/3", "time": "1/20"},
        {"heads": [{"V": SHEAR, **KEYS, "scale": "sqrt(2)"}] * 2, "time": "1/100"},
        Sigma0=ONE,
    ),
    "scale of all": stack(
        {"V": SHEAR, **KEYS, "time": "1/20"},
        {"V": TURN, **KEYS, "time": "1/20"},
        scale="1/sqrt(2)",
        Sigma0=ONE,
    ),
}


@pytest.mark.parametrize("name", STACKS)
def test_each_layer_starts_below_its_bound(name):
    answer = checked(STACKS[name])
    assert passes(answer, *(layer["time"] for layer in STACKS[name]["layers"]))
    found = bounds(answer)
    with mp.workdps(20):
        reached = ends(model_from_mapping(STACKS[name]))
    assert len(found) == len(STACKS[name]["layers"]) - 1
    for bound, value in zip(found, reached, strict=False):
        assert value <= bound * (1 + mp.mpf(10) ** -9)
    if name == "scalar":  # then they are sharp
        assert all(v > b * (1 - mp.mpf(10) ** -4) for b, v in zip(found, reached, strict=False))


def test_different_irrational_scales_are_refused():
    layers = [{"V": SHEAR, **KEYS, "scale": scale} for scale in ("sqrt(2)", "sqrt(3)")]
    with pytest.raises(ParameterError, match="one irrational scale"):
        verify(stack(*layers))
    # the square root of 4 is rational
    layers[1]["scale"] = "sqrt(4)"
    assert checked(stack(*layers)).existence.time[0] > 0


def test_the_scale_counts():
    # Q^T K = I / 2, so that the rates are s
    layer = {"V": ONE, "Q": ONE, "K": [["1/2", 0], [0, "1/2"]]}
    for scale, square in (("sqrt(3)", 3), ("5/4", Fraction(25, 16)), ("1/sqrt(k)", Fraction(1, 2))):
        answer = checked(stack({**layer, "scale": scale, "time": 99}, scalar(1), Sigma0=ONE))
        low, high = answer.existence.time
        assert answer.existence.verdict == "blow-up"
        assert low**2 * square <= 1 <= high**2 * square
        # 1 - s/4 at the end of the first layer
        first = {**layer, "scale": scale, "time": "1/4"}
        later = checked(stack(first, {**layer, "scale": scale, "time": 99}, Sigma0=ONE))
        time, _ = later.existence.time
        assert time**2 * square <= 1 < time**2 * square * Fraction(10001, 10000)


# Parts of a stack -----------------------------------------------------------------------------

PARTS = stack(
    {"heads": [{"V": SHEAR, "A": TURN}, {"V": ONE, "A": [[-1, 0], [0, -2]]}], "time": "1/20"},
    {"V": [[2, 1], [1, 2]], "A": [[1, 0], [0, -1]], "time": "1/20"},
    Sigma0=ONE,
)


def run(*args):
    return CliRunner().invoke(main, [str(a) for a in args])


def save(path, fields):
    path.write_text(json.dumps(fields))
    return path


def alone(layer, head=None):
    """A layer or one head of it in a file of its own."""
    fields = {k: v for k, v in PARTS["layers"][layer].items() if k != "time"}
    if head is not None:
        fields = fields["heads"][head] if "heads" in fields else fields
    return {"variant": "softmax", **fields, "Sigma0": ONE}


@pytest.mark.parametrize("part", [(0, None), (1, None), (0, 0), (0, 1), (1, 0)])
def test_a_selected_part_is_verified_as_if_alone(part, tmp_path):
    layer, head = part
    whole, own = save(tmp_path / "all.json", PARTS), save(tmp_path / "own.json", alone(*part))
    options = ["--layer", layer, *([] if head is None else ["--head", head])]
    # without searches, which go as far as there is time
    selected = run("verify", whole, "--json", "--budget", 0, *options)
    by_itself = run("verify", own, "--json", "--budget", 0)
    assert selected.exit_code == by_itself.exit_code == 0
    chosen, expected = json.loads(selected.stdout), json.loads(by_itself.stdout)
    for item in chosen.get("by_head", ()):
        item["head"] = chosen["by_head"].index(item)
    assert chosen == expected
    assert "layers" not in chosen


@pytest.mark.parametrize("layer", [0, 1])
def test_layers_and_heads_of_the_answer_are_those_alone(layer):
    answer = checked(PARTS).to_json()["layers"][layer]
    expected = verify(alone(layer), trend=False, budget=0).to_json()
    for key in ("existence", "limit", "theorems"):
        assert answer[key] == expected[key]
    for head, found in enumerate(answer["heads"]):
        single = verify(alone(layer, head), trend=False, budget=0).to_json()
        assert found["head"] == head
        assert found["existence"] == single["existence"]
        assert found["theorems"] == single["theorems"]


def test_one_head_of_every_layer(tmp_path):
    layers = [
        {"heads": [{"V": SHEAR, "A": TURN}, {"V": ONE, "A": ONE}], "time": "1/20"},
        {"heads": [{"V": TURN, "A": ONE}, {"V": ONE, "A": TURN}], "time": "1/20"},
    ]
    whole = save(tmp_path / "all.json", stack(*layers, Sigma0=ONE))
    own = [{**layer["heads"][1], "time": "1/20"} for layer in layers]
    selected = json.loads(run("verify", whole, "--json", "--head", 1).stdout)
    expected = json.loads(
        run("verify", save(tmp_path / "own.json", stack(*own, Sigma0=ONE)), "--json").stdout
    )
    assert [[h.pop("head") for h in layer["heads"]] for layer in selected["layers"]] == [[1], [1]]
    assert [[h.pop("head") for h in layer["heads"]] for layer in expected["layers"]] == [[0], [0]]
    assert selected == expected


# Certificates and reports ---------------------------------------------------------------------


def test_certificates_of_stacks():
    for fields in (STACKS["heads"], STACKS["irrational scale"], stack(scalar(2, "1/4"), scalar(4))):
        answer = checked(fields)
        finding = answer.existence.finding
        document = json.loads(json.dumps(make(answer.parameters, finding.statement, finding.proof)))
        accepted = recheck_document(document, answer.parameters)
        assert accepted.theorem.statement == finding.statement
        # a first layer that acts longer gives another start of the second
        longer = document["parameters"]["layers"][0]
        longer["time"] = str(Fraction(longer["time"]) * 2)
        document["digest"] = digest(document)
        with pytest.raises(CertificateError, match="hypotheses are not those"):
            recheck_document(document)


def test_numerical_evidence_of_the_layers():
    answer = checked(stack(scalar(2, "1/4"), scalar(4), scalar(1), Sigma0=ONE), trend=True)
    first, second, third = (layer["evolution"] for layer in answer.to_json()["layers"])
    assert first["flow"]["verdict"] == "reached"
    assert 10 ** first["flow_end"]["log10_largest_eigenvalue"] == pytest.approx(2)
    assert second["flow"]["verdict"] == "blow-up"
    assert (second["flow_end"], third["flow"], third["flow_end"]) == (None, None, None)
    # 1 (1 + 1/4)^2, and so on
    assert 10 ** first["residual"]["log10_largest_eigenvalue"] == pytest.approx(25 / 16)
    assert third["residual"]["effective_rank"] == pytest.approx(2)
    assert "layer 1, at t ≈ 0.375" in repr(answer)
    assert "not reached" in repr(answer)
