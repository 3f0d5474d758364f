"""From expressions to terms: what a causal mask lets through."""

import pytest

from proofs import language as la
from proofs.bridge import to_term
from proofs.terms import TermError, substitute
from symbolic import notation
from symbolic.variants import lookup, names

d = la.dim("d")
V, A, x = la.mat("V", d, d), la.mat("A", d, d), la.vec("x", d)
LETTERS = {"V": V, "A": A, "x": x, "d": d}
LAWS = [la.gaussian(la.vec(f"m{i}", d), la.mat(f"S{i}", d, d)) for i in (1, 2)]
p, q = la.real("p"), la.real("q")


def masked(name, *seen):
    expression = lookup(f"masked-{name}").velocity(notation.x, notation.mu, form="A")
    return to_term(expression, LETTERS, seen)


def plain(name, law):
    expression = lookup(name).velocity(notation.x, notation.mu, form="A")
    return to_term(expression, {**LETTERS, "mu": law})


def test_integrals_are_sums_over_the_positions_seen():
    one, two = (plain("linear", law) for law in LAWS)
    assert masked("linear", (p, LAWS[0])) == la.scale(p, one)
    assert masked("linear", (p, LAWS[0]), (q, LAWS[1])) == la.add(
        la.scale(p, one), la.scale(q, two)
    )


def test_quotients_have_sums_above_and_below():
    one, two = (plain("softmax", law).args for law in LAWS)
    below = la.add(*(la.mul(m, f[0].args[0]) for m, f in zip((p, q), (one, two), strict=True)))
    above = la.add(*(la.scale(m, f[1]) for m, f in zip((p, q), (one, two), strict=True)))
    assert masked("softmax", (p, LAWS[0]), (q, LAWS[1])) == la.scale(la.inv(below), above)


@pytest.mark.parametrize("name", sorted({*names()} - {"l2", "sinkhorn"}))
def test_masked_variants_need_to_be_told(name):
    with pytest.raises(TermError, match="which positions"):
        masked(name)
    once = masked(name, (la.number(1), LAWS[0]))
    assert once == substitute(masked(name, (p, LAWS[0])), {"p": la.number(1)})
