"""JSON of literal matrices: digits, floats in base64, and paths of matrices elsewhere."""

import base64
import json
import struct
import tracemalloc
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpz, fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import codec
from proofs import language as la
from proofs.codec import Arrays, CodecError
from proofs.codec.literals import SMALL
from proofs.kernel import Lemma, Proof, Statement, Step
from proofs.terms import Literal, Term

BIG = 2.0**1023
TINY = 2.0**-1074


def term(rows: int, columns: int, entries: list[Fraction]) -> Term:
    return Term("literal", data=Literal(rows, columns, tuple(entries)))


def filled(rows: int, columns: int, *values: float | Fraction) -> Term:
    """A matrix of these values, the last one repeated."""
    exact = [Fraction(value) for value in values]
    return term(rows, columns, exact + exact[-1:] * (rows * columns - len(exact)))


def packed(kind: str, rows: int, columns: int, *values: float) -> list[object]:
    """The JSON of the same matrix of floats."""
    letter = {"float32": "f", "float64": "d"}[kind]
    numbers = [*values, *values[-1:] * (rows * columns - len(values))]
    data = struct.pack(f"<{len(numbers)}{letter}", *numbers)
    return ["floats", kind, rows, columns, base64.b64encode(data).decode()]


def encoded(value: Term, arrays: dict[str, Term] | None = None) -> codec.Json:
    return codec.encode_term(value, {}, stored(arrays or {}))


def decoded(data: object, arrays: dict[str, Term] | None = None) -> Term:
    return codec.decode_term(codec.read_json(json.dumps(data)), {}, stored(arrays or {}))


def stored(arrays: dict[str, Term]) -> Arrays:
    return Arrays({path: value.data for path, value in arrays.items()})


# Which form ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (filled(33, 32, 1), packed("float32", 33, 32, 1)),
        (filled(1, 1025, 0, -0.5), packed("float32", 1, 1025, 0, -0.5)),
        (filled(1025, 1, 0.1), packed("float64", 1025, 1, 0.1)),
        (filled(33, 32, 0.1, 0.5), packed("float64", 33, 32, 0.1, 0.5)),
        (filled(33, 32, 2.0**-149, 1), packed("float32", 33, 32, 2.0**-149, 1)),
        (filled(33, 32, 2.0**-150, 1), packed("float64", 33, 32, 2.0**-150, 1)),
        (filled(33, 32, 2.0**127, 1), packed("float32", 33, 32, 2.0**127, 1)),
        (filled(33, 32, 2.0**128, 1), packed("float64", 33, 32, 2.0**128, 1)),
        (filled(33, 32, -BIG, TINY, 1), packed("float64", 33, 32, -BIG, TINY, 1)),
        (filled(1, 2, 0.1), packed("float64", 1, 2, 0.1)),
        (filled(32, 32, 2.0**-30), packed("float32", 32, 32, 2.0**-30)),
    ],
    ids=range(11),
)
def test_floats_have_this_form(value, data):
    assert encoded(value) == data
    assert decoded(data) == value


@pytest.mark.parametrize(
    "value",
    [
        filled(32, 32, 1),
        filled(2, 2, 0.125, -0.75),
        filled(1, 2, Fraction(1, 2**20), 1),
        filled(33, 32, Fraction(1, 3)),
        filled(33, 32, 1, Fraction(1, 3)),
        filled(33, 32, 1, Fraction(2**60 + 1)),
        filled(33, 32, 1, Fraction(2) ** 1024),
        filled(33, 32, 1, Fraction(TINY) / 2),
        filled(1, 2, Fraction(1, 10)),
    ],
    ids=range(9),
)
def test_other_matrices_are_digits(value):
    data = encoded(value)
    assert data[0] == "matrix"
    assert decoded(data) == value


def test_a_number_is_digits():
    assert encoded(la.number(Fraction(0.1))) == ["number", str(Fraction(0.1))]


def numbers() -> st.SearchStrategy[Fraction]:
    """Numbers of every kind, with exponents far out."""
    wide = st.floats(allow_nan=False, allow_infinity=False)
    narrow = st.floats(allow_nan=False, allow_infinity=False, width=32)
    return wide.map(Fraction) | narrow.map(Fraction) | st.fractions()


@st.composite
def matrices(draw: st.DrawFn) -> Term:
    rows, columns = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    kind = draw(st.sampled_from(["narrow", "wide", "any"]))
    if kind == "any":
        some = draw(st.lists(numbers(), min_size=1, max_size=min(5, rows * columns)))
        return filled(rows, columns, *some)
    seed = draw(st.integers(0, 2**32))
    dtype, bits = ("<f4", "<u4") if kind == "narrow" else ("<f8", "<u8")
    random = np.random.default_rng(seed)
    values = random.integers(0, np.iinfo(bits).max, rows * columns, bits, endpoint=True).view(dtype)
    values[~np.isfinite(values)] = 0
    return term(rows, columns, [Fraction(x) for x in values.tolist()])


@settings(deadline=None)
@given(matrices())
def test_matrices_survive(value):
    data = encoded(value)
    assert decoded(data) == value
    assert encoded(decoded(data)) == data
    assert encoded(value, {"Q": value})[0] == (
        "parameter" if value.data.rows * value.data.columns > SMALL else data[0]
    )


@settings(deadline=None)
@given(matrices(), st.integers(1, 10**6) | st.integers(1, 2000).map(lambda n: 2**n))
def test_integers_over_any_denominator_are_written_alike(value, factor):
    """Also in no lowest terms, as products of matrices are."""
    numerators, denominator = value.data.integers
    literal = Literal.from_integers(numerators * factor, denominator * factor)
    assert literal == value.data
    assert encoded(Term("literal", data=literal)) == encoded(value)


@pytest.mark.parametrize(
    ("numerators", "denominator", "form"),
    [
        ([3, 6], 3 * 2**30, "floats"),
        ([3, 2], 3 * 2**30, "matrix"),
        ([2**80, 2**100], 2**3000, "matrix"),
        ([2**2990, 2**2980], 2**3000, "floats"),
        ([2**2990 + 2**2960, 2**2980], 2**3000, "floats"),
        ([2**3000, 0], 1, "matrix"),
        ([2**53 + 1, 1], 2**90, "matrix"),
        ([2**54 + 2, 1], 2**90, "matrix"),
        ([2**54 + 4, 1], 2**90, "floats"),
        ([2**63 - 1, 1], 2**90, "matrix"),
        ([-(2**63), 1], 2**90, "floats"),
        ([-(2**64), 1], 2**90, "floats"),
        ([1, -1], 2**1074, "floats"),
        ([1, -1], 2**1075, "matrix"),
    ],
    ids=range(14),
)
def test_floats_of_integers(numerators, denominator, form):
    padded = numerators + [0] * (33 * 32 - len(numerators))
    literal = Literal.from_integers(fmpz_mat(33, 32, padded), fmpz(denominator))
    data = encoded(Term("literal", data=literal))
    assert data[0] == form
    assert decoded(data).data == literal
    assert encoded(filled(33, 32, *(Fraction(x, denominator) for x in padded))) == data


def test_the_longest_digits():
    for entry, fits in ((10**4000 - 1, True), (10**4000, False)):
        for exact in (Fraction(-entry), Fraction(1, entry)):
            if fits:
                assert decoded(encoded(term(1, 2, [exact, Fraction(1)]))).data[0, 0] == exact
            else:
                with pytest.raises(CodecError, match="more than 4000 digits"):
                    encoded(term(1, 2, [exact, Fraction(1)]))


# Paths ---------------------------------------------------------------------------------------

ONES, THIRDS = filled(33, 32, 1), filled(33, 32, Fraction(1, 3))
TABLE = {"Q": ONES, "layers/0/heads/1/K": THIRDS, "again": filled(33, 32, 1)}


def test_matrices_that_stand_elsewhere_are_paths():
    value = la.mul(la.tp(ONES), THIRDS, filled(32, 33, 1))
    data = encoded(value, TABLE)
    assert data[1] == ["transpose", ["parameter", "Q"]]
    assert data[2] == ["parameter", "layers/0/heads/1/K"]
    assert data[3] == packed("float32", 32, 33, 1)
    assert decoded(data, TABLE) == value


def test_every_path_may_be_read():
    assert decoded(["parameter", "again"], TABLE) == ONES


def test_small_matrices_have_no_path():
    table = {"Q": filled(32, 32, 1)}
    assert encoded(table["Q"], table)[0] == "matrix"
    with pytest.raises(CodecError, match="no large matrix at 'Q'"):
        decoded(["parameter", "Q"], table)


def test_statements_proofs_and_lemmas_use_paths():
    statement = Statement((), la.eq(ONES, la.add(THIRDS, THIRDS)))
    inner = Proof((Step("rule", (), {"a": (THIRDS,)}),))
    proof = Proof((Step("rule", (), {"b": ONES}),), {"lemma": Lemma(statement, inner)})
    arrays = stored(TABLE)
    for data, value, decode in (
        (codec.encode_statement(statement, arrays), statement, codec.decode_statement),
        (codec.encode_proof(proof, arrays), proof, codec.decode_proof),
    ):
        text = json.dumps(data)
        assert len(text) < 600
        assert decode(codec.read_json(text), arrays) == value
        with pytest.raises(CodecError, match="no large matrix at"):
            decode(codec.read_json(text))


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["R"],
        [""],
        ["q"],
        ["Q/"],
        ["/Q"],
        ["Q", "Q"],
        [None],
        [0],
        [True],
        [1.5],
        [["Q"]],
        [{"Q": 1}],
        ["\x1b[2J"],
        ["x" * 10**5],
        [10**5000],
    ],
    ids=range(16),
)
def test_paths_that_lead_nowhere(args):
    rejected(["parameter", *args], TABLE)


def rejected(data: object, arrays: dict[str, Term] | None = None) -> None:
    with pytest.raises(CodecError) as caught:
        codec.decode_term(data, {}, stored(arrays or {}))
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 200


# Strictness ----------------------------------------------------------------------------------

GOOD = packed("float32", 1, 2, 1, 0.1)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((1, kind) for kind in ("float16", "Float32", "", None, 32, ["float32"], "float64")),
        *((2, rows) for rows in (0, -1, 2, True, 1.0, "1", None, [1], 10**30, 4097, 10**5000)),
        *((3, columns) for columns in (0, 1, 3, True, 2.0, "2", None, 10**30)),
        *((4, text) for text in (None, 12, [], {}, "", "AAAA", GOOD[4][:-4], GOOD[4] + "AAAA")),
        *((4, GOOD[4].replace("=", bad)) for bad in (" ", "\n", "-", "é", "\ud800", "")),
        (4, "A" * 8 + "===="),
        (4, "AAAAAAAA=A=="),
        (4, "====AAAAAAA="),
        (4, "AACAPwAA\x00D8="),
    ],
    ids=range(44),
)
def test_floats_that_do_not_fit(place, value):
    data = list(GOOD)
    assert decoded(data) == term(1, 2, [Fraction(1), Fraction(np.float32(0.1).item())])
    data[place] = value
    rejected(data)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_floats_are_followed_by_four_items(count):
    rejected(["floats", *(GOOD[1:] * 2)[:count]])


def test_base64_has_no_spare_bits():
    """The last digit stands for four bits more than there are."""
    text = packed("float32", 1, 1, 1)[4]
    assert text.endswith("w==") or text.endswith("A==") or text.endswith("g==")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    digit = alphabet[alphabet.index(text[-3]) + 1]
    changed = text[:-3] + digit + "=="
    assert base64.b64decode(changed, validate=True) == base64.b64decode(text)
    rejected(["floats", "float32", 1, 1, changed])


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.0])
def test_numbers_that_are_none_or_negative_zero(kind, value):
    rejected(packed(kind, 33, 32, 0.1, value, 0.3))


@pytest.mark.parametrize("bits", [0x7F800001, 0xFFFFFFFF, 0x7FC00000, 0xFF800000])
def test_every_nan_is_refused(bits):
    data = struct.pack("<2I", bits, 0)
    rejected(["floats", "float32", 1, 2, base64.b64encode(data).decode()])


def test_float32_numbers_are_not_float64():
    rejected(packed("float64", 33, 32, 0.5, 2.0**-149))
    assert decoded(packed("float64", 33, 32, 0.5, 2.0**-150)) == filled(33, 32, 0.5, 2.0**-150)


@pytest.mark.parametrize(
    "data",
    [
        ["floats", "float32", 60000, 60000, "A" * 1000],
        ["floats", "float32", 4096, 4096, "A" * 1000],
        ["floats", "float64", 4096, 4096, "A" * 1000 + "=" * 8],
        ["floats", "float32", 10**9, 10**9, ""],
        ["identity", 60000],
        ["zero", 4097, 1],
        ["lambda", "x", ["Mat", 60000, 60000], "x"],
        ["lambda", "i", ["Index", 1025], ["number", "1"]],
    ],
    ids=range(8),
)
def test_small_documents_claim_no_memory(data):
    rejected(data)  # imports
    tracemalloc.start()
    try:
        rejected(data)
        assert tracemalloc.get_traced_memory()[1] < 10**5
    finally:
        tracemalloc.stop()


def test_every_path_leads_to_one_matrix():
    """So that a short document with many paths needs no more memory than one."""
    family = decoded(["family", *[["parameter", "Q"]] * 100], TABLE)
    assert all(first is second for first, second in pairwise(family.args))
