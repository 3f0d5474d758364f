"""The parameter files of the package are what they say they are."""

from fractions import Fraction

import pytest
import sympy

from numeric import examples
from numeric.exact import multiply, negative_direction, transpose
from numeric.mappings import model_from_mapping
from numeric.parameters import ParameterError, from_mapping

NAMES = (
    "l2-blowup",
    "l2-global",
    "linear-gradient-flow",
    "sinkhorn-clustering",
    "softmax-blowup",
    "softmax-both",
    "softmax-clustering-counterexample",
    "softmax-clustering-rank-one",
    "softmax-definite-value",
    "softmax-identity",
    "softmax-lyapunov",
    "softmax-to-line",
    "softmax-to-zero",
    "softmax-two-layers",
    "softmax-two-lines",
)


def add(left, right):
    return tuple(
        tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in zip(left, right, strict=True)
    )


def negative(matrix):
    return tuple(tuple(-x for x in row) for row in matrix)


def score_form(p):
    """S = V A + A^T V^T, up to the positive scale."""
    product = multiply(p.value_matrix, p.A_unscaled)
    return add(product, transpose(product))


def derivative(p):
    """Sigma' = V Sigma A Sigma + (the same)^T at Sigma0."""
    half = multiply(multiply(p.value_matrix, p.Sigma0), multiply(p.A_unscaled, p.Sigma0))
    return add(half, transpose(half))


def test_names_and_descriptions():
    assert examples.names() == NAMES
    described = examples.descriptions()
    assert tuple(described) == NAMES
    assert all(text and "\n" not in text for text in described.values())
    assert len(set(described.values())) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_example_reloads(name):
    p = examples.load(name)
    assert p.variant == name.split("-")[0]
    several = ("softmax-two-layers", "linear-gradient-flow")
    read = model_from_mapping if name in several else from_mapping
    assert read(p.to_json()) == p


def test_unknown_example():
    with pytest.raises(ParameterError, match="did you mean 'softmax-both'"):
        examples.load("softmax-bot")


FIGURES = ("blowup", "both", "to-line", "to-zero", "two-lines")


@pytest.mark.parametrize("name", [f"softmax-{name}" for name in FIGURES])
def test_figures_have_the_scale_of_the_paper(name):
    p = examples.load(name)
    assert p.scale_squared == Fraction(1, 2)
    assert p.dimension == 2
    half = Fraction(1, 2)
    centre = ((half, 0), (0, half)) if name in ("softmax-two-lines", "softmax-both") else None
    assert p.Sigma0 == centre


def test_figures_have_the_tied_matrices_that_decide_their_fate():
    for name in ("softmax-to-zero", "softmax-to-line"):
        p = examples.load(name)
        assert negative(p.Q) == p.K
        assert negative_direction(negative(p.A_unscaled)) is None
    p = examples.load("softmax-blowup")
    assert p.value_matrix == ((1, 0), (0, 1))
    assert negative_direction(negative(score_form(p))) is not None


def test_clustering_counterexample_is_self_similar_though_s_is_negative():
    p = examples.load("softmax-clustering-counterexample")
    assert score_form(p) == ((Fraction(-1, 2), Fraction(3, 2)), (Fraction(3, 2), -5))
    assert negative_direction(negative(score_form(p))) is None
    # F(Sigma0) = Sigma0 and F is quadratic: Sigma0 / (1 - t) solves Sigma' = F(Sigma).
    assert derivative(p) == p.Sigma0


def test_rank_one_counterexample_blows_up_at_five_over_twenty_two():
    p = examples.load("softmax-clustering-rank-one")
    assert score_form(p) == ((Fraction(-1, 5), 0), (0, -2))
    # Sigma = u u^T with u' = (u^T A u) V u; V u0 = 2 u0, so that u stays on its ray and
    # |u|^2 grows by r' = 4 (u0^T A u0) r^2, whose time of blow-up is 1 / (4 u0^T A u0).
    u = (2, 1)
    assert p.Sigma0 == tuple(tuple(Fraction(a * b) for b in u) for a in u)
    assert tuple(sum(v * x for v, x in zip(row, u, strict=True)) for row in p.V) == (4, 2)
    form = sum(u[i] * p.A[i][j] * u[j] for i in range(2) for j in range(2))
    assert 1 / (4 * form) == Fraction(5, 22)


def test_definite_value_example():
    p = examples.load("softmax-definite-value")
    assert p.Sigma0 is None
    assert transpose(p.V) == p.V
    assert sympy.Matrix(p.V).is_positive_definite
    assert transpose(p.A) != p.A
    symmetric = add(p.A, transpose(p.A))
    assert negative_direction(negative(symmetric)) is None
    assert sympy.Matrix(symmetric).rank() == 2
    form = score_form(p)
    assert negative_direction(form) is not None
    assert negative_direction(negative(form)) is not None


def test_identity_example():
    p = examples.load("softmax-identity")
    assert p.value_matrix == ((1, 0), (0, 1))
    assert p.A_unscaled == ((-1, 0), (0, -1))
    assert p.Sigma0 == ((1, 0), (0, 2))


def test_l2_heads_see_what_they_move_or_nothing_of_it():
    p = examples.load("l2-blowup")
    assert multiply(p.K, p.V) == ((0, 0),)
    assert sympy.Matrix(examples.load("l2-global").K).det() != 0


def test_sinkhorn_example_has_an_opposite_value_matrix():
    p = examples.load("sinkhorn-clustering")
    assert negative(transpose(p.A)) == p.V
    assert transpose(p.A) != p.A
    assert sympy.Matrix(add(p.A, transpose(p.A))).is_positive_definite


def test_no_theorem_with_a_sign_of_a_applies_to_the_lyapunov_example():
    p = examples.load("softmax-lyapunov")
    assert sympy.Matrix(add(p.A, transpose(p.A))).is_positive_definite
    assert not any(value.is_real for value in sympy.Matrix(p.V).eigenvals())


def test_gradient_flow_example_has_one_metric_and_singular_values():
    metric = ((2, 1), (1, 2))
    (layer,) = examples.load("linear-gradient-flow").layers
    for head in layer.heads:
        value, score = head.V.fractions(), head.A.fractions()
        assert multiply(metric, value) == negative(score)
        assert transpose(score) == score
        assert sympy.Matrix(value).rank() == 1
