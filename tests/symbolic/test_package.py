"""The closed list of nodes and light imports."""

import pkgutil
import subprocess
import sys

import pytest
from sympy import MatPow, Pow, Rational, preorder_traversal

import symbolic
from symbolic import closed_forms, variants
from symbolic.gaussian import derived, reduction
from symbolic.notation import NODE_TYPES, mu, score_matrix, with_scale, x, y

MODULES = [m.name for m in pkgutil.walk_packages(symbolic.__path__, "symbolic.")]


def all_expressions():
    for plain in variants.names():
        names = [plain, f"multihead-{plain}"]
        names += [f"masked-{name}" for name in names if plain != "sinkhorn"]
        for variant in map(variants.lookup, names):
            for biases in (False, True):
                yield variant.velocity(x, mu, biases=biases)
                yield with_scale(variant.kernel(x, y, biases=biases))
            if variant.score_matrix_suffices:
                yield variant.velocity(x, mu, form="A")
    for name in derived():
        r = reduction(name)
        yield from (r.velocity, r.linear, r.constant, r.mean_rhs, r.covariance_rhs)
        yield from (step.expression for step in r.steps)
    for form in (closed_forms.commuting(), closed_forms.self_similar()):
        yield from (form.solution, form.derivative, form.right_hand_side, form.residual)
        for pair in form.hypotheses:
            yield from pair
    yield with_scale(score_matrix())


def test_list_of_nodes_is_closed():
    for expression in all_expressions():
        for node in preorder_traversal(expression):
            assert isinstance(node, NODE_TYPES), (expression, type(node))
            if isinstance(node, Pow):
                assert node.exp.is_Integer
            if type(node) is MatPow:
                assert node.exp.is_Integer or node.exp == Rational(1, 2)


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import symbolic, symbolic.variants, symbolic.gaussian", "sympy"),
        (f"import {', '.join(MODULES)}; symbolic.variants.names()", "numpy"),
        (f"import {', '.join(MODULES)}", "matplotlib"),
    ],
)
def test_imports_are_light(statement, absent):
    code = f"import sys; {statement}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
