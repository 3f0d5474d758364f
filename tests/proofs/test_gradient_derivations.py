"""``derive --part gradient`` and ``--part second-variation``: every variant, every format."""

import re

import pytest
from click.testing import CliRunner
from printed_documents import assert_balanced, assert_converted, flat, needs_tex

from proofs.bridge import to_term
from proofs.cli import main
from proofs.language import dim, mat, vec
from proofs.reports.derivation import derive
from proofs.reports.document import Formula
from proofs.reports.pdf import compiled
from proofs.terms import ONE, measure_sort, sort_of, variable
from symbolic import energies
from symbolic.gradient_flow import gradient_flow
from symbolic.latex import latex
from symbolic.notation import x
from symbolic.second_variation import second_variation

PARTS = ("gradient", "second-variation")
every_document = pytest.mark.parametrize(
    ("variant", "part"), [(name, part) for name in energies.names() for part in PARTS]
)


@every_document
def test_formats_are_well_formed(variant, part):
    document = derive(variant, part)
    assert_balanced(document.latex())
    assert_converted(document.html())
    for block in document.blocks:
        if isinstance(block, Formula):
            assert any(
                mark in block.remark
                for mark in ("Derived by SymPy", "From the table", "Checked:", "The kernel proved")
            ), block.formula


@every_document
def test_the_energy_and_its_metric_are_stated(variant, part):
    text = flat(derive(variant, part).markdown())
    energy = energies.lookup(variant)
    left, right = energy.relation()
    assert flat(f"F(\\mu) = {energy}") in text
    assert flat(f"{latex(left)} = {latex(right)}") in text


@pytest.mark.parametrize("variant", [n for n in energies.names() if n != "sinkhorn"])
def test_the_second_variation_is_the_derived_one(variant):
    formulas = [b.formula for b in derive(variant, "second-variation").blocks
                if isinstance(b, Formula)]  # fmt: skip
    form = second_variation(variant)
    assert f"h = {latex(form.compact)}" in formulas
    assert f"g = {latex(form.metric)}" in formulas


@needs_tex
@pytest.mark.parametrize(
    ("variant", "part"), [("softmax", "second-variation"), ("sinkhorn", "gradient")]
)
def test_pdf_has_no_overfull_line(variant, part):
    _, log = compiled(derive(variant, part).latex())
    overfull = [float(points) for points in re.findall(r"Overfull \\hbox \((\d+\.\d+)pt", log)]
    assert all(points < 10 for points in overfull)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("masked-softmax", "--part", "gradient"), "causal mask"),
        (("multihead-softmax", "--part", "second-variation"), "denominator"),
        (("softmax", "--part", "hessian"), "gaussian, gradient, second-variation"),
        (("softmacs", "--part", "gradient"), "did you mean 'softmax'"),
    ],
)
def test_errors_are_one_line(arguments, why):
    answer = CliRunner().invoke(main, ["derive", *arguments])
    assert answer.exit_code == 2
    assert why in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
    assert answer.stdout == ""


@pytest.mark.parametrize("variant", ["exponential", "l2", "linear", "softmax"])
def test_energies_have_kernel_terms(variant):
    """What is derived can be stated: energy, weight, gradient and velocity translate."""
    d = dim("d")
    letters = {
        **{name: mat(name, d, d) for name in ("A", "B", "V")},
        "Q": mat("Q", dim("k"), d),
        **{name: vec(name, d) for name in ("x", "Gamma")},
        "mu": variable("mu", measure_sort(d)),
    }
    energy, flow = energies.lookup(variant), gradient_flow(variant)
    assert sort_of(to_term(energy.energy(), letters)).args == (ONE, ONE)
    assert sort_of(to_term(energy.weight(x), letters)).args == (ONE, ONE)
    assert sort_of(to_term(flow.dissipation, letters)).args == (ONE, ONE)
    for column in (energy.velocity(x), flow.gradient, flow.momentum):
        assert sort_of(to_term(column, letters)).args == (d, ONE)
