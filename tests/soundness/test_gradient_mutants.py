"""Wrong gradients and second variations: false for moving particles, and rejected by the kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest
import test_gradient_models as models
from soundness_models import Model

from proofs.builder import replaced
from proofs.claims import gradient_linear, gradient_sigmoid, gradient_softmax
from proofs.claims import variation_softmax as variation
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, t
from proofs.claims.gradient_flow import PART, B
from proofs.claims.gradient_softmax import MASS
from proofs.claims.particles import i, j, mi
from proofs.crosschecks.structure import consequence, instantiated
from proofs.kernel import KernelError, Statement, establish
from proofs.language import add, conj, forall, lam, mul, ode, on_lifetime, scale, total
from proofs.terms import Term

VARIATION = variation.CLAIM
SQUARE, MIXED, RELATIVE, CURVATURE = variation.DENSITY.args


CLAIMS = {
    name: (module.CLAIM, module.SHOWN)
    for name, module in (
        ("softmax", gradient_softmax),
        ("linear", gradient_linear),
        ("sigmoid", gradient_sigmoid),
    )
}


def with_density(*parts: Term) -> Statement:
    """Another integrand of the second variation."""
    second = total(i, scale(mi, total(j, mul(variation.WEIGHT, add(*parts)))))
    first, _ = VARIATION.statement.conclusion.args
    flow = ode(T, lam(t, variation.FIRST), lam(t, second))
    return Statement(VARIATION.statement.hypotheses, conj(first, flow))


def with_geodesics(old: Term, new: Term) -> Statement:
    """Another equation of geodesics."""
    *others, _ = VARIATION.statement.hypotheses
    equation = instantiated(consequence(instantiated(variation.GEODESIC, t)), i)
    wrong = forall(i, replaced(equation, old, new))
    return Statement((*others, on_lifetime(T, lambda t: wrong)), VARIATION.statement.conclusion)


def false_and_rejected(claim: Claim, wrong: Statement, values: models.Values) -> None:
    assert wrong != claim.statement
    sizes = {letter: value for letter, value in values.items() if isinstance(value, int)}
    model = Model(sizes, {k: v for k, v in values.items() if k not in sizes}, models.TIMES)
    assert all(map(model, wrong.hypotheses))
    assert not model(wrong.conclusion)
    with pytest.raises(KernelError):
        establish(wrong, claim.proof)


@pytest.mark.parametrize(
    "parts",
    [
        (SQUARE, MIXED, RELATIVE, scale(-1, CURVATURE)),
        (SQUARE, MIXED, RELATIVE, scale(2, CURVATURE)),
        (SQUARE, MIXED, RELATIVE),
        (SQUARE, MIXED, scale(-1, RELATIVE), CURVATURE),
        (SQUARE, RELATIVE, CURVATURE),
        (MIXED, RELATIVE, CURVATURE),
    ],
    ids=["other sign", "1/2 dropped", "no curvature", "other mixed sign", "no A", "no square"],
)
def test_wrong_second_variations(parts: tuple[Term, ...]):
    false_and_rejected(VARIATION, with_density(*parts), models.geodesic())


def test_wrong_geodesics():
    """The partial for the total derivative of Z, and no Z in front of the acceleration."""
    own = total(j, mul(variation.WEIGHT, PART))
    partial = with_geodesics(variation.MASS_CHANGE, own)
    false_and_rejected(VARIATION, partial, models.geodesic(total=0))
    turning = mul(B, variation.Ci)
    heavy = with_geodesics(scale(MASS, turning), turning)
    false_and_rejected(VARIATION, heavy, models.geodesic(twisted=False))


@pytest.mark.parametrize(
    ("variant", "factor"),
    [("softmax", -1), ("softmax", 2), ("linear", 2), ("linear", -1), ("sigmoid", 2)],
)
def test_wrong_energies(variant: str, factor: int):
    """The other sign, and 1/2 dropped."""
    claim, shown = CLAIMS[variant]
    wrong = replace(shown, energy=scale(factor, shown.energy))
    statement = Statement(claim.statement.hypotheses, wrong.statement)
    false_and_rejected(claim, statement, models.WAVES | models.matrices(models.A, models.B, -1.5))


def test_wrong_metrics():
    """Softmax without Z in the metric, linear attention with it."""
    values = models.WAVES | models.matrices(models.A, models.B, -1.5)
    for variant, weight in (("softmax", mi), ("linear", mul(mi, MASS))):
        claim, shown = CLAIMS[variant]
        wrong = replace(shown, weight=weight).statement
        false_and_rejected(claim, Statement(claim.statement.hypotheses, wrong), values)


@pytest.mark.parametrize("variant", ["softmax", "linear", "sigmoid"])
def test_scores_that_are_not_symmetric(variant: str):
    """A^T for A in the relation, which is the same for a symmetric A only."""
    claim, _ = CLAIMS[variant]
    _symmetric, *others = claim.statement.hypotheses
    wrong = Statement(tuple(others), claim.statement.conclusion)
    turned = models.matrices(models.A + models.SKEW, models.B, -1.5)
    false_and_rejected(claim, wrong, models.WAVES | turned)
