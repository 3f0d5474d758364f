"""Families in the evaluation with mpmath: lists of members, sums, indices."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from mpmath import mp

from proofs import language as la
from proofs.crosschecks.evaluate import EvaluationError, evaluate, holds
from proofs.terms import ONE, REAL, Term, function_sort, index, size, variable

d, H = la.dim("d"), la.dim("H")
h, g = la.head("h", H), la.head("g", H)
V, c = la.family("V", H, d, d), la.family("c", H, ONE, ONE)
ch, cg = la.at(c, h), la.at(c, g)
x = la.real("x")
VALUES: dict[str, object] = {"d": 2, "H": 3, "c": [1, "1/2", -2], "h": 3, "x": 5}
VALUES["V"] = [[[1, 2], [3, 4]], mp.eye(2), [[0, 1], ["-1/2", 0]]]
I_2 = la.head("i", size(2))
CURVES = variable("X", function_sort(I_2.args[0], function_sort(REAL, REAL)))
CURVE_VALUES = {"x": 3, "X": [lambda t: t, lambda t: t * t]}
PAIR = Term("family", (x, la.number(2)))


@pytest.mark.parametrize(
    ("term", "values", "expected"),
    [
        (
            la.total(h, la.scale(ch, la.at(V, h))),
            VALUES,
            la.literal([[Fraction(3, 2), 0], [4, Fraction(9, 2)]]),
        ),
        (la.at(V, h), VALUES, la.literal([[0, 1], [Fraction(-1, 2), 0]])),
        (Term("sum", (c,)), VALUES, la.number(Fraction(-1, 2))),
        (la.total(h, x), VALUES, la.number(15)),
        # the inner sum sees the index of the outer one
        (
            la.total(g, la.mul(cg, la.total(h, la.mul(ch, cg)))),
            VALUES,
            la.number(Fraction(-21, 8)),
        ),
        (la.mul(ch, la.total(h, ch)), VALUES, la.number(1)),
        # literal families, indices, families of curves
        (la.total(I_2, la.mul(la.at(PAIR, I_2), la.at(PAIR, I_2))), VALUES, la.number(29)),
        (la.at(PAIR, I_2), {"x": 5, "i": 2}, la.number(2)),
        (la.at(la.family("p", size(2), ONE, ONE), index(2, 2)), {"p": [1, 5]}, la.number(5)),
        (la.total(I_2, la.at(CURVES, I_2, x)), CURVE_VALUES, la.number(12)),
    ],
)
def test_families(term: Term, values: Mapping[str, object], expected: Term) -> None:
    assert evaluate(term, values, 30) == evaluate(expected, {}, 30)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"V": [[[1, 2], [3, 4]]]}, "V must be a list of 3 members"),
        ({"V": lambda i: [[1, 2], [3, 4]]}, "V must be a list of 3 members"),
        ({"V": [[[1]], [[1]], [[1]]]}, "V_1 is 1 x 1, expected 2 x 2"),
        ({"c": None}, "c must be a list of 3 members"),
        ({"h": 0}, "h must be an integer from 1 to 3"),
        ({"h": 4}, "h must be an integer from 1 to 3"),
        ({"h": True}, "h must be an integer from 1 to 3"),
        ({"H": 0}, "size H must be an integer"),
    ],
)
def test_refusals(change: Mapping[str, object], message: str) -> None:
    term = la.scale(ch, la.total(h, la.at(V, h)))
    with pytest.raises(EvaluationError, match=message):
        evaluate(term, {**VALUES, **change}, 20)


def test_propositions_about_all_heads() -> None:
    scalar = la.forall(h, la.eq(la.at(V, h), la.scale(ch, la.identity(d))))
    assert holds(scalar, {**VALUES, "V": [[[k, 0], [0, k]] for k in (1, "1/2", -2)]}, 20)
    assert not holds(scalar, VALUES, 20)
    some = la.exists(h, la.psd(la.scale(-1, ch)))
    assert holds(some, VALUES, 20)
    assert not holds(some, {**VALUES, "c": [1, 2, 3]}, 20)
    assert holds(la.exists(h, la.forall(g, la.le(cg, ch))), VALUES, 20)
    assert not holds(la.forall(h, la.exists(g, la.lt(ch, cg))), VALUES, 20)
    assert holds(la.forall(I_2, la.psd(la.at(PAIR, I_2))), VALUES, 20)
    with pytest.raises(EvaluationError, match="cannot be decided"):
        holds(la.forall(h, la.forall(x, la.psd(ch))), VALUES, 20)


@pytest.mark.parametrize(
    ("end", "values", "inside"),
    [
        (la.lifetime("T"), {"x": 2, "T": 3}, True),
        (la.lifetime("T"), {"x": 3, "T": 3}, False),
        (la.lifetime("T"), {"x": -1, "T": mp.inf}, False),
        (la.finite(la.scale(2, x)), {"x": Fraction(1, 3)}, True),
        (la.INFINITY, {"x": 10**9}, True),
    ],
)
def test_times_within_a_lifetime(end: Term, values: Mapping[str, object], inside: bool) -> None:
    assert holds(la.within(x, end), values, 30) == inside
