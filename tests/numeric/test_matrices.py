"""Exact matrices: one value, one way to store it; and covariances of larger dimension."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numeric.errors import FieldError
from numeric.fields import read_covariance, read_matrix, read_vector
from numeric.matrices import SMALL, ExactMatrix
from numeric.semidefinite import UndecidedError, negative_direction

floats = st.floats(allow_nan=False, allow_infinity=False)


def large(seed=0, dtype="f8"):
    return np.random.default_rng(seed).standard_normal((40, 30)).astype(dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", ">f8"])
def test_arrays_rows_and_bytes_of_the_same_numbers_are_equal(dtype):
    values = large(dtype=dtype)
    values[0, :2] = [-0.0, 2**-14]
    matrix = ExactMatrix.from_array(values)
    assert matrix.kind == ("float64" if values.dtype.itemsize == 8 else "float32")
    rows = [[Fraction(x) for x in row] for row in values.tolist()]
    others = [
        ExactMatrix.from_rows(rows),
        ExactMatrix.from_array(values.astype("f8")),
        ExactMatrix.from_array(np.asfortranarray(values)),
        ExactMatrix.from_bytes("float64", values.astype("<f8").tobytes(), values.shape),
        read_matrix(json.loads(json.dumps(matrix.to_json())), "V"),
        read_matrix(values.tolist(), "V"),
    ]
    for other in others:
        assert other == matrix
        assert hash(other) == hash(matrix)
    assert matrix.fractions() == tuple(map(tuple, rows))
    assert np.array_equal(matrix.array(), values.astype("f8"))
    integers, denominator = matrix.integers()
    assert [[Fraction(x, denominator) for x in row] for row in integers] == rows


@given(st.lists(floats | st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_extreme_floats_are_kept_exactly(values):
    row = [*values, *[0.0] * (SMALL + 1 - len(values))]
    matrix = ExactMatrix.from_array(np.array([row]))
    assert matrix.fractions() == (tuple(map(Fraction, row)),)
    assert matrix == ExactMatrix.from_rows([[Fraction(x) for x in row]])
    assert read_matrix(matrix.to_json(), "V") == matrix


def test_subnormal_and_giant_entries_stay_exact():
    row = [5e-324, -5e-324, 1.7e308, 2.0**-149, 3.4e38, *[1.0] * SMALL]
    matrix = ExactMatrix.from_array(np.array([row]))
    assert matrix.kind == "float64"
    assert matrix.fractions()[0][0] == Fraction(1, 2**1074)
    narrow = np.array([[2.0**-149, *[1.0] * SMALL]], dtype="f4")
    assert ExactMatrix.from_array(narrow).kind == "float32"
    assert ExactMatrix.from_array(narrow).fractions()[0][0] == Fraction(1, 2**149)


def test_small_matrices_and_those_of_other_rationals_are_rows():
    assert ExactMatrix.from_array(np.eye(2)).kind == "rational"
    rows = [[Fraction(1, 3)] * 40] * 40
    assert ExactMatrix.from_rows(rows).kind == "rational"
    assert ExactMatrix.from_rows(rows) != ExactMatrix.from_rows([[Fraction(1, 2)] * 40] * 40)
    assert ExactMatrix.from_rows([[Fraction(10**400)] * 40] * 40).kind == "rational"
    assert ExactMatrix.from_rows(rows).integers() == ([[1] * 40] * 40, 3)
    with pytest.raises(OverflowError):
        ExactMatrix.from_rows([[Fraction(10**400)]]).array()


def test_what_is_stored_does_not_change_with_the_array():
    values = large()
    matrix = ExactMatrix.from_array(values)
    before = hash(matrix)
    values[0, 0] = 17
    assert matrix.fractions()[0][0] != 17
    assert hash(matrix) == before
    with pytest.raises(ValueError, match="read-only"):
        matrix.array()[0, 0] = 1


def test_vectors_may_be_base64():
    blob = {"float32": "AACAPwAAAEA=", "shape": [2]}
    assert read_vector(blob, "b_q", 2, "k") == (1, 2)
    with pytest.raises(FieldError) as caught:
        read_vector(blob, "b_q", 3, "k")
    assert "has 2 entries, expected 3" in caught.value.message


BLOB = {"float32": "AACAPwAAAEA=", "shape": [1, 2]}
BAD_BLOBS = {
    "no shape": ({"float32": "AACAPw=="}, "other fields, expected"),
    "two types": ({**BLOB, "float64": ""}, "other fields, expected"),
    "unknown type": ({"int8": "AA==", "shape": [1, 1]}, "other fields, expected"),
    "vector": ({**BLOB, "shape": [2]}, "shape: expected 2 positive integers"),
    "zero rows": ({**BLOB, "shape": [0, 2]}, "shape: expected 2 positive integers"),
    "boolean": ({**BLOB, "shape": [True, 2]}, "shape: expected 2 positive integers"),
    "fraction": ({**BLOB, "shape": [1.0, 2]}, "shape: expected 2 positive integers"),
    "number": ({**BLOB, "shape": 2}, "shape: expected 2 positive integers"),
    "giant shape": ({**BLOB, "shape": [10**9, 10**9]}, "8 bytes, expected 4000000000000000000"),
    "too short": ({**BLOB, "shape": [1, 3]}, "8 bytes, expected 12 for the shape 1 x 3"),
    "not base64": ({**BLOB, "float32": "AACA!wAAAEA="}, "is not base64"),
    "not ASCII": ({**BLOB, "float32": "ÄACAPwAAAEA="}, "is not base64"),
    "not a string": ({**BLOB, "float32": [1, 2]}, "expected a string in base64, got a list"),
    "NaN": ({**BLOB, "float32": "AACAPwAAwH8="}, "row 1, column 2: nan is not a finite"),
    "infinite": ({**BLOB, "float32": "AACAfwAAgD8="}, "row 1, column 1: inf is not a finite"),
}


@pytest.mark.parametrize(("blob", "message"), BAD_BLOBS.values(), ids=BAD_BLOBS)
def test_bad_blobs(blob, message):
    with pytest.raises(FieldError) as caught:
        read_matrix(blob, "V")
    assert message in caught.value.message
    assert caught.value.message.isascii()


def test_larger_covariances_are_decided_exactly():
    d = 140
    rng = np.random.default_rng(1)
    square = rng.standard_normal((d, d))
    definite = square @ square.T
    definite = (definite + definite.T) / 2
    assert negative_direction(ExactMatrix.from_array(definite)) is None
    assert negative_direction(ExactMatrix.from_array(np.eye(d))) is None
    thin = rng.integers(-3, 4, (d, 3)).astype(float)
    assert negative_direction(ExactMatrix.from_array(thin @ thin.T)) is None
    for wrong in (square + square.T, thin @ thin.T - 1e-9 * np.eye(d)):
        matrix = ExactMatrix.from_array(wrong)
        u = negative_direction(matrix)
        assert u is not None
        rows, _ = matrix.integers()
        images = [sum(map(int.__mul__, row, map(int, u))) for row in rows]
        assert sum(a * b for a, b in zip(u, images, strict=True)) < 0
    with pytest.raises(FieldError) as caught:
        read_covariance(square + square.T, None)
    assert "an integer vector of length 140 gives u^T Sigma0 u = -" in caught.value.message


def test_nearly_singular_large_covariances_are_not_guessed():
    wide = np.random.default_rng(2).integers(-3, 4, (140, 100)).astype(float)
    with pytest.raises(UndecidedError, match="too close to singular"):
        negative_direction(ExactMatrix.from_array(wide @ wide.T))
    with pytest.raises(FieldError) as caught:
        read_covariance(wide @ wide.T, None)
    assert "beyond what is decided at d = 140" in caught.value.message
