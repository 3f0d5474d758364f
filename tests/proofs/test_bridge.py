"""Symbolic expressions as kernel terms: balanced kernels and integrals behind a causal mask."""

import pytest

from proofs import language as la
from proofs.bridge import to_term
from proofs.terms import ONE, REAL, Term, TermError, function_sort, measure_sort, variable
from symbolic import notation
from symbolic.nodes import DoublyStochastic, Inner, Measure, MeasureIntegral, Past
from symbolic.variants import lookup

d = la.dim("d")
V, A = la.mat("V", d, d), la.mat("A", d, d)
x, y, z = (la.vec(name, d) for name in "xyz")
s, tau = la.real("s"), la.real("tau")
nu, theta = variable("nu", measure_sort(d)), variable("theta", measure_sort(ONE))
laws = variable("laws", function_sort(REAL, measure_sort(d)))
LETTERS = {"V": V, "A": A, "x": x, "mu": nu}
MASKED = {**LETTERS, "mu": laws, "theta": theta, "s": s}


def velocity(name: str, letters: dict[str, Term]) -> Term:
    return to_term(lookup(name).velocity(notation.x, notation.mu, form="A"), letters)


def score(A: Term, x: Term, y: Term) -> Term:
    """(A x)^T y."""
    return la.mul(la.tp(la.mul(A, x)), y)


def form(u: Term, v: Term) -> Term:
    """u^T (A v)."""
    return la.mul(la.tp(u), la.mul(A, v))


def test_sinkhorn_integrates_against_the_balanced_kernel():
    """int kappa(x, y) V y dnu(y), where kappa balances (x, y) -> exp((A x)^T y) against nu."""
    scores = la.lam(x, la.lam(y, la.exp(score(A, x, y))))
    kappa = la.at(la.balanced(nu, scores), x, y)
    assert velocity("sinkhorn", LETTERS) == la.integral(nu, y, la.scale(kappa, la.mul(V, y)))


def test_the_letters_of_a_kernel_are_bound():
    """They may bear the names of letters outside, and of the other place."""
    u, v = notation.x, notation.y
    node = DoublyStochastic(Inner(u, notation.A * v), (u, v), Measure("mu"), (v, u))
    scores = la.lam(x, la.lam(y, form(x, y)))
    letters = {**LETTERS, "y": z}
    assert to_term(node, letters) == la.at(la.balanced(nu, scores), z, x)


def test_both_places_of_a_kernel_keep_their_order():
    u, v = notation.x, notation.y
    nodes = [
        DoublyStochastic(Inner(u, notation.A * v), pair, Measure("mu"), (u, v))
        for pair in ((u, v), (v, u))
    ]
    first, second = (to_term(node, {**LETTERS, "y": y}) for node in nodes)
    assert first != second
    flipped = la.lam(x, la.lam(y, form(y, x)))
    assert second == la.at(la.balanced(nu, flipped), x, y)


def test_a_mask_integrates_over_positions_and_then_over_the_law_there():
    """int_{tau <= s} int ((A x)^T y) V y dlaws(tau)(y) dtheta(tau)."""
    values = la.scale(score(A, x, y), la.mul(V, y))
    inner = la.integral(la.at(laws, tau), y, values)
    expected = la.integral(la.past(theta, s), tau, inner)
    assert velocity("masked-linear", MASKED) == expected


@pytest.mark.parametrize("missing", ["theta", "s", "mu"])
def test_a_mask_needs_positions_and_laws(missing: str):
    letters = {name: value for name, value in MASKED.items() if name != missing}
    with pytest.raises((TermError, KeyError)):
        velocity("masked-linear", letters)


def test_the_law_of_one_position_is_no_family_of_laws():
    with pytest.raises(TermError):
        velocity("masked-linear", {**MASKED, "mu": nu})


def test_the_position_may_be_called_as_the_bound_one():
    scalar = MeasureIntegral(
        Inner(notation.y, notation.x), notation.y, Past(Measure("mu"), notation.s)
    )
    term = to_term(scalar, {**MASKED, "s": tau})
    inner = la.integral(la.at(laws, s), y, la.mul(la.tp(y), x))
    assert term == la.integral(la.past(theta, tau), s, inner)


def test_a_measure_alone_behind_a_mask_has_no_term():
    with pytest.raises(TermError, match="Past"):
        to_term(Past(Measure("mu"), notation.s), MASKED)


def test_letters_are_not_captured():
    """A value that mentions the name of a bound letter keeps its own."""
    shifted = la.mul(V, la.mat("y", d, d))
    velocity_of = velocity("linear", {**LETTERS, "V": shifted})
    bound = la.vec("z", d)
    expected = la.integral(nu, bound, la.scale(score(A, x, bound), la.mul(shifted, bound)))
    assert velocity_of == expected
    moving = la.at(variable("V", function_sort(REAL, V.args[0])), tau)
    masked = velocity("masked-linear", {**MASKED, "V": moving})
    r = la.real("r")
    inner = la.integral(la.at(laws, r), y, la.scale(score(A, x, y), la.mul(moving, y)))
    assert masked == la.integral(la.past(theta, s), r, inner)
