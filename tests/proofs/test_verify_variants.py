"""``verify`` on every variant: the section on Gaussians, with the numbers given."""

import json
from fractions import Fraction
from importlib.resources import files

import numpy as np
import pytest
from jsonschema import validate

from numeric import gaussian_velocity
from numeric.mappings import model_from_mapping
from proofs.crosschecks.evaluate import evaluate
from proofs.reports import gaussian_equations
from proofs.verify import verify

HEAD = {"Q": [[1, 0]], "K": [["1/2", 1]], "V": [[1, 2], [0, -1]]}
OTHER = {"Q": [[0, "1/3"]], "K": [[-1, 1]], "V": [["1/2", 0], [1, 1]]}
START = {"Sigma0": [[2, 1], [1, 1]], "alpha0": [1, "-1/2"]}
ONE = {"Q": [[1]], "K": [[2]], "V": [[3]]}
SCHEMA = json.loads(files("proofs").joinpath("schemas/verify.json").read_text("utf-8"))
PRESERVING = ("l2", "linear", "sinkhorn")


def gaussian(answer) -> dict:
    document = answer.to_json()
    validate(document, SCHEMA)
    return document["gaussian"]


def applies(answer) -> dict:
    return {application.id: application.applies for application in answer.applications}


def on_gaussians(answer) -> dict:
    return {name: value for name, value in applies(answer).items() if name.startswith("gaussian.")}


@pytest.mark.parametrize("variant", PRESERVING)
@pytest.mark.parametrize(
    ("fields", "by"),
    [
        (HEAD | START, None),
        ({"heads": [HEAD, OTHER], **START}, "gaussian.multihead"),
        ({"layers": [HEAD, {**OTHER, "time": "1/2"}], **START}, None),
        ({"layers": [{"heads": [HEAD, OTHER]}, {**OTHER, "time": "inf"}]}, "gaussian.multihead"),
    ],
)
def test_preserved(variant, fields, by):
    answer = verify({"variant": variant, **fields})
    section = gaussian(answer)
    name = by or f"gaussian.{variant}"
    assert (section["preserved"], section["status"]) == (True, "proved")
    assert answer.gaussian.theorem == name
    assert on_gaussians(answer) == {name: True}


def law() -> tuple[np.ndarray, np.ndarray]:
    return np.array([0.75, -1.25]), np.array([[1.5, 0.25], [0.25, 0.5]])


def independent(variant: str, head: dict, scale: float):
    V, Q, K = (np.array([[float(Fraction(x)) for x in row] for row in head[n]]) for n in "VQK")
    if variant == "l2":
        return gaussian_velocity.l2(V, scale * Q, K, *law())
    return getattr(gaussian_velocity, variant)(V, scale * K.T @ Q, *law())


@pytest.mark.parametrize("variant", [*PRESERVING, "softmax"])
@pytest.mark.parametrize("heads", [[HEAD], [HEAD, OTHER]])
@pytest.mark.parametrize("scale", [1, "2/3", "1/sqrt(d)"])
def test_the_equations_have_the_numbers(variant, heads, scale):
    """Evaluated from the terms that are printed, against an independent implementation."""
    model = model_from_mapping({"variant": variant, "heads": heads, "scale": scale, **START})
    alpha, Sigma = law()
    values = {"d": 2, "alpha": lambda _: alpha.tolist(), "Sigma": lambda _: Sigma.tolist(), "t": 0}
    mean, linear = (
        np.array(evaluate(term, values, 20).tolist(), dtype=float)
        for term in gaussian_equations._with_numbers(model)
    )
    number = {1: 1.0, "2/3": 2 / 3, "1/sqrt(d)": 1 / np.sqrt(2)}[scale]
    expected = [independent(variant, head, number) for head in heads]
    np.testing.assert_allclose(linear, sum(one.linear for one in expected), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        mean[:, 0], sum(one(alpha) for one in expected), rtol=1e-12, atol=1e-13
    )
    printed = gaussian_equations.equations(model, verify(model).gaussian)
    assert r"\begin{pmatrix} 1 & 2 \\ 0 & -1 \end{pmatrix}" in printed["covariance"]


def test_biases_and_output_bias_are_in_the_mean():
    head = {**HEAD, "b_q": ["1/2"], "b_k": [3], "b_v": [1, 5]}
    fields = {"variant": "softmax", "heads": [head], "output_bias": [7, 0], **START}
    model = model_from_mapping(fields)
    mean, _ = gaussian_equations._with_numbers(model)
    alpha, Sigma = law()
    values = {"d": 2, "alpha": lambda _: alpha.tolist(), "Sigma": lambda _: Sigma.tolist(), "t": 0}
    V, Q, K = (np.array([[float(Fraction(x)) for x in row] for row in HEAD[n]]) for n in "VQK")
    tilt = K.T @ (Q @ alpha + 0.5)
    expected = V @ (alpha + Sigma @ tilt) + [8, 5]
    found = np.array(evaluate(mean, values, 20).tolist(), dtype=float)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("variant", "linear"),
    [
        ("softmax", r"-6 \Sigma(t)"),
        ("l2", r"-\frac{12 \Sigma(t)}{1 + 8 \Sigma(t)}"),
        (
            "sinkhorn",
            r"-\frac{12 \sqrt{\Sigma(t)} \sqrt{\Sigma(t)}}"
            r"{1 + \sqrt{1 + 144 \sqrt{\Sigma(t)} \Sigma(t) \sqrt{\Sigma(t)}}}",
        ),
        ("linear", r"-6 (\Sigma(t) + \alpha(t) \alpha(t)^\top)"),
    ],
)
def test_numbers_stand_in_front_in_dimension_one(variant, linear):
    head = {"Q": [[3]], "K": [[2]], "V": [[-1]]}
    printed = gaussian(verify({"variant": variant, **head}))["equations"]["covariance"]
    assert printed.partition("B(t) = ")[2] == linear


def test_the_headline_counts_layers_of_every_variant():
    layers = [{**HEAD, "time": 1}, {"heads": [HEAD, OTHER]}]
    for variant in ("softmax", "l2"):
        lines = str(verify({"variant": variant, "layers": layers, **START})).splitlines()
        assert lines[0] == f"{variant} attention, d = 2, 2 layers of 2 heads"
    assert lines[1].endswith("; sum over heads")


def test_no_equation_is_shown_where_it_is_not_known_to_be_that_of_the_file():
    biased = str(verify({"variant": "linear", **HEAD, "b_v": [1, 0]}))
    assert "B = V" in str(verify({"variant": "linear", **HEAD, "alpha0": [1, 0]}))
    assert "B = V" not in biased
    masked = {"variant": "linear", **ONE, "mask": "causal", "positions": POSITIONS}
    assert "at each position s" in str(verify(masked))


def test_biases_that_cancel_are_not_in_the_mean():
    biased = {**HEAD, "b_q": [1], "b_k": [2]}
    for heads, others in [([HEAD], [biased]), ([HEAD, OTHER], [biased, OTHER])]:
        plain, cancelled = (
            gaussian(verify({"variant": "sinkhorn", "heads": one, **START}))
            for one in (heads, others)
        )
        assert cancelled["preserved"]
        assert cancelled["equations"] == plain["equations"]


@pytest.mark.parametrize("variant", ["linear", "l2", "sinkhorn"])
def test_no_equation_without_biases_is_printed_for_a_model_with_some(variant):
    fields = {"variant": variant, **HEAD, **START}
    assert "B = " in repr(verify(fields))
    biased = repr(verify({**fields, "output_bias": [1, 0]}))
    assert "B = " not in biased


def test_letters_for_larger_models():
    rows = np.eye(5, dtype=int).tolist()
    answer = verify({"variant": "l2", "Q": rows, "K": rows, "V": rows})
    assert r"B(t) = 2 V(t)" in gaussian(answer)["equations"]["covariance"]


def test_centred_linear_attention_has_the_covariance_of_softmax():
    head = {"A": [[1, 0], [0, 0]], "V": [[1, 0], [0, 1]], "Sigma0": [[1, 0], [0, 1]]}
    linear, softmax = (verify({"variant": v, **head}) for v in ("linear", "softmax"))
    assert linear.gaussian.theorem == "gaussian.linear"
    assert linear.existence.time == softmax.existence.time == (Fraction(1, 2), Fraction(1, 2))
    assert applies(linear)["covariance.linear-centered"] is True
    moved = verify({"variant": "linear", **head, "alpha0": [1, 0]})
    assert moved.existence.verdict == "unknown"


@pytest.mark.parametrize("bias", [{"b_v": [1, 0]}, {"b_q": [1]}])
def test_biases_outside_softmax_are_not_decided(bias):
    answer = verify({"variant": "l2", **HEAD, **bias})
    section = gaussian(answer)
    assert (section["preserved"], section["status"]) == (False, "open")
    names = ("gaussian.l2", "gradient.l2", "gradient.none.l2")
    assert applies(answer) == dict.fromkeys(names, False)


def test_sinkhorn_cancels_biases_of_scores():
    answer = verify({"variant": "sinkhorn", **HEAD, "b_q": [1], "b_k": [2]})
    assert gaussian(answer)["status"] == "proved"


POSITIONS = [
    {"mass": 1, "alpha": [0], "Sigma": [[1]]},
    {"mass": 2, "alpha": [0], "Sigma": [[1]]},
    {"mass": 1, "alpha": [1], "Sigma": [[1]]},
]
MASKED = {"variant": "softmax", **ONE, "mask": "causal"}
OBSTRUCTED = "gaussian.not-masked-softmax"


@pytest.mark.parametrize(
    ("fields", "name", "verdict"),
    [
        ({"variant": "sigmoid", **ONE, "Sigma0": [[1]]}, "gaussian.not-sigmoid", True),
        ({"variant": "exponential", **ONE, "alpha0": [2]}, "gaussian.not-exponential", True),
        ({"variant": "sigmoid", **ONE, "V": [[0]]}, "gaussian.not-sigmoid", False),
        ({"variant": "sigmoid", **ONE, "Sigma0": [[0]]}, "gaussian.not-sigmoid", False),
        ({"variant": "exponential", **HEAD}, "gaussian.not-exponential", False),
        ({**MASKED, "positions": POSITIONS[1:]}, OBSTRUCTED, True),
        ({**MASKED, "positions": POSITIONS[:2]}, OBSTRUCTED, False),
        ({**MASKED, "positions": POSITIONS}, OBSTRUCTED, None),
        ({**MASKED, "positions": POSITIONS[:1]}, OBSTRUCTED, None),
        (MASKED, OBSTRUCTED, None),
    ],
)
def test_obstructions(fields, name, verdict):
    answer = verify(fields)
    section = gaussian(answer)
    assert on_gaussians(answer) == {name: verdict}
    assert section["preserved"] is False
    assert section["equations"] is None
    assert section["status"] == ("proved" if verdict else "open")
    assert answer.gaussian.verdict == ("not preserved" if verdict else "unknown")


@pytest.mark.parametrize("variant", ["l2", "sinkhorn"])
def test_the_variance_in_dimension_one(variant):
    names = {f"gaussian.{variant}", "covariance.scalar", f"covariance.scalar-{variant}"}
    answer = verify({"variant": variant, **ONE, "Sigma0": [[1]]})
    assert {name: applies(answer)[name] for name in names} == dict.fromkeys(names, True)
    flat = verify({"variant": variant, **ONE, "K": [[0]], "Sigma0": [[1]]})
    assert applies(flat)["covariance.scalar"] is False
    assert applies(flat)[f"covariance.scalar-{variant}"] is True
    two = verify({"variant": variant, "heads": [ONE, ONE], "Sigma0": [[1]]})
    assert applies(two)["covariance.scalar"] is False


def test_masked_linear():
    answer = verify({"variant": "linear", **ONE, "mask": "causal", "positions": POSITIONS})
    section = gaussian(answer)
    assert (section["preserved"], answer.gaussian.theorem) == (True, "gaussian.masked-linear")
    assert r"\int_{\tau \le s}" in section["equations"]["covariance"]


def test_other_masks_are_not_decided():
    answer = verify({"variant": "l2", **ONE, "mask": "causal", "positions": POSITIONS})
    assert gaussian(answer)["status"] == "open"
    assert answer.applications == ()
