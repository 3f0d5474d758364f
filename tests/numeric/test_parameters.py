"""Parameter files: exact reading, normal form, and one clear line for every fault."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric import json_text, parameters
from numeric.parameters import ParameterError, Parameters, from_mapping, load, load_sigma0
from numeric.rationals import MAX_DIGITS

GOOD = {"variant": "softmax", "A": [[1, 2], [3, 4]], "V": [[1, 0], [0, 1]]}
WITH_KEYS = {"variant": "l2", "Q": [[1, 2]], "K": [[3, "1/2"]], "V": [[1, 0], [0, 1]]}
LARGE = [[0] * 200] * 200
SIGMA = [["2", "1"], ["1", "2"]]


def write(tmp_path, content):
    path = tmp_path / "params.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_numbers_are_the_rationals_that_they_are(tmp_path):
    big = 3**200
    text = f"""{{"variant": "linear", "A": [[0.1, "0.1"], [{big}, "1e-3"]],
               "V": [[1e2, "-7/21"], [" 5 ", -0.0]]}}"""
    read = load(write(tmp_path, text))
    assert (
        (Fraction(3602879701896397, 36028797018963968), Fraction(1, 10)),
        (Fraction(big), Fraction(1, 1000)),
    ) == read.A
    assert ((Fraction(100), Fraction(-1, 3)), (Fraction(5), Fraction(0))) == read.V
    assert read.alpha0 == (0, 0)
    assert read.Sigma0 is None


def test_attention_matrix_is_exact():
    read = from_mapping(
        {
            "variant": "softmax",
            "Q": [[0.1, 2, 3]],
            "K": [["1/3", 5, -1]],
            "V": np.eye(3),
            "scale": "1/sqrt(d)",
        }
    )
    tenth = Fraction(0.1)
    assert read.A_unscaled == (
        (tenth / 3, Fraction(2, 3), Fraction(1)),
        (5 * tenth, Fraction(10), Fraction(15)),
        (-tenth, Fraction(-2), Fraction(-3)),
    )
    assert read.scale_squared == Fraction(1, 3)
    assert read.scale is None
    assert (read.dimension, read.head_dimension) == (3, 1)


def test_low_rank_values_and_biases():
    read = from_mapping(
        {
            "variant": "softmax",
            "Q": [[1, 2]],
            "K": [[3, 4]],
            "V": [[5, 6]],
            "W": [[7], [8]],
            "b_q": [10],
            "b_k": [0],
            "b_v": ["1/2"],
            "scale": "1/sqrt(k)",
        }
    )
    assert read.value_matrix == ((35, 42), (40, 48))
    assert read.value_bias == (Fraction(7, 2), 4)
    assert read.tilt_unscaled == (30, 40)
    assert read.has_bias
    assert read.scale == 1
    assert from_mapping(read.to_json()) == read


@pytest.mark.parametrize(
    ("scale", "squared", "root"),
    [
        (2, 4, 2),
        ("3/7", Fraction(9, 49), Fraction(3, 7)),
        (0.5, Fraction(1, 4), Fraction(1, 2)),
        ("1/sqrt(k)", 1, 1),
        ("1 / sqrt(d)", Fraction(1, 2), None),
        ("1/sqrt(9/4)", Fraction(4, 9), Fraction(2, 3)),
        ("sqrt(2/3)", Fraction(2, 3), None),
    ],
)
def test_scale(scale, squared, root):
    read = from_mapping({**WITH_KEYS, "scale": scale})
    assert read.scale_squared == squared
    assert read.scale == root
    assert from_mapping(read.to_json()) == read


def test_comment_and_source_do_not_count_in_comparisons(tmp_path):
    commented = load(write(tmp_path, {**GOOD, "comment": "two\nlines \ud800"}))
    assert commented == from_mapping(GOOD)
    assert commented.source == str(tmp_path / "params.json")


def test_byte_order_mark_is_skipped(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert load(path) == from_mapping(GOOD)


@pytest.mark.parametrize(
    "sigma",
    [
        [[0, 0], [0, 0]],
        [[1, 1], [1, 1]],
        [[0, 0], [0, 3]],
        [["1/3", "1/6"], ["1/6", "1/12"]],  # of rank one: floats would not tell
    ],
)
def test_singular_covariances_are_accepted(sigma):
    read = from_mapping({**GOOD, "Sigma0": sigma})
    assert read.Sigma0 == tuple(tuple(Fraction(x) for x in row) for row in sigma)


BAD_MAPPINGS = {
    "not an object": ([1, 2], None, "expected a JSON object, got a list of 2"),
    "null": (None, None, "expected a JSON object, got null"),
    "no variant": ({"A": [[1]], "V": [[1]]}, "variant", "missing"),
    "unknown variant": ({**GOOD, "variant": "Softmx"}, "variant", 'did you mean "softmax"?'),
    "variants listed": ({**GOOD, "variant": "?"}, "variant", "softmax, l2, sinkhorn, sigmoid"),
    "variant not a string": ({**GOOD, "variant": 3}, "variant", "got a number"),
    "no V": ({"variant": "linear", "A": [[1]]}, "V", "missing"),
    "no A": ({"variant": "linear", "V": [[1]]}, "Q", "(or A in place of both)"),
    "only Q": ({"variant": "linear", "V": [[1]], "Q": [[1]]}, "K", "missing, but Q is given"),
    "only K": ({"variant": "l2", "V": [[1]], "K": [[1]]}, "Q", "missing, but K is given"),
    "A and Q": ({**GOOD, "Q": [[1, 2]]}, "A", "given together with Q"),
    "A for l2": ({**GOOD, "variant": "l2"}, "A", "not for l2"),
    "A with scale": ({**GOOD, "scale": 2}, "scale", "not allowed with A"),
    "A with a bias": ({**GOOD, "b_k": [1]}, "b_k", "needs Q and K"),
    "unknown field": ({**GOOD, "sigma_0": [[1]]}, None, 'did you mean "Sigma0"?'),
    "heads": ({"variant": "softmax", "heads": []}, "heads", "empty"),
    "layers": ({"variant": "softmax", "layers": []}, "layers", "empty"),
    "mask": ({**GOOD, "mask": "causal"}, "mask", "not supported here"),
    "ragged": ({**GOOD, "A": [[1, 2], [3]]}, "A", "row 1 has 2 entries, row 2 has 1"),
    "empty matrix": ({**GOOD, "V": []}, "V", "empty"),
    "empty row": ({**GOOD, "V": [[]]}, "V", "row 1 is empty"),
    "vector for a matrix": ({**GOOD, "A": [1, 2]}, "A", "row 1: expected a list of numbers"),
    "number for a matrix": ({**GOOD, "A": 5}, "A", "expected a matrix (a list of rows)"),
    "null matrix": ({**GOOD, "Sigma0": None}, "Sigma0", "got null"),
    "V not square": ({**GOOD, "V": [[1, 2]]}, "V", "not square: shape 1 x 2"),
    "V too tall": ({**GOOD, "V": [[1], [2]], "W": [[1, 1]]}, "V", "shape 2 x 1"),
    "W shape": ({**GOOD, "V": [[1, 2]], "W": [[1]]}, "W", "shape 1 x 1, expected 2 x 1"),
    "A shape": ({**GOOD, "A": [[1]]}, "A", "wrong shape 1 x 1, expected 2 x 2"),
    "Q shape": ({**WITH_KEYS, "Q": [[1, 2, 3]]}, "Q", "shape 1 x 3, expected 1 x 2"),
    "K shape": ({**WITH_KEYS, "K": [[1, 2], [1, 2]]}, "K", "2 x 2, expected 1 x 2"),
    "k > d": ({**WITH_KEYS, "Q": [[1, 1]] * 3, "K": [[1, 1]] * 3}, "Q", "k <= d"),
    "b_q length": ({**WITH_KEYS, "b_q": [1, 2]}, "b_q", "has 2 entries, expected 1"),
    "b_v length": ({**WITH_KEYS, "b_v": [1]}, "b_v", "has 1 entry, expected 2"),
    "alpha0 length": ({**GOOD, "alpha0": [1]}, "alpha0", "has 1 entry, expected 2"),
    "alpha0 not a list": ({**GOOD, "alpha0": "0"}, "alpha0", 'got the string "0"'),
    "Sigma0 shape": ({**GOOD, "Sigma0": [[1]]}, "Sigma0", "shape 1 x 1, expected 2 x 2"),
    "asymmetric": (
        {**GOOD, "Sigma0": [[1, "1/2"], ["1/3", 1]]},
        "Sigma0",
        "not symmetric: row 1, column 2 is 1/2 but row 2, column 1 is 1/3",
    ),
    "indefinite": (
        {**GOOD, "Sigma0": [[1, 2], [2, 1]]},
        "Sigma0",
        "u = (-2, 1) gives u^T Sigma0 u = -3 < 0",
    ),
    "asymmetric giants": (
        {**GOOD, "Sigma0": [[1, "1e900"], ["-3e900", 1]]},
        "Sigma0",
        "column 2 is about 1.00000e+900 but row 2, column 1 is about -3.00000e+900",
    ),
    "float NaN": ({**GOOD, "V": [[float("nan"), 0], [0, 1]]}, "V", "not a finite number"),
    "boolean": ({**GOOD, "V": [[1, 0], [0, True]]}, "V", "row 2, column 2: true is a boolean"),
    "list entry": ({**GOOD, "V": [[1, [0]], [0, 1]]}, "V", "row 1, column 2: expected a number"),
    "not a rational": ({**GOOD, "A": [["x", 2], [3, 4]]}, "A", '"x" is not a rational'),
    "hexadecimal": ({**GOOD, "A": [["0x1", 2], [3, 4]]}, "A", "is not a rational"),
    "other digits": ({**GOOD, "A": [["\u0663", 2], [3, 4]]}, "A", "is not a rational"),
    "string infinity": ({**GOOD, "A": [["inf", 2], [3, 4]]}, "A", "is not a rational"),
    "zero denominator": ({**GOOD, "A": [["1/0", 2], [3, 4]]}, "A", "denominator zero"),
    "giant exponent": ({**GOOD, "A": [["1e999999999", 2], [3, 4]]}, "A", "exponent beyond 1000"),
    "longer exponent": ({**GOOD, "A": [["1e" + "9" * 99, 2], [3, 4]]}, "A", "exponent beyond"),
    "long string": ({**GOOD, "A": [["7" * 5000, 2], [3, 4]]}, "A", "too long: 5000 characters"),
    "negative scale": ({**WITH_KEYS, "scale": -1}, "scale", "negative"),
    "zero scale": ({**WITH_KEYS, "scale": "0/3"}, "scale", "zero"),
    "odd scale": ({**WITH_KEYS, "scale": "1/sqrt(n)"}, "scale", "not a rational"),
    "scale of zero": ({**WITH_KEYS, "scale": "1/sqrt(0)"}, "scale", "zero"),
    "comment": ({**GOOD, "comment": ["x"]}, "comment", "expected a string"),
    "too large": ({**GOOD, "A": LARGE, "V": LARGE}, "V", "dimension 200 is too large, at most 128"),
}


@pytest.mark.parametrize(("content", "field", "message"), BAD_MAPPINGS.values(), ids=BAD_MAPPINGS)
def test_bad_mapping(content, field, message):
    with pytest.raises(ParameterError) as caught:
        from_mapping(content, source="some file.json")
    line = str(caught.value)
    prefix = "some file.json: " + ("" if field is None else f"field {field}: ")
    assert line.startswith(prefix)
    assert message in line[len(prefix) :]
    assert line.isprintable()
    assert line.isascii()
    assert len(line) < 300


BAD_TEXTS = {
    "empty": (b" \n", "empty file"),
    "truncated": (b'{"variant": "softmax",\n "V": [[1, 2', "line 2, column 13: the text ends too"),
    "not JSON": (b"variant = softmax", "not valid JSON at line 1, column 1"),
    "two documents": (b"{} {}", "not valid JSON at line 1, column 4"),
    "duplicate key": (b'{"variant": "l2", "V": [], "V": []}', 'field "V" appears twice'),
    "NaN": (b'{"variant": "linear", "A": [[NaN]], "V": [[1]]}', "field A: row 1, column 1: NaN"),
    "Infinity": (b'{"variant": "linear", "A": [[1]], "V": [[-Infinity]]}', "-Infinity is not a"),
    "overflow": (b'{"variant": "linear", "A": [[1e400]], "V": [[1]]}', "too large for a float64"),
    "underflow": (b'{"variant": "linear", "A": [[1e-400]], "V": [[1]]}', "is zero as a float64"),
    "giant exponent": (b'{"variant": "linear", "A": [[1e999999999]], "V": [[1]]}', "too large"),
    "giant integer": (
        b'{"variant": "linear", "A": [[' + b"9" * 100_000 + b']], "V": [[1]]}',
        f"too long: 100000 characters, at most {MAX_DIGITS}",
    ),
    "giant decimal": (
        b'{"variant": "linear", "A": [[0.' + b"9" * 100_000 + b']], "V": [[1]]}',
        "too long: 100002 characters",
    ),
    "not UTF-8": (b'{"variant": "\xff"}', "not UTF-8 text at byte 14"),
    "nested": (b"[" * 200_000, "nested too deeply"),
}


@pytest.mark.parametrize(("content", "message"), BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_bad_text(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(ParameterError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path, monkeypatch):
    with pytest.raises(ParameterError, match=r"none\.json: no such file"):
        load(tmp_path / "none.json")
    with pytest.raises(ParameterError, match="a directory, expected a JSON file"):
        load(tmp_path)
    with pytest.raises(ParameterError, match="not a valid file name"):
        load("a\0b")
    path = write(tmp_path, GOOD)
    with pytest.raises(ParameterError, match="cannot be read: Not a directory"):
        load(path / "below")
    monkeypatch.setattr(json_text, "MAX_BYTES", 10)
    with pytest.raises(ParameterError, match="larger than 0 MiB"):
        load(path)


def test_device_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(json_text, "MAX_BYTES", 10_000)
    with pytest.raises(ParameterError, match="larger than"):
        load("/dev/zero")


def test_odd_file_names_keep_the_error_on_one_line(tmp_path):
    path = tmp_path / "a\nb.json"
    path.write_text("{}")
    with pytest.raises(ParameterError, match=r"a\\nb.json: field variant: missing") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_load_sigma0(tmp_path):
    expected = ((2, 1), (1, 2))
    assert load_sigma0(write(tmp_path, SIGMA)) == expected
    assert load_sigma0(write(tmp_path, {"Sigma0": SIGMA}), dimension=2) == expected
    assert load_sigma0(write(tmp_path, {**GOOD, "Sigma0": SIGMA})) == expected
    for content, message in [
        (GOOD, "field Sigma0: missing"),
        ({"sigma": SIGMA}, 'did you mean "Sigma0"?'),
        ("3", "expected a matrix or an object"),
        ([[1, 2]], "not square: shape 1 x 2"),
        ([[0, 1], [1, 0]], "not positive semidefinite"),
    ]:
        with pytest.raises(ParameterError) as caught:
            load_sigma0(write(tmp_path, content))
        assert message in str(caught.value)
    with pytest.raises(ParameterError, match="shape 2 x 2, expected 3 x 3"):
        load_sigma0(write(tmp_path, SIGMA), dimension=3)


fractions = st.fractions(max_denominator=10**6) | st.floats(
    allow_nan=False, allow_infinity=False
).map(Fraction)


@st.composite
def mappings(draw):
    d = draw(st.integers(1, 3))
    k = draw(st.integers(1, d))

    def matrix(rows, columns):
        row = st.lists(fractions, min_size=columns, max_size=columns)
        return draw(st.lists(row, min_size=rows, max_size=rows))

    result = {"variant": draw(st.sampled_from(parameters.VARIANTS))}
    if result["variant"] != "l2" and draw(st.booleans()):
        result["A"] = matrix(d, d)
    else:
        result |= {"Q": matrix(k, d), "K": matrix(k, d)}
        scales = st.sampled_from(["1/sqrt(k)", "1/sqrt(d)", "2/3", 0.3, "sqrt(5/7)"])
        result["scale"] = draw(scales)
        result["b_q"] = matrix(1, k)[0]
    if draw(st.booleans()):
        result["V"] = matrix(d, d)
    else:
        result |= {"V": matrix(k, d), "W": matrix(d, k), "b_v": matrix(1, k)[0]}
    if draw(st.booleans()):
        factor = matrix(d, k)
        result["Sigma0"] = [
            [sum(a * b for a, b in zip(x, y, strict=True)) for y in factor] for x in factor
        ]
        result["alpha0"] = matrix(1, d)[0]
    if draw(st.booleans()):
        result["comment"] = draw(st.text())
    return result


@settings(deadline=None, max_examples=100)
@given(mappings())
def test_normal_form_reloads_to_an_equal_object(mapping):
    read = from_mapping(mapping)
    text = json.dumps(read.to_json())
    again = parameters.parse(text.encode(), source="again")
    assert again == read
    assert again.comment == read.comment
    assert again.to_json() == read.to_json()
    assert hash(again) == hash(read)


@settings(deadline=None, max_examples=50)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_survive_as_their_exact_rational(value):
    text = json.dumps({"variant": "linear", "A": [[value]], "V": [[1]]})
    read = parameters.parse(text.encode(), source="text")
    assert ((Fraction(value),),) == read.A
    assert isinstance(read, Parameters)


def test_reader_uses_the_standard_library_only():
    code = (
        "import sys, numeric.parameters, numeric.examples; numeric.examples.descriptions();"
        "heavy = {'numpy', 'scipy', 'sympy', 'mpmath', 'flint', 'cvxpy'} & set(sys.modules);"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
