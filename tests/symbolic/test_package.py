"""The closed list of nodes and light imports."""

import pkgutil
import subprocess
import sys

import pytest
from sympy import MatPow, Pow, Rational, preorder_traversal

import symbolic
from symbolic import closed_forms, energies, variants
from symbolic.gaussian import derived, reduction
from symbolic.geodesics import geodesics
from symbolic.gradient_flow import gradient_flow
from symbolic.notation import NODE_TYPES, mu, score_matrix, with_scale, x, y
from symbolic.second_variation import second_variation

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
    for name in energies.names():
        energy, flow = energies.lookup(name), gradient_flow(name)
        yield from (energy.energy(), energy.weight(x), energy.velocity(x), *energy.relation())
        yield from (flow.first_variation, flow.gradient, flow.momentum, flow.dissipation)
        yield from (step.expression for step in (*flow.steps, *geodesics(name).steps))
        if name != "sinkhorn":
            form = second_variation(name)
            yield from (form.hessian, form.compact, form.metric)
            yield from (step.expression for step in form.steps)


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
