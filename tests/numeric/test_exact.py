"""Exact linear algebra against definitions and against floating point."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import sympy

from numeric.exact import multiply, negative_direction, quadratic_form, square_root, transpose


def random_symmetric(rng, d, spread):
    entries = [
        [Fraction(rng.randint(-spread, spread), rng.randint(1, 4)) for _ in range(d)]
        for _ in range(d)
    ]
    return tuple(tuple(entries[max(i, j)][min(i, j)] for j in range(d)) for i in range(d))


def is_semidefinite_by_minors(matrix):
    """All principal minors are non-negative, not only the leading ones."""
    d = len(matrix)
    return all(
        sympy.Matrix([[sympy.Rational(matrix[i][j]) for j in rows] for i in rows]).det() >= 0
        for size in range(1, d + 1)
        for rows in combinations(range(d), size)
    )


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_negative_direction_decides_like_principal_minors(d):
    rng = random.Random(d)
    seen = set()
    for _ in range(25):
        matrix = random_symmetric(rng, d, 3)
        # A Gram matrix of low rank, slightly shifted or not, is the delicate case.
        for candidate in (matrix, multiply(transpose(matrix[:1]), matrix[:1]), shifted(matrix)):
            witness = negative_direction(candidate)
            assert (witness is None) == is_semidefinite_by_minors(candidate)
            if witness is not None:
                assert quadratic_form(candidate, witness) < 0
            seen.add(witness is None)
    assert seen == {True, False}


def shifted(matrix):
    gram = multiply(transpose(matrix[:-1] or matrix), matrix[:-1] or matrix)
    corner = gram[0][0] - Fraction(1, 10**30)
    return ((corner, *gram[0][1:]), *gram[1:])


def test_tiny_negative_eigenvalue_is_found():
    d = 12
    rng = np.random.default_rng(0)
    factor = tuple(tuple(map(Fraction, row)) for row in rng.standard_normal((d - 1, d)).tolist())
    gram = multiply(transpose(factor), factor)
    assert negative_direction(gram) is None
    lowered = tuple(
        tuple(x - (Fraction(1, 10**40) if i == j else 0) for j, x in enumerate(row))
        for i, row in enumerate(gram)
    )
    witness = negative_direction(lowered)
    assert quadratic_form(lowered, witness) < 0


def test_product_of_rectangular_matrices():
    left = ((Fraction(1, 2), Fraction(1, 3), Fraction(1)),)
    right = ((Fraction(2),), (Fraction(3),), (Fraction(1, 5),))
    assert multiply(left, right) == ((Fraction(11, 5),),)
    assert multiply(right, left)[2] == (Fraction(1, 10), Fraction(1, 15), Fraction(1, 5))


def test_square_root():
    assert square_root(Fraction(9, 49)) == Fraction(3, 7)
    assert square_root(Fraction(2)) is None
    assert square_root(Fraction(10**40 + 1)) is None
    assert square_root(Fraction(0)) == 0
